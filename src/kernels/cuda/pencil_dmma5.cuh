// SPDX-License-Identifier: Apache-2.0
// The tensor-core pencils with five quadrature points per direction. Same march and index form as pencil_dmma.cuh; tables
// of five rows fill five of the eight, B and dB apart, and elements are taken one by one in x. The velocity lives on four
// nodes per direction and passes through V: z and y through shared memory w, x in registers with the rest of the row.
//   u:  w1[qz][ly lx] = V u,  w2[n][lx] = V w1,  n = (qz, qy);  u at [n][qx] = w2 V^T
//   g:  w2[n][lx] = (D grad p) V,  w1[qz][ly lx] = V^T w2,  g = V^T w1
// Shared memory as there, and as free of bank conflicts: 55 KB per block of 4 warps, w where a, b and the layer's p are, which
// it does not meet. 168 registers, of which the tables take 56: three blocks per multiprocessor for 60 to 100 bytes spilled.
#pragma once
#include "kernels/cuda/dmma_geometry.cuh"
#include "kernels/cuda/dmma_march.cuh"

namespace agwave::cuda_kernels {

struct Dmma5Shape : RowsOfEight {
  static constexpr int Q = 5, n = 25, planes = 5 * plane;
  static constexpr int A = planes + 6 * 8, C = n * 8 + 32;
  static constexpr int odd_p = P + 2 * A, at_a = P;
  static constexpr int W2 = n * 4, W1 = 5 * 24;
  static_assert(6 * W2 + W1 <= P + 2 * A);
  // Line i = 8 of a and b, entry (qz, j): row 4 goes to another half of the banks than row 0, with which it is stored.
  __device__ static int line(int qz, int j) { return planes + at(qz + (qz >> 2), j); }
  // Line i = 8 of c, entry (qz, qy): loads take four qy of four qz, or four rows n; stores four qy of every second qz.
  __device__ static int c_line(int qz, int qy) { return n * 8 + (qz == 4 ? 20 + qy : qy == 4 ? 16 + qz : 4 * qz + qy); }
  __device__ static int any(int n) { return n < 5 ? n : 3; }  // columns qz above 4 do not exist; what they read goes nowhere
  // Entry l = (ly, lx) of w1, as in planes; entry lx of w2, with two qz stored at a time in every second lx.
  __device__ static int w1(int qz, int l) { return qz * 24 + (l ^ ((qz & 2) << 1)); }
  __device__ static int w2(int qz, int qy, int lx) { return (5 * qz + qy) * 4 + (lx ^ (qz & 1)); }
  __device__ static int qz_of(int tile, int n) { return min(2 * tile + n / 4, 4); }  // columns (qz, lx), two qz per tile

  // Tables as operand B in x, zero for points above 4, which do not exist. Forward: T[qx = row][k = j4], and the fifth node's
  // column for the lane's own points 2 j4 + n. Transposed: those points to node `row` of the pair's eight, per element.
  struct AlongX {
    double forward, fifth[2], back[2][2];
    template <int Nodes>
    __device__ __forceinline__ AlongX(const double (&T)[Q][Nodes], int row, int j4) {
      forward = row < 5 ? T[row][j4] : 0;
      for (int n = 0; n < 2; ++n) {
        const int q = 2 * j4 + n;
        fifth[n] = q < 5 && Nodes == 5 ? T[q][Nodes - 1] : 0;
        back[0][n] = q < 5 && row < Nodes ? T[q][row] : 0;
        back[1][n] = q < 5 && row >= 4 ? T[q][row - 4] : 0;
      }
    }
  };
};

__device__ __forceinline__ void pressure_along_z(const TableFragment& B, const TableFragment& D, int row, int j4, const double* s_in,
                                                 const DmmaMemory<Dmma5Shape>& s) {
  using S = Dmma5Shape;
#pragma unroll
  for (int j = 0; j < 6; ++j) {  // j = 5: the line i = 8, n = j
    const auto in = [&](int k, int n) { return s_in[j < 5 ? S::at(k, j, n) : S::p_line(k, n)]; };
    double c[2] = {0, 0}, d[2] = {0, 0};
    apply_table<5>(c, B, in);
    apply_table<5>(d, D, in);
    if (row >= 5) continue;
    const int to = j < 5 ? S::at(row, j, 2 * j4) : S::line(row, 2 * j4);
    store_pair(s.a + to, c);
    store_pair(s.b + to, d);
  }
}
__device__ __forceinline__ void pressure_along_y(const TableFragment& B, const TableFragment& D, int row, int j4, const DmmaMemory<Dmma5Shape>& s) {
  using S = Dmma5Shape;
#pragma unroll
  for (int q = 0; q < 6; ++q) {  // plane qz = q; q = 5: the line i = 8, n = qz
    const auto in = [&](const double* s_from) {
      return [&, s_from](int k, int n) { return s_from[q < 5 ? S::at(q, k, n) : S::line(S::any(n), k)]; };
    };
    double c[3][2] = {};
    apply_table<5>(c[0], B, in(s.a));
    apply_table<5>(c[1], D, in(s.a));
    apply_table<5>(c[2], B, in(s.b));
    if (row >= 5) continue;
    if (q < 5) {
      for (int k = 0; k < 3; ++k) store_pair(s.c_of(k) + S::at(5 * q + row, 2 * j4), c[k]);
    } else {
      for (int n = 0; n < 2; ++n)
        if (2 * j4 + n < 5)
          for (int k = 0; k < 3; ++k) s.c_of(k)[S::c_line(2 * j4 + n, row)] = c[k][n];
    }
  }
}

// One component of one element: nodes (u as operand B of the contraction along z) to w2, and w2 to nodes.
__device__ __forceinline__ void velocity_along_zy(const TableFragment& V, int row, int j4, const double (&u)[2], double* s_1, double* s_2) {
  using S = Dmma5Shape;
  __syncwarp();
#pragma unroll
  for (int tile = 0; tile < 2; ++tile) {
    double c[2] = {0, 0};
    apply_table<4>(c, V, [&](int, int) { return u[tile]; });
    if (row < 5) store_pair(s_1 + S::w1(row, 8 * tile + 2 * j4), c);
  }
  __syncwarp();
#pragma unroll
  for (int tile = 0; tile < 3; ++tile) {
    double c[2] = {0, 0};
    apply_table<4>(c, V, [&](int m, int n) { return s_1[S::w1(S::qz_of(tile, n), 4 * m + n % 4)]; });
    const int qz = 2 * tile + j4 / 2;
    if (row < 5 && qz < 5)
      for (int n = 0; n < 2; ++n) s_2[S::w2(qz, row, 2 * (j4 % 2) + n)] = c[n];
  }
}
__device__ __forceinline__ void gradient_along_yz(const TableFragment& VT, int row, int j4, const double* s_2, double* s_1, double* g) {
  using S = Dmma5Shape;
#pragma unroll
  for (int tile = 0; tile < 3; ++tile) {
    double c[2] = {0, 0};
    apply_table<5>(c, VT, [&](int m, int n) { return s_2[S::w2(S::qz_of(tile, n), m, n % 4)]; });
    const int qz = 2 * tile + j4 / 2;
    if (row < 4 && qz < 5) store_pair(s_1 + S::w1(qz, 4 * row + 2 * (j4 % 2)), c);
  }
  __syncwarp();
#pragma unroll
  for (int tile = 0; tile < 2; ++tile) {
    double c[2] = {0, 0};
    apply_table<5>(c, VT, [&](int m, int n) { return s_1[S::w1(m, 8 * tile + n)]; });
    if (row < 4) store_pair(g + row * 16 + 8 * tile + 2 * j4, c);
  }
  __syncwarp();
}

// x, D and x^T on eight rows n, one element of the pair after the other; a lane has the points 2 j4, 2 j4 + 1 of one row.
template <bool Gradient, bool Divergence, int Stored>
__device__ __forceinline__ void along_x(const PencilArgs& a, std::int64_t e0, int elements, int ex, int ey, int ez, int tile, int row, int j4,
                                        const Dmma5Shape::AlongX& xB, const Dmma5Shape::AlongX& xD, const Dmma5Shape::AlongX& xV, double* s_2,
                                        const DmmaMemory<Dmma5Shape>& s) {
  using S = Dmma5Shape;
  const int n = min(8 * tile + row, 24), qz = n / 5, qy = n % 5;  // rows above 24 repeat it and store nothing
  const bool inside = 8 * tile + row < 25;
  double result[3][2] = {}, last_column[3] = {};
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    if (e >= elements) continue;
    double value[3][2] = {}, u[3][2] = {};
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const S::AlongX& x = k == 0 ? xD : xB;
      if constexpr (Gradient) {
        Dmma::multiply_add(value[k], s.c_of(k)[S::at(n, 4 * e + j4)], x.forward);
        const double fifth = s.c_of(k)[e == 0 ? S::at(n, 4) : S::c_line(qz, qy)];
        for (int p = 0; p < 2; ++p) value[k][p] += fifth * x.fifth[p];
      }
      if constexpr (Divergence) Dmma::multiply_add(u[k], s_2[(2 * k + e) * S::W2 + S::w2(qz, qy, j4)], xV.forward);
    }
    const auto metric_at = [&](int p) { return point_metric<Stored>(a, e0 + e, ex + e, ey, ez, qz, qy, min(2 * j4 + p, 4)); };
    apply_metric<Gradient, Divergence>(metric_at, false, value, u);
    __syncwarp();  // rows of this tile have been read
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      if constexpr (Gradient) {
        double c[2] = {0, 0};
        for (int p = 0; p < 2; ++p) Dmma::multiply_add(c, value[k][p], xV.back[0][p]);
        if (inside && j4 < 2)
          for (int p = 0; p < 2; ++p) s_2[(2 * k + e) * S::W2 + S::w2(qz, qy, 2 * j4 + p)] = c[p];
      }
      if constexpr (Divergence) {
        const S::AlongX& x = k == 0 ? xD : xB;
        for (int p = 0; p < 2; ++p) {
          Dmma::multiply_add(result[k], u[k][p], x.back[e][p]);
          if (e == 1) last_column[k] += x.fifth[p] * u[k][p];
        }
      }
    }
  }
  if constexpr (Divergence) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      if (inside) store_pair(s.c_of(k) + S::at(n, 2 * j4), result[k]);
      for (int m = 1; m < 4; m *= 2) last_column[k] += __shfl_xor_sync(0xffffffffu, last_column[k], m);
      if (inside && j4 == 0) s.c_of(k)[S::c_line(qz, qy)] = last_column[k];
    }
  }
}

template <bool Gradient, bool Divergence, int Stored>
__global__ void __launch_bounds__(March::threads, 3) dmma5_kernel(const __grid_constant__ PencilArgs a) {
  using S = Dmma5Shape;
  extern __shared__ __align__(16) double s_all[];
  const int lane = threadIdx.x & 31, row = lane >> 2, j4 = lane & 3;
  const March march(a);
  const DmmaMemory<S> s(s_all + march.warp * DmmaMemory<S>::per_warp);
  if (march.first >= a.z1) return;
  const int ex = march.ex, ey = march.ey, first = march.first, last = march.last;
  const int elements = march.two(a) ? 2 : 1, width = 4 * elements + 1;
  const std::int64_t level = march.level(a), corner = march.corner(a);

  const Basis<5>& t = c_basis<5>;
  const TableFragment B = table_fragment<5, 5>([&](int m, int k) { return t.B[m][k]; }),
                      D = table_fragment<5, 5>([&](int m, int k) { return t.dB[m][k]; });
  const TableFragment BT = table_fragment<5, 5>([&](int m, int k) { return t.B[k][m]; }),
                      DT = table_fragment<5, 5>([&](int m, int k) { return t.dB[k][m]; });
  const TableFragment V = table_fragment<5, 4>([&](int m, int k) { return t.V[m][k]; }),
                      VT = table_fragment<4, 5>([&](int m, int k) { return t.V[k][m]; });
  const S::AlongX xB(t.B, row, j4), xD(t.dB, row, j4), xV(t.V, row, j4);

  const auto fetch = [&](int ez) { fetch_pressure<S>(a, a.p + corner + 4 * (ez - first) * level, level, lane, width, s.p_of(ez)); };
  if constexpr (Gradient) fetch(first);

  for (int ez = first; ez < last; ++ez) {
    const std::int64_t e0 = march.element(a, ex, ez);
    const std::int64_t base = corner + 4 * (ez - first) * level;
    double r_u[3][2][2] = {};  // operand B of the velocity's z contraction, loaded before it is needed
    if constexpr (Divergence)
#pragma unroll
      for (int k = 0; k < 3; ++k)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (e < elements)
            for (int tile = 0; tile < 2; ++tile) r_u[k][e][tile] = a.u[((e0 + e) * 3 + k) * L3D + j4 * 16 + 8 * tile + row];
    if constexpr (Gradient) {
      wait_for_copies<0>();
      __syncwarp();
      if (ez + 1 < last) fetch(ez + 1);
      pressure_along_z(B, D, row, j4, s.p_of(ez), s);
      __syncwarp();
      pressure_along_y(B, D, row, j4, s);
    }

    double* s_2 = ez & 1 ? s.a : s.p;  // beside the buffer that receives the next layer
    double* s_1 = s_2 + 6 * S::W2;
    if constexpr (Divergence)
#pragma unroll
      for (int k = 0; k < 3; ++k)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (e < elements) velocity_along_zy(V, row, j4, r_u[k][e], s_1, s_2 + (2 * k + e) * S::W2);
    __syncwarp();

#pragma unroll 1  // less of it in registers at once
    for (int tile = 0; tile < 4; ++tile) along_x<Gradient, Divergence, Stored>(a, e0, elements, ex, ey, ez, tile, row, j4, xB, xD, xV, s_2, s);
    __syncwarp();

    if constexpr (Gradient) {
#pragma unroll
      for (int k = 0; k < 3; ++k)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (e < elements) gradient_along_yz(VT, row, j4, s_2 + (2 * k + e) * S::W2, s_1, a.g + ((e0 + e) * 3 + k) * L3D);
    }
    if constexpr (Divergence) {
      divergence_along_y(BT, DT, row, j4, s);
      __syncwarp();
      divergence_along_z(a, a.r + base, level, width, ez, ez == first, ez == last - 1, BT, DT, row, j4, s);
      __syncwarp();
    }
  }
}

}  // namespace agwave::cuda_kernels
