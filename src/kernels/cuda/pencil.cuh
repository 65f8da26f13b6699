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
#include "kernels/cuda/pencil_geometry.cuh"

namespace agwave::cuda_kernels {

template <int Q>
struct PencilMemory {  // shared, of a warp
  static constexpr int Q2 = Q * Q;
  static constexpr int row = 9 * Q, SJ = (row - 9 + 15) / 16 * 16 + 9;
  static constexpr int A = D1D * SJ, C = Q * row;
  static constexpr int W_z = Q == L1D ? 0 : 3 * 2 * Q * 16, W_y = Q == L1D ? 0 : 3 * 2 * Q2 * L1D;
  static constexpr int per_warp = 2 * A + 3 * C + W_z + W_y;
  static constexpr std::size_t bytes = static_cast<std::size_t>(March::warps) * per_warp * sizeof(double);
  double *a, *b, *c, *w_z, *w_y;
  __device__ __forceinline__ explicit PencilMemory(double* s_warp) : a(s_warp), b(a + A), c(b + A), w_z(c + 3 * C), w_y(w_z + W_z) {}
  // Entry of a row of 16 or of 4 in w, shuffled so that rows touched together by a half warp lie in different banks.
  __device__ double& w_z_at(int row, int l) const { return w_z[row * 16 + (l ^ ((row & 3) << 2))]; }
  __device__ double& w_y_at(int row, int l) const { return w_y[row * 4 + (l ^ (row >> 2 & 3))]; }
};

// One of a lane's fibres (j, i) in the z stages.
struct NodeFibre {
  bool exists;
  int at;                 // in a and b
  std::int64_t node;      // the lowest
  double top, carry = 0;  // p, and what r is yet to get, on the level between two layers
};

template <int Q>
__device__ __forceinline__ void pressure_along_z(const PencilArgs& a, int first_level, std::int64_t level, NodeFibre& f, const PencilMemory<Q>& s) {
  if (!f.exists) return;
  double in[D1D], out[Q];
  in[0] = f.top;
#pragma unroll
  for (int k = 1; k < D1D; ++k) in[k] = a.p[f.node + (first_level + k) * level];
  f.top = in[D1D - 1];
  forward<Q, Table::B>(in, out);
  store(out, every<9>(s.a + f.at));
  forward<Q, Table::dB>(in, out);
  store(out, every<9>(s.b + f.at));
}
template <int Q>
__device__ __forceinline__ void pressure_along_y(int lane, const PencilMemory<Q>& s) {
  using S = PencilMemory<Q>;
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const int t = lane + 32 * n;
    if (t >= S::row) continue;
    double in[D1D], out[Q];
    load(in, every<S::SJ>(s.a + t));
    forward<Q, Table::B>(in, out);
    store(out, every<S::row>(s.c + t));
    forward<Q, Table::dB>(in, out);
    store(out, every<S::row>(s.c + S::C + t));
    load(in, every<S::SJ>(s.b + t));
    forward<Q, Table::B>(in, out);
    store(out, every<S::row>(s.c + 2 * S::C + t));
  }
}

template <int Q>
__device__ __forceinline__ void velocity_along_z(const PencilArgs& a, int lane, const PencilElement& x, const PencilMemory<Q>& s) {
  for (int c = 0; c < 3; ++c) {
    double in[L1D], out[Q];
    if (x.exists) {
      load(in, every<16>(a.u + x.nodes(c) + (lane & 15)));
      forward<Q, Table::V>(in, out);
      store(out, [=](int q) -> double& { return s.w_z_at((c * 2 + x.half) * Q + q, lane & 15); });
    }
  }
}
template <int Q>
__device__ __forceinline__ void velocity_along_y(int lane, const PencilMemory<Q>& s) {
  for (int t = lane; t < 3 * 2 * Q * L1D; t += 32) {
    double in[L1D], out[Q];
    load(in, [=](int l) -> double& { return s.w_z_at(t / 4, l * 4 + t % 4); });
    forward<Q, Table::V>(in, out);
    store(out, [=](int q) -> double& { return s.w_y_at(t / 4 * Q + q, t % 4); });
  }
}

template <int Q>
__device__ __forceinline__ void gradient_along_y(int lane, const PencilMemory<Q>& s) {
  for (int t = lane; t < 3 * 2 * Q * L1D; t += 32) {
    double in[Q], out[L1D];
    load(in, [=](int q) -> double& { return s.w_y_at(t / 4 * Q + q, t % 4); });
    backward<Q, Table::V>(in, out);
    store(out, [=](int l) -> double& { return s.w_z_at(t / 4, l * 4 + t % 4); });
  }
}
template <int Q>
__device__ __forceinline__ void gradient_along_z(const PencilArgs& a, int lane, const PencilElement& x, const PencilMemory<Q>& s) {
  if (x.exists)
    for (int k = 0; k < 3; ++k) {
      double in[Q], out[L1D];
      load(in, [=](int q) -> double& { return s.w_z_at((k * 2 + x.half) * Q + q, lane & 15); });
      backward<Q, Table::V>(in, out);
      store(out, every<16>(a.g + x.nodes(k) + (lane & 15)));
    }
}

// Four velocity nodes in a row.
__device__ __forceinline__ void load_row(double (&v)[L1D], const double* from) {
  for (int n = 0; n < 2; ++n) {
    const double2 pair = reinterpret_cast<const double2*>(from)[n];
    v[2 * n] = pair.x;
    v[2 * n + 1] = pair.y;
  }
}
__device__ __forceinline__ void store_row(const double (&v)[L1D], double* to) {
  for (int n = 0; n < 2; ++n) reinterpret_cast<double2*>(to)[n] = {v[2 * n], v[2 * n + 1]};
}

// p_xi, p_eta, p_zeta on a row of points, from c.
template <int Q>
__device__ __forceinline__ void pressure_along_x(const double* c, double (&grad)[3][Q]) {
  using S = PencilMemory<Q>;
  double in[D1D];
  load(in, every<1>(c));
  forward<Q, Table::dB>(in, grad[0]);
  load(in, every<1>(c + S::C));
  forward<Q, Table::B>(in, grad[1]);
  load(in, every<1>(c + 2 * S::C));
  forward<Q, Table::B>(in, grad[2]);
}

template <int Q>
__device__ __forceinline__ void divergence_along_x(const double (&flux)[3][Q], double* c, bool active, int half, bool two) {
  using S = PencilMemory<Q>;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    double out[D1D] = {0, 0, 0, 0, 0};
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

template <int Q>
__device__ __forceinline__ void divergence_along_y(int lane, const PencilMemory<Q>& s) {
  using S = PencilMemory<Q>;
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const int t = lane + 32 * n;
    if (t >= S::row) continue;
    double in[Q], out[D1D];
    load(in, every<S::row>(s.c + t));
    backward<Q, Table::B>(in, out);
    load(in, every<S::row>(s.c + S::C + t));
    backward<Q, Table::dB, D1D, true>(in, out);
    store(out, every<S::SJ>(s.a + t));
    load(in, every<S::row>(s.c + 2 * S::C + t));
    backward<Q, Table::B>(in, out);
    store(out, every<S::SJ>(s.b + t));
  }
}
template <int Q>
__device__ __forceinline__ void divergence_along_z(const PencilArgs& a, int first_level, std::int64_t level, bool last, NodeFibre& f,
                                                   const PencilMemory<Q>& s) {
  if (!f.exists) return;
  double in[Q], out[D1D];
  load(in, every<9>(s.a + f.at));
  backward<Q, Table::B>(in, out);
  load(in, every<9>(s.b + f.at));
  backward<Q, Table::dB, D1D, true>(in, out);
  double* to = a.r + f.node + first_level * level;
  out[0] += f.carry;
#pragma unroll
  for (int k = 0; k < 4; ++k) atomicAdd(to + k * level, out[k]);
  f.carry = out[4];
  if (last) atomicAdd(to + 4 * level, out[4]);
}

// x, D and x^T on the row (qz, qy) of the lane's element.
template <bool Gradient, bool Divergence, int Q, class Geometry>
__device__ __forceinline__ void along_x(const PencilArgs& a, int row, int ey, int ez, bool two, const PencilElement& x, Geometry& geometry,
                                        const PencilMemory<Q>& s) {
  using S = PencilMemory<Q>;
  const int qz = Q == 4 ? row >> 2 : row / Q, qy = Q == 4 ? row & 3 : row % Q;
  const bool active = x.exists && row < S::Q2;
  double* c = s.c + qy * S::row + qz * 9 + 4 * x.half;
  double grad[3][Q], flux[3][Q];
  if (active) {
    if (Q != L1D) geometry.column(a, x.ex, ey, qy);
    geometry.layer(a, x.e, ez, qz, qy);
    if constexpr (Gradient) pressure_along_x(c, grad);
    if constexpr (Divergence) {
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        if constexpr (Q == L1D) {
          load_row(flux[k], a.u + x.nodes(k) + row * 4);
        } else {
          double in[L1D];
          load(in, [=](int l) -> double& { return s.w_y_at(((k * 2 + x.half) * Q + qz) * Q + qy, l); });
          forward<Q, Table::V>(in, flux[k]);
        }
      }
    }
    apply_metric<Gradient, Divergence>(geometry, geometry.parallelepiped, grad, flux);
    if constexpr (Gradient && Q == L1D) {
#pragma unroll
      for (int k = 0; k < 3; ++k) store_row(grad[k], a.g + x.nodes(k) + row * 4);
    }
  }
  __syncwarp();  // every lane has read its row before any row changes
  if constexpr (Gradient && Q != L1D) {
    if (active)
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        double out[L1D];
        backward<Q, Table::V>(grad[k], out);
        store(out, [=](int l) -> double& { return s.w_y_at(((k * 2 + x.half) * Q + qz) * Q + qy, l); });
      }
  }
  if constexpr (Divergence) divergence_along_x(flux, c, active, x.half, two);
}

// With five points shared memory leaves room for three blocks, and one half of the operator may have all their registers: D then is asked for before the
// contractions. Both halves at once hold more, and are faster as the compiler likes it.
template <int Q, bool Gradient, bool Divergence, class Geometry>
__global__ void __launch_bounds__(March::threads, Q == L1D || (Gradient && Divergence) ? 0 : 3) pencil_kernel(const __grid_constant__ PencilArgs a) {
  using S = PencilMemory<Q>;
  extern __shared__ double s_all[];
  const March m(a);
  const PencilMemory<Q> s(s_all + m.warp * S::per_warp);
  if (m.first >= a.z1) return;  // whole warps only
  int lane = m.lane;
  if constexpr (Q != L1D) asm volatile("" : "+r"(lane));  // registers are short: the compiler would find it anew wherever it is wanted
  const bool two = m.two(a);
  const int width = two ? 9 : 5;
  const std::int64_t level = m.level(a), corner = m.corner(a);
  NodeFibre fibres[2];
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const int t = lane + 32 * n, j = t / 9, i = t % 9;
    NodeFibre& f = fibres[n];
    f.exists = t < March::fibres && i < width;
    f.at = j * S::SJ + i;
    f.node = corner + static_cast<std::int64_t>(j) * a.NX + i;
    if (Gradient && f.exists) f.top = a.p[f.node];
  }
  const int half = lane >> 4;
  PencilElement x{half, m.ex + half, half == 0 || two};
  Geometry geometry;
  if (Q == L1D && x.exists) geometry.column(a, x.ex, m.ey, lane & 3);

  for (int ez = m.first; ez < m.last; ++ez) {
    x.e = m.element(a, x.ex, ez);
    if constexpr (Gradient) {
#pragma unroll
      for (int n = 0; n < 2; ++n) pressure_along_z(a, 4 * (ez - m.first), level, fibres[n], s);
      __syncwarp();
      pressure_along_y(lane, s);
    }
    if constexpr (Divergence && Q != L1D) {
      velocity_along_z(a, lane, x, s);
      __syncwarp();
      velocity_along_y(lane, s);
    }
    __syncwarp();
    for (int pass = 0; pass < (S::Q2 + 15) / 16; ++pass) along_x<Gradient, Divergence>(a, pass * 16 + (lane & 15), m.ey, ez, two, x, geometry, s);
    __syncwarp();
    if constexpr (Gradient && Q != L1D) {
      gradient_along_y(lane, s);
      __syncwarp();
      gradient_along_z(a, lane, x, s);
    }
    if constexpr (Divergence) {
      divergence_along_y(lane, s);
      __syncwarp();
#pragma unroll
      for (int n = 0; n < 2; ++n) divergence_along_z(a, 4 * (ez - m.first), level, ez == m.last - 1, fibres[n], s);
    }
    __syncwarp();
  }
}

}  // namespace agwave::cuda_kernels
