// SPDX-License-Identifier: Apache-2.0
// The measurement of a link, written once for both backends; instantiated in link.cpp and link_cuda.cu.
#pragma once
#include <algorithm>
#include <limits>

#include "comm/link.hpp"
#include "comm/messages.hpp"

namespace agwave {

template <class Backend>
std::vector<LinkSample> measure_link_on(const Transport& transport, int distance, const Comm& comm) {
  constexpr int batches = 5;
  const int block = comm.rank() / distance, partner = block % 2 ? comm.rank() - distance : comm.rank() + distance;
  std::vector<LinkSample> samples;
  Backend backend;
  for (std::int64_t count = 1; count <= (1 << 21); count *= 8) {  // 8 B to 16 MiB
    Array<double> out(Backend::space, static_cast<std::size_t>(count));
    out.zero();
    std::vector<Neighbour> neighbours;
    if (partner < comm.size()) neighbours.push_back({partner, 0, count});
    Transport quiet = transport;  // its traffic is nobody's step
    quiet.traffic = std::make_shared<Traffic>();
    Messages<Backend> messages(neighbours, comm, quiet);
    const int rounds = count < 4096 ? 50 : count < 262144 ? 20 : 5;
    double best = std::numeric_limits<double>::infinity();
    for (int batch = 0; batch < batches; ++batch) {
      comm.barrier();
      const Stopwatch watch;
      for (int n = 0; n < rounds; ++n) {
        const Outgoing to = messages.open();
        if (messages.packing_sends()) backend.for_each(messages.size(), Pack{out.data(), to});
        messages.start(backend);
        messages.finish(backend);
      }
      backend.synchronize();
      if (batch > 0) best = std::min(best, comm.max(watch.seconds() / rounds));
    }
    samples.push_back({8.0 * static_cast<double>(count), best});
  }
  return samples;
}

std::vector<LinkSample> measure_link_cuda(const Transport& transport, int distance, const Comm& comm);  // link_cuda.cu

}  // namespace agwave
