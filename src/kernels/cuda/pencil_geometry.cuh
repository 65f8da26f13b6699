// SPDX-License-Identifier: Apache-2.0
// D of the pencil kernels: arguments, and the policies that give w det J J^-T (fem/geometry.hpp) on a row (qz, qy) of an
// element: stored at the points (PA), or recomputed from the curved column or from the trilinear element's vertices (MF).
// Scaled is the papers' option of MF with one stored scale factor per point, here w det J / (ax ay) = w h ds: xx = ay times
// that, yy = ax times that, and h itself is not needed. 8 bytes per point, where PA reads 40.
#pragma once
#include "kernels/cuda/pencil_march.cuh"
#include "kernels/cuda/tables.cuh"

namespace agwave::cuda_kernels {

// D at points of a row, in place: derivatives to w det J grad p, velocity to the contravariant flux. The D of a parallelepiped is diagonal.
template <bool Gradient, bool Divergence, int N, class At>
__device__ __forceinline__ void apply_metric(const At& metric_at, bool parallelepiped, double (&grad)[3][N], double (&flux)[3][N]) {
  const auto apply = [](const Metric& m, auto diagonal, double(&v)[3][N], int q, auto map) {
    double out[3];
    if constexpr (diagonal) {
      out[0] = m.xx * v[0][q];
      out[1] = m.yy * v[1][q];
      out[2] = m.zz * v[2][q];
    } else {
      map(m, v[0][q], v[1][q], v[2][q], out);
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) v[k][q] = out[k];
  };
  const auto at_all = [&](auto diagonal) {
#pragma unroll
    for (int q = 0; q < N; ++q) {
      const Metric m = metric_at(q);
      if constexpr (Gradient) apply(m, diagonal, grad, q, [](auto&&... of) { weighted_gradient(of...); });
      if constexpr (Divergence) apply(m, diagonal, flux, q, [](auto&&... of) { contravariant_flux(of...); });
    }
  };
  if (!parallelepiped)
    at_all(std::false_type{});
  else
    at_all(std::true_type{});
}

// The rule, selected from constants where the index is known at run time only.
template <int N>
__device__ __forceinline__ double weight(int q) {
  constexpr auto rule = gauss_rule<N>();
  const int m = q < N - 1 - q ? q : N - 1 - q;
  return m == 0 ? rule.w[0] : m == 1 ? rule.w[1] : rule.w[N / 2];
}
template <int N>
__device__ __forceinline__ double point(int q) {
  constexpr auto rule = gauss_rule<N>();
  const int m = q < N - 1 - q ? q : N - 1 - q;
  const double x = m == 0 ? rule.x[0] : m == 1 ? rule.x[1] : rule.x[N / 2];
  return q == m ? x : -x;
}

// D for the row (qz, qy) of one element; `layer` runs once per layer.
template <int Q>
struct StoredMetric {
  static constexpr bool parallelepiped = false;
  const double* d;
  __device__ void column(const PencilArgs&, int, int, int) {}
  __device__ void layer(const PencilArgs& a, std::int64_t e, int, int qz, int qy) { d = a.qdata + e * 5 * Q * Q * Q + (qz * Q + qy) * Q; }
  static constexpr int Q3 = Q * Q * Q;
  __device__ Metric operator()(int qx) const { return {d[qx], d[Q3 + qx], d[2 * Q3 + qx], d[3 * Q3 + qx], d[4 * Q3 + qx]}; }
};

// Recomputed, for a row: what its points have in common. w is of the row, `scale` stored at its points (w h ds).
struct RowFactors {
  double ax, ay, kx, sx, ky, sy, kz;
  const double* scale;
  template <int Q, bool Scaled>
  __device__ __forceinline__ void layer(const PencilArgs& a, std::int64_t e, int ez, int qz, int qy) {
    const double w = weight<Q>(qz) * weight<Q>(qy), ds = a.v.ds[ez], s = a.v.s_mid[ez] - ds * point<Q>(qz);
    kx = Scaled ? ay : w * ay * ds;
    sx = w * ay * s;
    ky = Scaled ? ax : w * ax * ds;
    sy = w * ax * s;
    kz = w * ax * ay;
    if (Scaled) scale = a.qdata + e * Q * Q * Q + (qz * Q + qy) * Q;
  }
};

// Recomputed from the column's h, h_xi, h_eta on the row, for curved columns (geometry order 4):
//   xx = w ds (ay) h,  xz = w s ay h_xi,  yy = w ds ax h,  yz = w s ax h_eta,  zz = w ax ay
// with the factors of the row and those of the column merged; 5 products per point.
template <int Q, bool Scaled = false>
struct ComputedMetric : RowFactors {
  static constexpr bool parallelepiped = false;
  double wh[Q], wh_xi[Q], wh_eta[Q];
  __device__ void column(const PencilArgs& a, int ex, int ey, int qy) {
    const std::int64_t at = (static_cast<std::int64_t>(ey) * a.v.nx + ex) * Q * Q + qy * Q;
#pragma unroll
    for (int q = 0; q < Q; ++q) {
      wh[q] = weight<Q>(q) * a.v.h[at + q];
      wh_xi[q] = weight<Q>(q) * a.v.h_xi[at + q];
      wh_eta[q] = weight<Q>(q) * a.v.h_eta[at + q];
    }
    ax = a.v.ax[ex];
    ay = a.v.ay[ey];
  }
  __device__ void layer(const PencilArgs& a, std::int64_t e, int ez, int qz, int qy) { RowFactors::layer<Q, Scaled>(a, e, ez, qz, qy); }
  __device__ Metric operator()(int qx) const {
    const double along = Scaled ? scale[qx] : wh[qx];
    return {kx * along, sx * wh_xi[qx], ky * along, sy * wh_eta[qx], kz * weight<Q>(qx)};
  }
};

// Depths of a trilinear element's vertices, and along its west and east edge. Where the floor is level it is a parallelepiped.
struct Vertices {
  double d00, d10, d01, d11;
  __device__ __forceinline__ Vertices(const PencilArgs& a, int ex, int ey) {
    const double* corner = a.depth + static_cast<std::int64_t>(4 * ey) * a.NX + 4 * ex;
    d00 = corner[0], d10 = corner[4], d01 = corner[4 * a.NX], d11 = corner[4 * a.NX + 4];
  }
  __device__ double west(double y) const { return 0.5 * ((1 - y) * d00 + (1 + y) * d01); }
  __device__ double east(double y) const { return 0.5 * ((1 - y) * d10 + (1 + y) * d11); }
  __device__ bool level() const { return d00 == d10 && d00 == d01 && d00 == d11; }
};

// Recomputed from the element's vertices, for trilinear hexahedra. On a row of constant y the depth is h0 + h1 x and its
// y-derivative e0 + e1 x, so a point costs two fused multiply-adds and seven products with the row's factors merged; w det J
// J^-T has no division. Where the floor is level the element is a parallelepiped: constant Jacobian, no shear.
template <int Q, bool Scaled = false>
struct TrilinearMetric : RowFactors {
  double h0, h1, e0, e1;
  bool parallelepiped = false;
  __device__ void column(const PencilArgs& a, int ex, int ey, int qy) {
    const Vertices v(a, ex, ey);
    const double y = point<Q>(qy), west = v.west(y), east = v.east(y);
    h0 = 0.5 * (west + east);
    h1 = 0.5 * (east - west);
    e0 = 0.25 * (v.d01 - v.d00 + v.d11 - v.d10);
    e1 = 0.25 * (v.d11 - v.d10 - v.d01 + v.d00);
    parallelepiped = v.level();
    ax = a.v.ax[ex];
    ay = a.v.ay[ey];
  }
  __device__ void layer(const PencilArgs& a, std::int64_t e, int ez, int qz, int qy) {
    RowFactors::layer<Q, Scaled>(a, e, ez, qz, qy);
    sx *= h1;
  }
  __device__ Metric operator()(int qx) const {
    const double w = weight<Q>(qx), x = point<Q>(qx), along = Scaled ? scale[qx] : w * (h0 + h1 * x);
    return {kx * along, sx * w, ky * along, sy * (w * (e0 + e1 * x)), kz * w};
  }
};

}  // namespace agwave::cuda_kernels
