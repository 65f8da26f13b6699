// SPDX-License-Identifier: Apache-2.0
// What classical RK4 does at one velocity dof or one node, as functors for a backend.
#pragma once
#include <cstdint>

#include "device/host_device.hpp"
#include "fem/spaces.hpp"
#include "timestep/floor_layer.hpp"
#include "timestep/state_pointwise.hpp"

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

struct UpdateVelocity {  // u_t = -M_u^-1 G p
  ElementView v;
  Rule<L1D> rule;
  Weights s;
  const double* g;
  double *u, *sum, *stage;
  AGWAVE_HD void operator()(std::int64_t n) const {  // n = e * 64 + l
    const std::int64_t e = n / L3D;
    const int l = static_cast<int>(n % L3D);
    const auto [ex, ey, ez] = v.locate(e);
    const double inverse = -1 / v.velocity_mass(ex, ey, ez, l, rule.w);
    for (int c = 0; c < 3; ++c) {
      const std::int64_t at = (e * 3 + c) * L3D + l;
      advance(s, inverse * g[at], u[at], sum[at], stage[at]);
    }
  }
};

struct UpdatePressure {  // p_t = M_p^-1 (r - S p),  r = G^T u + f
  NodeView v;
  Weights s;
  const double *r, *at_stage;
  double *p, *sum, *stage;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    const double rate = r[n] - v.damping(i, j, k) * at_stage[n];
    advance(s, rate / v.mass(i, j, k), p[n], sum[n], stage[n]);
  }
};

struct MoveFloor {  // u_t = (p - k u) / Z, and r -= area u_t; before the pressure moves on
  FloorView floor;
  Weights s;
  const double* at_stage;
  double *r, *sum, *stage;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const double u = s.first ? floor.u[n] : stage[n], rate = (at_stage[n] - floor.stiffness[n] * u) / floor.impedance[n];
    r[n] -= floor.area[n] * rate;
    advance(s, rate, floor.u[n], sum[n], stage[n]);
  }
};

struct AddForcing {  // r += rate * weight, after the parts of all ranks have been added up
  state::ForcedNodes nodes;
  double rate;
  double* r;
  AGWAVE_HD void operator()(std::int64_t n) const { r[nodes.node(n)] += rate * nodes.weights[n]; }
};

struct KineticEnergy {
  ElementView v;
  Rule<L1D> rule;
  const double* u;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const std::int64_t e = n / L3D;
    const int l = static_cast<int>(n % L3D);
    const auto [ex, ey, ez] = v.locate(e);
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

}  // namespace agwave::rk4
