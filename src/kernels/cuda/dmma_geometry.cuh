// SPDX-License-Identifier: Apache-2.0
// D of the tensor-core pencils: with four points per direction, policies that give it at a lane's two neighbouring points
// (qx, qx + 1) of a row (qz, qy); with five, at one point. The forms are those of pencil_geometry.cuh.
#pragma once
#include "kernels/cuda/dmma.cuh"
#include "kernels/cuda/pencil_geometry.cuh"

namespace agwave::cuda_kernels {

struct StoredPair {
  static constexpr bool parallelepiped = false;
  __device__ void column(const PencilArgs&, int, int, int, int) {}
  __device__ void metrics(const PencilArgs& a, std::int64_t e, int, int qz, int qy, int qx, Metric (&m)[2]) const {
    const double* d = a.qdata + e * 320 + (qz * 4 + qy) * 4 + qx;
    const auto pair = [&](int k) { return *reinterpret_cast<const double2*>(d + 64 * k); };
    const double2 xx = pair(0), xz = pair(1), yy = pair(2), yz = pair(3), zz = pair(4);
    m[0] = {xx.x, xz.x, yy.x, yz.x, zz.x};
    m[1] = {xx.y, xz.y, yy.y, yz.y, zz.y};
  }
};

// Recomputed, with the factors of the column merged: five products per point. h, h_xi, h_eta come from the column's arrays
// or, for trilinear hexahedra, from the element's vertices; where the floor is level the Jacobian has no shear. Scaled: w h ds
// is stored at the points.
template <bool Trilinear, bool Scaled>
struct ComputedPair {
  bool parallelepiped = false;
  double xx[2], xz[2], yz[2], zz[2], aspect;  // yy = aspect xx
  __device__ void column(const PencilArgs& a, int ex, int ey, int qy, int qx) {
    const Rule<4>& rule = c_basis<4>.rule;
    const double ax = a.v.ax[ex], ay = a.v.ay[ey];
    double h[2], h_xi[2], h_eta[2];
    if constexpr (Trilinear) {
      const Vertices v(a, ex, ey);
      const double y = rule.x[qy], west = v.west(y), east = v.east(y);
      parallelepiped = v.level();
      for (int n = 0; n < 2; ++n) {
        const double x = rule.x[qx + n];
        h_xi[n] = 0.5 * (east - west);
        h[n] = 0.5 * (west + east) + h_xi[n] * x;
        h_eta[n] = 0.25 * ((v.d01 - v.d00) * (1 - x) + (v.d11 - v.d10) * (1 + x));
      }
    } else {
      const std::int64_t at = (static_cast<std::int64_t>(ey) * a.v.nx + ex) * 16 + qy * 4 + qx;
      for (int n = 0; n < 2; ++n) {
        h[n] = a.v.h[at + n];
        h_xi[n] = a.v.h_xi[at + n];
        h_eta[n] = a.v.h_eta[at + n];
      }
    }
    aspect = ax / ay;
    for (int n = 0; n < 2; ++n) {
      const double w = rule.w[qy] * rule.w[qx + n];
      xx[n] = Scaled ? ay : w * ay * h[n];
      xz[n] = w * ay * h_xi[n];
      yz[n] = w * ax * h_eta[n];
      zz[n] = w * ax * ay;
    }
  }
  __device__ void metrics(const PencilArgs& a, std::int64_t e, int ez, int qz, int qy, int qx, Metric (&m)[2]) const {
    const double wz = c_basis<4>.rule.w[qz], ds = a.v.ds[ez], s = a.v.s_mid[ez] - ds * c_basis<4>.rule.x[qz];
    double2 scale = {wz * ds, wz * ds};
    if constexpr (Scaled) scale = *reinterpret_cast<const double2*>(a.qdata + e * 64 + (qz * 4 + qy) * 4 + qx);
    for (int n = 0; n < 2; ++n) {
      const double x = (n == 0 ? scale.x : scale.y) * xx[n];
      m[n] = {x, wz * s * xz[n], aspect * x, wz * s * yz[n], wz * zz[n]};
    }
  }
};

// Five points: at one point, for both geometry orders from the column's arrays. Stored: doubles in qdata per point.
template <int Stored>
__device__ __forceinline__ Metric point_metric(const PencilArgs& a, std::int64_t e, int ex, int ey, int ez, int qz, int qy, int qx) {
  const int q = (qz * 5 + qy) * 5 + qx;
  if constexpr (Stored == 5) {
    const double* d = a.qdata + e * 625 + q;
    return {d[0], d[125], d[250], d[375], d[500]};
  } else {
    const std::int64_t at = (static_cast<std::int64_t>(ey) * a.v.nx + ex) * 25 + qy * 5 + qx;
    const double ax = a.v.ax[ex], ay = a.v.ay[ey], ds = a.v.ds[ez], s = a.v.s_mid[ez] - ds * point<5>(qz);
    Metric m = metric(weight<5>(qz) * weight<5>(qy) * weight<5>(qx), ax, ay, ds, s, a.v.h[at], a.v.h_xi[at], a.v.h_eta[at]);
    if constexpr (Stored == 1) {
      m.xx = a.qdata[e * 125 + q] * ay;
      m.yy = a.qdata[e * 125 + q] * ax;
    }
    return m;
  }
}

}  // namespace agwave::cuda_kernels
