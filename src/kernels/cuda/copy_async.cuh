// SPDX-License-Identifier: Apache-2.0
// cp.async: copies from global to shared memory that need no register and complete at a wait, group by group in order.
// What a thread copied it may read after its wait; what others copied, after a barrier too.
#pragma once

namespace agwave {

template <int Bytes>  // 8 or 16, both ends aligned
__device__ __forceinline__ void copy_async(double* s_to, const double* from) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(s_to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void close_copy_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Open>  // waits for all but the newest `Open` groups
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Open) : "memory");
}

}  // namespace agwave
