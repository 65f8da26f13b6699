// SPDX-License-Identifier: Apache-2.0
// Both blocks of the operator on FP64 tensor cores: the same pencils as pencil.cuh (one warp marches up a pair of element
// columns), every contraction an m8n8k4 product. Tables are operand A in z and y; in x the data are operand A, so that the
// result C[row (qz, qy)][column (e, qx)] is, as it stands, the A fragment of the transposed product: x, D and x^T run in
// registers. Index form per layer, t = (j, i), rows n = (qz, qy):
//   z    [a; b][q][t] = [B; dB] p          tiles of 8 i per j, one more for i = 8       M = 8, K = 5
//   y    [c0; c1][qy] = [B; dB] a, c2 = B b, per qz                                     M = 8, K = 5
//   x    (p_xi, p_eta, p_zeta)[n][(e, qx)] = c0 dB^T, c1 B^T, c2 B^T                    M = 8 rows n, K = 4 + 1 + 4 over i
//        i = 0..3 reach element 0, i = 5..8 element 1, i = 4 both (rank-1)
//   x^T  c[n][i] = f [n][(e, qx)] T[(e, qx)][i]: even columns (c0) and odd ones (c1) are two products
//   y^T  a = B^T c0 + dB^T c1, b = B^T c2       M = 5 (padded to 8), K = 4
//   z^T  r = B^T a + dB^T b                     M = 5, K = 4; level 4 is carried to the next layer in shared memory
// Shared memory: rows of 8 nodes i = 0..7 (RowsOfEight), the ninth (i = 8) in lines of their own; no access has a bank
// conflict. p arrives one layer ahead by cp.async, in two buffers.
// Q1D = 4 only; five points do not fit the 8-wide tiles in pairs (pencil_dmma5.cuh).
#pragma once
#include "kernels/cuda/dmma_geometry.cuh"
#include "kernels/cuda/dmma_march.cuh"

namespace agwave::cuda_kernels {

struct DmmaShape : RowsOfEight {
  static constexpr int Q = 4, A = 4 * plane + 4 * 8, C = 16 * 8 + 16;
  static constexpr int odd_p = P, at_a = 2 * P;
  __device__ static int line(int qz, int j) { return 4 * plane + at(qz, j); }
  // The x stage reads four of c's beside column 4 of four rows.
  __device__ static int c_line(int n) { return 16 * 8 + 4 * (n & 3) + ((n >> 2) ^ 2); }
  __device__ static int c_line(int qz, int qy) { return c_line(4 * qz + qy); }
  __device__ static int any(int n) { return n & 3; }  // columns qz above 3 do not exist; what they read goes nowhere
  // A table as operand B in x. Forward: T[(e, qx)][i] with (e, qx) = row; element 0 has nodes 0..3 and 4, element 1 has 4..7
  // and 8. Transposed: node i = row from the points (e, qx) = 2 j4 (even) or 2 j4 + 1 (odd).
  struct AlongX {
    double low, high, fifth[2], even, odd;
    __device__ __forceinline__ AlongX(const double (&T)[Q][D1D], int row, int j4) {
      const int e = row >> 2, q = row & 3;
      low = e == 0 ? T[q][j4] : 0;
      high = e == 1 ? T[q][j4] : 0;
      for (int n = 0; n < 2; ++n) {
        const int column = 2 * j4 + n, ce = column >> 2, cq = column & 3;
        fifth[n] = T[cq][4];
        (n == 0 ? even : odd) = ce == 0 ? (row < 5 ? T[cq][row] : 0) : (row >= 4 ? T[cq][row - 4] : 0);
      }
    }
  };
};

// `both`: [B; dB], so that rows 0..3 of a result are a or c0 and rows 4..7 b or c1.
__device__ __forceinline__ void pressure_along_z(const TableFragment& both, int row, int j4, const double* s_in, const DmmaMemory<DmmaShape>& s) {
  using S = DmmaShape;
  double* to = row < 4 ? s.a : s.b;
  const int q = row & 3;
#pragma unroll
  for (int j = 0; j < 6; ++j) {  // j = 5: the line i = 8, n = j
    double c[2] = {0, 0};
    apply_table<5>(c, both, [&](int k, int n) { return s_in[j < 5 ? S::at(k, j, n) : S::p_line(k, n)]; });
    store_pair(to + (j < 5 ? S::at(q, j, 2 * j4) : S::line(q, 2 * j4)), c);
  }
}
__device__ __forceinline__ void pressure_along_y(const TableFragment& both, int row, int j4, const DmmaMemory<DmmaShape>& s) {
  using S = DmmaShape;
  double* const to = s.c_of(row < 4 ? 0 : 1);
  const int qy = row & 3;
#pragma unroll
  for (int q = 0; q < 5; ++q) {  // plane qz = q; q = 4: the line i = 8, n = qz
    const auto in = [&](const double* s_from) {
      return [&, s_from](int k, int n) { return s_from[q < 4 ? S::at(q, k, n) : S::line(S::any(n), k)]; };
    };
    double c[2] = {0, 0}, d[2] = {0, 0};
    apply_table<5>(c, both, in(s.a));
    apply_table<5>(d, both, in(s.b));
    if (q < 4) {
      store_pair(to + S::at(4 * q + qy, 2 * j4), c);
      if (row < 4) store_pair(s.c_of(2) + S::at(4 * q + qy, 2 * j4), d);
    } else if (j4 < 2) {
      for (int n = 0; n < 2; ++n) {
        to[S::c_line(2 * j4 + n, qy)] = c[n];
        if (row < 4) s.c_of(2)[S::c_line(2 * j4 + n, qy)] = d[n];
      }
    }
  }
}

// x, D and x^T on eight rows n; a lane has the points qx, qx + 1 of one.
template <bool Gradient, bool Divergence, class Geometry>
__device__ __forceinline__ void along_x(const PencilArgs& a, const PencilElement& x, int ez, int tile, int row, int j4, const DmmaShape::AlongX& xB,
                                        const DmmaShape::AlongX& xD, const Geometry& geometry, const DmmaMemory<DmmaShape>& s) {
  using S = DmmaShape;
  const int n = 8 * tile + row, qz = n >> 2, qx = (2 * j4) & 3;
  double value[3][2] = {}, flux[3][2] = {};
  if constexpr (Gradient) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const S::AlongX& t = k == 0 ? xD : xB;
      Dmma::multiply_add(value[k], s.c_of(k)[S::at(n, j4)], t.low);
      Dmma::multiply_add(value[k], s.c_of(k)[S::at(n, 4 + j4)], t.high);
      const double fifth = s.c_of(k)[x.half == 0 ? S::at(n, 4) : S::c_line(n)];
      value[k][0] += fifth * t.fifth[0];
      value[k][1] += fifth * t.fifth[1];
    }
  }
  if (x.exists) {
    Metric m[2];
    geometry.metrics(a, x.e, ez, qz, row & 3, qx, m);
    if constexpr (Divergence) {
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        const double2 u = *reinterpret_cast<const double2*>(a.u + x.nodes(k) + n * 4 + qx);
        flux[k][0] = u.x;
        flux[k][1] = u.y;
      }
    }
    apply_metric<Gradient, Divergence>([&](int p) { return m[p]; }, geometry.parallelepiped, value, flux);
    if constexpr (Gradient) {
#pragma unroll
      for (int k = 0; k < 3; ++k) store_pair(a.g + x.nodes(k) + n * 4 + qx, value[k]);
    }
  }
  if constexpr (Divergence) {
    __syncwarp();  // rows of this tile have been read
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const S::AlongX& t = k == 0 ? xD : xB;
      double c[2] = {0, 0};
      Dmma::multiply_add(c, flux[k][0], t.even);
      Dmma::multiply_add(c, flux[k][1], t.odd);
      double last_column = t.fifth[0] * flux[k][0] + t.fifth[1] * flux[k][1];
      last_column += __shfl_xor_sync(0xffffffffu, last_column, 1);  // of element 1 where half = 1
      store_pair(s.c_of(k) + S::at(n, 2 * j4), c);
      if (j4 == 3) s.c_of(k)[S::c_line(n)] = last_column;
    }
  }
}

template <bool Gradient, bool Divergence, class Geometry>
__global__ void __launch_bounds__(March::threads, 3) dmma_kernel(const __grid_constant__ PencilArgs a) {
  using S = DmmaShape;
  extern __shared__ __align__(16) double s_all[];
  const int lane = threadIdx.x & 31, row = lane >> 2, j4 = lane & 3;
  const March march(a);
  const DmmaMemory<S> s(s_all + march.warp * DmmaMemory<S>::per_warp);
  if (march.first >= a.z1) return;
  const int first = march.first, last = march.last;
  const bool two = march.two(a);
  const int width = two ? 9 : 5;
  const std::int64_t level = march.level(a), corner = march.corner(a);

  // Tables as operand A: [B; dB] over 5 nodes; B^T and dB^T over 4 points.
  const Basis<4>& t = c_basis<4>;
  const TableFragment both = table_fragment<8, 5>([&](int m, int k) { return m < 4 ? t.B[m][k] : t.dB[m - 4][k]; });
  const TableFragment BT = table_fragment<5, 4>([&](int m, int k) { return t.B[k][m]; });
  const TableFragment DT = table_fragment<5, 4>([&](int m, int k) { return t.dB[k][m]; });
  const S::AlongX xB(t.B, row, j4), xD(t.dB, row, j4);

  const int half = j4 >> 1;
  PencilElement x{half, march.ex + half, half == 0 || two};
  Geometry geometry;
  if (x.exists) geometry.column(a, x.ex, march.ey, row & 3, (2 * j4) & 3);

  const auto fetch = [&](int ez) { fetch_pressure<S>(a, a.p + corner + 4 * (ez - first) * level, level, lane, width, s.p_of(ez)); };
  if constexpr (Gradient) {  // columns that do not exist stay zero
    for (int n = lane; n < 2 * S::P; n += 32) s.p[n] = 0;
    __syncwarp();
    fetch(first);
  }

  for (int ez = first; ez < last; ++ez) {
    x.e = march.element(a, x.ex, ez);
    const std::int64_t base = corner + 4 * (ez - first) * level;
    if constexpr (Gradient) {
      wait_for_copies<0>();
      __syncwarp();
      if (ez + 1 < last) fetch(ez + 1);
      pressure_along_z(both, row, j4, s.p_of(ez), s);
      __syncwarp();
      pressure_along_y(both, row, j4, s);
    }
    __syncwarp();

#pragma unroll
    for (int tile = 0; tile < 2; ++tile) along_x<Gradient, Divergence>(a, x, ez, tile, row, j4, xB, xD, geometry, s);

    if constexpr (Divergence) {
      __syncwarp();
      divergence_along_y(BT, DT, row, j4, s);
      __syncwarp();
      divergence_along_z(a, a.r + base, level, width, ez, ez == first, ez == last - 1, BT, DT, row, j4, s);
      __syncwarp();
    }
  }
}

}  // namespace agwave::cuda_kernels
