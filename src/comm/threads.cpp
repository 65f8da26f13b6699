// SPDX-License-Identifier: Apache-2.0
#include "comm/threads.hpp"

#include <sched.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

#include <cstdlib>

#include "device/backend.hpp"
#include "error/error.hpp"

namespace agwave {

void set_threads([[maybe_unused]] int count) {
#if defined(_OPENMP)
  omp_set_num_threads(count);
#endif
}

int threads() {
#if defined(_OPENMP)
  return omp_get_max_threads();
#else
  return 1;
#endif
}

static cpu_set_t affinity() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) CPU_SET(0, &mask);  // more cores than the mask holds: be content with one
  return mask;
}

void choose_threads(const Comm& comm) {
  constexpr int most = 4096;  // far more than a node has; from some tens of thousands on OpenMP itself fails, without a word
  if (const char* const wanted = std::getenv("OMP_NUM_THREADS")) {
    if (threads() > most) throw Error(ExitCode::device, text("OMP_NUM_THREADS=", wanted, ": at most ", most, " threads a rank"));
    return;
  }
  const cpu_set_t usable = affinity();
  set_threads(comm.size() == 1 ? CPU_COUNT(&usable) : 1);
}

std::string describe_threads(const Comm& comm) {
  const int ranks = comm.size(), each = threads();
  return text(ranks, ranks == 1 ? " rank x " : " ranks x ", each, each == 1 ? " thread" : " threads");
}

std::string oversubscription(const Comm& comm) {
  const Comm node = comm.node();
  cpu_set_t mine = affinity(), together;  // ranks may be bound to different cores
  AGWAVE_MPI(MPI_Allreduce(&mine, &together, sizeof mine, MPI_BYTE, MPI_BOR, node.mpi()));
  const double excess = comm.max(node.sum(static_cast<double>(threads())) / CPU_COUNT(&together));
  if (excess <= 1) return "";
  return text("oversubscribed: ", excess,
              " threads for each core that they may use; start fewer ranks, bind them to more cores or set OMP_NUM_THREADS");
}

void Cpu::for_blocks(std::int64_t n, const std::function<void(std::int64_t)>& f) {
#if defined(_OPENMP)
#pragma omp parallel for schedule(static) if (n > 1)
#endif
  for (std::int64_t i = 0; i < n; ++i) f(i);
}

}  // namespace agwave
