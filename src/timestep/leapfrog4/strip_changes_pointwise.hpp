// SPDX-License-Identifier: Apache-2.0
// What strips of sponges do at a node under the leapfrog of changes (strip_changes.hpp), as functors for a backend. What they keep lies as the state does, of
// the patches that they touch: [patch of StripPlaces][level][column], so that a pass over them reads memory in its order.
#pragma once
#include "timestep/leapfrog4/changes_pointwise.hpp"
#include "timestep/leapfrog4/fused_forcing_pointwise.hpp"

namespace agwave::leapfrog4 {

template <class Patches>
struct StripValues {  // of one array, as InState; zero away from the strips' patches
  Places<Patches> places;
  const std::int32_t* number;  // of a patch among the strips', or -1
  const double* values;
  AGWAVE_HD std::int64_t at(int i, int j, std::int64_t place) const {  // place: of (i, j) and some k in the state
    const std::int64_t patch = places.patch(i, j), n = number[patch];
    return n < 0 ? -1 : place + (n - patch) * places.patch_sums();
  }
  AGWAVE_HD double operator()(int i, int j, int k) const {
    const std::int64_t n = at(i, j, places.place(i, j, k));
    return n < 0 ? 0.0 : values[n];
  }
};
template <class Patches>
struct ToStrips {  // values of nodes from number `first` on, as ToState
  NodeView v;
  Places<Patches> places;
  std::int64_t first;
  const double* values;
  const std::int32_t* number;
  double* strips;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(first + n);
    places.each(i, j, k, [&](int x, int y, int level, int column) {
      const std::int64_t of = number[static_cast<std::int64_t>(y) * places.px + x];
      if (of >= 0) strips[of * places.patch_sums() + static_cast<std::int64_t>(level) * Patches::level_size + column] = values[n];
    });
  }
};

// The state X in the strips, as Fading asks for it. change: d, of which P is d / dt.
template <class Patches>
struct StripState {
  StripValues<Patches> psi;
  const double* rate_due;
  const Patches::real* change;
  double per_dt, back;  // 1 / dt; the step to go back half of to the time of the completed state, or none
  AGWAVE_HD double potential(int i, int j, int k) const {
    const std::int64_t place = psi.places.place(i, j, k), n = psi.at(i, j, place);
    return psi.values[n] - 0.5 * back * rate_at(n, place);
  }
  template <class F>
  AGWAVE_HD void along_z(int i, int j, int ez, F&& f) const {
    std::int64_t place = psi.places.place_in_layer(i, j, ez), n = psi.at(i, j, place);
    for (int k = 0; k < D1D; ++k, place += Patches::level_size, n += Patches::level_size) {
      const double rate = rate_at(n, place);
      f(k, psi.values[n] - 0.5 * back * rate, rate);
    }
  }

 private:
  AGWAVE_HD double rate_at(std::int64_t n, std::int64_t place) const { return change[place] * per_dt - rate_due[n]; }
};

// What the rate owes for a damping. As DampState.
template <class Patches, class Damped>
struct Owe : StripPlaces<Patches> {
  Damped damped;
  double dt;
  const Patches::real* change;
  const double* psi;
  double* rate_due;
  AGWAVE_HD void operator()(std::int64_t n) const {
    this->each(n, [&](const auto& p) {
      const double P = change[p.in_state] / dt;
      rate_due[p.in_strips] = P - damped(p.i, p.j, P, psi[p.in_strips]);
    });
  }
};
// Of all places of the strips' patches, in order.
struct OfStrips {
  const std::int32_t* patches;
  std::int64_t patch_sums;
  AGWAVE_HD std::int64_t in_state(std::int64_t n) const {
    const std::int64_t number = quotient(n, patch_sums);
    return n + (patches[number] - number) * patch_sums;
  }
};
template <class Patches>
struct Settle : OfStrips {  // what is due, of x or, with the other sign, to it
  const double* rate_due;
  double sign;
  Patches::real* P;
  AGWAVE_HD Patches::real get(std::int64_t n) const { return static_cast<typename Patches::real>(P[in_state(n)] + sign * rate_due[n]); }
  AGWAVE_HD void put(std::int64_t n, Patches::real settled) const { P[in_state(n)] = settled; }
};
template <class Patches>
struct Follow : OfStrips {  // of psi in the strips: what it is, or how it changes
  bool begins;
  const Patches::real* change;
  double* psi;
  AGWAVE_HD double get(std::int64_t n) const { return (begins ? 0.0 : psi[n]) + change[in_state(n)]; }
  AGWAVE_HD void put(std::int64_t n, double now) const { psi[n] = now; }
};
template <class Patches>
struct Receive : Follow<Patches> {  // likewise, and what is due comes back and is due no more
  double* rate_due;
  Patches::real* P;
  struct Both {
    double psi;
    Patches::real P;
  };
  AGWAVE_HD Both get(std::int64_t n) const {
    return {Follow<Patches>::get(n), static_cast<typename Patches::real>(P[this->in_state(n)] + rate_due[n])};
  }
  AGWAVE_HD void put(std::int64_t n, const Both& now) const {
    Follow<Patches>::put(n, now.psi);
    P[this->in_state(n)] = now.P;
    rate_due[n] = 0;
  }
};

template <class At, class Patches>
struct DampPressure {             // of the state as it was before the damping, to what it is now
  At node;                        // NodeOfChange or FloorNodeOfChange
  WatchedPart part;               // or without a list of nodes: all
  const double *x, *y;            // factors of node lines, of what fades; or null
  StripValues<Patches> rate_due;  // of what is stretched
  Patches::real* p;               // where sums have been
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = node.v.locate(part.nodes ? part.nodes[part.number(n)] : n);
    typename Patches::real& at = p[node.places.place_in_sums(i, j, k)];
    at = static_cast<typename Patches::real>(x ? at * (x[i] * y[j]) : at - node.node_at(i, j, k).pressure_by_rate() * rate_due(i, j, k));
  }
};

template <class Patches>
struct StripTables {  // as BodyLoadOf, each but the first may be null
  Patches::real* values[3];
  const std::int64_t* at;
};
// By how much forces have changed since the last step, both rounded as sums are: all changes add up to what the last is.
template <class Patches>
struct SpreadForceChanges : StripPlaces<Patches> {
  const Patches::real* sums;
  const double* before;  // forces of the last step
  double* forces;        // of this one
  StripTables<Patches> to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    using real = typename Patches::real;
    this->each(n, [&](const auto& p) {
      const std::int64_t place = to.at[p.patch] + p.in_patch;
      const real force = this->places.sum(sums, p.at), change = force - static_cast<real>(before[p.in_strips]);
      forces[p.in_strips] = force;
      for (real* values : to.values)
        if (values) values[place] = change;
    });
  }
};

}  // namespace agwave::leapfrog4
