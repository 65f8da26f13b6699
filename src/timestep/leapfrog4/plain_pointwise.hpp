// SPDX-License-Identifier: Apache-2.0
// What the plain leapfrog does at a node, as functors for a backend. r = K psi, less the forcing that has been added to it.
#pragma once
#include "fem/spaces.hpp"
#include "timestep/leapfrog4/fading.hpp"
#include "timestep/leapfrog4/filter.hpp"
#include "timestep/leapfrog4/floor_node.hpp"

namespace agwave::leapfrog4 {

struct Node {  // of the mesh, by its number
  NodeView v;
  double dt;
  const std::uint8_t *halvings = nullptr;  // [NY][NX] of local steps, or null where all take the same step
  FloorView floor{};                       // of the first `grounded` nodes
  std::int64_t grounded = 0;
  AGWAVE_HD FloorNode at(std::int64_t n, double P = 0) const {  // without P what springs do to it is not known
    const auto [i, j, k] = v.locate(n);
    FloorNode node(v, i, j, k, dt, halvings ? halvings[static_cast<std::int64_t>(j) * v.NX + i] : 0);
    if (n < grounded) node.stand_on(floor, n, P, v.wx[i] * v.wy[j] * v.admittance(i, j, k), dt);
    return node;
  }
};

struct FormQ : Node {
  const double *r;
  double *q;
  AGWAVE_HD void operator()(std::int64_t n) const { q[n] = -r[n] * at(n).inverse_mass_of_q(); }
};

struct SecondDerivative : Node {
  const double *r, *P;
  double *psi_tt;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const FloorNode node = at(n, P[n]);
    psi_tt[n] = node.second_derivative(-r[n] * node.inverse_mass, P[n], dt);
  }
};

struct Advance : Node {  // s = K q
  const double *r, *s;
  double *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const FloorNode node = at(n, P[n]);
    const double before = P[n];
    P[n] = node.next_rate(before, -dt * (r[n] + dt * dt / 12 * s[n]) * node.inverse_mass);
    psi[n] += dt * P[n];
    if (n < grounded) floor.u[n] += node.sinks(before, P[n]);
  }
};

struct Hear : Node {  // r = K psi; n counts the columns
  const double *r, *P;
  double of_rate, of_force;
  double *sums;
  AGWAVE_HD void operator()(std::int64_t n) const { sums[n] += of_rate * P[n] + of_force * at(n).inverse_mass_of_q() * r[n]; }
};

// Where columns step in levels.
struct FormA : Node {  // A psi + f itself, which no wall has divided
  const double *r;
  double *a;
  AGWAVE_HD void operator()(std::int64_t n) const { a[n] = -r[n] * at(n).inverse_mass; }
};
struct FormW : Node {  // w comes as 12 (f_m - f) / dt^2 times the mass
  double *w;
  AGWAVE_HD void operator()(std::int64_t n) const { w[n] *= at(n).inverse_mass; }
};
struct AddStepFromRest : Node {  // z of dt
  const double *z;
  double *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const double rate = at(n).rate_after_rest(2 / dt * z[n]);
    P[n] += rate;
    psi[n] += dt * rate;
  }
};
struct AdvanceBy : Node {  // z of dt
  const double *z;
  double *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    P[n] = at(n).next_rate(P[n], 2 / dt * z[n]);
    psi[n] += dt * P[n];
  }
};

struct Complete : Node {  // the state at the time between both psi_tt, smooth at the walls
  const double *psi, *P, *before, *after;
  double *p, *potential;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const FloorNode node = at(n, P[n]);
    p[n] = node.pressure(P[n], before[n], after[n], dt);
    potential[n] = node.potential(psi[n], P[n], before[n], after[n], dt);
  }
};

// A term of the filter, and the energy that it is about.
struct Scaled {
  double scale;
  const double *from;
  double *to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = scale * from[n]; }
};
struct TakeTermOf {  // s: of X^(m-1) P what makes X^m P of it, but for its scale
  NodeView v;
  FilterTerm term;
  double of_psi;  // how much of what P loses psi does
  const double *s;
  double *power, *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    power[n] = term.scale * v.inverse_mass(i, j, k) * s[n];
    P[n] -= term.weight * power[n];
    psi[n] -= of_psi * term.weight * power[n];
  }
};
struct PressureOf {  // s: likewise of P
  NodeView v;
  double dt;
  const double *P, *s;
  AGWAVE_HD double operator()(int i, int j, int k) const {
    const std::int64_t n = v.at(i, j, k);
    return filtered_pressure(v, i, j, k, P[n], s[n], dt);
  }
};

// An initial pressure p is even in time: its mean over the step around it differs from it by a third of what it moves by in half a step.
struct MeanOverStep : Node {  // r = K p
  const double *r;
  double *difference;
  AGWAVE_HD void operator()(std::int64_t n) const { difference[n] = -dt * dt / 24 * r[n] * at(n).inverse_mass; }
};
struct Third {
  const double *of;
  double *to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = of[n] / 3; }
};
struct Begin : Node {  // psi odd in time about the initial pressure p; what moves already is in `load` [m3/s]
  const double *p, *difference, *load;
  double *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const FloorNode node = at(n);
    const double mean = p[n] + difference[n], moved = node.rate_after_rest(dt * load[n] * node.inverse_mass);
    P[n] = mean + moved;
    psi[n] = dt * (0.5 * mean + moved);
  }
};

struct CompletedState {  // to order 2, as Fading asks
  NodeView v;
  double dt;
  const double *psi, *P;
  AGWAVE_HD double potential(int i, int j, int k) const { return psi[v.at(i, j, k)] - 0.5 * dt * P[v.at(i, j, k)]; }
  template <class F>
  AGWAVE_HD void along_z(int i, int j, int ez, F &&f) const {
    for (int k = 0; k < D1D; ++k) f(k, potential(i, j, P1D * ez + k), P[v.at(i, j, P1D * ez + k)]);
  }
};
struct FadeNodes {  // of columns of nodes, level by level, and the energy that goes; psi stays, and so the completed potential comes nearer to it
  NodeView v;
  sponge_detail::Columns columns;
  const double *psi;
  double *P, *p, *potential;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const std::int32_t column = columns.list[n % columns.count];
    const int i = column % v.NX, j = column / v.NX, k = static_cast<int>(n / columns.count);
    const std::int64_t at = v.at(i, j, k);
    const double d = columns.x[i] * columns.y[j], before = P[at], after = P[at] = d * before;
    p[at] *= d;
    potential[at] = psi[at] + d * (potential[at] - psi[at]);
    return v.owned(i, j, k) ? 0.5 * v.mass(i, j, k) * (before * before - after * after) : 0;
  }
};
struct StretchNodes {  // of matched strips, likewise; and the energy that goes
  NodeView v;
  sponge_detail::Columns columns;
  StretchRate stretched;
  const double *psi;
  double *P;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const std::int32_t column = columns.list[n % columns.count];
    const int i = column % v.NX, j = column / v.NX, k = static_cast<int>(n / columns.count);
    const std::int64_t at = v.at(i, j, k);
    const double before = P[at], after = P[at] = stretched(i, j, before, psi[at]);
    return v.owned(i, j, k) ? stretched.taken(v.mass(i, j, k), before, after, 0) : 0;
  }
};
struct NodeForces {  // of the strips
  NodeView v;
  StripForces forces;
  double *to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    to[n] = forces.column(i, j, {0, forces.v.nx}, {0, forces.v.ny}).at(k, {0, forces.v.nz}, forces.v.nz);
  }
};
struct Copy {
  const double *from;
  double *to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = from[n]; }
};
struct Subtract {
  const double *what;
  double *from;
  AGWAVE_HD void operator()(std::int64_t n) const { from[n] -= what[n]; }
};

struct Product {  // over owned nodes
  NodeView v;
  const double *a, *b;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    return v.owned(i, j, k) ? a[n] * b[n] : 0.0;
  }
};

}  // namespace agwave::leapfrog4
