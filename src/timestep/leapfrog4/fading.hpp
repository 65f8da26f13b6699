// SPDX-License-Identifier: Apache-2.0
// Sponges (boundary/sponge.hpp) for a potential. They fade pressure and velocity by one factor d, and what a gradient becomes is none: so the elements
// of the strips keep what of their velocity no potential gives,
//   u = -1/rho grad psi + v,        M psi_tt + K psi + S psi_t = f + G^T v
// A damping takes psi to d psi, its rate to d p, and u to d u:
//   v' = d (v - 1/rho grad psi) + 1/rho grad (d psi)
// Between dampings v stands still, so G^T v is a forcing that does not change. The fields are those of RK4, and so is what comes back.
// What a matched strip does instead is in matched.hpp.
//   State: double potential(i, j, k), rate(i, j, k) of the completed state at a node
#pragma once
#include <vector>

#include "device/set_zero.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/leapfrog4/matched.hpp"

namespace agwave::leapfrog4 {

// d psi, d = 1 unless it fades.
template <class State>
struct FadedPotential {
  State state;
  sponge_detail::Columns nodes;  // for their factors
  bool fades;
  AGWAVE_HD double operator()(int i, int j, int k) const { return state.potential(i, j, k) * (fades ? nodes.x[i] * nodes.y[j] : 1.0); }
};
// u' = d u + sign / rho grad (d psi) at the four points of a line along z.
struct AddGradient : StripElements {
  const double* values;  // d psi
  bool fades;
  double sign, *u;                                   // [element][3][64]
  AGWAVE_HD void operator()(std::int64_t n) const {  // [element][qy][qx]
    const int qx = static_cast<int>(n % L1D), qy = static_cast<int>(n / L1D % L1D);
    const std::int64_t e = n / (L1D * L1D);
    int ex, ey, ez;
    place(e, ex, ey, ez);
    double gradient[L1D][3];
    gradient_of_line(ex, ey, ez, qx, qy, values + e * D3D, gradient);
    const double d = fades ? columns.x[L1D * ex + qx] * columns.y[L1D * ey + qy] : 1.0;
    for (int qz = 0; qz < L1D; ++qz) {
      const int l = (qz * L1D + qy) * L1D + qx;
      const double scale = sign / v.velocity_mass(ex, ey, ez, l, t.w);
      double* const to = u + e * 3 * L3D + l;
      for (int c = 0; c < 3; ++c) to[c * L3D] = d * to[c * L3D] + scale * gradient[qz][c];
    }
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
    int ex, ey, ez, l;
    place(n, ex, ey, ez, l);
    return 0.5 * v.velocity_mass(ex, ey, ez, l, rule.w) * velocity.square(ex, ey, ez, l);
  }
};
template <class State>
struct RateLoss : sponge_detail::Pressure {
  State state;
  AGWAVE_HD double operator()(std::int64_t n) const {
    int i, j, k;
    place(n, i, j, k);
    if (!v.owned(i, j, k)) return 0;
    const double d = factor(i, j), p = state.rate(i, j, k);
    return 0.5 * (1 - d * d) * v.mass(i, j, k) * p * p;
  }
};

template <class Backend>
class Fading {
 public:
  Fading(const StepperSetup& setup, const Spaces& spaces, Backend& backend) : backend_(backend), strips_(setup), nodes_(spaces.nodes()) {
    if (!strips_.any()) return;
    const Mesh& mesh = setup.mesh;
    if (setup.quadrature == 4) {
      elements_ = spaces.elements();
    } else {
      spaces_ = std::make_unique<Spaces>(SpacesSetup{setup.mesh, setup.medium, setup.boundary, 4}, Backend::space);
      elements_ = spaces_->elements();
    }
    const StripReach x(mesh, *setup.sponge, 0), y(mesh, *setup.sponge, 1);
    number_.assign(static_cast<std::size_t>(mesh.nx()) * mesh.ny(), -1);
    std::vector<std::int32_t> list;
    for (int ey = 0; ey < mesh.ny(); ++ey)
      for (int ex = 0; ex < mesh.nx(); ++ex)
        if (x.element(ex) || y.element(ey)) {
          const std::int32_t column = ey * mesh.nx() + ex;
          number_[static_cast<std::size_t>(column)] = static_cast<std::int32_t>(list.size());
          list.push_back(column);
        }
    for (int j = 0; j < mesh.NY(); ++j)
      for (int i = 0; i < mesh.NX(); ++i)
        if (x.node(i) || y.node(j)) touched_.push_back(j * mesh.NX() + i);
    columns_ = static_cast<std::int64_t>(list.size());
    list_ = Array<std::int32_t>(Backend::space, list);
    numbers_ = Array<std::int32_t>(Backend::space, number_);
    u_ = Array<double>(Backend::space, static_cast<std::size_t>(count() * 3 * L3D));
    flux_ = Array<double>(Backend::space, u_.size());
    forces_ = Array<double>(Backend::space, static_cast<std::size_t>(count() * D3D));
    taken_ = Array<double>(Backend::space, std::vector<double>(3, 0.0));
    u_.zero();
    forces_.zero();
    if (setup.sponge->matched) matched_ = std::make_unique<MatchedStrips<Backend>>(setup, nodes_, list, count());
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
    if (matched_) matched_->rest();
  }

  // What a damping does to the velocity, and takes of the energy; the state itself is faded by who has it, after this.
  template <class State>
  void fade(const State& state) {
    const auto add_gradient = [&](bool fades, double sign) {
      backend_.for_each(count() * D3D, GatherNodes<FadedPotential<State>>{elements(), {state, nodes(), fades}, forces_.data()});
      backend_.for_each(count() * L1D * L1D, AddGradient{elements(), forces_.data(), fades, sign, u_.data()});
    };
    add_gradient(false, -1);  // now all of u
    double* const taken = taken_.data();
    backend_.sum(nodes().count * nodes_.NZ, RateLoss<State>{{nodes_, nodes(), nullptr}, state}, taken + 1);
    backend_.sum(count() * L3D, sponge_detail::VelocityLoss<StripVelocity>{motion()}, taken + 2);
    backend_.for_each(1, sponge_detail::AddLoss{taken});
    add_gradient(true, 1);
  }
  // Likewise of matched strips, for whose velocity psi is that where it stands; P becomes stretched()(i, j, P, psi) where nodes() are.
  template <class State>
  void stretch(const State& state) {
    const std::int64_t lines = count() * L1D * L1D;
    const Corners corners = matched_->corners();
    double *const taken = taken_.data(), *const lost = matched_->lost();
    backend_.sum(nodes().count * nodes_.NZ, StretchedLoss<State>{{nodes_, nodes(), nullptr}, state, stretched()}, taken + 1);
    backend_.for_each(count() * D3D, GatherNodes<PotentialAt<State>>{elements(), {state}, forces_.data()});
    if (corners.count > 0) backend_.for_each(count() * D3D, GatherNodes<PotentialSum<State>>{elements(), {corners, state}, flux_.data()});
    backend_.for_each(lines, StretchVelocity{elements(), matched_->across(), strips_.point_rates(), matched_->fades(), forces_.data(), flux_.data(),
                                             u_.data(), lost});
    backend_.sum(lines, Lost{lost}, taken + 2);
    backend_.for_each(1, sponge_detail::AddLoss{taken});
    backend_.for_each(corners.count * nodes_.NZ, AddPotential<State>{corners, matched_->list(), state});
  }
  // Energies are those of the completed state, whose psi lies half a step behind by P, which the damping changes. f: P (K psi - G^T v) at n nodes, before the
  // damping (sign -1) and after it (sign 1).
  template <class F>
  void count_power(std::int64_t n, const F& f, double sign) {
    backend_.sum(n, f, taken_.data() + 1);
    backend_.for_each(1, AddPower{taken_.data(), sign * 0.5 * matched_->dt()});
  }
  StretchRate stretched() const { return {strips_.node_rates(), matched_->dt()}; }

  // What the strips force their nodes with, from v, and from the rate of this state where strips are matched. counts: what that takes of the energy, which a
  // damping does and a state that was set does not.
  template <class State>
  void form_forces(const State& state, bool counts) {
    backend_.for_each(count() * L3D, FormFlux{elements(), u_.data(), flux_.data()});
    backend_.for_each(count() * D1D * D1D, ElementForces{elements(), flux_.data(), forces_.data()});
    if (!matched_) return;
    double *const taken = taken_.data(), *const lost = matched_->lost();
    backend_.for_each(count() * D3D, GatherNodes<RateAt<State>>{elements(), {state}, flux_.data()});
    backend_.for_each(count(),
                      DampPatterns{elements(), nodes_, strips_.node_rates(), matched_->fades(), matched_->dt(), flux_.data(), forces_.data(), lost});
    if (!counts) return;
    backend_.sum(count(), Lost{lost}, taken + 1);
    backend_.for_each(1, SetZero{taken + 2});
    backend_.for_each(1, sponge_detail::AddLoss{taken});
  }

  double rest_energy() {  // v M_u v / 2, of this rank [J]
    return any() ? backend_.sum(count() * L3D, RestEnergy{motion()}) : 0;
  }
  double taken() const {  // [J], this rank's share
    if (taken_.empty()) return 0;
    backend_.synchronize();
    return taken_.to_host()[0];
  }
  void set_taken(double taken) {
    if (taken_.empty()) return;
    backend_.synchronize();
    taken_.copy_from(std::vector<double>{taken, 0, 0});
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
    return {elements_, {list_.data(), columns_, factors.x, factors.y}, numbers_.data(), four_points()};
  }
  sponge_detail::Motion<StripVelocity> motion() {
    const StripElements e = elements();
    return {elements_, e.columns, {e, u_.data()}, rk4::gauss_weights()};
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
  Array<double> u_, flux_, forces_;                  // u_: v between dampings
  std::unique_ptr<MatchedStrips<Backend>> matched_;  // or null
  Array<double> taken_;                              // in all, and by the last damping from p and from u
};

}  // namespace agwave::leapfrog4
