// SPDX-License-Identifier: Apache-2.0
// Sponges (boundary/sponge.hpp) for a potential. They fade pressure and velocity by one factor d, and what a gradient becomes is none: so the elements
// of the strips keep what of their velocity no potential gives,
//   u = -1/rho grad psi + v,        M psi_tt + K psi + S psi_t = f + G^T v
// A damping takes the rate of psi to d P and u to d u. psi itself stays, half a step ahead of the velocity, and K psi with it: what fades goes to v,
//   v' = d (v - 1/rho grad (psi - dt/2 P)) + 1/rho grad (psi - dt/2 d P)
// Between dampings v stands still, so G^T v is a forcing that does not change. The fields are those of RK4, and so is what comes back.
// What a matched strip does instead is in matched.hpp.
//   State: along_z(i, j, ez, f), f(k, potential, rate) of the completed state at the five nodes of a column in a layer of elements; where strips are matched
//   double potential(i, j, k) too
#pragma once
#include <vector>

#include "device/set_zero.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/leapfrog4/matched.hpp"

namespace agwave::leapfrog4 {

// What an element forces its nodes with, from v; before that, if it damps, v itself and the energy that it takes, before P is faded. One piece of code, as
// MatchedElement is.
template <class State>
struct FadingElement : StripElements {
  State state;
  double dt;
  sponge_detail::Columns factors;  // of node lines
  bool damps;
  double *u, *forces, *lost;  // [element][3][64]; [element][125]; [element], or null
  template <class Team>
  AGWAVE_HD void operator()(std::int64_t e, const Team& team, StripScratch& s) const {
    const Place p = place(e);
    double* const v_of = u + e * 3 * L3D;
    if (damps) {
      team.each(2 * StripScratch::column, [&](int n) { put_field(s, p, n / StripScratch::column, n % StripScratch::column); });
      team.each(2 * rows, [&](int n) { contract_x(s, n / rows, n % rows); });
    }
    team.each(L3D, [&](int l) {
      const Metric m = metric_of(p, l);
      if (damps) s.lost[l] = fade_point(s, p, l, m, v_of + l);
      put_flux(s, l, m, v_of);
    });
    divergence(team, s, [&](int n, const double(&force)[D1D]) {
      for (int k = 0; k < D1D; ++k) forces[e * D3D + k * StripScratch::column + n] = force[k];
    });
    if (damps) sum_lost(team, s, L3D, lost, e);
  }

 private:
  // A column of psi, or of what it moves by as its rate fades.
  AGWAVE_HD void put_field(StripScratch& s, const Place& p, int field, int n) const {
    const int i = P1D * p.ex + n % D1D, j = P1D * p.ey + n / D1D;
    const double moves = 0.5 * dt * (1 - factors.x[i] * factors.y[j]);
    double values[D1D];
    state.along_z(i, j, p.ez, [&](int k, double psi, double rate) { values[k] = field == 0 ? psi : moves * rate; });
    put_column(s, field, n, values);
  }
  // v at a point, and what goes of the energy.
  AGWAVE_HD double fade_point(const StripScratch& s, const Place& p, int l, const Metric& m, double* at) const {
    const double d = columns.x[L1D * p.ex + l % L1D] * columns.y[L1D * p.ey + l / L1D % L1D], mass = mass_of(p, l), inverse_mass = 1 / mass;
    double of_psi[3], of_move[3], taken = 0;
    gradient(s, 0, l, m, of_psi);
    gradient(s, 1, l, m, of_move);
    for (int c = 0; c < 3; ++c) {
      const double all = at[c * L3D] - of_psi[c] * inverse_mass;
      taken += 0.5 * (1 - d * d) * mass * all * all;
      at[c * L3D] = d * all + (of_psi[c] + of_move[c]) * inverse_mass;
    }
    return taken;
  }
};

struct StripVelocity {  // as SpongeLayer's functors ask
  static constexpr int stride = L3D;
  StripElements elements;
  double* u;
  AGWAVE_HD double* at(int ex, int ey, int ez, int l) const { return u + elements.at(ex, ey, ez) * 3 * L3D + l; }
  AGWAVE_HD double square(int ex, int ey, int ez, int l) const {
    const double* const at_l = at(ex, ey, ez, l);
    return at_l[0] * at_l[0] + at_l[L3D] * at_l[L3D] + at_l[2 * L3D] * at_l[2 * L3D];
  }
};
struct RestEnergy : sponge_detail::Motion<StripVelocity> {  // of v
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [ex, ey, ez, l] = place(n);
    return 0.5 * v.velocity_mass(ex, ey, ez, l, rule.w) * velocity.square(ex, ey, ez, l);
  }
};

template <class Backend>
class Fading {
 public:
  // counts: what is taken of the energy, or nobody asks.
  Fading(const StepperSetup& setup, const Spaces& spaces, Backend& backend, bool counts = true)
      : backend_(backend), strips_(setup), nodes_(spaces.nodes()), counts_(counts), taken_(Backend::space, std::vector<double>(2, 0.0)) {
    if (!strips_.any()) return;
    const Mesh& mesh = setup.mesh;
    if (setup.quadrature == 4) {
      elements_ = spaces.elements();
    } else {
      spaces_ = std::make_unique<Spaces>(SpacesSetup{setup.mesh, setup.medium, setup.boundary, 4}, Backend::space);
      elements_ = spaces_->elements();
    }
    const StripReach x(mesh, *setup.sponge, 0), y(mesh, *setup.sponge, 1);
    const ListedColumns strips(mesh.nx(), mesh.ny(), [&](int ex, int ey) { return x.element(ex) || y.element(ey); });
    number_ = strips.number;
    touched_ = ListedColumns(mesh.NX(), mesh.NY(), [&](int i, int j) { return x.node(i) || y.node(j); }).list;
    columns_ = static_cast<std::int64_t>(strips.list.size());
    list_ = Array<std::int32_t>(Backend::space, strips.list);
    numbers_ = Array<std::int32_t>(Backend::space, number_);
    u_ = zeros<double>(backend, count() * 3 * L3D);
    forces_ = zeros<double>(backend, count() * D3D);
    if (counts_) lost_ = Array<double>(Backend::space, static_cast<std::size_t>(count()));
    if (setup.sponge->matched) matched_ = std::make_unique<MatchedStrips<Backend>>(setup, nodes_, strips.list, strips_);
  }

  bool any() const { return strips_.any(); }
  bool matched() const { return matched_ != nullptr; }
  StateArrays with_rest(StateArrays arrays) const {  // those of a leapfrog without sponges, and what strips add
    if (any()) arrays.push_back(rest_array);
    if (matched() && matched_->anywhere()) arrays.push_back(corner_array);
    return arrays;
  }
  sponge_detail::Columns nodes() const { return strips_.nodes(); }       // that fade
  const std::vector<std::int32_t>& touched() const { return touched_; }  // columns of nodes of the strips' elements, of neighbouring ranks too
  StripForces forces() const { return {elements(), forces_.data()}; }    // as they were formed last
  void rest() {                                                          // water whose velocity has a potential
    if (!any()) return;
    u_.zero();
    forces_.zero();
    formed_ = true;
    if (matched_) matched_->rest();
  }

  // What a damping does to the velocity, and takes of its energy; P is faded by who has it, after this.
  template <class State>
  void fade(const State& state, double dt) {
    backend_.template for_teams<StripScratch>(count(), fading_element(state, dt, true));
    take(count(), Lost{lost_.data()});
    formed_ = true;
  }
  // Likewise of matched strips, once P is what stretched() makes of it; psi of the state stands where it stands.
  template <class State>
  void stretch(const State& state) {
    const Corners corners = matched_->corners();
    backend_.template for_teams<StripScratch>(count(), matched_element(state, true));
    take(count(), Lost{lost_.data()});
    backend_.for_each(corners.count * nodes_.NZ, AddPotential<State>{corners, matched_->list(), state});
    formed_ = true;
  }
  StretchRate stretched() const { return {strips_.node_rates(), strips_.nodes(), matched_->dt()}; }
  // f(0) + .. + f(n - 1), times a factor, goes of the energy, with or without strips; f may change the state that it looks at.
  template <class F>
  void take(std::int64_t n, const F& f, double factor = 1) {
    if (!counts_) return;
    backend_.sum(n, f, taken_.data() + 1);
    backend_.for_each(1, AddTaken{taken_.data(), factor});
  }

  // What the strips force their nodes with, from v, and from the rate of this state where strips are matched.
  template <class State>
  void form_forces(const State& state) {
    if (formed_) return;
    if (matched_)
      backend_.template for_teams<StripScratch>(count(), matched_element(state, false));
    else
      backend_.template for_teams<StripScratch>(count(), fading_element(state, 0, false));
    formed_ = true;
  }

  double rest_energy() {  // v M_u v / 2, of this rank [J]
    return any() ? backend_.sum(count() * L3D, RestEnergy{motion()}) : 0;
  }
  double taken() const {  // [J], this rank's share
    backend_.synchronize();
    return taken_.to_host()[0];
  }
  void set_taken(double taken) {
    backend_.synchronize();
    taken_.copy_from(std::vector<double>{taken, 0});
  }

  // v of elements from number `first` on, [3][64] each: zero away from the strips. Or what corners add up, of rows of nodes.
  void get(const StateArray& array, std::int64_t first, std::span<double> values) {
    if (array == corner_array) return matched_->get(backend_, first, values);
    backend_.synchronize();
    const std::vector<double> u = u_.to_host();
    each(first, values.size(), [&](std::size_t n, std::int64_t e) {
      for (int l = 0; l < 3 * L3D; ++l) values[n + static_cast<std::size_t>(l)] = e < 0 ? 0.0 : u[static_cast<std::size_t>(e * 3 * L3D + l)];
    });
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) {
    formed_ = false;
    if (array == corner_array) return matched_->set(backend_, first, values);
    backend_.synchronize();
    std::vector<double> u = u_.to_host();
    each(first, values.size(), [&](std::size_t n, std::int64_t e) {
      for (int l = 0; e >= 0 && l < 3 * L3D; ++l) u[static_cast<std::size_t>(e * 3 * L3D + l)] = values[n + static_cast<std::size_t>(l)];
    });
    u_.copy_from(u);
  }
  void add_to(std::vector<double>& u) {  // v to the velocity of a potential
    if (!any()) return;
    std::vector<double> rest(u.size());
    get(rest_array, 0, rest);
    for (std::size_t n = 0; n < u.size(); ++n) u[n] += rest[n];
  }

 private:
  std::int64_t count() const { return columns_ * elements_.nz; }
  StripElements elements() const {
    const sponge_detail::Columns factors = strips_.elements();
    return {elements_, {list_.data(), columns_, factors.x, factors.y}, numbers_.data(), basis<L1D>};
  }
  template <class State>
  FadingElement<State> fading_element(const State& state, double dt, bool damps) {
    return {elements(), state, dt, nodes(), damps, u_.data(), forces_.data(), lost_.data()};
  }
  template <class State>
  MatchedElement<State> matched_element(const State& state, bool damps) {
    return {elements(),
            {nodes_, strips_.node_rates(), matched_->fades(), matched_->dt()},
            state,
            matched_->corners(),
            matched_->across(),
            {matched_->slow(0), matched_->slow(1)},
            strips_.point_rates(),
            damps,
            u_.data(),
            forces_.data(),
            lost_.data()};
  }
  sponge_detail::Motion<StripVelocity> motion() {
    const StripElements e = elements();
    return {elements_, e.columns, {e, u_.data()}, basis<L1D>.rule};
  }
  template <class F>
  void each(std::int64_t first, std::size_t size, F&& f) const {
    const std::int64_t layer = static_cast<std::int64_t>(elements_.nx) * elements_.ny;
    for (std::size_t n = 0; n < size; n += 3 * L3D) {
      const std::int64_t e = first + static_cast<std::int64_t>(n) / (3 * L3D);
      const std::int32_t column = number_[static_cast<std::size_t>(e % layer)];
      f(n, column < 0 ? -1 : e / layer * columns_ + column);
    }
  }

  Backend& backend_;
  SpongeStrips<Backend> strips_;
  NodeView nodes_;
  ElementView elements_{};
  std::unique_ptr<Spaces> spaces_;  // with four points, where the operator has others
  std::vector<std::int32_t> number_, touched_;
  std::int64_t columns_ = 0;
  Array<std::int32_t> list_, numbers_;
  Array<double> u_, forces_, lost_;  // u_: v between dampings
  bool formed_ = true;               // forces_ are those of u_
  bool counts_;
  std::unique_ptr<MatchedStrips<Backend>> matched_;  // or null
  Array<double> taken_;                              // in all, and what was added up last
};

}  // namespace agwave::leapfrog4
