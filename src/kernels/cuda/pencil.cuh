// SPDX-License-Identifier: Apache-2.0
// Both blocks of the operator on CUDA cores: one warp marches up a pencil, a pair of neighbouring element columns in x, so
// that it needs no block barrier, reads each shared level once and adds each level of the result once.
// Index form, per layer, nodes (k, j, i) with i = 0..8 over the pair, points (qz, qy, qx) per element:
//   z    a[qz][j][i] = B p, b = dB p                      45 fibres (j, i)
//   y    c0[qz][qy][i] = B a, c1 = dB a, c2 = B b         9 Q fibres (qz, i)
//   x    p_xi = dB c0, p_eta = B c1, p_zeta = B c2        2 Q^2 rows (e, qz, qy), one per lane
//        g = V^T D grad p;   f = D^T V u;   c0 = dB^T f_xi, c1 = B^T f_eta, c2 = B^T f_zeta
//   y^T  a = B^T c0 + dB^T c1, b = B^T c2
//   z^T  r[k][j][i] += B^T a + dB^T b                     shared nodes by atomic addition
// Shared memory per warp (doubles): a, b [5][SJ] with (j; qz 9 + i), SJ = 9 mod 16; c0..c2 [Q][9 Q] with (qy; qz 9 + i).
// With these strides every half warp touches 16 different 8-byte banks in each stage for Q = 4.
// For Q = 5 the velocity is not at the points: w [3][..] holds it between its own z, y and x contractions.
// D comes from a geometry policy: stored at the points (PA) or recomputed per layer (MF).
#pragma once
#include "device/backend_cuda.cuh"
#include "kernels/cuda/pencil_geometry.cuh"

namespace agwave::cuda_kernels {

template <int Q>
struct PencilShape {
  static constexpr int warps = 4, Q2 = Q * Q, Q3 = Q * Q * Q;
  static constexpr int row = 9 * Q, SJ = (row - 9 + 15) / 16 * 16 + 9;
  static constexpr int A = 5 * SJ, C = Q * row;
  static constexpr int W = Q == 4 ? 0 : 3 * 2 * (Q * 16 + Q * Q * 4);
  static constexpr int per_warp = 2 * A + 3 * C + W;
  static constexpr std::size_t bytes = static_cast<std::size_t>(warps) * per_warp * sizeof(double);
  // Entry of a row of 16 or of 4 in w, shuffled so that rows touched together by a half warp lie in different banks.
  __device__ static int w_z(int row, int l) { return row * 16 + (l ^ ((row & 3) << 2)); }
  __device__ static int w_y(int row, int l) { return row * 4 + (l ^ (row >> 2 & 3)); }
};

template <int Q, bool Gradient, bool Divergence, class Geometry>
__global__ void __launch_bounds__(32 * PencilShape<Q>::warps) pencil_kernel(const __grid_constant__ PencilArgs a) {
  using S = PencilShape<Q>;
  extern __shared__ double s_all[];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  double* s_a = s_all + warp * S::per_warp;
  double* s_b = s_a + S::A;
  double* s_c = s_b + S::A;
  double* s_w = s_c + 3 * S::C;

  const int pairs = (a.x1 - a.x0 + 1) / 2, rows = a.y1 - a.y0;
  const std::int64_t pencil = static_cast<std::int64_t>(blockIdx.x) * S::warps + warp;
  const int ex = a.x0 + 2 * static_cast<int>(pencil % pairs), ey = a.y0 + static_cast<int>(pencil / pairs % rows);
  const int first = a.z0 + static_cast<int>(pencil / pairs / rows) * a.chunk, last = min(first + a.chunk, a.z1);
  if (first >= a.z1) return;  // whole warps only
  const bool two = ex + 1 < a.x1;
  const int width = two ? 9 : 5;
  const std::int64_t level = static_cast<std::int64_t>(a.NX) * a.NY;
  const std::int64_t corner = (static_cast<std::int64_t>(4 * first) * a.NY + 4 * ey) * a.NX + 4 * ex;

  // z stage: this lane's fibres (j, i)
  int fibre_at[2];
  std::int64_t fibre_node[2];
  bool fibre[2];
  double top[2], carry[2] = {0, 0};
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const int t = lane + 32 * n, j = t / 9, i = t % 9;
    fibre[n] = t < 45 && i < width;
    fibre_at[n] = j * S::SJ + i;
    fibre_node[n] = corner + static_cast<std::int64_t>(j) * a.NX + i;
    if (Gradient && fibre[n]) top[n] = a.p[fibre_node[n]];
  }
  // x stage: this lane's element of the pair
  const int half = lane >> 4, ex_lane = ex + half;
  const bool mine = half == 0 || two;
  Geometry geometry;
  if (Q == 4 && mine) geometry.column(a, ex_lane, ey, lane & 3);

  for (int ez = first; ez < last; ++ez) {
    const std::int64_t e = (static_cast<std::int64_t>(ez) * a.v.ny + ey) * a.v.nx + ex_lane;
    if constexpr (Gradient) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        if (!fibre[n]) continue;
        double in[5], out[Q];
        in[0] = top[n];
#pragma unroll
        for (int k = 1; k < 5; ++k) in[k] = a.p[fibre_node[n] + (4 * (ez - first) + k) * level];
        top[n] = in[4];
        forward<Q, Table::B>(in, out);
#pragma unroll
        for (int q = 0; q < Q; ++q) s_a[fibre_at[n] + q * 9] = out[q];
        forward<Q, Table::dB>(in, out);
#pragma unroll
        for (int q = 0; q < Q; ++q) s_b[fibre_at[n] + q * 9] = out[q];
      }
      __syncwarp();
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const int t = lane + 32 * n;
        if (t >= S::row) continue;
        double in[5], out[Q];
#pragma unroll
        for (int j = 0; j < 5; ++j) in[j] = s_a[j * S::SJ + t];
        forward<Q, Table::B>(in, out);
#pragma unroll
        for (int q = 0; q < Q; ++q) s_c[q * S::row + t] = out[q];
        forward<Q, Table::dB>(in, out);
#pragma unroll
        for (int q = 0; q < Q; ++q) s_c[S::C + q * S::row + t] = out[q];
#pragma unroll
        for (int j = 0; j < 5; ++j) in[j] = s_b[j * S::SJ + t];
        forward<Q, Table::B>(in, out);
#pragma unroll
        for (int q = 0; q < Q; ++q) s_c[2 * S::C + q * S::row + t] = out[q];
      }
    }
    if constexpr (Divergence && Q != 4) {  // velocity to the points: z and y; x follows in the row
      double* s_y = s_w + 3 * 2 * Q * 16;
      for (int c = 0; c < 3; ++c) {
        double in[4], out[Q];
        if (mine) {
#pragma unroll
          for (int l = 0; l < 4; ++l) in[l] = a.u[(e * 3 + c) * L3D + l * 16 + (lane & 15)];
          forward<Q, Table::V>(in, out);
#pragma unroll
          for (int q = 0; q < Q; ++q) s_w[S::w_z((c * 2 + half) * Q + q, lane & 15)] = out[q];
        }
      }
      __syncwarp();
      for (int t = lane; t < 3 * 2 * Q * 4; t += 32) {
        const int x = t % 4, at = t / 4;
        double in[4], out[Q];
#pragma unroll
        for (int l = 0; l < 4; ++l) in[l] = s_w[S::w_z(at, l * 4 + x)];
        forward<Q, Table::V>(in, out);
#pragma unroll
        for (int q = 0; q < Q; ++q) s_y[S::w_y(at * Q + q, x)] = out[q];
      }
    }
    __syncwarp();

    for (int pass = 0; pass < (S::Q2 + 15) / 16; ++pass) {
      const int row = pass * 16 + (lane & 15), qz = Q == 4 ? row >> 2 : row / Q, qy = Q == 4 ? row & 3 : row % Q;
      const bool active = mine && row < S::Q2;
      double* c = s_c + qy * S::row + qz * 9 + 4 * half;
      double grad[3][Q], flux[3][Q];
      if (active) {
        if (Q != 4) geometry.column(a, ex_lane, ey, qy);
        geometry.layer(a, e, ez, qz, qy);
        if constexpr (Gradient) {
          double in[5];
#pragma unroll
          for (int i = 0; i < 5; ++i) in[i] = c[i];
          forward<Q, Table::dB>(in, grad[0]);
#pragma unroll
          for (int i = 0; i < 5; ++i) in[i] = c[S::C + i];
          forward<Q, Table::B>(in, grad[1]);
#pragma unroll
          for (int i = 0; i < 5; ++i) in[i] = c[2 * S::C + i];
          forward<Q, Table::B>(in, grad[2]);
        }
        if constexpr (Divergence) {
          if constexpr (Q == 4) {
#pragma unroll
            for (int k = 0; k < 3; ++k) {
              const double2* from = reinterpret_cast<const double2*>(a.u + (e * 3 + k) * L3D + row * 4);
              const double2 low = from[0], high = from[1];
              flux[k][0] = low.x;
              flux[k][1] = low.y;
              flux[k][2] = high.x;
              flux[k][3] = high.y;
            }
          } else {
            const double* s_y = s_w + 3 * 2 * Q * 16;
#pragma unroll
            for (int k = 0; k < 3; ++k) {
              double in[4];
#pragma unroll
              for (int l = 0; l < 4; ++l) in[l] = s_y[S::w_y(((k * 2 + half) * Q + qz) * Q + qy, l)];
              forward<Q, Table::V>(in, flux[k]);
            }
          }
        }
        bool sheared = true;
        if constexpr (Geometry::has_parallelepiped) sheared = !geometry.parallelepiped;
        if (sheared) {
#pragma unroll
          for (int q = 0; q < Q; ++q) {
            const Metric m = geometry(q);
            double value[3];
            if constexpr (Gradient) {
              weighted_gradient(m, grad[0][q], grad[1][q], grad[2][q], value);
#pragma unroll
              for (int k = 0; k < 3; ++k) grad[k][q] = value[k];
            }
            if constexpr (Divergence) {
              contravariant_flux(m, flux[0][q], flux[1][q], flux[2][q], value);
#pragma unroll
              for (int k = 0; k < 3; ++k) flux[k][q] = value[k];
            }
          }
        } else if constexpr (Geometry::has_parallelepiped) {
#pragma unroll
          for (int q = 0; q < Q; ++q) {
            const Metric m = geometry(q);  // only the diagonal is used, and computed
            if constexpr (Gradient) {
              grad[0][q] *= m.xx;
              grad[1][q] *= m.yy;
              grad[2][q] *= m.zz;
            }
            if constexpr (Divergence) {
              flux[0][q] *= m.xx;
              flux[1][q] *= m.yy;
              flux[2][q] *= m.zz;
            }
          }
        }
        if constexpr (Gradient && Q == 4) {
#pragma unroll
          for (int k = 0; k < 3; ++k) {
            double2* to = reinterpret_cast<double2*>(a.g + (e * 3 + k) * L3D + row * 4);
            to[0] = {grad[k][0], grad[k][1]};
            to[1] = {grad[k][2], grad[k][3]};
          }
        }
      }
      __syncwarp();                        // every lane has read its row before any row changes
      if constexpr (Gradient && Q != 4) {  // test-side x contraction; needs its own place when c is still in use
        double* s_y = s_w + 3 * 2 * Q * 16;
        if (active)
#pragma unroll
          for (int k = 0; k < 3; ++k) {
            double out[4];
            backward<Q, Table::V>(grad[k], out);
#pragma unroll
            for (int l = 0; l < 4; ++l) s_y[S::w_y(((k * 2 + half) * Q + qz) * Q + qy, l)] = out[l];
          }
      }
      if constexpr (Divergence) {
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          double out[5] = {0, 0, 0, 0, 0};
          if (active) {
            if (k == 0)
              backward<Q, Table::dB>(flux[k], out);
            else
              backward<Q, Table::B>(flux[k], out);
          }
          const double from_left = __shfl_up_sync(0xffffffffu, out[4], 16);  // the face between the two elements
          if (active) {
            if (half == 1) out[0] += from_left;
#pragma unroll
            for (int i = 0; i < 4; ++i) c[k * S::C + i] = out[i];
            if (half == 1 || !two) c[k * S::C + 4] = out[4];
          }
        }
      }
    }
    __syncwarp();
    if constexpr (Gradient && Q != 4) {  // test side: y, then z
      double* s_y = s_w + 3 * 2 * Q * 16;
      for (int t = lane; t < 3 * 2 * Q * 4; t += 32) {
        const int x = t % 4, at = t / 4;
        double in[Q], out[4];
#pragma unroll
        for (int q = 0; q < Q; ++q) in[q] = s_y[S::w_y(at * Q + q, x)];
        backward<Q, Table::V>(in, out);
#pragma unroll
        for (int l = 0; l < 4; ++l) s_w[S::w_z(at, l * 4 + x)] = out[l];
      }
      __syncwarp();
      if (mine)
        for (int k = 0; k < 3; ++k) {
          double in[Q], out[4];
#pragma unroll
          for (int q = 0; q < Q; ++q) in[q] = s_w[S::w_z((k * 2 + half) * Q + q, lane & 15)];
          backward<Q, Table::V>(in, out);
#pragma unroll
          for (int l = 0; l < 4; ++l) a.g[(e * 3 + k) * L3D + l * 16 + (lane & 15)] = out[l];
        }
    }
    if constexpr (Divergence) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const int t = lane + 32 * n;
        if (t >= S::row) continue;
        double in[Q], out[5];
#pragma unroll
        for (int q = 0; q < Q; ++q) in[q] = s_c[q * S::row + t];
        backward<Q, Table::B>(in, out);
#pragma unroll
        for (int q = 0; q < Q; ++q) in[q] = s_c[S::C + q * S::row + t];
        backward<Q, Table::dB, 5, true>(in, out);
#pragma unroll
        for (int j = 0; j < 5; ++j) s_a[j * S::SJ + t] = out[j];
#pragma unroll
        for (int q = 0; q < Q; ++q) in[q] = s_c[2 * S::C + q * S::row + t];
        backward<Q, Table::B>(in, out);
#pragma unroll
        for (int j = 0; j < 5; ++j) s_b[j * S::SJ + t] = out[j];
      }
      __syncwarp();
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        if (!fibre[n]) continue;
        double in[Q], out[5];
#pragma unroll
        for (int q = 0; q < Q; ++q) in[q] = s_a[fibre_at[n] + q * 9];
        backward<Q, Table::B>(in, out);
#pragma unroll
        for (int q = 0; q < Q; ++q) in[q] = s_b[fibre_at[n] + q * 9];
        backward<Q, Table::dB, 5, true>(in, out);
        double* to = a.r + fibre_node[n] + 4 * (ez - first) * level;
        out[0] += carry[n];
#pragma unroll
        for (int k = 0; k < 4; ++k) atomicAdd(to + k * level, out[k]);
        carry[n] = out[4];
        if (ez == last - 1) atomicAdd(to + 4 * level, out[4]);
      }
    }
    __syncwarp();
  }
}

}  // namespace agwave::cuda_kernels
