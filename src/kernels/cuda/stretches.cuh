// SPDX-License-Identifier: Apache-2.0
// Stretches of memory that come and go whole, moved by all lanes of a warp: from compute capability 9.0 on as bulk copies, below it in pieces of 16 bytes a
// lane. Both ends are 16-byte aligned, and so are lengths.
#pragma once
#include "kernels/cuda/copy_async.cuh"

namespace agwave {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool bulk_copies = false;
#else
inline constexpr bool bulk_copies = true;
#endif

struct Stretch {
  void* s_to;
  const void* from;
  int bytes;  // none: nothing comes
};

// To shared memory, where they are once who asked has waited for copies and all have waited for `s_arrived` and have met: at most one a lane, stretch(n) for
// n < count. Beforehand one lane says how many bytes are to come.
__device__ __forceinline__ void expect_stretches(std::uint64_t* s_arrived, int bytes) {
  if constexpr (bulk_copies) expect_copies(s_arrived, bytes);
}
template <class F>
__device__ __forceinline__ void bring_stretches(int lane, int count, std::uint64_t* s_arrived, F&& stretch) {
  if constexpr (bulk_copies) {
    if (lane >= count) return;
    const Stretch s = stretch(lane);
    if (s.bytes > 0) copy_in(s.s_to, s.from, s.bytes, s_arrived);
  } else {
    for (int n = 0; n < count; ++n) {
      const Stretch s = stretch(n);
      for (int at = 16 * lane; at < s.bytes; at += 16 * 32) copy_async<16>(static_cast<char*>(s.s_to) + at, static_cast<const char*>(s.from) + at);
    }
  }
}
__device__ __forceinline__ void await_stretches(std::uint64_t* s_arrived, int parity) {
  if constexpr (bulk_copies) wait_for_arrival(s_arrived, parity);
}

// From shared memory, which may be overwritten then; others' part of it has been published and all have met.
__device__ __forceinline__ void send_stretch(int lane, void* to, const void* s_from, int bytes) {
  if constexpr (bulk_copies) {
    if (lane == 0) {
      copy_out(to, s_from, bytes);
      wait_until_read();
    }
  } else {
    for (int at = 16 * lane; at < bytes; at += 16 * 32)
      *reinterpret_cast<float4*>(static_cast<char*>(to) + at) = *reinterpret_cast<const float4*>(static_cast<const char*>(s_from) + at);
  }
  __syncwarp();
}
__device__ __forceinline__ void await_sent() {
  if constexpr (bulk_copies) wait_until_written();
}

}  // namespace agwave
