// SPDX-License-Identifier: Apache-2.0
// The FP64 tensor-core instruction mma.sync.aligned.m8n8k4.row.col.f64, C[8][8] += A[8][4] B[4][8]. Lane maps, with row = lane / 4 and j = lane % 4:
//   A[row][j]    B[j][row]    C[row][2 j], C[row][2 j + 1]
#pragma once
#include <cstdint>

#include "kernels/cuda/imma_fragment.hpp"

namespace agwave::cuda_kernels {

struct Dmma {
  static constexpr int compute_capability = 80;
  __device__ static void multiply_add(double (&c)[2], double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c[0]), "+d"(c[1]) : "d"(a), "d"(b));
  }
};

// Two products at once with one operand B, C_n += A_n B: the 16-row shapes of compute capability 9.0, which run at twice the rate of the
// one above there; two of that on older devices. `multiply_add_8`: A_n = [a_n, x_n], B = [b; y], eight columns instead of four.
struct DmmaPair {
  __device__ static void multiply_add_4(double (&c0)[2], double (&c1)[2], double a0, double a1, double b) {
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(c0[0]), "+d"(c0[1]), "+d"(c1[0]), "+d"(c1[1])
        : "d"(a0), "d"(a1), "d"(b));
#else
    Dmma::multiply_add(c0, a0, b);
    Dmma::multiply_add(c1, a1, b);
#endif
  }
  __device__ static void multiply_add_8(double (&c0)[2], double (&c1)[2], double a0, double a1, double b, double x0, double x1, double y) {
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c0[0]), "+d"(c0[1]), "+d"(c1[0]), "+d"(c1[1])
        : "d"(a0), "d"(a1), "d"(x0), "d"(x1), "d"(b), "d"(y));
#else
    Dmma::multiply_add(c0, a0, b);
    Dmma::multiply_add(c1, a1, b);
    Dmma::multiply_add(c0, x0, y);
    Dmma::multiply_add(c1, x1, y);
#endif
  }
};

// The INT8 instruction mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32, C[16][8] += A[16][32] B[32][8]; lane maps: imma_fragment.hpp.
struct Imma {
  static constexpr int compute_capability = 80;
  __device__ static void multiply_add(std::int32_t (&c)[4], const ImmaA& a, std::uint32_t b0, std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
  }
};

}  // namespace agwave::cuda_kernels
