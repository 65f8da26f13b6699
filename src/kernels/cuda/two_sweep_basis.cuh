// SPDX-License-Identifier: Apache-2.0
// Contractions of one fibre for the two-sweep kernel. The tables are symmetric, B[q][i] = B[3-q][4-i], dB[q][i] = -dB[3-q][4-i],
// so the even and odd parts of a fibre contract apart, and one split serves both tables:
//   sum_i B[q][i] v[i] = E[q].even + O[q].odd for q < 2, and the difference of the two at 3 - q; for dB the sign flips.
// The 20 halves of the tables stay in constant memory, where a fused multiply-add reads them as an operand.
#pragma once
#include "fem/basis.hpp"

namespace agwave::two_sweep {

struct HalfTables {
  double B_even[2][3]{}, B_odd[2][2]{}, dB_even[2][3]{}, dB_odd[2][2]{};
  double x[4]{}, w[4]{};
  constexpr HalfTables() {
    constexpr Basis<4> t{};
    for (int q = 0; q < 2; ++q) {
      for (int i = 0; i < 2; ++i) {
        B_even[q][i] = 0.5 * (t.B[q][i] + t.B[q][4 - i]);
        B_odd[q][i] = 0.5 * (t.B[q][i] - t.B[q][4 - i]);
        dB_even[q][i] = 0.5 * (t.dB[q][i] + t.dB[q][4 - i]);
        dB_odd[q][i] = 0.5 * (t.dB[q][i] - t.dB[q][4 - i]);
      }
      B_even[q][2] = t.B[q][2];
      dB_even[q][2] = t.dB[q][2];
    }
    for (int q = 0; q < 4; ++q) {
      x[q] = t.rule.x[q];
      w[q] = t.rule.w[q];
    }
  }
};
static __constant__ HalfTables c_tables;

struct Fibre {  // 5 nodal values in even and odd parts
  double e0, e1, e2, o0, o1;
  __device__ __forceinline__ Fibre(double v0, double v1, double v2, double v3, double v4)
      : e0(v0 + v4), e1(v1 + v3), e2(v2), o0(v0 - v4), o1(v1 - v3) {}
  __device__ __forceinline__ void values(double (&out)[4]) const {  // out[q] = sum_i B[q][i] v[i]
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const double s = fma(c_tables.B_even[q][2], e2, fma(c_tables.B_even[q][1], e1, c_tables.B_even[q][0] * e0));
      const double t = fma(c_tables.B_odd[q][1], o1, c_tables.B_odd[q][0] * o0);
      out[q] = s + t;
      out[3 - q] = s - t;
    }
  }
  __device__ __forceinline__ void derivatives(double (&out)[4]) const {  // out[q] = sum_i dB[q][i] v[i]
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const double t = fma(c_tables.dB_even[q][2], e2, fma(c_tables.dB_even[q][1], e1, c_tables.dB_even[q][0] * e0));
      const double s = fma(c_tables.dB_odd[q][1], o1, c_tables.dB_odd[q][0] * o0);
      out[q] = s + t;
      out[3 - q] = s - t;
    }
  }
};

struct Adjoint {  // accumulates r[i] = sum_q B[q][i] f[q] and sum_q dB[q][i] f[q] in even and odd parts
  double e0 = 0, e1 = 0, e2 = 0, o0 = 0, o1 = 0;
  __device__ __forceinline__ void add_values(const double (&f)[4]) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const double even = f[q] + f[3 - q], odd = f[q] - f[3 - q];
      e0 = fma(c_tables.B_even[q][0], even, e0);
      e1 = fma(c_tables.B_even[q][1], even, e1);
      e2 = fma(c_tables.B_even[q][2], even, e2);
      o0 = fma(c_tables.B_odd[q][0], odd, o0);
      o1 = fma(c_tables.B_odd[q][1], odd, o1);
    }
  }
  __device__ __forceinline__ void add_derivatives(const double (&f)[4]) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const double even = f[q] + f[3 - q], odd = f[q] - f[3 - q];
      e0 = fma(c_tables.dB_even[q][0], odd, e0);
      e1 = fma(c_tables.dB_even[q][1], odd, e1);
      e2 = fma(c_tables.dB_even[q][2], odd, e2);
      o0 = fma(c_tables.dB_odd[q][0], even, o0);
      o1 = fma(c_tables.dB_odd[q][1], even, o1);
    }
  }
  __device__ __forceinline__ void result(double (&r)[5]) const {
    r[0] = e0 + o0;
    r[4] = e0 - o0;
    r[1] = e1 + o1;
    r[3] = e1 - o1;
    r[2] = e2;
  }
};

}  // namespace agwave::two_sweep
