// SPDX-License-Identifier: Apache-2.0
// What the leapfrog of changes (fused_changes.hpp) does at a node outside its sweeps, as functors for a backend. d: the change of psi over a step, which
// lies where sweeps have psi; Q: that of P, where they have P.
#pragma once
#include "timestep/leapfrog4/fused_pointwise.hpp"

namespace agwave::leapfrog4 {

// A node as the change of the state finds it, and as the state itself does.
template <class Patches>
struct NodeOfChange : FusedNode<Patches> {
  AGWAVE_HD const NodeAt& under_state(const NodeAt& node, int, int, int, double) const { return node; }
};
// On a floor that gives way, whose spring has been pressed by more than it is over a step; floor.u: what the displacement changes by over one.
template <class Patches>
struct FloorNodeOfChange : FusedFloorNode<Patches> {
  double* u;  // the displacement
  AGWAVE_HD FloorNode under_state(const FloorNode&, int i, int j, int k, double P) const {
    FusedFloorNode<Patches> at = *this;
    at.floor.u = u;
    return at.node_at(i, j, k, P);
  }
};

// psi_tt of the change, from r = K d. At: NodeOfChange or FloorNodeOfChange.
template <class At>
struct Curve : At {
  using real = typename At::real;
  WatchedPart part;
  const real* r;
  FloorLoad now, before;  // the load of the change is the one less the other
  AGWAVE_HD double curvature(std::int64_t node_number, int i, int j, int k, const auto& node, std::int64_t place) const {
    double sum = this->places.sum(r, i, j, k) - this->body.at_place(this->places, i, j, place);
    if (k == 0) sum -= now.at(node_number) - before.at(node_number);
    return node.second_derivative(-sum * node.inverse_mass, this->P[place], this->dt);
  }
};
// Before a step: that of the state itself, added up over the changes, at watched nodes of walls and of a floor that gives way.
template <class At>
struct AddCurvature : Curve<At> {
  double* psi_tt;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const std::int64_t number = this->part.number(n), at = this->part.nodes[number];
    const auto [i, j, k] = this->v.locate(at);
    const std::int64_t place = this->places.place(i, j, k);
    psi_tt[number] += this->curvature(at, i, j, k, this->node_at(i, j, k, this->P[place]), place);
  }
};
// After one: p takes psi_tt before and, by its change, after.
template <class At>
struct WatchChange : Curve<At> {
  using typename Curve<At>::real;
  const double* psi_tt;  // of walls and such a floor
  real* p;               // where sums have been
  AGWAVE_HD void operator()(std::int64_t n) const {
    const std::int64_t number = this->part.number(n), at = this->part.nodes[number];
    const auto [i, j, k] = this->v.locate(at);
    const std::int64_t place = this->places.place(i, j, k);
    const auto node = this->node_at(i, j, k, this->P[place]);
    const double change = this->curvature(at, i, j, k, node, place), before = node.damping != 0 ? psi_tt[number] : 0.0,
                 P = this->psi[place] / this->dt;
    p[this->places.place_in_sums(i, j, k)] = static_cast<real>(this->under_state(node, i, j, k, P).pressure(P, before, before + change, this->dt));
  }
};

template <class Patches>
struct LevelOfChange : LevelNodes<Patches> {  // likewise
  Patches::real* p;
  AGWAVE_HD void operator()(std::int64_t n) const {
    this->each(n, [&](const auto& at) {
      const double P = this->psi[at.place] / this->dt;
      p[at.in_sums] = static_cast<typename Patches::real>(this->pressure(P, at.second_derivative));
    });
  }
};

// All nodes, of which others force none; sums: K d. to: where other sums have been.
template <class Patches>
struct PressureOfChange : FusedNode<Patches> {
  using real = typename Patches::real;
  const real* sums;
  real* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = this->v.locate(n);
    const double dt = this->dt, K = this->places.sum(sums, i, j, k) * this->v.inverse_mass(i, j, k);
    to[this->places.place_in_sums(i, j, k)] = static_cast<real>(this->psi[this->places.place(i, j, k)] / dt + dt / 24 * K);
  }
};

// After the first step, by which psi and P are the state itself: its change. P before is found again from psi where it is not at hand.
template <class At>
struct FirstChange {
  using real = typename At::real;
  At at;
  FloorLoad load;  // what the floor moves with already
  const real* P_before;
  real *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = at.v.locate(n);
    const std::int64_t place = at.places.place(i, j, k);
    const double now = P[place], before = P_before ? P_before[place] : 2 * (psi[place] / at.dt - now) - rate_of_beginning(at, load, n, i, j, k);
    at.places.put(i, j, k, static_cast<real>(now - before), P);
    at.places.put(i, j, k, static_cast<real>(at.dt * now), psi);
  }
};

}  // namespace agwave::leapfrog4
