// SPDX-License-Identifier: Apache-2.0
// The choice among the transports. Whether MPI takes device memory is asked of the library (Open MPI: MPIX_Query_cuda_support, MPICH:
// MPIX_GPU_query_support, Cray MPICH: its environment variable), because one that does not would crash on the trial.
#include "comm/transport.hpp"

#include <cstdlib>
#include <vector>

#include "comm/nccl.hpp"
#include "comm/peer_memory.hpp"
#include "device/array.hpp"
#include "error/error.hpp"
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace agwave {

const char* to_string(Path path) { return path == Path::staged ? "staged" : path == Path::nccl ? "nccl" : path == Path::peer ? "peer" : "mpi"; }

namespace {

std::string why_mpi_refuses_device_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() ? "" : "this MPI says that it is not GPU-aware";
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  AGWAVE_MPI(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported));
  return supported ? "" : "this MPI says that it is not GPU-aware";
#else
  const char* cray = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
  return cray && std::string(cray) == "1" ? "" : "this MPI does not say that it is GPU-aware";
#endif
}

#if AGWAVE_CUDA
// Sends a few values from device memory to the next rank and compares what arrives from the one before.
std::string why_trial_failed(const Comm& comm) {
  constexpr int count = 1000;
  std::vector<double> values(count), found(count);
  for (int n = 0; n < count; ++n) values[n] = comm.rank() + 1e-3 * n;
  Array<double> out, in;
  comm.agree([&] {
    out = Array<double>(Space::device, values);
    in = Array<double>(Space::device, count);
    in.zero();
  });
  const int next = (comm.rank() + 1) % comm.size(), last = (comm.rank() + comm.size() - 1) % comm.size();
  if (const int code = MPI_Sendrecv(out.data(), count, MPI_DOUBLE, next, 1, in.data(), count, MPI_DOUBLE, last, 1, comm.mpi(), MPI_STATUS_IGNORE);
      code != MPI_SUCCESS)
    return "MPI failed on a trial with device memory";
  in.copy_to(found);
  for (int n = 0; n < count; ++n)
    if (found[n] != last + 1e-3 * n) return "a trial message from device memory arrived wrong";
  return "";
}
#endif

// The same on all ranks: empty if all can, else what the lowest rank that cannot has to say.
std::string agreed(std::string why_not, const Comm& comm) {
  int own = why_not.empty() ? comm.size() : comm.rank(), first = comm.size();
  AGWAVE_MPI(MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, comm.mpi()));
  if (first == comm.size()) return "";
  why_not.resize(200);  // fixed, so that one broadcast does
  AGWAVE_MPI(MPI_Bcast(why_not.data(), static_cast<int>(why_not.size()), MPI_CHAR, first, comm.mpi()));
  return why_not.c_str();
}

std::string why_not_mpi([[maybe_unused]] const Comm& comm) {
  std::string why = agreed(why_mpi_refuses_device_memory(), comm);
#if AGWAVE_CUDA
  if (why.empty()) why = agreed(why_trial_failed(comm), comm);
#endif
  return why;
}

std::string why_not_peer([[maybe_unused]] const Comm& comm) {
#if AGWAVE_CUDA
  return comm.ranks_on_node() < comm.size() ? "ranks are on several hosts" : PeerMemory::why_not(comm);
#else
  return "this build has no CUDA";
#endif
}

constexpr Path best_first[] = {Path::peer, Path::nccl, Path::mpi, Path::staged};

std::string why_not(Path path, bool shared, const Comm& comm) {
  if (path == Path::peer) return why_not_peer(comm);
  if (path == Path::nccl) return agreed(shared ? "NCCL needs a GPU for every rank, and ranks share one" : Nccl::why_absent(), comm);
  return path == Path::mpi ? why_not_mpi(comm) : "";
}

}  // namespace

std::vector<TransportOption> gpu_transports(bool shared, const Comm& comm) {
  std::vector<TransportOption> options;
  for (const Path path : best_first) options.push_back({path, why_not(path, shared, comm)});
  return options;
}

Transport choose_transport(const std::string& wanted, const std::string& where, bool gpu, bool shared, const Comm& comm) {
  Transport chosen;
  if (!gpu) {
    if (wanted == "nccl" || wanted == "peer")
      throw AgreedError(ExitCode::usage, text(where, ": ", wanted, " moves data between GPUs, this run is on CPUs; use auto"));
    chosen.path = Path::host;
    chosen.why = "on CPUs MPI sends from the arrays themselves";
    return chosen;
  }
  if (comm.size() == 1) {
    chosen.why = "one rank: nothing to exchange";
    return chosen;
  }
  chosen.shared = comm.max(shared) > 0;
  for (const Path path : best_first) {  // tries no more than it must: a trial may bring down a bad MPI
    const std::string name = to_string(path);
    if (wanted != "auto" && wanted != name) continue;
    const std::string why = why_not(path, chosen.shared, comm);
    if (why.empty()) {
      chosen.path = path;
      chosen.why += wanted == "auto" ? chosen.why.empty() ? "auto: the fastest" : "" : "asked for";
      break;
    }
    if (wanted != "auto") throw AgreedError(ExitCode::device, text(where, ": ", name, ": ", why, "; use auto"));
    chosen.why += text(chosen.why.empty() ? "auto: " : "; ", "not ", name, ": ", why);
  }
  if (chosen.path == Path::nccl) chosen.nccl = comm.once<Nccl>([&] { return std::make_shared<Nccl>(comm); });
  return chosen;
}

}  // namespace agwave
