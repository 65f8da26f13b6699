// SPDX-License-Identifier: Apache-2.0
// What classical RK4, its energy budget and its outputs do at one velocity dof or one node, as functors for a backend.
#pragma once
#include <cmath>
#include <cstdint>

#include "device/host_device.hpp"
#include "fem/spaces.hpp"

namespace agwave::rk4 {

struct Weights {  // of one stage: sum += b dt k, next stage = y + c dt k
  double b_dt, c_dt;
  bool first, last;
};

// One stage for one value: k is the slope. Writes the running sum and the next stage, or the new value at the end.
AGWAVE_HD void advance(const Weights& s, double k, double& y, double& sum, double& stage) {
  const double total = (s.first ? y : sum) + s.b_dt * k;
  if (s.last) {
    y = total;
  } else {
    sum = total;
    stage = y + s.c_dt * k;
  }
}

struct GaussWeights {
  double w[4];
};
inline GaussWeights gauss_weights() {
  constexpr auto rule = gauss_rule<4>();
  return {{rule.w[0], rule.w[1], rule.w[2], rule.w[3]}};
}

struct SetZero {
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = 0; }
};

struct UpdateVelocity {  // u_t = -M_u^-1 G p
  ElementView v;
  GaussWeights rule;
  Weights s;
  const double* g;
  double *u, *sum, *stage;
  AGWAVE_HD void operator()(std::int64_t n) const {  // n = e * 64 + l
    int ex, ey, ez;
    const std::int64_t e = n / L3D;
    const int l = static_cast<int>(n % L3D);
    v.locate(e, ex, ey, ez);
    const double inverse = -1 / v.velocity_mass(ex, ey, ez, l, rule.w);
    for (int c = 0; c < 3; ++c) {
      const std::int64_t at = (e * 3 + c) * L3D + l;
      advance(s, inverse * g[at], u[at], sum[at], stage[at]);
    }
  }
};

struct UpdatePressure {  // p_t = M_p^-1 (G^T u - S p + f)
  NodeView v;
  Weights s;
  const double *r, *at_stage, *load;  // load: f on the floor nodes, or null
  double *p, *sum, *stage;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(n, i, j, k);
    double rate = r[n] - v.damping(i, j, k) * at_stage[n];
    if (k == 0 && load) rate += load[n];
    advance(s, rate / v.mass(i, j, k), p[n], sum[n], stage[n]);
  }
};

struct AddLoad {  // load (+)= rate * term
  const double* term;
  double rate;
  bool first;
  double* load;
  AGWAVE_HD void operator()(std::int64_t n) const { load[n] = (first ? 0.0 : load[n]) + rate * term[n]; }
};

struct KineticEnergy {
  ElementView v;
  GaussWeights rule;
  const double* u;
  AGWAVE_HD double operator()(std::int64_t n) const {
    int ex, ey, ez;
    const std::int64_t e = n / L3D;
    const int l = static_cast<int>(n % L3D);
    v.locate(e, ex, ey, ez);
    double square = 0;
    for (int c = 0; c < 3; ++c) {
      const double value = u[(e * 3 + c) * L3D + l];
      square += value * value;
    }
    return 0.5 * v.velocity_mass(ex, ey, ez, l, rule.w) * square;
  }
};

struct ElementVelocity {  // u_E[e][3][64], as SpongeLayer wants it
  static constexpr int stride = L3D;
  int nx, ny;
  double* u;
  AGWAVE_HD double* at(int ex, int ey, int ez, int l) const { return u + ((static_cast<std::int64_t>(ez) * ny + ey) * nx + ex) * 3 * L3D + l; }
  AGWAVE_HD double square(int ex, int ey, int ez, int l) const {
    const double* v = at(ex, ey, ez, l);
    return v[0] * v[0] + v[stride] * v[stride] + v[2 * stride] * v[2 * stride];
  }
};

struct PotentialEnergy {  // acoustic, and on the surface level also gravity, told apart by `gravity`
  NodeView v;
  const double* p;
  bool gravity;
  std::int64_t offset;  // first node: 0, or the start of the surface level
  AGWAVE_HD double operator()(std::int64_t n) const {
    n += offset;
    int i, j, k;
    v.locate(n, i, j, k);
    if (!v.owned(i, j, k)) return 0;
    const double area = v.wx[i] * v.wy[j], density = gravity ? v.surface : v.column(i, j) * v.wz[k] * v.inverse_K, value = p[v.at(i, j, k)];
    return 0.5 * area * density * value * value;
  }
};

struct WallLoss {  // over the nodes of the four wall planes: n counts (west, east: NY NZ each), (south, north: NX NZ each)
  NodeView v;
  const double* p;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const std::int64_t x_wall = static_cast<std::int64_t>(v.NY) * v.NZ, y_wall = static_cast<std::int64_t>(v.NX) * v.NZ;
    int i, j, k;
    bool absorbs;
    if (n < 2 * x_wall) {
      const bool east = n >= x_wall;
      absorbs = east ? v.east : v.west;
      n -= east ? x_wall : 0;
      i = east ? v.NX - 1 : 0;
      j = static_cast<int>(n % v.NY);
      k = static_cast<int>(n / v.NY);
      if (!absorbs || !v.owned(i, j, k)) return 0;
      const double value = p[v.at(i, j, k)];
      return v.wy[j] * v.column(i, j) * v.wz[k] * v.inverse_Z * value * value;
    }
    n -= 2 * x_wall;
    const bool north = n >= y_wall;
    absorbs = north ? v.north : v.south;
    n -= north ? y_wall : 0;
    j = north ? v.NY - 1 : 0;
    i = static_cast<int>(n % v.NX);
    k = static_cast<int>(n / v.NX);
    if (!absorbs || !v.owned(i, j, k)) return 0;
    const double value = p[v.at(i, j, k)];
    return v.wx[i] * v.column(i, j) * v.wz[k] * v.inverse_Z * value * value;
  }
};

struct FloorProduct {  // <S, p> over owned floor nodes; the load is assembled, so each node counts once
  NodeView v;
  const double *load, *p;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const int i = static_cast<int>(n % v.NX), j = static_cast<int>(n / v.NX);
    return v.owned(i, j, 0) ? load[n] * p[v.at(i, j, 0)] : 0.0;
  }
};

struct SurfacePressure {
  NodeView v;
  const double* p;
  double* value;
  AGWAVE_HD void operator()(std::int64_t n) const { value[n] = p[v.at(static_cast<int>(n % v.NX), static_cast<int>(n / v.NX), v.NZ - 1)]; }
};

struct PickNodes {  // every stride-th node of a box; level: `from` has one level of NX * NY values, without padding
  NodeView v;
  int first[3], nx, ny, stride;
  bool level;
  const double* from;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = first[0] + stride * static_cast<int>(n % nx), j = first[1] + stride * static_cast<int>(n / nx % ny),
              k = first[2] + stride * static_cast<int>(n / nx / ny);
    to[n] = level ? from[static_cast<std::int64_t>(j) * v.NX + i] : from[v.at(i, j, k)];
  }
};

struct Magnitude {
  const double* p;
  AGWAVE_HD double operator()(std::int64_t n) const { return p[n] < 0 ? -p[n] : p[n]; }
};

struct SamplePoint {  // sum_n weight[n] p[node[n]] over the point's range
  const double* p;
  const std::int32_t* offset;
  const std::int64_t* node;
  const double* weight;
  double* value;
  AGWAVE_HD void operator()(std::int64_t point) const {
    double sum = 0;
    for (std::int32_t n = offset[point]; n < offset[point + 1]; ++n) sum += weight[n] * p[node[n]];
    value[point] = sum;
  }
};

struct TrackSurface {  // eta = p / (rho g)
  NodeView v;
  const double* p;
  double per_pressure, time, threshold;
  double *maximum, *arrival;  // arrival < 0: not yet
  AGWAVE_HD void operator()(std::int64_t n) const {
    const double eta = per_pressure * p[v.at(static_cast<int>(n % v.NX), static_cast<int>(n / v.NX), v.NZ - 1)];
    if (eta > maximum[n]) maximum[n] = eta;
    if (arrival[n] < 0 && (eta < 0 ? -eta : eta) > threshold) arrival[n] = time;
  }
};

}  // namespace agwave::rk4
