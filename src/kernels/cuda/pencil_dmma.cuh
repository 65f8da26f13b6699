// SPDX-License-Identifier: Apache-2.0
// Both blocks of the operator on FP64 tensor cores: the same pencils as pencil.cuh (one warp marches up a pair of element
// columns), every contraction an m8n8k4 product. Tables are operand A in z and y; in x the data are operand A, so that the
// result C[row (qz, qy)][column (e, qx)] is, as it stands, the A fragment of the transposed product: x, D and x^T run in
// registers. Index form per layer, t = (j, i) stored at 12 j + i, rows n = (qz, qy) stored at 12 n + i:
//   z    [a; b][q][t] = [B; dB] p          tiles of 8 i per j, one more for i = 8       M = 8, K = 5
//   y    [c0; c1][qy] = [B; dB] a, c2 = B b, per qz                                     M = 8, K = 5
//   x    (p_xi, p_eta, p_zeta)[n][(e, qx)] = c0 dB^T, c1 B^T, c2 B^T                    M = 8 rows n, K = 4 + 1 + 4 over i
//        i = 0..3 reach element 0, i = 5..8 element 1, i = 4 both (rank-1)
//   x^T  c[n][i] = f [n][(e, qx)] T[(e, qx)][i]: even columns (c0) and odd ones (c1) are two products
//   y^T  a = B^T c0 + dB^T c1, b = B^T c2       M = 5 (padded to 8), K = 4
//   z^T  r = B^T a + dB^T b                     M = 5, K = 4; level 4 is carried to the next layer by a shuffle
// Shared memory: rows of 8 nodes i = 0..7, the ninth (i = 8) in lines of their own. Operand loads take 4 rows x 4 columns
// per half warp, stores 2 rows x 8 columns per quarter warp (16 bytes a lane); with row and plane strides of 8 mod 16 and
// columns 0..3 and 4..7 swapped in every second pair of rows, both touch every 8-byte bank once.
// p arrives one layer ahead by cp.async, in two buffers.
// Q1D = 4 only; five points do not fit the 8-wide tiles in pairs (pencil_dmma5.cuh).
#pragma once
#include "kernels/cuda/dmma.cuh"
#include "kernels/cuda/pencil.cuh"

namespace agwave::cuda_kernels {

struct DmmaShape {
  static constexpr int warps = 4, plane = 40, line = 12;  // doubles per plane of 5 x 8 nodes; stride of the lines
  static constexpr int P = 5 * plane, PL = 5 * line, A = 4 * plane, AL = 4 * line, C = 16 * 8, CL = 16;
  static constexpr int per_warp = 2 * (P + PL) + 2 * (A + AL) + 3 * (C + CL);
  static constexpr std::size_t bytes = static_cast<std::size_t>(warps) * per_warp * sizeof(double);
  // Place of column i in row r of plane q.
  __device__ static int at(int q, int r, int i) { return q * plane + r * 8 + (i ^ (((q ^ r) & 2) << 1)); }
  __device__ static int at(int n, int i) { return n * 8 + (i ^ ((n & 2) << 1)); }
};

__device__ __forceinline__ void copy_async(double* s_to, const double* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(s_to))), "l"(from));
}

// D at the lane's two neighbouring points (qx, qx + 1) of row (qz, qy).
struct StoredPair {
  static constexpr bool stored = true, has_parallelepiped = false;
  __device__ void column(const PencilArgs&, int, int, int, int) {}
  __device__ void metrics(const PencilArgs& a, std::int64_t e, int, int qz, int qy, int qx, Metric (&m)[2]) const {
    const double* d = a.qdata + e * 320 + (qz * 4 + qy) * 4 + qx;
    const auto pair = [&](int k) { return *reinterpret_cast<const double2*>(d + 64 * k); };
    const double2 xx = pair(0), xz = pair(1), yy = pair(2), yz = pair(3), zz = pair(4);
    m[0] = {xx.x, xz.x, yy.x, yz.x, zz.x};
    m[1] = {xx.y, xz.y, yy.y, yz.y, zz.y};
  }
};

struct ComputedPair {
  static constexpr bool stored = false, has_parallelepiped = false;
  double h[2], h_xi[2], h_eta[2], w[2];
  double ax, ay;
  __device__ void column(const PencilArgs& a, int ex, int ey, int qy, int qx) {
    const std::int64_t at = (static_cast<std::int64_t>(ey) * a.v.nx + ex) * 16 + qy * 4 + qx;
    for (int n = 0; n < 2; ++n) {
      h[n] = a.v.h[at + n];
      h_xi[n] = a.v.h_xi[at + n];
      h_eta[n] = a.v.h_eta[at + n];
      w[n] = c_basis<4>.rule.w[qy] * c_basis<4>.rule.w[qx + n];
    }
    ax = a.v.ax[ex];
    ay = a.v.ay[ey];
  }
  __device__ void metrics(const PencilArgs& a, std::int64_t, int ez, int qz, int, int, Metric (&m)[2]) const {
    const double wz = c_basis<4>.rule.w[qz], ds = a.v.ds[ez], s = a.v.s_mid[ez] - ds * c_basis<4>.rule.x[qz];
    for (int n = 0; n < 2; ++n) m[n] = metric(wz * w[n], ax, ay, ds, s, h[n], h_xi[n], h_eta[n]);
  }
};

// For trilinear hexahedra, from the element's vertices; where the floor is level the Jacobian is constant, without shear.
struct TrilinearPair {
  static constexpr bool stored = false, has_parallelepiped = true;
  bool parallelepiped = false;
  double h[2], h_xi, h_eta[2], w[2];
  double ax, ay;
  __device__ void column(const PencilArgs& a, int ex, int ey, int qy, int qx) {
    const double* corner = a.depth + static_cast<std::int64_t>(4 * ey) * a.NX + 4 * ex;
    const double d00 = corner[0], d10 = corner[4], d01 = corner[4 * a.NX], d11 = corner[4 * a.NX + 4];
    const double y = c_basis<4>.rule.x[qy], west = 0.5 * ((1 - y) * d00 + (1 + y) * d01), east = 0.5 * ((1 - y) * d10 + (1 + y) * d11);
    h_xi = 0.5 * (east - west);
    parallelepiped = d00 == d10 && d00 == d01 && d00 == d11;
    for (int n = 0; n < 2; ++n) {
      const double x = c_basis<4>.rule.x[qx + n];
      h[n] = 0.5 * (west + east) + h_xi * x;
      h_eta[n] = 0.25 * ((d01 - d00) * (1 - x) + (d11 - d10) * (1 + x));
      w[n] = c_basis<4>.rule.w[qy] * c_basis<4>.rule.w[qx + n];
    }
    ax = a.v.ax[ex];
    ay = a.v.ay[ey];
  }
  __device__ void metrics(const PencilArgs& a, std::int64_t, int ez, int qz, int, int, Metric (&m)[2]) const {
    const double wz = c_basis<4>.rule.w[qz], ds = a.v.ds[ez], s = a.v.s_mid[ez] - ds * c_basis<4>.rule.x[qz];
    for (int n = 0; n < 2; ++n) m[n] = metric(wz * w[n], ax, ay, ds, s, h[n], h_xi, h_eta[n]);
  }
};

// Both maps of a parallelepiped: a diagonal Jacobian.
__device__ __forceinline__ void scale(const Metric& m, double x, double y, double z, double* out) {
  out[0] = m.xx * x;
  out[1] = m.yy * y;
  out[2] = m.zz * z;
}

template <bool Gradient, bool Divergence, class Geometry>
__global__ void __launch_bounds__(32 * DmmaShape::warps, 3) dmma_kernel(const __grid_constant__ PencilArgs a) {
  using S = DmmaShape;
  extern __shared__ __align__(16) double s_all[];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = lane >> 2, j4 = lane & 3;
  double* s_p = s_all + warp * S::per_warp;  // two buffers: rows, then the line i = 8
  double* s_a = s_p + 2 * (S::P + S::PL);
  double* s_b = s_a + S::A + S::AL;
  double* s_c = s_b + S::A + S::AL;
  const auto c_row = [&](int k) { return s_c + k * (S::C + S::CL); };
  const auto c_line = [&](int k) { return s_c + k * (S::C + S::CL) + S::C; };

  const int pairs = (a.x1 - a.x0 + 1) / 2, rows = a.y1 - a.y0;
  const std::int64_t pencil = static_cast<std::int64_t>(blockIdx.x) * S::warps + warp;
  const int ex = a.x0 + 2 * static_cast<int>(pencil % pairs), ey = a.y0 + static_cast<int>(pencil / pairs % rows);
  const int first = a.z0 + static_cast<int>(pencil / pairs / rows) * a.chunk, last = min(first + a.chunk, a.z1);
  if (first >= a.z1) return;
  const bool two = ex + 1 < a.x1;
  const int width = two ? 9 : 5;
  const std::int64_t level = static_cast<std::int64_t>(a.NX) * a.NY;
  const std::int64_t corner = (static_cast<std::int64_t>(4 * first) * a.NY + 4 * ey) * a.NX + 4 * ex;

  // Tables as operand A: [B; dB] over 5 nodes; B^T and dB^T over 4 points.
  const Basis<4>& t = c_basis<4>;
  const TableFragment both = table_fragment<8, 5>([&](int m, int k) { return m < 4 ? t.B[m][k] : t.dB[m - 4][k]; });
  const TableFragment BT = table_fragment<5, 4>([&](int m, int k) { return t.B[k][m]; });
  const TableFragment DT = table_fragment<5, 4>([&](int m, int k) { return t.dB[k][m]; });
  // Tables as operand B in x. Forward: T[(e, qx)][i] with (e, qx) = row; element 0 has nodes 0..3 and 4, element 1 has 4..7
  // and 8. Transposed: node i = row from the points (e, qx) = 2 j4 (even) or 2 j4 + 1 (odd).
  struct AlongX {
    double low, high, fifth[2], even, odd, last[2];
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
      x.last[n] = ce == 1 ? T[cq][4] : 0;
    }
    return x;
  };
  const AlongX xB = along_x(t.B), xD = along_x(t.dB);

  const int half = j4 >> 1, qx = (2 * j4) & 3, qy = row & 3, ex_lane = ex + half;  // this lane's points in the x stage
  const bool mine = half == 0 || two;
  Geometry geometry;
  if (mine) geometry.column(a, ex_lane, ey, qy, qx);

  const auto fetch = [&](int ez) {  // five levels of layer ez into its buffer; 45 fibres (j, i)
    double* s_to = s_p + (ez & 1) * (S::P + S::PL);
    for (int n = lane; n < 45; n += 32) {
      const int j = n < 40 ? n >> 3 : n - 40, i = n < 40 ? n & 7 : 8;
      if (i >= width) continue;
      const double* from = a.p + corner + 4 * (ez - first) * level + static_cast<std::int64_t>(j) * a.NX + i;
#pragma unroll
      for (int k = 0; k < 5; ++k) copy_async(s_to + (n < 40 ? S::at(k, j, i) : S::P + k * S::line + j), from + k * level);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  if constexpr (Gradient) {  // columns that do not exist stay zero
    for (int n = lane; n < 2 * (S::P + S::PL); n += 32) s_p[n] = 0;
    __syncwarp();
    fetch(first);
  }
  double carry[6][2] = {};

  for (int ez = first; ez < last; ++ez) {
    const std::int64_t e = (static_cast<std::int64_t>(ez) * a.v.ny + ey) * a.v.nx + ex_lane;
    const std::int64_t base = corner + 4 * (ez - first) * level;
    if constexpr (Gradient) {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      __syncwarp();
      if (ez + 1 < last) fetch(ez + 1);
      const double* s_in = s_p + (ez & 1) * (S::P + S::PL);
      double* to = row < 4 ? s_a : s_b;
      const int q = row & 3;
#pragma unroll
      for (int j = 0; j < 5; ++j) {
        double c[2] = {0, 0};
        apply_table<5>(c, both, [&](int k, int n) { return s_in[S::at(k, j, n)]; });
        *reinterpret_cast<double2*>(to + S::at(q, j, 2 * j4)) = {c[0], c[1]};
      }
      {
        double c[2] = {0, 0};  // i = 8, n = j
        apply_table<5>(c, both, [&](int k, int n) { return s_in[S::P + k * S::line + n]; });
        *reinterpret_cast<double2*>(to + S::A + q * S::line + 2 * j4) = {c[0], c[1]};
      }
      __syncwarp();
#pragma unroll
      for (int p = 0; p < 5; ++p) {  // plane qz = p; p = 4: the line i = 8, n = qz
        double c[2] = {0, 0}, d[2] = {0, 0};
        if (p < 4) {
          apply_table<5>(c, both, [&](int k, int n) { return s_a[S::at(p, k, n)]; });
          apply_table<5>(d, both, [&](int k, int n) { return s_b[S::at(p, k, n)]; });
          const int place = S::at(4 * p + q, 2 * j4);
          *reinterpret_cast<double2*>(c_row(row < 4 ? 0 : 1) + place) = {c[0], c[1]};
          if (row < 4) *reinterpret_cast<double2*>(c_row(2) + place) = {d[0], d[1]};
        } else {
          apply_table<5>(c, both, [&](int k, int n) { return s_a[S::A + (n & 3) * S::line + k]; });
          apply_table<5>(d, both, [&](int k, int n) { return s_b[S::A + (n & 3) * S::line + k]; });
          if (j4 < 2)
            for (int n = 0; n < 2; ++n) {
              c_line(row < 4 ? 0 : 1)[4 * (2 * j4 + n) + q] = c[n];
              if (row < 4) c_line(2)[4 * (2 * j4 + n) + q] = d[n];
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
          Dmma::multiply_add(value[k], c_row(k)[S::at(n, j4)], x.low);
          Dmma::multiply_add(value[k], c_row(k)[S::at(n, 4 + j4)], x.high);
          const double fifth = half == 0 ? c_row(k)[S::at(n, 4)] : c_line(k)[n];
          value[k][0] += fifth * x.fifth[0];
          value[k][1] += fifth * x.fifth[1];
        }
      }
      if (mine) {
        Metric m[2];
        geometry.metrics(a, e, ez, qz, qy, qx, m);
        bool sheared = true;
        if constexpr (Geometry::has_parallelepiped) sheared = !geometry.parallelepiped;
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
          double last_column = x.last[0] * flux[k][0] + x.last[1] * flux[k][1];
          last_column += __shfl_xor_sync(0xffffffffu, last_column, 1);
          *reinterpret_cast<double2*>(c_row(k) + S::at(n, 2 * j4)) = {c[0], c[1]};
          if (j4 == 3) c_line(k)[n] = last_column;
        }
      }
    }

    if constexpr (Divergence) {
      __syncwarp();
#pragma unroll
      for (int q = 0; q < 5; ++q) {  // plane qz = q; q = 4: the line i = 8, n = qz
        const auto in = [&](int field) {
          return [&, field](int k, int n) { return q < 4 ? c_row(field)[S::at(4 * q + k, n)] : c_line(field)[4 * (n & 3) + k]; };
        };
        double c[2] = {0, 0}, d[2] = {0, 0};
        apply_table<4>(c, BT, in(0));
        apply_table<4>(c, DT, in(1));
        apply_table<4>(d, BT, in(2));
        if (row >= 5) continue;
        if (q < 4) {
          *reinterpret_cast<double2*>(s_a + S::at(q, row, 2 * j4)) = {c[0], c[1]};
          *reinterpret_cast<double2*>(s_b + S::at(q, row, 2 * j4)) = {d[0], d[1]};
        } else if (j4 < 2) {
          for (int n = 0; n < 2; ++n) {
            s_a[S::A + (2 * j4 + n) * S::line + row] = c[n];
            s_b[S::A + (2 * j4 + n) * S::line + row] = d[n];
          }
        }
      }
      __syncwarp();
#pragma unroll
      for (int j = 0; j < 6; ++j) {  // j = 5: the line i = 8, n = j
        const auto in = [&](const double* s) { return [&, s](int k, int n) { return j < 5 ? s[S::at(k, j, n)] : s[S::A + k * S::line + n]; }; };
        double c[2] = {row == 0 ? carry[j][0] : 0.0, row == 0 ? carry[j][1] : 0.0};
        apply_table<4>(c, BT, in(s_a));
        apply_table<4>(c, DT, in(s_b));
        for (int n = 0; n < 2; ++n) carry[j][n] = __shfl_sync(0xffffffffu, c[n], 16 + j4);
        if (row < 4 || (row == 4 && ez == last - 1))
          for (int n = 0; n < 2; ++n) {
            const int jj = j < 5 ? j : 2 * j4 + n, i = j < 5 ? 2 * j4 + n : 8;
            if (jj < 5 && i < width) atomicAdd(a.r + base + row * level + static_cast<std::int64_t>(jj) * a.NX + i, c[n]);
          }
      }
      __syncwarp();
    }
  }
}

}  // namespace agwave::cuda_kernels
