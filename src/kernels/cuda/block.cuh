// SPDX-License-Identifier: Apache-2.0
// Where threads of some warps of a block meet, and on which multiprocessor they are.
#pragma once

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

}  // namespace agwave
