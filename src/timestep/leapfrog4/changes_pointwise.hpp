// SPDX-License-Identifier: Apache-2.0
// What the leapfrog of changes (fused_changes.hpp) does at a node outside its sweeps, as functors for a backend. d: the change of psi over a step, which
// lies where sweeps have psi; Q: that of P, where they have P.
#pragma once
#include "timestep/leapfrog4/fused_pointwise.hpp"

namespace agwave::leapfrog4 {

template <class Real>
struct SetReal {
  Real* to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = 0; }
};

template <class Patches>
struct ChangeNode {
  using real = typename Patches::real;
  NodeView v;
  Places<Patches> places;
  double dt;
  const real *d, *Q;
  BodyLoadOf<real> body;
  AGWAVE_HD NodeAt node_at(int i, int j, int k) const { return {v, i, j, k, dt}; }
};

// Watched nodes, of a list: psi_tt of the change, from r = K d.
template <class Patches>
struct Curve : ChangeNode<Patches> {
  using typename ChangeNode<Patches>::real;
  const std::int64_t* nodes;
  const real* r;
  FloorLoad now, before;  // the load of the change is the one less the other
  AGWAVE_HD double curvature(std::int64_t n, int i, int j, int k, const NodeAt& node, std::int64_t place) const {
    double sum = this->places.sum(r, i, j, k) - this->body.at_place(this->places, i, j, place);
    if (k == 0) sum -= now.at(nodes[n]) - before.at(nodes[n]);
    return node.second_derivative(-sum * node.inverse_mass, this->Q[place], this->dt);
  }
};
// Before a step: that of the state itself, added up over the changes. Only walls ask for it.
template <class Patches>
struct AddCurvature : Curve<Patches> {
  double* psi_tt;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->v.locate(this->nodes[n], i, j, k);
    const NodeAt node = this->node_at(i, j, k);
    if (node.damping > 0) psi_tt[n] += this->curvature(n, i, j, k, node, this->places.place(i, j, k));
  }
};
// After one: p takes psi_tt before and, by its change, after.
template <class Patches>
struct WatchChange : Curve<Patches> {
  using typename Curve<Patches>::real;
  const double* psi_tt;  // or null without walls
  real* p;               // where sums have been
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->v.locate(this->nodes[n], i, j, k);
    const std::int64_t place = this->places.place(i, j, k);
    const NodeAt node = this->node_at(i, j, k);
    const double change = this->curvature(n, i, j, k, node, place), before = psi_tt ? psi_tt[n] : 0.0;
    p[this->places.place_in_sums(i, j, k)] = static_cast<real>(node.pressure(this->d[place] / this->dt, before, before + change, this->dt));
  }
};

// All nodes, of which others force none; sums: K d. to: where other sums have been.
template <class Patches>
struct PressureOfChange : ChangeNode<Patches> {
  using typename ChangeNode<Patches>::real;
  const real* sums;
  real* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->v.locate(n, i, j, k);
    const double dt = this->dt, K = this->places.sum(sums, i, j, k) * this->v.inverse_mass(i, j, k);
    to[this->places.place_in_sums(i, j, k)] = static_cast<real>(this->d[this->places.place(i, j, k)] / dt + dt / 24 * K);
  }
};

// The beginning: psi, odd in time about the initial pressure p, and P, as FusedBegin has them.
template <class Patches>
struct BeginChanges {
  using real = typename Patches::real;
  NodeView v;
  Places<Patches> places;
  double dt;
  BodyLoadOf<real> body;
  FloorLoad load;  // what the floor moves with already
  AGWAVE_HD double moved(std::int64_t n, int i, int j, int k) const {
    const NodeAt node(v, i, j, k, dt);
    const double forced = (k == 0 ? load.at(n) : 0.0) + body.at_place(places, i, j, places.place(i, j, k));
    return node.rate_after_rest(dt * forced * node.inverse_mass);
  }
};
template <class Patches>
struct FirstState : BeginChanges<Patches> {
  using typename BeginChanges<Patches>::real;
  InSums<Patches> p;
  const real* sums;  // K p
  real *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->v.locate(n, i, j, k);
    const double dt = this->dt, K = this->places.sum(sums, i, j, k) * this->v.inverse_mass(i, j, k), mean = p(i, j, k) - dt * dt / 24 * K,
                 moved = this->moved(n, i, j, k);
    this->places.put(i, j, k, static_cast<real>(mean + moved), P);
    this->places.put(i, j, k, static_cast<real>(dt * (0.5 * mean + moved)), psi);
  }
};
// After the first step, by which psi and P are the state itself: its change, once P before it is found again from psi.
template <class Patches>
struct FirstChange : BeginChanges<Patches> {
  using typename BeginChanges<Patches>::real;
  real *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->v.locate(n, i, j, k);
    const std::int64_t place = this->places.place(i, j, k);
    const double dt = this->dt, now = P[place], before = 2 * (psi[place] / dt - now) - this->moved(n, i, j, k);
    this->places.put(i, j, k, static_cast<real>(now - before), P);
    this->places.put(i, j, k, static_cast<real>(dt * now), psi);
  }
};

}  // namespace agwave::leapfrog4
