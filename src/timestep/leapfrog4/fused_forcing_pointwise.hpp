// SPDX-License-Identifier: Apache-2.0
// What forces the fused leapfrog at a node, as functors for a backend (fused_forcing.hpp): loads of the floor, sources in the water, strips of sponges.
#pragma once
#include "timestep/leapfrog4/fading.hpp"
#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/state_pointwise.hpp"

namespace agwave::leapfrog4 {

// Forcing of the floor at one time, as a sum over terms; n counts the columns.
struct FloorLoad {
  static constexpr int most = 8;
  int terms = 0;
  const double* weights[most];
  double rate[most];
  AGWAVE_HD double at(std::int64_t n) const {
    double load = 0;
    for (int t = 0; t < terms; ++t) load += rate[t] * weights[t][n];
    return load;
  }
};
struct AddFloorLoad {  // more of it
  FloorLoad load;
  bool first;
  double* plane;  // [NY][NX]
  AGWAVE_HD void operator()(std::int64_t n) const { plane[n] = (first ? 0.0 : plane[n]) + load.at(n); }
};
template <class Patches>
struct SpreadLoads {  // two at once, to tables [patch][level]; n counts the columns
  Places<Patches> places;
  FloorLoad loads[2];
  double* tables[2];
  AGWAVE_HD void operator()(std::int64_t n) const {
    for (int m = 0; m < 2; ++m) {
      const double load = loads[m].at(n);
      places.each(static_cast<int>(n % places.NX), static_cast<int>(n / places.NX), 0,
                  [&](int x, int y, int, int column) { tables[m][places.table_at(x, y) + column] = load; });
    }
  }
};

// Forcing in the water, in two arrays at once for two rates.
struct BodyTables {
  double* values[2];
  const std::int64_t* at;
};
template <class Patches>
struct AddWaterTerm {  // of nodes that a term forces; `from`: what they begin with is that of another array instead, or zero where that is null
  Places<Patches> places;
  NodeView v;
  state::ForcedNodes nodes;
  bool begins;
  BodyTables to;
  const double* from;
  double rate[2];
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(nodes.node(n));
    places.each(i, j, k, [&](int x, int y, int level, int column) {
      const std::int64_t place =
          to.at[static_cast<std::int64_t>(y) * places.px + x] + static_cast<std::int64_t>(level) * Patches::level_size + column;
      for (int m = 0; m < 2; ++m) {
        if (begins)
          to.values[m][place] = from ? from[place] : 0.0;
        else
          to.values[m][place] += rate[m] * nodes.weights[n];
      }
    });
  }
};

// Of columns of a list, [level][column].
template <class Patches>
struct OfColumns {
  NodeView v;
  Places<Patches> places;
  const std::int32_t* list;
  std::int64_t count;
  AGWAVE_HD NodeIndex locate(std::int64_t n) const {
    const std::int64_t level = quotient(n, count);
    const std::int32_t column = list[n - level * count], j = column / v.NX;
    return {column - j * v.NX, j, static_cast<int>(level)};
  }
};
// The places of the patches that strips touch, where their columns are touched, as many at once as a column has in a layer of elements: where it lies is found
// once for all of them.
template <class Patches>
struct StripPlaces {
  NodeView v;
  Places<Patches> places;
  const std::int32_t* patches;
  const std::uint8_t* touched;  // [patch of the list][column]
  std::int64_t count;           // of patches
  struct Place {
    Places<Patches>::InPatch at;
    int i, j, k;                                 // of the mesh
    std::int64_t in_patch, in_strips, in_state;  // place in the patch, in arrays of size(), in the state
    std::int64_t patch;
  };
  AGWAVE_HD std::int64_t size() const { return count * places.patch_sums(); }  // of all that the patches have room for
  AGWAVE_HD std::int64_t stretches() const { return count * layers() * Patches::level_size; }
  // Of stretch n: begin(its lowest place), then f(place) for each of them; a chunk's top level goes with its last layer.
  template <class Begin, class F>
  AGWAVE_HD void each(std::int64_t n, Begin&& begin, F&& f) const {
    const std::int64_t line = quotient(n, Patches::level_size), number = quotient(line, layers());
    const int column = static_cast<int>(n - line * Patches::level_size), layer = static_cast<int>(line - number * layers());
    if (!touched[number * Patches::level_size + column]) return;
    Place p;
    p.patch = patches[number];
    const int chunk = layer / places.layers;
    p.at = places.in_patch(p.patch, chunk, 4 * (layer - chunk * places.layers), column);
    p.i = Places<Patches>::wide * p.at.x + p.at.i;
    p.j = Places<Patches>::deep * p.at.y + p.at.j;
    p.k = 4 * layer;
    p.in_patch = static_cast<std::int64_t>(places.first_level(p.at.chunk) + p.at.level) * Patches::level_size + column;
    p.in_strips = number * places.patch_sums() + p.in_patch;
    p.in_state = p.patch * places.patch_sums() + p.in_patch;
    begin(p);
    const int top = p.at.level + (p.at.level + 4 == 4 * places.chunk_size(p.at.chunk) ? 4 : 3);
    for (; p.at.level <= top; ++p.at.level, ++p.k) {
      f(p);
      p.in_patch += Patches::level_size;
      p.in_strips += Patches::level_size;
      p.in_state += Patches::level_size;
    }
  }
  template <class F>
  AGWAVE_HD void each(std::int64_t n, F&& f) const {
    each(
        n, [](const Place&) {}, f);
  }
  AGWAVE_HD bool counts(const Place& p) const { return v.owned(p.i, p.j, p.k) && places.holds(p.at); }  // for its node, in sums over nodes

 private:
  AGWAVE_HD int layers() const { return (places.NZ - 1) / 4; }
};
// The forces of the strips' elements as partial sums, by patch and chunk, so that whoever shares a node gets the same bits.
template <class Patches>
struct SumForces : StripPlaces<Patches> {
  StripForces forces;
  Patches::real* sums;
  AGWAVE_HD void operator()(std::int64_t n) const {
    using Place = StripPlaces<Patches>::Place;
    const auto& places = this->places;
    StripForces::Column column;
    StripForces::Range layers;
    std::int64_t to = 0;
    this->each(
        n,
        [&](const Place& p) {
          const int x = p.at.x, y = p.at.y, layer = p.at.chunk * places.layers;
          column = forces.column(p.i, p.j, {Patches::EX * x, Patches::EX * (x + 1)}, {Patches::EY * y, Patches::EY * (y + 1)});
          layers = {layer, layer + places.chunk_size(p.at.chunk)};
          to = places.sums_at(x, y);
        },
        [&](const Place& p) { sums[to + p.in_patch] = static_cast<Patches::real>(column.at(p.k, layers, forces.v.nz)); });
  }
};
template <class Patches>
struct SpreadForces : StripPlaces<Patches> {
  const double* sums;
  BodyTables to;  // the second may be null
  double* third;  // likewise
  AGWAVE_HD void operator()(std::int64_t n) const {
    this->each(n, [&](const auto& p) { put(p, place(p)); });
  }

 protected:
  AGWAVE_HD std::int64_t place(const StripPlaces<Patches>::Place& p) const { return to.at[p.patch] + p.in_patch; }
  AGWAVE_HD double put(const StripPlaces<Patches>::Place& p, std::int64_t place) const {
    const double force = this->places.sum(sums, p.at);
    to.values[0][place] = force;
    if (to.values[1]) to.values[1][place] = force;
    if (third) third[place] = force;
    return force;
  }
};
// Likewise, after a damping of matched strips; and the energy that it takes at a node, which its holder counts. r = K psi
template <class Patches>
struct SpreadStretched : SpreadForces<Patches> {
  StretchRate stretched;
  const double *psi, *P, *r;
  AGWAVE_HD double operator()(std::int64_t n) const {
    double taken = 0;
    this->each(n, [&](const auto& p) {
      const std::int64_t place = this->place(p);
      const double force_before = this->to.values[0][place], force = this->put(p, place);
      if (!this->counts(p)) return;
      const double sum = this->places.sum(r, p.at), after = P[p.in_state], before = stretched.before(p.i, p.j, after, psi[p.in_state]);
      taken += stretched.taken(this->v.mass(p.i, p.j, p.k), before, after, before * (sum - force_before) - after * (sum - force));
    });
    return taken;
  }
};
template <class Patches, class Damped>
struct DampState : StripPlaces<Patches> {  // and what goes of the energy of P
  Damped damped;                           // FadedRate or StretchRate
  const double* psi;
  double* P;
  AGWAVE_HD double operator()(std::int64_t n) const {
    double taken = 0;
    this->each(n, [&](const auto& p) {
      const double before = P[p.in_state], after = P[p.in_state] = damped(p.i, p.j, before, psi[p.in_state]);
      if (this->counts(p)) taken += 0.5 * this->v.mass(p.i, p.j, p.k) * (before * before - after * after);
    });
    return taken;
  }
};
template <class Patches>
struct ForceProduct : OfColumns<Patches> {  // of what the strips force their nodes with
  const double* state;
  BodyLoad body;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [i, j, k] = this->locate(n);
    if (!this->v.owned(i, j, k)) return 0;
    const std::int64_t place = this->places.place(i, j, k);
    return state[place] * body.at_place(this->places, i, j, place);
  }
};

}  // namespace agwave::leapfrog4
