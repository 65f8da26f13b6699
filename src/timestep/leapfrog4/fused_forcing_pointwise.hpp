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
    int i, j, k;
    v.locate(nodes.node(n), i, j, k);
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
  AGWAVE_HD void locate(std::int64_t n, int& i, int& j, int& k) const {
    const std::int64_t level = quotient(n, count);
    const std::int32_t column = list[n - level * count];
    j = column / v.NX;
    i = column - j * v.NX;
    k = static_cast<int>(level);
  }
};
// The forces of the strips' elements as partial sums, by patch and chunk, so that whoever shares a node gets the same bits.
template <class Patches>
struct SumForces : OfColumns<Patches> {
  StripForces forces;
  double* sums;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->locate(n, i, j, k);
    const auto& p = this->places;
    p.each(i, j, k, [&](int x, int y, int level, int column) {
      const int chunk = (level - 1) / (4 * p.layers + 1), layer = chunk * p.layers;
      sums[p.sums_at(x, y) + static_cast<std::int64_t>(level) * Patches::level_size + column] = forces.sum(
          i, j, k, {Patches::EX * x, Patches::EX * (x + 1)}, {Patches::EY * y, Patches::EY * (y + 1)}, {layer, layer + p.chunk_size(chunk)});
    });
  }
};
template <class Patches>
struct SpreadForces : OfColumns<Patches> {
  const double* sums;
  BodyTables to;  // the second may be null
  double* third;  // likewise
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    this->locate(n, i, j, k);
    const double force = this->places.sum(sums, i, j, k);
    this->places.each(i, j, k, [&](int x, int y, int level, int column) {
      const std::int64_t place =
          to.at[static_cast<std::int64_t>(y) * this->places.px + x] + static_cast<std::int64_t>(level) * Patches::level_size + column;
      to.values[0][place] = force;
      if (to.values[1]) to.values[1][place] = force;
      if (third) third[place] = force;
    });
  }
};
template <class Patches>
struct ForceProduct : OfColumns<Patches> {  // of what the strips force their nodes with
  const double* state;
  BodyLoad body;
  AGWAVE_HD double operator()(std::int64_t n) const {
    int i, j, k;
    this->locate(n, i, j, k);
    if (!this->v.owned(i, j, k)) return 0;
    const std::int64_t place = this->places.place(i, j, k);
    return state[place] * body.at_place(this->places, i, j, place);
  }
};

template <class Patches>
struct StripPower : OfColumns<Patches> {  // P (K psi - G^T v), r = K psi
  const double *P, *r;
  BodyLoad body;
  AGWAVE_HD double at(int i, int j, int k, std::int64_t place) const {
    return P[place] * (this->places.sum(r, i, j, k) - body.at_place(this->places, i, j, place));
  }
  AGWAVE_HD double operator()(std::int64_t n) const {
    int i, j, k;
    this->locate(n, i, j, k);
    return this->v.owned(i, j, k) ? at(i, j, k, this->places.place(i, j, k)) : 0;
  }
};

}  // namespace agwave::leapfrog4
