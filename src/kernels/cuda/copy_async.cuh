// SPDX-License-Identifier: Apache-2.0
// Copies between global and shared memory that need no register. cp.async completes at a wait, group by group in order: what a thread
// copied it may read after its wait; what others copied, after a barrier too.
#pragma once
#include <cstdint>

namespace agwave {

template <int Bytes>  // 4, 8 or 16, both ends aligned
__device__ __forceinline__ void copy_async(void* s_to, const void* from) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(s_to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
}
__device__ __forceinline__ void close_copy_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Open>  // waits for all but the newest `Open` groups
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Open) : "memory");
}

// Bulk copies: one thread asks for a stretch of memory, 16-byte aligned at both ends. An mbarrier initialised for one arrival completes a
// phase when all the bytes expected of it have come; who has waited for the parity of that phase may read. Compute capability 9.0; barriers alone 8.0.
__device__ __forceinline__ unsigned shared_address(const void* s_pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(s_pointer)); }
__device__ __forceinline__ void begin_barrier(std::uint64_t& s_barrier, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&s_barrier)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void publish_barriers() {  // that have begun, to copies
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}
__device__ __forceinline__ void arrive(std::uint64_t& s_barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&s_barrier)) : "memory");
}
__device__ __forceinline__ void expect_copies(std::uint64_t* s_arrived, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(s_arrived)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void copy_in(void* s_to, const void* from, int bytes, std::uint64_t* s_arrived) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(s_to)), "l"(from),
               "r"(bytes), "r"(shared_address(s_arrived))
               : "memory");
}
__device__ __forceinline__ void wait_for_arrival(std::uint64_t* s_arrived, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
#if __CUDA_ARCH__ >= 900
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
#else
      "mbarrier.test_wait.parity.shared::cta.b64 done, [%0], %1;\n"
#endif
      "@!done bra again;\n"
      "}\n" ::"r"(shared_address(s_arrived)),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void prefetch(const void* from, int bytes) {  // to L2; aligned as copies are
#if __CUDA_ARCH__ >= 900                                                 // below, who reads waits
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
#endif
}
// A box of a three-dimensional array, described by a CUtensorMap among the kernel's parameters; (x, y, z) is its first corner. Zero where the
// box reaches beyond the array, and nothing is written there. 128-byte aligned in shared memory.
__device__ __forceinline__ void copy_box_in(double* s_to, const void* map, int x, int y, int z, std::uint64_t* s_arrived) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(s_to)),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(s_arrived))
      : "memory");
}
__device__ __forceinline__ void copy_box_out(const void* map, int x, int y, int z, const double* s_from) {  // with those up to close_copies_out()
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(x), "r"(y), "r"(z),
               "r"(shared_address(s_from))
               : "memory");
}
// What other threads wrote to shared memory goes out after their publish() and a barrier.
__device__ __forceinline__ void publish() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
__device__ __forceinline__ void publish_global() {  // what other threads wrote, to copies
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.global;" ::: "memory");
#endif
}
__device__ __forceinline__ void close_copies_out() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ __forceinline__ void copy_out(void* to, const void* s_from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(s_from)), "r"(bytes) : "memory");
  close_copies_out();
}
// Until what was copied out may be overwritten, but for the last `Open` groups; until it has arrived.
template <int Open = 0>
__device__ __forceinline__ void wait_until_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Open) : "memory");
}
__device__ __forceinline__ void wait_until_written() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

}  // namespace agwave
