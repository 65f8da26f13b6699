// SPDX-License-Identifier: Apache-2.0
// Contractions of a fibre of five nodes with the basis in single precision, by even and odd parts, and their transposes: two_sweep/cuda/basis.cuh and
// contractions.cuh in floats, but for one thing. What is the same at all nodes has to have no gradient at all, rather than that of its rounding: derivatives
// are taken of differences to the middle node.
#pragma once
#include "timestep/two_sweep/cuda/contractions.cuh"

namespace agwave::leapfrog4 {

struct SingleTables {
  alignas(32) float rows[5][8]{};  // [i]: B[0..3][i], dB[0..3][i]
  float B_even[2][2]{}, B_odd[2][2]{}, dB_even[2][2]{}, dB_odd[2][2]{};
  constexpr SingleTables() {
    constexpr two_sweep::HalfTables t{};
    for (int i = 0; i < 5; ++i)
      for (int q = 0; q < 8; ++q) rows[i][q] = static_cast<float>(t.rows[i][q]);
    for (int q = 0; q < 2; ++q)
      for (int i = 0; i < 2; ++i) {
        B_even[q][i] = static_cast<float>(t.B_even[q][i]);
        B_odd[q][i] = static_cast<float>(t.B_odd[q][i]);
        dB_even[q][i] = static_cast<float>(t.dB_even[q][i]);
        dB_odd[q][i] = static_cast<float>(t.dB_odd[q][i]);
      }
  }
};
static __constant__ SingleTables c_single;

// Of a lane's point along x: B at nodes 0, 1, 3, 4, then dB.
__device__ inline void fill_single_tables(float (*s_tables)[32]) {  // by one warp
  const auto& t = cuda_kernels::c_basis<4>;
  const int lane = threadIdx.x % 32, q = lane % 4;
  for (int n = 0; n < 4; ++n) {
    const int node = n < 2 ? n : n + 1;
    s_tables[n][lane] = static_cast<float>(t.B[q][node]);
    s_tables[4 + n][lane] = static_cast<float>(t.dB[q][node]);
  }
}

using SingleParts = float[4];  // two_sweep::Parts

struct SingleFibre {  // two_sweep::Fibre
  float e0, e1, e2, o0, o1;
  __device__ __forceinline__ explicit SingleFibre(const float (&v)[5])
      : e0(fmaf(-2, v[2], v[0] + v[4])), e1(fmaf(-2, v[2], v[1] + v[3])), e2(v[2]), o0(v[0] - v[4]), o1(v[1] - v[3]) {}
  __device__ __forceinline__ void values(SingleParts& out) const {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      out[q] = fmaf(c_single.B_even[q][1], e1, fmaf(c_single.B_even[q][0], e0, e2));
      out[2 + q] = fmaf(c_single.B_odd[q][1], o1, c_single.B_odd[q][0] * o0);
    }
  }
  __device__ __forceinline__ void derivatives(SingleParts& out) const {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      out[q] = fmaf(c_single.dB_odd[q][1], o1, c_single.dB_odd[q][0] * o0);
      out[2 + q] = fmaf(c_single.dB_even[q][1], e1, c_single.dB_even[q][0] * e0);
    }
  }
};

struct SingleAdjoint {  // two_sweep::Adjoint; the middle node gets what the others leave of the sum
  float e0 = 0, e1 = 0, all = 0, o0 = 0, o1 = 0;
  __device__ __forceinline__ void add_values(const SingleParts& f) {
    all = f[0] + f[1];
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      e0 = fmaf(c_single.B_even[q][0], f[q], e0);
      e1 = fmaf(c_single.B_even[q][1], f[q], e1);
      o0 = fmaf(c_single.B_odd[q][0], f[2 + q], o0);
      o1 = fmaf(c_single.B_odd[q][1], f[2 + q], o1);
    }
  }
  __device__ __forceinline__ void add_derivatives(const SingleParts& f) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      e0 = fmaf(c_single.dB_even[q][0], f[2 + q], e0);
      e1 = fmaf(c_single.dB_even[q][1], f[2 + q], e1);
      o0 = fmaf(c_single.dB_odd[q][0], f[q], o0);
      o1 = fmaf(c_single.dB_odd[q][1], f[q], o1);
    }
  }
  __device__ __forceinline__ void result(float (&r)[5]) const {
    r[0] = e0 + o0;
    r[4] = e0 - o0;
    r[1] = e1 + o1;
    r[3] = e1 - o1;
    r[2] = fmaf(-2, e0 + e1, all);
  }
};

}  // namespace agwave::leapfrog4
