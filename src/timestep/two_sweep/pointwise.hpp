// SPDX-License-Identifier: Apache-2.0
// What the two-sweep stepper does at one velocity node or one floor node outside its sweeps, as functors for a backend.
//   U = w det J J^-1 u at the Gauss-Legendre points, and back (the form is triangular, fem/geometry.hpp)
#pragma once
#include "fem/spaces.hpp"
#include "timestep/two_sweep/layout.hpp"

namespace agwave::two_sweep {

AGWAVE_HD void velocity_of_flux(const Metric& m, const double* f, double* u) {
  u[0] = f[0] / m.xx;
  u[1] = f[1] / m.yy;
  u[2] = (f[2] - m.xz * u[0] - m.yz * u[1]) / m.zz;
}

// U at a point from where it is stored. Bars may hold sums and differences of two points instead (Patches::Bar).
template <class Patches>
AGWAVE_HD void flux_at_point(const double* at, int place, double* f) {
  for (int c = 0; c < 3; ++c) f[c] = Patches::Bar::value(at[c * Patches::bar], at[c * Patches::bar + Patches::Bar::beside(place)], place);
}

template <class Patches>
struct StoreFlux {  // u_E of elements first, first + 1, ...: u[n / 64][3][64] -> U; `carried`: they are U already
  bool carried;
  ElementView v;
  Patches patches;
  Rule<L1D> rule;
  std::int64_t first;
  const double* u;
  double* flux;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int l = static_cast<int>(n % L3D);
    const auto [ex, ey, ez] = v.locate(first + n / L3D);
    double* to = flux + patches.flux_at(ex, ey, ez, l);
    const int place = Patches::Bar::place(ex % Patches::EX, l);
    double f[2][3];
    for (int m = 0; m < 2; ++m) {
      const int p = m == 0 ? l : Patches::Bar::point(place + Patches::Bar::beside(place));
      const double* at = u + n / L3D * 3 * L3D + p;
      for (int c = 0; c < 3; ++c) f[m][c] = at[c * L3D];
      if (!carried) contravariant_flux(v.point(ex, ey, ez, p, rule.x, rule.w), at[0], at[L3D], at[2 * L3D], f[m]);
    }
    for (int c = 0; c < 3; ++c) to[c * Patches::bar] = carried ? f[0][c] : Patches::Bar::stored(f[0][c], f[1][c], place);
  }
};

template <class Patches>
struct ReadFlux {  // the way back
  bool carried;
  ElementView v;
  Patches patches;
  Rule<L1D> rule;
  std::int64_t first;
  const double* flux;
  double* u;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int l = static_cast<int>(n % L3D);
    const auto [ex, ey, ez] = v.locate(first + n / L3D);
    const double* at = flux + patches.flux_at(ex, ey, ez, l);
    double value[3] = {at[0], at[Patches::bar], at[2 * Patches::bar]};
    if (!carried) {
      double f[3];
      flux_at_point<Patches>(at, Patches::Bar::place(ex % Patches::EX, l), f);
      velocity_of_flux(v.point(ex, ey, ez, l, rule.x, rule.w), f, value);
    }
    double* to = u + n / L3D * 3 * L3D + l;
    for (int c = 0; c < 3; ++c) to[c * L3D] = value[c];
  }
};

template <class Patches>
struct KineticEnergy {  // n counts the points in the order of the flux, those of padding elements included
  ElementView v;
  Patches patches;
  Rule<L1D> rule;
  const double* flux;
  AGWAVE_HD double operator()(std::int64_t n) const {
    int ex, ey, ez, l;
    if (!patches.locate(n, ex, ey, ez, l)) return 0;
    const double* at = flux + n / Patches::bar * 3 * Patches::bar + n % Patches::bar;
    double f[3], u[3];
    flux_at_point<Patches>(at, static_cast<int>(n % Patches::bar), f);
    velocity_of_flux(v.point(ex, ey, ez, l, rule.x, rule.w), f, u);
    return 0.5 * v.velocity_mass(ex, ey, ez, l, rule.w) * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
};

template <class Patches>
struct FluxVelocity {  // as SpongeLayer wants it
  static constexpr int stride = Patches::bar;
  ElementView v;
  Patches patches;
  Rule<L1D> rule;
  double* flux;
  AGWAVE_HD double* at(int ex, int ey, int ez, int l) const { return flux + patches.flux_at(ex, ey, ez, l); }
  AGWAVE_HD double square(int ex, int ey, int ez, int l) const {
    const double* from = at(ex, ey, ez, l);
    double f[3], u[3];
    flux_at_point<Patches>(from, Patches::Bar::place(ex % Patches::EX, l), f);
    velocity_of_flux(v.point(ex, ey, ez, l, rule.x, rule.w), f, u);
    return u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  }
};

// Rows of nodes between the plain order of `values`, [nodes of some whole rows], and the padded rows of p, from row `first` on.
struct CopyRows {
  int NX, pitch;
  std::int64_t first;
  double *values, *p;
  bool into;  // p is written, else read
  AGWAVE_HD void operator()(std::int64_t n) const {
    double& node = p[(first + n / NX) * pitch + n % NX];
    if (into)
      node = values[n];
    else
      values[n] = node;
  }
};

struct InverseMass {  // [NY][NX], see SweepArgs
  NodeView v;
  bool surface;
  double* inverse;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = static_cast<int>(n % v.NX), j = static_cast<int>(n / v.NX);
    inverse[n] = surface ? 1 / v.mass(i, j, v.NZ - 1) : 1 / (v.wx[i] * v.wy[j] * v.column(i, j) * v.inverse_K);
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
