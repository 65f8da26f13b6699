// SPDX-License-Identifier: Apache-2.0
// What the fused leapfrog does at a node outside its sweeps, as functors for a backend. Nodes of the mesh are numbered (k NY + j) NX + i.
#pragma once
#include "timestep/leapfrog4/floor_node.hpp"
#include "timestep/leapfrog4/fused_forcing_pointwise.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"

namespace agwave::leapfrog4 {

// NodeTablesOf from the mesh's columns, of the surface or of the levels below it; n counts the columns. dt: of the step that a wall damps over, or 0 for none.
// Without `keep` those of q, with it those of what comes next.
// The weights in z are left out below the surface, rather than divided out: every rank of a column gets the same bits.
template <class Patches>
struct FillTables {
  NodeView v;
  Places<Patches> places;
  bool surface;
  double dt;
  Patches::real *inverse, *keep;  // keep may be null
  AGWAVE_HD void operator()(std::int64_t n) const {
    const double unit = 1;
    NodeView level = v;
    if (!surface) level.wz = &unit;
    const int i = static_cast<int>(n % v.NX), j = static_cast<int>(n / v.NX);
    const NodeAt node(level, i, j, surface ? v.NZ - 1 : 0, dt);
    const double mass = node.mass + 0.5 * node.damping;
    places.each(i, j, 0, [&](int x, int y, int, int column) {
      const std::int64_t at = places.table_at(x, y) + column;
      inverse[at] = static_cast<Patches::real>(keep ? node.inverse_mass / mass : node.inverse_mass_of_q());
      if (keep) keep[at] = static_cast<Patches::real>((node.mass - 0.5 * node.damping) / mass);
    });
  }
};

// Values of nodes from number `first` on.
template <class Patches>
struct ToState {  // to every place that holds them
  NodeView v;
  Places<Patches> places;
  std::int64_t first;
  const double* values;
  Patches::real* state;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(first + n);
    places.put(i, j, k, static_cast<Patches::real>(values[n]), state);
  }
};
template <class Patches>
struct ToSums {
  NodeView v;
  Places<Patches> places;
  std::int64_t first;
  const double* values;
  Patches::real* sums;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(first + n);
    sums[places.place_in_sums(i, j, k)] = static_cast<Patches::real>(values[n]);
  }
};
template <class Values>
struct Gather {  // the way back
  NodeView v;
  Values from;
  std::int64_t first;
  double* values;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(first + n);
    values[n] = from(i, j, k);
  }
};

// Between the state and where sums have been; n counts the nodes.
template <class Patches>
struct Spread {
  NodeView v;
  InSums<Patches> from;
  Patches::real* state;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    from.places.put(i, j, k, from(i, j, k), state);
  }
};
template <class Patches>
struct Rest {  // no potential where sums have been
  NodeView v;
  Places<Patches> places;
  double* sums;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    sums[places.place_in_sums(i, j, k)] = 0;
  }
};
template <class Patches>
struct Swap {
  NodeView v;
  Places<Patches> places;
  double *sums, *state;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    double& other = sums[places.place_in_sums(i, j, k)];
    const double here = state[places.place(i, j, k)];
    places.put(i, j, k, other, state);
    other = here;
  }
};

template <class Patches>
struct FusedNode {
  using real = typename Patches::real;
  NodeView v;
  Places<Patches> places;
  double dt;
  const real *psi, *P;
  BodyLoadOf<real> body;
  AGWAVE_HD double in_water(int i, int j, std::int64_t place) const { return body.at_place(places, i, j, place); }
  // Of the completed state, to order 2.
  AGWAVE_HD double potential(int i, int j, int k) const {
    const std::int64_t place = places.place(i, j, k);
    return psi[place] - 0.5 * dt * P[place];
  }
  template <class F>
  AGWAVE_HD void along_z(int i, int j, int ez, F&& f) const {  // f(k, potential, rate) of the five nodes in a layer of elements
    std::int64_t place = places.place_in_layer(i, j, ez);
    for (int k = 0; k < D1D; ++k, place += Patches::level_size) f(k, psi[place] - 0.5 * dt * P[place], P[place]);
  }
  AGWAVE_HD NodeAt node_at(int i, int j, int k, double = 0) const { return {v, i, j, k, dt, places.halvings_at(i, j)}; }
};
// Where the floor gives way somewhere. A type of its own, so that where it does not nothing is asked; on ranks without it too, for nodes that they share with
// others get the same bits from the same code.
template <class Patches>
struct FusedFloorNode : FusedNode<Patches> {
  FloorView floor;
  AGWAVE_HD FloorNode node_at(int i, int j, int k, double P_here = 0) const {  // without P what springs do to it is not known
    const NodeView& v = this->v;
    FloorNode node(v, i, j, k, this->dt, this->places.halvings_at(i, j));
    if (k == 0 && floor.area)
      node.stand_on(floor, static_cast<std::int64_t>(j) * v.NX + i, P_here, v.wx[i] * v.wy[j] * v.admittance(i, j, k), this->dt);
    return node;
  }
};

// Of the watched nodes all, or those of these numbers.
struct WatchedPart {
  const std::int64_t* nodes;
  const std::int32_t* numbers = nullptr;
  std::int64_t count;
  AGWAVE_HD std::int64_t number(std::int64_t n) const { return numbers ? numbers[n] : n; }
};

// At: FusedNode or FusedFloorNode. before and after: psi_tt at watched nodes at the two times of psi around the completed state.
template <class At>
struct Watch : At {
  WatchedPart part;
  const double* r;
  FloorLoad load;  // at the time of psi
  // f(number among the watched, i, j, k, the node, its place in the state) of the n-th of the part.
  template <class F>
  AGWAVE_HD void at(std::int64_t n, F&& f) const {
    const std::int64_t number = part.number(n);
    const auto [i, j, k] = this->v.locate(part.nodes[number]);
    const std::int64_t place = this->places.place(i, j, k);
    f(number, i, j, k, this->node_at(i, j, k, this->P[place]), place);
  }
  AGWAVE_HD double second_derivative(std::int64_t number, int i, int j, int k, const auto& node, std::int64_t place) const {
    double sum = this->places.sum(r, i, j, k) - this->in_water(i, j, place);
    if (k == 0) sum -= load.at(part.nodes[number]);
    return node.second_derivative(-sum * node.inverse_mass, this->P[place], this->dt);
  }
};
template <class At>
struct WatchBefore : Watch<At> {
  double* psi_tt;
  AGWAVE_HD void operator()(std::int64_t n) const {
    this->at(n, [&](std::int64_t number, int i, int j, int k, const auto& node, std::int64_t place) {
      psi_tt[number] = this->second_derivative(number, i, j, k, node, place);
    });
  }
};
template <class At>
struct WatchPressure : Watch<At> {  // and what psi_tt has become
  const double* before;
  double *after, *p;  // p where sums have been
  AGWAVE_HD void operator()(std::int64_t n) const {
    this->at(n, [&](std::int64_t number, int i, int j, int k, const auto& node, std::int64_t place) {
      after[number] = this->second_derivative(number, i, j, k, node, place);
      p[this->places.place_in_sums(i, j, k)] = node.pressure(this->P[place], before[number], after[number], this->dt);
    });
  }
};
template <class At>
struct WatchAgain : Watch<At> {  // once both are known
  const double *before, *after;
  bool wants_potential;
  double* to;  // where sums have been
  AGWAVE_HD void operator()(std::int64_t n) const {
    this->at(n, [&](std::int64_t number, int i, int j, int k, const auto& node, std::int64_t place) {
      const double P = this->P[place];
      to[this->places.place_in_sums(i, j, k)] = wants_potential ? node.potential(this->psi[place], P, before[number], after[number], this->dt)
                                                                : node.pressure(P, before[number], after[number], this->dt);
    });
  }
};

// The nodes of the surface or of the floor away from walls, which most of those asked about are: patch by patch, as they lie, so that no thread looks up where
// its node is before it reads, and neighbouring ones read side by side. n counts the columns of all patches.
template <class Patches>
struct LevelNodes : FusedNode<Patches> {
  const Patches::real* r;
  bool floor;
  FloorLoad load{}, less{};  // of the floor: the one less the other
  struct Found {
    std::int64_t column, place, in_sums;  // of the mesh; in the state; where sums have been
    double second_derivative;             // of psi
  };
  template <class F>
  AGWAVE_HD void each(std::int64_t n, F&& f) const {  // f(Found), of a column whose node is this patch's
    const Places<Patches>& places = this->places;
    const std::int64_t patch = quotient(n, Patches::level_size);
    const int column = static_cast<int>(n - patch * Patches::level_size), chunk = floor ? 0 : places.chunks - 1;
    const auto at = places.in_patch(patch, chunk, floor ? 0 : 4 * places.chunk_size(chunk), column);
    const int i = places.wide * at.x + at.i, j = places.deep * at.y + at.j;
    if (at.j >= Patches::PY || i >= this->v.NX || j >= this->v.NY || this->v.absorbs(i, j)) return;
    if (!within(at) && !places.holds(at)) return;
    const std::int64_t in_patch = (places.first_level(chunk) + at.level) * std::int64_t{Patches::level_size} + column,
                       of_mesh = static_cast<std::int64_t>(j) * this->v.NX + i;
    const auto* const forces = this->body.of(patch);
    double sum = places.sum(r, at) - (forces ? forces[in_patch] : 0.0);
    if (floor) sum -= load.at(of_mesh) - less.at(of_mesh);
    f(Found{of_mesh, patch * places.patch_sums() + in_patch, places.sums_at(at.x, at.y) + in_patch,
            -sum * this->v.inverse_mass(i, j, floor ? 0 : this->v.NZ - 1)});
  }
  AGWAVE_HD double pressure(double P, double change) const { return P - this->dt * (1.0 / 24 * change); }  // NodeAt::pressure

 private:
  AGWAVE_HD static bool within(const Places<Patches>::InPatch& at) {  // of no other patch
    return 0 < at.i && at.i < Places<Patches>::wide && 0 < at.j && at.j < Places<Patches>::deep;
  }
};
// As WatchBefore and WatchPressure; what is before and after as columns are numbered.
template <class Patches>
struct WatchLevelBefore : LevelNodes<Patches> {
  double* psi_tt;
  AGWAVE_HD void operator()(std::int64_t n) const {
    this->each(n, [&](const auto& at) { psi_tt[at.column] = at.second_derivative; });
  }
};
template <class Patches>
struct WatchLevel : LevelNodes<Patches> {
  const double* before;
  double *after, *p;
  AGWAVE_HD void operator()(std::int64_t n) const {
    this->each(n, [&](const auto& at) {
      after[at.column] = at.second_derivative;
      p[at.in_sums] = this->pressure(this->P[at.place], at.second_derivative - before[at.column]);
    });
  }
};

template <class At>
struct HearFloor : At {  // r = K psi; n counts the columns
  const double* r;
  double of_rate, of_force;
  double* sums;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = static_cast<int>(n % this->v.NX), j = static_cast<int>(n / this->v.NX);
    const auto node = this->node_at(i, j, 0);
    sums[n] += of_rate * this->P[this->places.place(i, j, 0)] + of_force * node.inverse_mass_of_q() * this->places.sum(r, i, j, 0);
  }
};

// All nodes; sums: K P, or K (psi - dt/2 P). to: where other sums have been.
template <class Patches>
struct CompleteAll : FusedNode<Patches> {
  const double* sums;
  bool potential;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = this->v.locate(n);
    const std::int64_t place = this->places.place(i, j, k);
    // The forcing of strips stands still; nodes that others force are watched.
    const double sum = this->places.sum(sums, i, j, k) - (potential ? this->in_water(i, j, place) : 0.0);
    const double dt = this->dt, K = sum * this->v.inverse_mass(i, j, k);
    const double of_K = potential ? (this->places.halvings_at(i, j) > 0 ? 0 : dt * dt / 8) : dt * dt / 24;
    to[this->places.place_in_sums(i, j, k)] = (potential ? this->psi[place] - 0.5 * dt * this->P[place] : this->P[place]) + of_K * K;
  }
};

template <class Patches>
struct MeanOfBeginning {  // of p over a step about it, less p; sums: K p
  NodeView v;
  Places<Patches> places;
  double dt;
  const Patches::real* sums;
  Patches::real* difference;  // as the state
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    difference[places.place(i, j, k)] = static_cast<Patches::real>(-dt * dt / 24 * places.sum(sums, i, j, k) * v.inverse_mass(i, j, k));
  }
};
// What water at rest moves with half a step later, where the floor has moved with `load` before; n: (i, j, k).
template <class At>
AGWAVE_HD double rate_of_beginning(const At& at, const FloorLoad& load, std::int64_t n, int i, int j, int k) {
  const auto node = at.node_at(i, j, k);
  const double forced = (k == 0 ? load.at(n) : 0.0) + at.in_water(i, j, at.places.place(i, j, k));
  return node.rate_after_rest(at.dt * forced * node.inverse_mass);
}
// psi odd in time about the initial pressure p. load: what the floor moves with already.
template <class At, class Patches>
struct FusedBegin {
  At at;
  InSums<Patches> p;
  FloorLoad load;
  Patches::real *psi, *P;  // psi: by how much the mean of p over a step differs from p, until it is psi
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = at.v.locate(n);
    const double mean = p(i, j, k) + psi[at.places.place(i, j, k)], moved = rate_of_beginning(at, load, n, i, j, k);
    at.places.each(i, j, k, [&](int x, int y, int level, int column) {
      const std::int64_t place = at.places.state_at(x, y) + static_cast<std::int64_t>(level) * Patches::level_size + column;
      P[place] = static_cast<Patches::real>(mean + moved);
      psi[place] = static_cast<Patches::real>(at.dt * (0.5 * mean + moved));
    });
  }
};

template <class Real>
struct Put {
  const Real* from;
  Real* to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = from[n]; }
};
template <class Real>
struct Add {
  const Real* what;
  Real* to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] += what[n]; }
};

struct FadeWatched {
  NodeView v;
  WatchedPart part;
  const double *x, *y;
  double *before, *after;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const std::int64_t number = part.number(n);
    const NodeIndex at = v.locate(part.nodes[number]);
    const double d = x[at.i] * y[at.j];
    before[number] *= d;
    after[number] *= d;
  }
};
template <class Patches>
struct StateProduct {  // a node's value in the state times its sum, over owned nodes
  NodeView v;
  Places<Patches> places;
  const double *state, *sums;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    return v.owned(i, j, k) ? state[places.place(i, j, k)] * places.sum(sums, i, j, k) : 0.0;
  }
};
}  // namespace agwave::leapfrog4
