// SPDX-License-Identifier: Apache-2.0
// The FP64 and INT8 products of src/kernels/cuda/mma.cuh on a CPU, by their lane maps.
#pragma once
#include "kernels/cuda/imma_fragment.hpp"
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

struct DmmaPair {  // two products with the same operand B; of as many columns of A
  static void multiply_add_4(double (&c)[2], double (&d)[2], double a, double b, double table) {
    Dmma::multiply_add(c, a, table);
    Dmma::multiply_add(d, b, table);
  }
  static void multiply_add_8(double (&c)[2], double (&d)[2], double a, double b, double table, double a_more, double b_more, double table_more) {
    multiply_add_4(c, d, a, b, table);
    multiply_add_4(c, d, a_more, b_more, table_more);
  }
};

// By the words of the PTX manual for m16n8k32 with 8-bit entries a0 .. a15, b0 .. b7, c0 .. c3 of a lane, which imma_fragment.hpp says in its own way.
struct Imma {
  static void multiply_add(std::int32_t (&c)[4], const ImmaA& a, std::uint32_t b0, std::uint32_t b1) {
    const auto sums = on_cpu::Warp::together<6, std::uint32_t>({a.r[0], a.r[1], a.r[2], a.r[3], b0, b1}, [](const auto* all, int lane) {
      const auto entry = [&](int of, int n) { return static_cast<std::int8_t>(all[of][n / 4] >> (8 * (n % 4))); };
      const auto at_a = [&](int row, int column) {
        const int n = column % 4 + (column >= 16 ? 8 : 0) + (row >= 8 ? 4 : 0);
        return entry(row % 8 * 4 + column % 16 / 4, n);
      };
      const auto at_b = [&](int row, int column) { return entry(column * 4 + row % 16 / 4, 16 + row % 4 + (row >= 16 ? 4 : 0)); };
      std::array<std::int32_t, 4> sum{};
      for (int n = 0; n < 4; ++n) {
        const int row = lane / 4 + (n < 2 ? 0 : 8), column = lane % 4 * 2 + (n & 1);
        for (int k = 0; k < 32; ++k) sum[static_cast<std::size_t>(n)] += at_a(row, k) * at_b(k, column);
      }
      return sum;
    });
    for (int n = 0; n < 4; ++n) c[n] += sums[static_cast<std::size_t>(n)];
  }
};

}  // namespace agwave::cuda_kernels
