// SPDX-License-Identifier: Apache-2.0
// The tensor-core pencils with five quadrature points per direction. Same march and index form as pencil_dmma.cuh; tables
// of five rows fill five of the eight, B and dB apart, and elements are taken one by one in x. The velocity lives on four
// nodes per direction and passes through V: z and y through shared memory w, x in registers with the rest of the row.
//   u:  w1[qz][ly lx] = V u,  w2[n][lx] = V w1,  n = (qz, qy);  u at [n][qx] = w2 V^T
//   g:  w2[n][lx] = (D grad p) V,  w1[qz][ly lx] = V^T w2,  g = V^T w1
#pragma once
#include "kernels/cuda/dmma.cuh"
#include "kernels/cuda/pencil.cuh"

namespace agwave::cuda_kernels {

struct Dmma5Shape {
  static constexpr int warps = 4, row = 12, plane = 68, level = 68, n = 25;
  static constexpr int P = 5 * level, A = 5 * plane, C = n * row, W1 = 5 * 20, W2 = n * 4;
  static constexpr int per_warp = P + 2 * A + 3 * C + W1 + 6 * W2;
  static constexpr std::size_t bytes = static_cast<std::size_t>(warps) * per_warp * sizeof(double);
};

template <bool Gradient, bool Divergence, bool Stored>
__global__ void __launch_bounds__(32 * Dmma5Shape::warps) dmma5_kernel(const __grid_constant__ PencilArgs a) {
  using S = Dmma5Shape;
  extern __shared__ double s_all[];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = lane >> 2, j4 = lane & 3;
  double* s_p = s_all + warp * S::per_warp;
  double* s_a = s_p + S::P;
  double* s_b = s_a + S::A;
  double* s_c = s_b + S::A;
  double* s_1 = s_c + 3 * S::C;
  double* s_2 = s_1 + S::W1;

  const int pairs = (a.x1 - a.x0 + 1) / 2, rows = a.y1 - a.y0;
  const std::int64_t pencil = static_cast<std::int64_t>(blockIdx.x) * S::warps + warp;
  const int ex = a.x0 + 2 * static_cast<int>(pencil % pairs), ey = a.y0 + static_cast<int>(pencil / pairs % rows);
  const int first = a.z0 + static_cast<int>(pencil / pairs / rows) * a.chunk, last = min(first + a.chunk, a.z1);
  if (first >= a.z1) return;
  const int elements = ex + 1 < a.x1 ? 2 : 1, width = 4 * elements + 1;
  const std::int64_t level = static_cast<std::int64_t>(a.NX) * a.NY;
  const std::int64_t corner = (static_cast<std::int64_t>(4 * first) * a.NY + 4 * ey) * a.NX + 4 * ex;

  const Basis<5>& t = c_basis<5>;
  const TableFragment B = table_fragment<5, 5>([&](int m, int k) { return t.B[m][k]; }),
                      D = table_fragment<5, 5>([&](int m, int k) { return t.dB[m][k]; });
  const TableFragment BT = table_fragment<5, 5>([&](int m, int k) { return t.B[k][m]; }),
                      DT = table_fragment<5, 5>([&](int m, int k) { return t.dB[k][m]; });
  const TableFragment V = table_fragment<5, 4>([&](int m, int k) { return t.V[m][k]; }),
                      VT = table_fragment<4, 5>([&](int m, int k) { return t.V[k][m]; });
  // Tables as operand B in x. Forward: T[qx = row][k = j4], and the fifth node's column for the lane's own two points.
  const auto forward_x = [&](const auto& T) { return row < 5 ? T[row][j4] : 0.0; };
  // Transposed: point 2 j4 (even) or 2 j4 + 1 (odd) to output `row`.
  const auto transposed_x = [&](const auto& T, int point, int outputs) { return point < 5 && row < outputs ? T[point][row] : 0.0; };
  const int q0 = 2 * j4, q1 = q0 + 1;  // this lane's points along x; those above 4 do not exist
  const bool has[2] = {q0 < 5, q1 < 5};

  for (int n = lane; n < S::per_warp; n += 32) s_p[n] = 0;  // what does not exist reads as zero
  __syncwarp();
  if constexpr (Gradient)
    for (int n = lane; n < 45; n += 32)
      if (n % 9 < width) s_p[4 * S::level + n / 9 * 12 + n % 9] = a.p[corner + static_cast<std::int64_t>(n / 9) * a.NX + n % 9];
  double carry[6][2] = {};

  for (int ez = first; ez < last; ++ez) {
    const std::int64_t e0 = (static_cast<std::int64_t>(ez) * a.v.ny + ey) * a.v.nx + ex;
    const std::int64_t base = corner + 4 * (ez - first) * level;
    __syncwarp();
    if constexpr (Gradient) {
      for (int n = lane; n < 45; n += 32) {
        const int i = n % 9, at = n / 9 * 12 + i;
        if (i >= width) continue;
        s_p[at] = s_p[4 * S::level + at];
        for (int k = 1; k < 5; ++k) s_p[k * S::level + at] = a.p[base + static_cast<std::int64_t>(n / 9) * a.NX + i + k * level];
      }
      __syncwarp();
      for (int j = 0; j < 6; ++j) {  // j = 5: the column i = 8
        const auto at = [&](int n) { return j < 5 ? 12 * j + n : n < 5 ? 12 * n + 8 : 0; };
        const auto in = [&](int k, int n) { return s_p[k * S::level + at(n)]; };
        double c[2] = {0, 0}, d[2] = {0, 0};
        apply_table<5>(c, B, in);
        apply_table<5>(d, D, in);
        if (row < 5)
          for (int n = 0; n < 2; ++n)
            if (j < 5 || q0 + n < 5) {
              s_a[row * S::plane + at(q0 + n)] = c[n];
              s_b[row * S::plane + at(q0 + n)] = d[n];
            }
      }
      __syncwarp();
      for (int q = 0; q < 6; ++q) {  // q = 5: the column i = 8, n = qz
        const auto in = [&](const double* s) {
          return [&, s](int k, int n) { return s[q < 5 ? q * S::plane + 12 * k + n : (n < 5 ? n : 0) * S::plane + 12 * k + 8]; };
        };
        double c0[2] = {0, 0}, c1[2] = {0, 0}, c2[2] = {0, 0};
        apply_table<5>(c0, B, in(s_a));
        apply_table<5>(c1, D, in(s_a));
        apply_table<5>(c2, B, in(s_b));
        if (row < 5)
          for (int n = 0; n < 2; ++n) {
            if (q == 5 && q0 + n >= 5) continue;
            double* to = s_c + (q < 5 ? (q * 5 + row) * S::row + q0 + n : ((q0 + n) * 5 + row) * S::row + 8);
            to[0] = c0[n];
            to[S::C] = c1[n];
            to[2 * S::C] = c2[n];
          }
      }
    }
    if constexpr (Divergence)
      for (int ce = 0; ce < 3 * elements; ++ce) {
        const double* u = a.u + ((e0 + ce % elements) * 3 + ce / elements) * L3D;
        double* to = s_2 + (ce / elements * 2 + ce % elements) * S::W2;
        __syncwarp();
        for (int tile = 0; tile < 2; ++tile) {
          double c[2] = {0, 0};
          apply_table<4>(c, V, [&](int k, int n) { return u[k * 16 + 8 * tile + n]; });
          if (row < 5)
            for (int n = 0; n < 2; ++n) s_1[row * 20 + 8 * tile + q0 + n] = c[n];
        }
        __syncwarp();
        for (int tile = 0; tile < 3; ++tile) {  // n = (qz, lx), two qz per tile
          double c[2] = {0, 0};
          const auto qz = [&](int n) { return min(2 * tile + n / 4, 4); };
          apply_table<4>(c, V, [&](int k, int n) { return s_1[qz(n) * 20 + 4 * k + n % 4]; });
          if (row < 5)
            for (int n = 0; n < 2; ++n)
              if (2 * tile + (q0 + n) / 4 < 5) to[(qz(q0 + n) * 5 + row) * 4 + (q0 + n) % 4] = c[n];
        }
      }
    __syncwarp();

    for (int tile = 0; tile < 4; ++tile) {
      const int n = 8 * tile + row, safe = min(n, 24);
      double from_left[3] = {0, 0, 0};
      double result[3][2][2] = {};
      for (int e = 0; e < elements; ++e) {
        double value[3][2] = {}, u[3][2] = {}, flux[3][2] = {};
        for (int k = 0; k < 3; ++k) {
          const auto& T = k == 0 ? t.dB : t.B;
          if constexpr (Gradient) {
            const double* from = s_c + k * S::C + safe * S::row + 4 * e;
            Dmma::multiply_add(value[k], n < 25 ? from[j4] : 0.0, forward_x(T));
            for (int p = 0; p < 2; ++p)
              if (has[p]) value[k][p] += from[4] * T[q0 + p][4];
          }
          if constexpr (Divergence) Dmma::multiply_add(u[k], n < 25 ? s_2[(k * 2 + e) * S::W2 + safe * 4 + j4] : 0.0, forward_x(t.V));
        }
        for (int p = 0; p < 2; ++p) {
          const bool exists = has[p] && n < 25;
          if (!exists) {
            for (int k = 0; k < 3; ++k) value[k][p] = 0;
            continue;
          }
          Metric m;
          if (Stored) {
            const double* d = a.qdata + (e0 + e) * 625 + safe * 5 + q0 + p;
            m = {d[0], d[125], d[250], d[375], d[500]};
          } else {
            m = a.v.point(ex + e, ey, ez, safe * 5 + q0 + p, t.rule.x.data(), t.rule.w.data());
          }
          double out[3];
          if constexpr (Gradient) {
            weighted_gradient(m, value[0][p], value[1][p], value[2][p], out);
            for (int k = 0; k < 3; ++k) value[k][p] = out[k];
          }
          if constexpr (Divergence) {
            contravariant_flux(m, u[0][p], u[1][p], u[2][p], out);
            for (int k = 0; k < 3; ++k) flux[k][p] = out[k];
          }
        }
        __syncwarp();  // rows of this tile have been read
        for (int k = 0; k < 3; ++k) {
          const auto& T = k == 0 ? t.dB : t.B;
          if constexpr (Gradient) {
            double c[2] = {0, 0};
            Dmma::multiply_add(c, value[k][0], transposed_x(t.V, q0, 4));
            Dmma::multiply_add(c, value[k][1], transposed_x(t.V, q1, 4));
            if (n < 25 && j4 < 2)
              for (int p = 0; p < 2; ++p) s_2[(k * 2 + e) * S::W2 + n * 4 + q0 + p] = c[p];
          }
          if constexpr (Divergence) {
            double* c = result[k][e];
            double r[2] = {0, 0};
            Dmma::multiply_add(r, flux[k][0], transposed_x(T, q0, 5));
            Dmma::multiply_add(r, flux[k][1], transposed_x(T, q1, 5));
            const double face = __shfl_xor_sync(0xffffffffu, r[0], 2);  // node 4 of the left element, at j4 = 2
            if (e == 1 && j4 == 0) r[0] += from_left[k];
            from_left[k] = face;
            c[0] = r[0];
            c[1] = r[1];
          }
        }
      }
      if constexpr (Divergence) {
        __syncwarp();
        for (int e = 0; e < elements; ++e)
          for (int k = 0; k < 3; ++k)
            for (int p = 0; p < 2; ++p) {
              const int i = q0 + p;
              if (n < 25 && (i < 4 || (i == 4 && e == elements - 1))) s_c[k * S::C + n * S::row + 4 * e + i] = result[k][e][p];
            }
      }
    }
    __syncwarp();

    if constexpr (Gradient)
      for (int ce = 0; ce < 3 * elements; ++ce) {
        const double* from = s_2 + (ce / elements * 2 + ce % elements) * S::W2;
        double* g = a.g + ((e0 + ce % elements) * 3 + ce / elements) * L3D;
        for (int tile = 0; tile < 3; ++tile) {
          double c[2] = {0, 0};
          const auto qz = [&](int n) { return min(2 * tile + n / 4, 4); };
          apply_table<5>(c, VT, [&](int k, int n) { return from[(qz(n) * 5 + k) * 4 + n % 4]; });
          if (row < 4)
            for (int n = 0; n < 2; ++n)
              if (2 * tile + (q0 + n) / 4 < 5) s_1[qz(q0 + n) * 20 + 4 * row + (q0 + n) % 4] = c[n];
        }
        __syncwarp();
        for (int tile = 0; tile < 2; ++tile) {
          double c[2] = {0, 0};
          apply_table<5>(c, VT, [&](int k, int n) { return s_1[k * 20 + 8 * tile + n]; });
          if (row < 4) *reinterpret_cast<double2*>(g + row * 16 + 8 * tile + q0) = {c[0], c[1]};
        }
        __syncwarp();
      }
    if constexpr (Divergence) {
      for (int q = 0; q < 6; ++q) {
        const auto in = [&](const double* s) {
          return [&, s](int k, int n) { return s[q < 5 ? (q * 5 + k) * S::row + n : ((n < 5 ? n : 0) * 5 + k) * S::row + 8]; };
        };
        double c[2] = {0, 0}, d[2] = {0, 0};
        apply_table<5>(c, BT, in(s_c));
        apply_table<5>(c, DT, in(s_c + S::C));
        apply_table<5>(d, BT, in(s_c + 2 * S::C));
        if (row < 5)
          for (int n = 0; n < 2; ++n) {
            if (q == 5 && q0 + n >= 5) continue;
            const int at = q < 5 ? q * S::plane + 12 * row + q0 + n : (q0 + n) * S::plane + 12 * row + 8;
            s_a[at] = c[n];
            s_b[at] = d[n];
          }
      }
      __syncwarp();
      for (int j = 0; j < 6; ++j) {
        const auto in = [&](const double* s) {
          return [&, s](int k, int n) { return s[k * S::plane + (j < 5 ? 12 * j + n : n < 5 ? 12 * n + 8 : 0)]; };
        };
        double c[2] = {row == 0 ? carry[j][0] : 0.0, row == 0 ? carry[j][1] : 0.0};
        apply_table<5>(c, BT, in(s_a));
        apply_table<5>(c, DT, in(s_b));
        for (int n = 0; n < 2; ++n) carry[j][n] = __shfl_sync(0xffffffffu, c[n], 16 + j4);
        if (row < 4 || (row == 4 && ez == last - 1))
          for (int n = 0; n < 2; ++n) {
            const int jj = j < 5 ? j : q0 + n, i = j < 5 ? q0 + n : 8;
            if (jj < 5 && i < width) atomicAdd(a.r + base + row * level + static_cast<std::int64_t>(jj) * a.NX + i, c[n]);
          }
      }
    }
  }
}

}  // namespace agwave::cuda_kernels
