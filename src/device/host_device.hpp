// SPDX-License-Identifier: Apache-2.0
// AGWAVE_HD marks functions that are written once and compiled for host and device.
#pragma once
#include <cstdint>

#ifdef __CUDACC__
#define AGWAVE_HD __host__ __device__ __forceinline__
#else
#define AGWAVE_HD inline
#endif

namespace agwave {

// n / by of numbers that are not negative; 32 bits divide several times faster on GPUs, and are enough as a rule.
AGWAVE_HD std::int64_t quotient(std::int64_t n, std::int64_t by) {
  return ((n | by) >> 32) == 0 ? static_cast<std::int64_t>(static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(by)) : n / by;
}

}  // namespace agwave
