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

struct DmmaShape : PencilRows {
  static constexpr int Q = 4, A = 4 * plane + 4 * 8, C = 16 * 8 + 16;
  static constexpr int odd_p = P, at_a = 2 * P;
  __device__ static int line(int qz, int j) { return 4 * plane + at(qz, j); }
  // The x stage reads four of c's beside column 4 of four rows.
  __device__ static int c_line(int n) { return 16 * 8 + 4 * (n & 3) + ((n >> 2) ^ 2); }
  __device__ static int c_line(int qz, int qy) { return c_line(4 * qz + qy); }
  __device__ static int any(int n) { return n & 3; }  // columns qz above 3 do not exist; what they read goes nowhere
};

// Both maps of a parallelepiped: a diagonal Jacobian.
__device__ __forceinline__ void scale(const Metric& m, double x, double y, double z, double* out) {
  out[0] = m.xx * x;
  out[1] = m.yy * y;
  out[2] = m.zz * z;
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
  // Tables as operand B in x. Forward: T[(e, qx)][i] with (e, qx) = row; element 0 has nodes 0..3 and 4, element 1 has 4..7
  // and 8. Transposed: node i = row from the points (e, qx) = 2 j4 (even) or 2 j4 + 1 (odd).
  struct AlongX {
    double low, high, fifth[2], even, odd;
  };
  const auto along_x = [&](const double(&T)[4][5]) {
    AlongX x;
    const int e = row >> 2, q = row & 3;
    x.low = e == 0 ? T[q][j4] : 0;
    x.high = e == 1 ? T[q][j4] : 0;
    for (int n = 0; n < 2; ++n) {
      const int column = 2 * j4 + n, ce = column >> 2, cq = column & 3;
      x.fifth[n] = T[cq][4];
      (n == 0 ? x.even : x.odd) = ce == 0 ? (row < 5 ? T[cq][row] : 0) : (row >= 4 ? T[cq][row - 4] : 0);
    }
    return x;
  };
  const AlongX xB = along_x(t.B), xD = along_x(t.dB);

  const int half = j4 >> 1, qx = (2 * j4) & 3, qy = row & 3, ex_lane = march.ex + half;  // this lane's points in the x stage
  const bool mine = half == 0 || two;
  Geometry geometry;
  if (mine) geometry.column(a, ex_lane, march.ey, qy, qx);

  const auto fetch = [&](int ez) { fetch_pressure<S>(a, a.p + corner + 4 * (ez - first) * level, level, lane, width, s.p_of(ez)); };
  if constexpr (Gradient) {  // columns that do not exist stay zero
    for (int n = lane; n < 2 * S::P; n += 32) s.p[n] = 0;
    __syncwarp();
    fetch(first);
  }

  for (int ez = first; ez < last; ++ez) {
    const std::int64_t e = march.element(a, ex_lane, ez);
    const std::int64_t base = corner + 4 * (ez - first) * level;
    if constexpr (Gradient) {
      wait_for_copies<0>();
      __syncwarp();
      if (ez + 1 < last) fetch(ez + 1);
      const double* s_in = s.p_of(ez);
      double* to = row < 4 ? s.a : s.b;
      const int q = row & 3;
#pragma unroll
      for (int j = 0; j < 5; ++j) {
        double c[2] = {0, 0};
        apply_table<5>(c, both, [&](int k, int n) { return s_in[S::at(k, j, n)]; });
        store_pair(to + S::at(q, j, 2 * j4), c);
      }
      {
        double c[2] = {0, 0};  // i = 8, n = j
        apply_table<5>(c, both, [&](int k, int n) { return s_in[S::p_line(k, n)]; });
        store_pair(to + S::line(q, 2 * j4), c);
      }
      __syncwarp();
#pragma unroll
      for (int p = 0; p < 5; ++p) {  // plane qz = p; p = 4: the line i = 8, n = qz
        double c[2] = {0, 0}, d[2] = {0, 0};
        if (p < 4) {
          apply_table<5>(c, both, [&](int k, int n) { return s.a[S::at(p, k, n)]; });
          apply_table<5>(d, both, [&](int k, int n) { return s.b[S::at(p, k, n)]; });
          const int place = S::at(4 * p + q, 2 * j4);
          store_pair(s.c_of(row < 4 ? 0 : 1) + place, c);
          if (row < 4) store_pair(s.c_of(2) + place, d);
        } else {
          apply_table<5>(c, both, [&](int k, int n) { return s.a[S::line(S::any(n), k)]; });
          apply_table<5>(d, both, [&](int k, int n) { return s.b[S::line(S::any(n), k)]; });
          if (j4 < 2)
            for (int n = 0; n < 2; ++n) {
              s.c_of(row < 4 ? 0 : 1)[S::c_line(2 * j4 + n, q)] = c[n];
              if (row < 4) s.c_of(2)[S::c_line(2 * j4 + n, q)] = d[n];
            }
        }
      }
    }
    __syncwarp();

#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
      const int n = 8 * tile + row, qz = n >> 2;
      double value[3][2] = {}, flux[3][2] = {};
      if constexpr (Gradient) {
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          const AlongX& x = k == 0 ? xD : xB;
          Dmma::multiply_add(value[k], s.c_of(k)[S::at(n, j4)], x.low);
          Dmma::multiply_add(value[k], s.c_of(k)[S::at(n, 4 + j4)], x.high);
          const double fifth = s.c_of(k)[half == 0 ? S::at(n, 4) : S::c_line(n)];
          value[k][0] += fifth * x.fifth[0];
          value[k][1] += fifth * x.fifth[1];
        }
      }
      if (mine) {
        Metric m[2];
        geometry.metrics(a, e, ez, qz, qy, qx, m);
        const bool sheared = !geometry.parallelepiped;
        if constexpr (Divergence) {
          double2 u[3];
#pragma unroll
          for (int k = 0; k < 3; ++k) u[k] = *reinterpret_cast<const double2*>(a.u + (e * 3 + k) * L3D + n * 4 + qx);
          for (int p = 0; p < 2; ++p) {
            double f[3];
            if (sheared)
              contravariant_flux(m[p], p ? u[0].y : u[0].x, p ? u[1].y : u[1].x, p ? u[2].y : u[2].x, f);
            else
              scale(m[p], p ? u[0].y : u[0].x, p ? u[1].y : u[1].x, p ? u[2].y : u[2].x, f);
            for (int k = 0; k < 3; ++k) flux[k][p] = f[k];
          }
        }
        if constexpr (Gradient) {
          double g[2][3];
          for (int p = 0; p < 2; ++p) {
            if (sheared)
              weighted_gradient(m[p], value[0][p], value[1][p], value[2][p], g[p]);
            else
              scale(m[p], value[0][p], value[1][p], value[2][p], g[p]);
          }
#pragma unroll
          for (int k = 0; k < 3; ++k) *reinterpret_cast<double2*>(a.g + (e * 3 + k) * L3D + n * 4 + qx) = {g[0][k], g[1][k]};
        }
      }
      if constexpr (Divergence) {
        __syncwarp();  // rows of this tile have been read
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          const AlongX& x = k == 0 ? xD : xB;
          double c[2] = {0, 0};
          Dmma::multiply_add(c, flux[k][0], x.even);
          Dmma::multiply_add(c, flux[k][1], x.odd);
          double last_column = x.fifth[0] * flux[k][0] + x.fifth[1] * flux[k][1];
          last_column += __shfl_xor_sync(0xffffffffu, last_column, 1);  // of element 1 where half = 1
          store_pair(s.c_of(k) + S::at(n, 2 * j4), c);
          if (j4 == 3) s.c_of(k)[S::c_line(n)] = last_column;
        }
      }
    }

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
