// SPDX-License-Identifier: Apache-2.0
// The transpose of a propagation whose columns step in levels: how a reading of the pressure pushes the water, and what the floor hears.
// The floor forces a step of D by f and w = 12 (f_m - f) / D^2, and what z_0 makes of both (local_steps/increment.hpp) are sums of words such as A P A R; the
// transposes, in the product of M, are the same words read from their other ends. With phi, what a node begins a step of dt with, and its q = A phi,
//   of f          F = mean over the node's own steps of   phi + dt^2/12 q
//   of f_m - f    G = mean over them of                   weight (phi + dt^2/12 q) + (dt/D)^2 phi
// where the forward step at time t has the weight of the transposed one that is as far from the other end of D (local_steps::weight). Where all take the same
// step F = psi + D^2/12 q and G = psi. A reading w of the completed pressure (1 + D^2/24 M^-1 K) P pushes the rate by D M^-1 (1 + D^2/24 K M^-1) w.
#pragma once
#include <array>

#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_levels_pointwise.hpp"
#include "timestep/leapfrog4/fused_pointwise.hpp"
#include "timestep/local_steps/schedule.hpp"
#include "timestep/stepper.hpp"

namespace agwave::leapfrog4 {

struct Ears {  // what is added to each of the sums that are under way
  std::array<LevelTranspose::Ear, LevelTranspose::sums> of{};
  double* sums[LevelTranspose::sums] = {};  // [NY][NX] of the floor
};
struct SetEars {
  Ears ears;
  Ears* to;
  AGWAVE_HD void operator()(std::int64_t) const { *to = ears; }
};

template <class Patches>
struct ListenFloor {  // where steps of `fewest` halvings and more begin; n counts the columns
  NodeView v;
  Places<Patches> places;
  Moment now;
  int fewest;
  double dt;  // D
  const typename Patches::real *psi, *finer, *r;
  const std::int64_t* finer_at;
  const Ears* ears;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = static_cast<int>(n % v.NX), j = static_cast<int>(n / v.NX), h = places.halvings_at(i, j);
    if (h < fewest) return;
    const int length = now.length(h), mirrored = (1 << now.finest) - now.at - length;
    const double share = 1 / static_cast<double>(1 << h), step = dt * share, phi = begins_with(i, j, local_steps::base(now.at, h, now.finest));
    const NodeAt node(v, i, j, 0, dt, h);
    const double field = phi - step * step / 12 * node.inverse_mass_of_q() * places.sum(r, i, j, 0),
                 curvature = local_steps::weight(mirrored, h, now.finest) * field + local_steps::correction(h) * phi;
    for (int e = 0; e < LevelTranspose::sums; ++e) {
      const LevelTranspose::Ear& ear = ears->of[static_cast<std::size_t>(e)];
      if (ear.of_field != 0 || ear.of_curvature != 0) ears->sums[e][n] += share * (ear.of_field * field + ear.of_curvature * curvature);
    }
  }
  AGWAVE_HD double begins_with(int i, int j, int halvings) const {
    const std::int64_t place = places.place(i, j, 0), patch = places.patch(i, j), size = places.patch_sums();
    using real = typename Patches::real;
    if (halvings == 0) return psi[place];
    const real at = finer[finer_at[patch] + (halvings - 1) * size + place - patch * size];
    return AdvanceOf<real>::by_displacement ? psi[place] + at : at;  // rounded as finer patches get it on other ranks (Take)
  }
};

struct TellHeard {  // and what was before begins anew
  double scale;
  const double* now;
  double *before, *to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    to[n] = scale * (now[n] - before[n]);
    before[n] = 0;
  }
};
struct TellAll {  // and it begins anew
  double scale;
  double *now, *to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    to[n] = scale * now[n];
    now[n] = 0;
  }
};
template <class Real>
struct SubtractFrom {
  const Real* whole;
  Real* part;
  AGWAVE_HD void operator()(std::int64_t n) const { part[n] = whole[n] - part[n]; }
};

template <class Patches>
struct PutQuotient {  // weights over masses, of the nodes that a term forces
  NodeView v;
  Places<Patches> places;
  state::ForcedNodes nodes;
  Patches::real* psi;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(nodes.node(n));
    places.put(i, j, k, static_cast<Patches::real>(nodes.weights[n] * v.inverse_mass(i, j, k)), psi);
  }
};
template <class Patches>
struct PushOff {  // psi: M^-1 w, sums: K of it. Afterwards the state a step of D after rest
  NodeView v;
  Places<Patches> places;
  double dt;
  const Patches::real* sums;
  Patches::real *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    const NodeAt node(v, i, j, k, dt, places.halvings_at(i, j));
    const double pushed = psi[places.place(i, j, k)] + dt * dt / 24 * node.inverse_mass * places.sum(sums, i, j, k),
                 rate = dt * pushed / (node.mass + 0.5 * node.damping);
    places.put(i, j, k, static_cast<Patches::real>(rate), P);
    places.put(i, j, k, static_cast<Patches::real>(dt * rate), psi);
  }
};

// The sums that are under way, and what adds to them in the next step.
template <class Backend>
class LevelHearing {
 public:
  LevelHearing(std::int64_t columns, Backend& backend) : columns_(columns), backend_(backend) {}

  void forget() {
    for (Array<double>& sum : sums_) {
      if (sum.empty()) sum = Array<double>(Backend::space, static_cast<std::size_t>(columns_));
      backend_.for_each(columns_, SetZero{sum.data()});
    }
  }
  void listen(const LevelTranspose::Ears& ears) {
    if (ears_.empty()) {
      ears_ = Array<Ears>(Backend::space, std::vector<Ears>(1));
      forget();
    }
    Ears now{ears};
    listens_ = false;
    for (std::size_t e = 0; e < LevelTranspose::sums; ++e) {
      now.sums[e] = sums_[e].data();
      listens_ = listens_ || ears[e].of_field != 0 || ears[e].of_curvature != 0;
    }
    if (listens_) backend_.for_each(1, SetEars{now, ears_.data()});  // in the order of the steps, which may be recorded
  }
  bool listens() const { return listens_; }
  // What is heard of a sweep of q in levels, with these arguments, before what begins with it moves; dt: of the coarsest step.
  template <class Patches>
  void hear(const local_steps::LevelSweep& s, int finest, double dt, const SweepArgs<Patches>& g) {
    if (!listens_ || g.patches.below) return;
    backend_.for_each(columns_,
                      ListenFloor<Patches>{g.nodes, g.patches, {s.at, finest}, s.from, dt, g.psi, g.advance.finer, g.in, g.advance.at, ears_.data()});
  }
  void tell(int now, int before, double scale, double* to) {
    backend_.for_each(columns_, TellHeard{scale, sums_[static_cast<std::size_t>(now)].data(), sums_[static_cast<std::size_t>(before)].data(), to});
  }

  void tell(int now, double scale, double* to) {  // where what pushes has been pulled back
    backend_.for_each(columns_, TellAll{scale, sums_[static_cast<std::size_t>(now)].data(), to});
  }

 private:
  std::int64_t columns_;
  Backend& backend_;
  std::array<Array<double>, LevelTranspose::sums> sums_;  // [NY][NX] of the floor
  Array<Ears> ears_;
  bool listens_ = false;
};

}  // namespace agwave::leapfrog4
