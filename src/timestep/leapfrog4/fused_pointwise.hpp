// SPDX-License-Identifier: Apache-2.0
// What the fused leapfrog does at a node outside its sweeps, as functors for a backend. Nodes of the mesh are numbered (k NY + j) NX + i.
#pragma once
#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"

namespace agwave::leapfrog4 {

// NodeTables from the mesh's columns, of the surface or of the levels below it; n counts the columns. dt: of the step that a wall damps over, or 0 for none.
template <class Patches>
struct FillTables {
  NodeView v;
  Places<Patches> places;
  bool surface;
  double dt;
  double *inverse, *keep;  // keep may be null
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = static_cast<int>(n % v.NX), j = static_cast<int>(n / v.NX), k = surface ? v.NZ - 1 : 0;
    const NodeAt node(v, i, j, k, dt);
    const double all = surface ? node.inverse_mass : 1 / (v.wx[i] * v.wy[j] * v.column(i, j) * v.compliance(i, j, k)),
                 mass = node.mass + 0.5 * node.damping;
    places.each(i, j, 0, [&](int x, int y, int, int column) {
      const std::int64_t at = places.table_at(x, y) + column;
      inverse[at] = all / mass;
      if (keep) keep[at] = (node.mass - 0.5 * node.damping) / mass;
    });
  }
};

template <class Patches>
struct SpreadLoad {  // table (+)= rate * weights
  Places<Patches> places;
  const double* weights;
  double rate;
  bool first;
  double* table;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const double load = rate * weights[n];
    places.each(static_cast<int>(n % places.NX), static_cast<int>(n / places.NX), 0, [&](int x, int y, int, int column) {
      double& at = table[places.table_at(x, y) + column];
      at = first ? load : at + load;
    });
  }
};

template <class Patches>
struct Spread {  // values of nodes from number `first` on to every place that holds them
  NodeView v;
  Places<Patches> places;
  std::int64_t first;
  const double* values;
  double* state;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(first + n, i, j, k);
    places.each(i, j, k, [&](int x, int y, int level, int column) {
      state[places.state_at(x, y) + static_cast<std::int64_t>(level) * Patches::level_size + column] = values[n];
    });
  }
};
template <class Patches>
struct Gather {  // the way back
  NodeView v;
  Places<Patches> places;
  std::int64_t first;
  const double* state;
  double* values;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(first + n, i, j, k);
    values[n] = state[places.place(i, j, k)];
  }
};

template <class Patches>
struct Swap {  // values of all nodes with those of the state, in every place
  NodeView v;
  Places<Patches> places;
  double *values, *state;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(n, i, j, k);
    const double here = state[places.place(i, j, k)];
    places.each(i, j, k, [&](int x, int y, int level, int column) {
      state[places.state_at(x, y) + static_cast<std::int64_t>(level) * Patches::level_size + column] = values[n];
    });
    values[n] = here;
  }
};

template <class Patches>
struct FusedNode {
  NodeView v;
  Places<Patches> places;
  double dt;
  const double *psi, *P;
};

// Watched nodes: of a list. before and after: psi_tt there at the two times of psi around the completed state.
template <class Patches>
struct WatchSecond : FusedNode<Patches> {
  const std::int64_t* nodes;
  const double *r, *load;  // load as in SweepArgs, or null
  double* psi_tt;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->v.locate(nodes[n], i, j, k);
    const NodeAt node(this->v, i, j, k, this->dt);
    const double sum = this->places.sum(r, i, j, k) - (load && k == 0 ? load[this->places.table_place(i, j)] : 0.0);
    psi_tt[n] = node.second_derivative(-sum * node.inverse_mass, this->P[this->places.place(i, j, k)], this->dt);
  }
};
template <class Patches>
struct WatchPressure : FusedNode<Patches> {
  const std::int64_t* nodes;
  const double *before, *after;
  bool potential;
  double* to;  // [NZ][NY][NX]
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->v.locate(nodes[n], i, j, k);
    const double dt = this->dt, lag = dt * NodeAt(this->v, i, j, k, dt).lag, mean = 0.5 * (after[n] + before[n]);
    const std::int64_t place = this->places.place(i, j, k);
    to[nodes[n]] = potential ? this->psi[place] - 0.5 * dt * this->P[place] - dt * dt / 8 * mean + lag * this->P[place]
                             : this->P[place] - dt / 24 * (after[n] - before[n]) + lag * mean;
  }
};

// All nodes; sums: K P, or K (psi - dt/2 P).
template <class Patches>
struct CompleteAll : FusedNode<Patches> {
  const double* sums;
  bool potential;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->v.locate(n, i, j, k);
    const double dt = this->dt, K = this->places.sum(sums, i, j, k) * this->v.inverse_mass(i, j, k);
    const std::int64_t place = this->places.place(i, j, k);
    to[n] = potential ? this->psi[place] - 0.5 * dt * this->P[place] + dt * dt / 8 * K : this->P[place] + dt * dt / 24 * K;
  }
};

// psi odd in time about the initial pressure p; sums: K p. load as in SweepArgs.
template <class Patches>
struct FusedBegin {
  NodeView v;
  Places<Patches> places;
  double dt;
  const double *p, *sums, *load;
  double *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(n, i, j, k);
    const double inverse = v.inverse_mass(i, j, k), mean = p[n] - dt * dt / 24 * places.sum(sums, i, j, k) * inverse,
                 moved = load && k == 0 ? dt * load[places.table_place(i, j)] * inverse : 0.0;
    places.each(i, j, k, [&](int x, int y, int level, int column) {
      const std::int64_t at = places.state_at(x, y) + static_cast<std::int64_t>(level) * Patches::level_size + column;
      P[at] = mean + moved;
      psi[at] = dt * (0.5 * mean + moved);
    });
  }
};

template <class Patches>
struct StateProduct {  // a node's value in the state times its sum, over owned nodes
  NodeView v;
  Places<Patches> places;
  const double *state, *sums;
  AGWAVE_HD double operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(n, i, j, k);
    return v.owned(i, j, k) ? state[places.place(i, j, k)] * places.sum(sums, i, j, k) : 0.0;
  }
};

}  // namespace agwave::leapfrog4
