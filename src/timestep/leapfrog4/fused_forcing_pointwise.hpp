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
// Every place of the patches that strips touch, in the order in which they lie; a place counts where its column is touched.
template <class Patches>
struct StripPlaces {
  NodeView v;
  Places<Patches> places;
  const std::int32_t* patches;
  const std::uint8_t* touched;  // [patch of the list][column]
  std::int64_t count;           // of patches
  struct Place {
    Places<Patches>::InPatch at;
    int i, j, k;  // of the mesh
    std::int64_t in_patch;
  };
  AGWAVE_HD std::int64_t size() const { return count * places.patch_sums(); }
  AGWAVE_HD bool locate(std::int64_t n, Place& p) const {
    const std::int64_t number = quotient(n, places.patch_sums());
    const auto in_patch = static_cast<std::uint32_t>(n - number * places.patch_sums()), level = in_patch / Patches::level_size;
    const int patch = patches[number], column = static_cast<int>(in_patch - level * Patches::level_size), tall = 4 * places.layers + 1;
    const bool in_rows = column < rows;
    p.in_patch = in_patch;
    p.at.y = patch / places.px;
    p.at.x = patch - p.at.y * places.px;
    p.at.chunk = (static_cast<int>(level) - 1) / tall;
    p.at.level = static_cast<int>(level) - 1 - p.at.chunk * tall;
    p.at.i = in_rows ? column % wide : wide;
    p.at.j = in_rows ? column / wide : column - rows;
    p.i = wide * p.at.x + p.at.i;
    p.j = Places<Patches>::deep * p.at.y + p.at.j;
    p.k = 4 * places.layers * p.at.chunk + p.at.level;
    return p.at.level >= 0 && p.at.chunk < places.chunks && p.k < places.NZ && touched[number * Patches::level_size + column];
  }
  AGWAVE_HD std::int64_t in_state(const Place& p) const { return places.state_at(p.at.x, p.at.y) + p.in_patch; }

 private:
  static constexpr int wide = Places<Patches>::wide, rows = wide * Patches::PY;
};
// The forces of the strips' elements as partial sums, by patch and chunk, so that whoever shares a node gets the same bits.
template <class Patches>
struct SumForces : StripPlaces<Patches> {
  StripForces forces;
  Patches::real* sums;
  AGWAVE_HD void operator()(std::int64_t n) const {
    typename StripPlaces<Patches>::Place p;
    const bool here = this->locate(n, p);
    const auto& places = this->places;
    const int x = p.at.x, y = p.at.y, layer = p.at.chunk * places.layers;
    sums[places.sums_at(x, y) + p.in_patch] =
        here ? static_cast<Patches::real>(forces.sum(p.i, p.j, p.k, {Patches::EX * x, Patches::EX * (x + 1)},
                                                     {Patches::EY * y, Patches::EY * (y + 1)}, {layer, layer + places.chunk_size(p.at.chunk)}))
             : 0;
  }
};
template <class Patches>
struct SpreadForces : StripPlaces<Patches> {
  const double* sums;
  BodyTables to;  // the second may be null
  double* third;  // likewise
  AGWAVE_HD void operator()(std::int64_t n) const {
    typename StripPlaces<Patches>::Place p;
    if (this->locate(n, p)) put(p, place(p));
  }

 protected:
  AGWAVE_HD std::int64_t place(const StripPlaces<Patches>::Place& p) const {
    return to.at[static_cast<std::int64_t>(p.at.y) * this->places.px + p.at.x] + p.in_patch;
  }
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
    typename StripPlaces<Patches>::Place p;
    if (!this->locate(n, p)) return 0;
    const std::int64_t place = this->place(p), here = this->in_state(p);
    const double force_before = this->to.values[0][place], force = this->put(p, place);
    if (!this->v.owned(p.i, p.j, p.k) || !this->places.holds(p.at)) return 0;
    const double sum = this->places.sum(r, p.at), after = P[here], before = stretched.before(p.i, p.j, after, psi[here]);
    return stretched.taken(this->v.mass(p.i, p.j, p.k), before, after, before * (sum - force_before) - after * (sum - force));
  }
};
template <class Patches, class Damped>
struct DampState : StripPlaces<Patches> {
  Damped damped;  // FadedRate or StretchRate
  const double* psi;
  double* P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    typename StripPlaces<Patches>::Place p;
    if (!this->locate(n, p)) return;
    const std::int64_t here = this->in_state(p);
    P[here] = damped(p.i, p.j, P[here], psi[here]);
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
