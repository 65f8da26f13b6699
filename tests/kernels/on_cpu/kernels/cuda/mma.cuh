// SPDX-License-Identifier: Apache-2.0
// The FP64 products of src/kernels/cuda/mma.cuh on a CPU, by their lane maps.
#pragma once
#include "warp.hpp"

namespace agwave::cuda_kernels {

struct Dmma {
  static constexpr int compute_capability = 80;
  static void multiply_add(double (&c)[2], double a, double b) {
    const auto sums = on_cpu::Warp::together<2>({a, b}, [](const auto* all, int lane) {
      std::array<double, 2> sum{};
      for (int n = 0; n < 2; ++n)
        for (int k = 0; k < 4; ++k) sum[n] += all[lane / 4 * 4 + k][0] * all[(2 * (lane % 4) + n) * 4 + k][1];
      return sum;
    });
    for (int n = 0; n < 2; ++n) c[n] += sums[n];
  }
};

}  // namespace agwave::cuda_kernels
