// SPDX-License-Identifier: Apache-2.0
// What the two-sweep stepper does at one velocity node or one floor node outside its sweeps, as functors for a backend.
//   U = w det J J^-1 u at the Gauss-Legendre points, and back (the form is triangular, fem/geometry.hpp)
#pragma once
#include "fem/spaces.hpp"
#include "timestep/two_sweep_layout.hpp"

namespace agwave::two_sweep {

struct GaussRule {
  double x[4], w[4];
};
inline GaussRule gauss_points() {
  constexpr auto rule = gauss_rule<4>();
  GaussRule r{};
  for (int q = 0; q < 4; ++q) {
    r.x[q] = rule.x[q];
    r.w[q] = rule.w[q];
  }
  return r;
}

AGWAVE_HD void velocity_of_flux(const Metric& m, const double* f, double* u) {
  u[0] = f[0] / m.xx;
  u[1] = f[1] / m.yy;
  u[2] = (f[2] - m.xz * u[0] - m.yz * u[1]) / m.zz;
}

struct StoreFlux {  // u_E of elements first, first + 1, ...: u[n / 64][3][64] -> U
  ElementView v;
  PatchGrid patches;
  GaussRule rule;
  std::int64_t first;
  const double* u;
  double* flux;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int ex, ey, ez;
    const int l = static_cast<int>(n % L3D);
    v.locate(first + n / L3D, ex, ey, ez);
    const double* at = u + n / L3D * 3 * L3D + l;
    double f[3];
    contravariant_flux(v.point(ex, ey, ez, l, rule.x, rule.w), at[0], at[L3D], at[2 * L3D], f);
    double* to = flux + patches.flux_at(ex, ey, ez, l);
    for (int c = 0; c < 3; ++c) to[c * 4 * rows] = f[c];
  }
};

struct ReadFlux {  // the way back
  ElementView v;
  PatchGrid patches;
  GaussRule rule;
  std::int64_t first;
  const double* flux;
  double* u;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int ex, ey, ez;
    const int l = static_cast<int>(n % L3D);
    v.locate(first + n / L3D, ex, ey, ez);
    const double* at = flux + patches.flux_at(ex, ey, ez, l);
    const double f[3] = {at[0], at[4 * rows], at[8 * rows]};
    double value[3];
    velocity_of_flux(v.point(ex, ey, ez, l, rule.x, rule.w), f, value);
    double* to = u + n / L3D * 3 * L3D + l;
    for (int c = 0; c < 3; ++c) to[c * L3D] = value[c];
  }
};

struct KineticEnergy {  // n counts the points in the order of the flux, those of padding elements included
  ElementView v;
  PatchGrid patches;
  GaussRule rule;
  const double* flux;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const int row = static_cast<int>(n % rows), qx = static_cast<int>(n / rows % 4);
    const std::int64_t layer = n / (4 * rows), patch = layer / patches.nz;
    const int ez = static_cast<int>(layer % patches.nz);
    const int ex = static_cast<int>(patch % patches.px) * EX + row % EX, y = row / EX;
    const int ey = static_cast<int>(patch / patches.px) * EY + y / 4 % EY;
    if (ex >= patches.nx || ey >= patches.ny) return 0;
    const int l = (y / (4 * EY) * 4 + y % 4) * 4 + qx;
    const double* at = flux + layer * layer_flux + qx * rows + row;
    const double f[3] = {at[0], at[4 * rows], at[8 * rows]};
    double u[3];
    velocity_of_flux(v.point(ex, ey, ez, l, rule.x, rule.w), f, u);
    return 0.5 * v.velocity_mass(ex, ey, ez, l, rule.w) * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
};

// The forcing g1..g4 of the four sub-steps on the floor nodes, load[4][NY][NX]:  load (+)= g * term
struct AddLoads {
  const double* term;
  double g[4];
  bool first;
  std::int64_t level;
  double* load;
  AGWAVE_HD void operator()(std::int64_t n) const {
    for (int s = 0; s < 4; ++s) load[s * level + n] = (first ? 0.0 : load[s * level + n]) + g[s] * term[n];
  }
};

}  // namespace agwave::two_sweep
