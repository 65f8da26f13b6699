// SPDX-License-Identifier: Apache-2.0
// Tables of the two-sweep kernel. They are symmetric, B[q][i] = B[3-q][4-i], dB[q][i] = -dB[3-q][4-i], so the even and odd parts
// of a fibre of nodes contract apart, and one split serves both tables: with
//   even nodes e_i = v_i + v_4-i, odd nodes o_i = v_i - v_4-i, even points E_q = f_q + f_3-q, odd points O_q = f_q - f_3-q (q = 0, 1)
//   values       f_q = E + O, f_3-q = E - O    E = B_even e,  O = B_odd o
//   derivatives  the same                      E = dB_odd o,  O = dB_even e
// Contractions along z stay in parts until both are needed; along y they take whole rows or, as sums and differences, two; along x a tensor core
// does them.
// The tables lie in constant memory, where a fused multiply-add reads them as an operand.
#pragma once
#include "kernels/cuda/dmma.cuh"
#include "mesh/basis.hpp"

namespace agwave::two_sweep {

struct HalfTables {
  alignas(64) double rows[5][8]{};  // [i]: B[0..3][i], dB[0..3][i], which then come with one line of the constant cache
  // [i]: B_even[0..1][i], dB_even[0..1][i], then but for the middle row B_odd[0..1][i], dB_odd[0..1][i]; likewise
  alignas(64) double pairs[3][8]{};
  double B_even[2][3]{}, B_odd[2][2]{}, dB_even[2][3]{}, dB_odd[2][2]{};
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
    for (int i = 0; i < 3; ++i)
      for (int q = 0; q < 2; ++q) {
        pairs[i][q] = B_even[q][i];
        pairs[i][2 + q] = dB_even[q][i];
        if (i == 2) continue;
        pairs[i][4 + q] = B_odd[q][i];
        pairs[i][6 + q] = dB_odd[q][i];
      }
    for (int i = 0; i < 5; ++i)
      for (int q = 0; q < 4; ++q) {
        rows[i][q] = t.B[q][i];
        rows[i][4 + q] = t.dB[q][i];
      }
  }
};
static __constant__ HalfTables c_tables;

// Four points along z in parts, or a quantity at them: even 0, even 1, odd 0, odd 1.
using Parts = double[4];

// Even nodal values enter less twice the middle one: B sums up to 1 over the nodes and dB to 0, so the middle node needs no product with either.
struct Fibre {  // 5 nodal values in parts
  double e0, e1, e2, o0, o1;
  __device__ __forceinline__ explicit Fibre(const double (&v)[5])
      : e0(fma(-2, v[2], v[0] + v[4])), e1(fma(-2, v[2], v[1] + v[3])), e2(v[2]), o0(v[0] - v[4]), o1(v[1] - v[3]) {}
  __device__ __forceinline__ void values(Parts& out) const {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      out[q] = fma(c_tables.B_even[q][1], e1, fma(c_tables.B_even[q][0], e0, e2));
      out[2 + q] = fma(c_tables.B_odd[q][1], o1, c_tables.B_odd[q][0] * o0);
    }
  }
  __device__ __forceinline__ void derivatives(Parts& out) const {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      out[q] = fma(c_tables.dB_odd[q][1], o1, c_tables.dB_odd[q][0] * o0);
      out[2 + q] = fma(c_tables.dB_even[q][1], e1, c_tables.dB_even[q][0] * e0);
    }
  }
};

struct Adjoint {  // r[i] = sum_q B[q][i] f[q] + sum_q dB[q][i] f[q], from f in parts
  double e0 = 0, e1 = 0, e2 = 0, o0 = 0, o1 = 0;
  __device__ __forceinline__ void add_values(const Parts& f) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      e0 = fma(c_tables.B_even[q][0], f[q], e0);
      e1 = fma(c_tables.B_even[q][1], f[q], e1);
      e2 = fma(c_tables.B_even[q][2], f[q], e2);
      o0 = fma(c_tables.B_odd[q][0], f[2 + q], o0);
      o1 = fma(c_tables.B_odd[q][1], f[2 + q], o1);
    }
  }
  __device__ __forceinline__ void add_derivatives(const Parts& f) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      e0 = fma(c_tables.dB_even[q][0], f[2 + q], e0);
      e1 = fma(c_tables.dB_even[q][1], f[2 + q], e1);
      e2 = fma(c_tables.dB_even[q][2], f[2 + q], e2);
      o0 = fma(c_tables.dB_odd[q][0], f[q], o0);
      o1 = fma(c_tables.dB_odd[q][1], f[q], o1);
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

// Along x a lane is a node, then a point, then a node again, of element lane / 4 of the bar: lane % 4 is the contracted index of
// operand A, and the table as operand B has its columns arranged so that the lane gets back what belongs to it.
// B sums up to 1 over the nodes and dB to 0, so with differences to the fifth node four nodes are enough.
// The fragments of a lane lie in shared memory: registers are scarce.
enum LaneTable {
  to_points,  // [node][2 q] = B[q][node], [node][2 q + 1] = dB[q][node]: value and derivative at the lane's point
  to_nodes_B,
  to_nodes_dB,  // [q][2 i] = B[q][i], [q][1] = B[q][4]: the sum at the lane's node, and in the first lane that at the shared node
  lane_tables
};
__device__ inline void fill_lane_tables(double (*s_tables)[32]) {  // by one warp
  const auto& t = cuda_kernels::c_basis<4>;
  const int lane = threadIdx.x % 32, row = lane / 4, j = lane % 4, half = row / 2;
  const bool even = row % 2 == 0;
  s_tables[to_points][lane] = even ? t.B[half][j] : t.dB[half][j];
  const int node = even ? half : 4;
  s_tables[to_nodes_B][lane] = even || row == 1 ? t.B[j][node] : 0;
  s_tables[to_nodes_dB][lane] = even || row == 1 ? t.dB[j][node] : 0;
}

}  // namespace agwave::two_sweep
