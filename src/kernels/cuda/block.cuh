// SPDX-License-Identifier: Apache-2.0
// Where threads of some warps of a block meet, on which multiprocessor they are, and how they wait for other blocks.
#pragma once
#include <cstdint>

namespace agwave {

template <int Barrier, int Threads>  // so many threads, which are whole warps
__device__ __forceinline__ void meet_at() {
  asm volatile("bar.sync %0, %1;" ::"n"(Barrier), "n"(Threads) : "memory");
}
__device__ __forceinline__ unsigned multiprocessor() {
  unsigned m;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(m));
  return m;
}
__device__ __forceinline__ std::int64_t nanoseconds() {
  std::int64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
// Until a counter of other blocks has come so far.
__device__ __forceinline__ void await_count(const unsigned* counter, unsigned target) {
  for (;;) {
    unsigned now;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    if (static_cast<int>(now - target) >= 0) return;
    __nanosleep(500);  // others want their turn with memory
  }
}

}  // namespace agwave
