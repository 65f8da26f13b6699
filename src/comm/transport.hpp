// SPDX-License-Identifier: Apache-2.0
// Which way values travel between ranks (solver.exchange). On CPUs MPI sends from the arrays themselves. On GPUs
//   peer     packing writes into the neighbour's memory, no host and no copy in between (peer_memory.hpp); needs all ranks on one host
//   nccl     send and receive queued on a second stream, no host in between; needs NCCL and a GPU per rank
//   mpi      MPI sends from device memory; needs a GPU-aware MPI, which is asked and then tried with a small message
//   staged   through pinned host memory; works everywhere
// and `auto` takes the first of them that can run.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/comm.hpp"

namespace agwave {

class Nccl;

// Of a round, in the order of a timeline. Not every exchange marks all.
enum class Moment { begin, boundary, packed, arrived, unpacked, interior, resumed };
inline constexpr std::size_t moments = 7;
using Timeline = std::array<double, moments>;  // [s] since the first round; NaN: not marked

struct Traffic {                                     // of this rank, summed over the rounds of all exchanges on a transport
  std::int64_t rounds = 0, messages = 0, bytes = 0;  // sent
  double seconds = 0;                                // that the host spent in them: on CPUs the whole exchange, waiting included
  double waited = 0;                                 // that work stood still for them: what is not hidden (comm/exchange_clock.hpp)
  bool keep_timeline = false;
  std::vector<Timeline> timeline;  // one per round
};

enum class Path { host, staged, mpi, nccl, peer };
const char* to_string(Path path);

struct Transport {
  Path path = Path::staged;
  std::string why;             // the choice, in words
  std::shared_ptr<Nccl> nccl;  // for that path
  std::shared_ptr<Traffic> traffic = std::make_shared<Traffic>();
  bool shared = false;      // ranks share a GPU
  bool overlap = true;      // work goes on while messages travel
  int multiprocessors = 1;  // of a GPU, that two-sweep leaves to the exchange meanwhile
};

struct TransportOption {
  Path path;
  std::string why_not;  // empty: can run
};
// What GPUs that are `shared` by ranks, or are not, can use here, best first. Collective.
std::vector<TransportOption> gpu_transports(bool shared, const Comm& comm);

// Throws Error(usage or device) on every rank alike when what `where` asks for cannot be had. Collective; on GPUs the device must be current.
Transport choose_transport(const std::string& wanted, const std::string& where, bool gpu, bool shared, const Comm& comm);

}  // namespace agwave
