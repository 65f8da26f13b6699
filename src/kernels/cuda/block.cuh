// SPDX-License-Identifier: Apache-2.0
// Where threads of some warps of a block meet, on which multiprocessor they are, and how they wait for other blocks and kernels.
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
// What this thread has written can be read by who awaits the count.
__device__ __forceinline__ void count_on(unsigned* counter) { asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory"); }
// Until a counter of other blocks has come so far.
__device__ __forceinline__ void await_count(const unsigned* counter, unsigned target) {
  for (;;) {
    unsigned now;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    if (static_cast<int>(now - target) >= 0) return;
    __nanosleep(500);  // others want their turn with memory
  }
}

// The next kernel of the stream, if it was launched to, may begin as blocks of this one go; what it needs of them it has to wait for itself.
__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace agwave
