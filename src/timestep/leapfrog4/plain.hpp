// SPDX-License-Identifier: Apache-2.0
// The leapfrog of order 4 around any stiffness (kernels/stiffness.hpp), one array for each name of leapfrog4.hpp: what the fused one is tested
// against, columns that step in levels included. Written once for every backend.
#pragma once
#include "comm/exchange.hpp"
#include "device/set_zero.hpp"
#include "device/trace.hpp"
#include "error/error.hpp"
#include "timestep/leapfrog4/filter.hpp"
#include "timestep/leapfrog4/plain_pointwise.hpp"
#include "timestep/leapfrog4/velocity.hpp"
#include "timestep/local_steps/increment.hpp"
#include "timestep/rk4/rk4_pointwise.hpp"
#include "timestep/state_view_impl.hpp"
#include "timestep/variants.hpp"

namespace agwave::leapfrog4 {

template <class Backend>
class Plain final : public Stepper {
 public:
  Plain(const StepperSetup& setup, const MakeStiffness<Backend>& make)
      : spaces_setup_(setup),
        spaces_(setup, Backend::space),
        nodes_(setup.mesh.nodes()),
        NX_(setup.mesh.NX()),
        view_(
            setup, spaces_.nodes(), backend_, {nullptr, spaces_.nodes()}, [this] { return state::NodeValues(p_.data(), spaces_.nodes()); },
            [this] { return kinetic_energy(); }, {},
            [this, floor = setup.mesh.part.at_low(2)](double of_rate, double of_force, double* sums) {
              if (floor) backend_.for_each(NX_ * spaces_.nodes().NY, Hear{node(dt_), r_.data(), P_.data(), of_rate, of_force, sums});
            }),
        fading_(setup, spaces_, backend_),
        floor_(setup),
        arrays_(fading_.with_rest(state_arrays)),
        stiffness_(make(setup.mesh, spaces_, setup.quadrature, backend_)),
        exchange_((setup.comm.agree([] {}), setup.mesh), setup.comm, setup.transport),  // lets nobody wait for a rank that has failed by now
        everything_(same_step_for_all({setup.mesh.elements[0], setup.mesh.elements[1]}, 0), setup.mesh, 0, 0) {
    for (Array<double>* a : {&psi_, &P_, &p_, &potential_, &r_, &s_, &q_, &before_, &after_}) *a = zeros<double>(backend_, nodes_);
    if (setup.levels && setup.levels->local()) step_in(*setup.levels, setup.mesh);
    if (fading_.any()) forces_ = Array<double>(Backend::space, static_cast<std::size_t>(nodes_));
    forces_.zero();
    if (floor_.gives_way()) arrays_.push_back(floor_array);
    view_.stand_on(floor_.view(), floor_.nodes());
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    require_rest(u);
    backend_.synchronize();
    for (Array<double>* a : {&psi_, &P_, &potential_}) a->zero();
    fading_.rest();
    floor_.rest();
    forces_.zero();
    p_.copy_from(p);
    phase_ = Phase::initial;
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    backend_.synchronize();
    p = p_.to_host();
    u = velocity_of(spaces_setup_, potential_.to_host());
    fading_.add_to(u);
  }
  const StateArrays& arrays() const override { return arrays_; }
  void get(const StateArray& array, std::int64_t first, std::span<double> values) override {
    if (array == rest_array || array == corner_array) return fading_.get(array, first, values);
    backend_.synchronize();
    copy_bytes(Space::host, values.data(), Backend::space, at(array, first), values.size_bytes());
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) override {
    phase_ = Phase::restored;
    forces_assembled_ = false;
    if (array == rest_array || array == corner_array) return fading_.set(array, first, values);
    backend_.synchronize();
    copy_bytes(Backend::space, at(array, first), Space::host, values.data(), values.size_bytes());
  }

  void step(double dt, std::span<const ForcingSample> forcing) override {
    TraceScope scope("leapfrog step");
    dt_ = dt;
    if (phase_ == Phase::initial) begin(dt, forcing);
    if (phase_ != Phase::going) form_of_psi();
    form_second_derivatives(dt, forcing, load, before_);
    backend_.for_each(nodes_, FormQ{node(dt), with(forcing, load), q_.data()});
    if (increment_)
      advance_in_levels(dt, forcing);
    else
      advance(dt, forcing);
    form_of_psi();
    form_second_derivatives(dt, forcing, load_after, after_);
    backend_.for_each(nodes_, Complete{node(dt), psi_.data(), P_.data(), before_.data(), after_.data(), p_.data(), potential_.data()});
    phase_ = Phase::going;
  }

  void filter(double dt, double longer, std::span<const ForcingSample> forcing) override {
    if (phase_ == Phase::initial) return;  // nothing moves
    dt_ = dt;
    assemble_forces();  // of the state as it is
    const PressureOf pressure{spaces_.nodes(), dt, P_.data(), s_.data()};
    const auto balance = [&](double factor) { take_balance(fading_, spaces_.nodes(), pressure, view_, forcing, dt, factor); };
    form_by_own_steps(P_, s_);
    balance(1);
    for (int m = 1; m <= static_cast<int>(filter_weights.size()); ++m) {
      if (m > 1) form_by_own_steps(q_, s_);
      backend_.for_each(nodes_, TakeTermOf{spaces_.nodes(), {m, 1, longer * dt}, 0.5 * dt, s_.data(), q_.data(), psi_.data(), P_.data()});
    }
    form_by_own_steps(P_, s_);
    balance(-1);
    phase_ = Phase::restored;
  }
  void damp() override {
    if (!fading_.any()) return;
    if (fading_.matched()) return stretch();
    const NodeView& v = spaces_.nodes();
    fading_.fade(CompletedState{v, dt_, psi_.data(), P_.data()}, dt_);
    const sponge_detail::Columns fades = fading_.nodes();
    fading_.take(fades.count * v.NZ, FadeNodes{v, fades, psi_.data(), P_.data(), p_.data(), potential_.data()});
    forces_assembled_ = false;
    form_of_psi();
  }
  double damped_energy() override { return fading_.taken(); }
  void set_damped_energy(double taken) override { fading_.set_taken(taken); }

  StateView& view() override { return view_; }
  void wait() override {
    backend_.synchronize();
    exchange_.settle();
  }
  void repeat_exchange() override {  // s carries nothing between steps
    exchange_.start(backend_, s_.data());
    exchange_.finish(backend_, s_.data());
  }

 private:
  enum class Phase {
    initial,   // p is the pressure of water at rest
    restored,  // psi and P are the state
    going      // likewise, and r = K psi, less what sponges force
  };

  double* at(const StateArray& array, std::int64_t first) {
    if (array == floor_array) return floor_.u() + first * NX_;
    Array<double>& a = array == ahead_array ? psi_ : array == rate_array ? P_ : array == pressure_array ? p_ : potential_;
    return a.data() + first * NX_;
  }

  Node node(double dt) const { return {spaces_.nodes(), dt, increment_ ? increment_->halvings() : nullptr, floor_.view(), floor_.nodes()}; }

  void advance(double dt, std::span<const ForcingSample> forcing) {
    add(forcing, mean_load, r_.data());
    form(q_, s_);
    backend_.for_each(nodes_, Advance{node(dt), r_.data(), s_.data(), psi_.data(), P_.data()});
  }
  void step_in(const LocalLevels& levels, const Mesh& mesh) {
    using Levels = local_steps::Increment<Backend>;
    for (Array<double>* a : {&a_, &w_}) *a = Array<double>(Backend::space, static_cast<std::size_t>(nodes_));
    increment_ = std::make_unique<Levels>(levels, mesh, spaces_.nodes(), backend_,
                                          [this](const Array<double>& x, Array<double>& Kx, const local_steps::LevelElements& e) { form(x, Kx, e); });
    for (int l = 0; l < static_cast<int>(levels.levels.size()); ++l)
      own_steps_.push_back({levels.levels[static_cast<std::size_t>(l)].halvings, level_boxes(levels, mesh, Part::all, l, l)});
  }
  // How far the even part of psi moves within T (increment.hpp). Nodes without halvings take K of q; r, asked for after that, gives A psi + f.
  template <class R>
  void find_in_levels(double T, std::span<const ForcingSample> forcing, const R& r, Array<double>& z) {
    backend_.for_each(nodes_, SetZero{w_.data()});
    for (const ForcingSample& sample : forcing)
      if (const state::ForcedNodes nodes = view_.forced(sample.term); nodes.count > 0)
        backend_.for_each(nodes.count, rk4::AddForcing{nodes, 12 / (T * T) * (sample.rate[mean_load] - sample.rate[load]), w_.data()});
    backend_.for_each(nodes_, FormW{node(T), w_.data()});
    backend_.for_each(nodes_, FormA{node(T), r(), a_.data()});
    increment_->find(T, a_, q_, w_, z);
  }
  void advance_in_levels(double dt, std::span<const ForcingSample> forcing) {
    find_in_levels(
        dt, forcing, [&] { return with(forcing, load); }, s_);
    backend_.for_each(nodes_, AdvanceBy{node(dt), s_.data(), psi_.data(), P_.data()});
  }

  // r = K psi, complete on every rank that holds the node.
  void form(const Array<double>& psi, Array<double>& r) { form(psi, r, everything_); }
  void form(const Array<double>& psi, Array<double>& r, const local_steps::LevelElements& elements) {
    backend_.for_each(nodes_, SetZero{r.data()});
    if (exchange_.needed()) {
      stiffness_->apply(psi.data(), r.data(), elements.shared);
      exchange_.start(backend_, r.data());
      stiffness_->apply(psi.data(), r.data(), elements.interior);
      exchange_.finish(backend_, r.data());
    } else {
      stiffness_->apply(psi.data(), r.data(), elements.all);
    }
  }
  // Of the filter: each element's K times the square of the step of its column over that of all.
  void form_by_own_steps(const Array<double>& x, Array<double>& Kx) {
    if (!increment_) return form(x, Kx);
    backend_.for_each(nodes_, SetZero{Kx.data()});
    for (const OwnSteps& own : own_steps_) {
      backend_.for_each(nodes_, Scaled{weight_of_halvings(own.halvings), x.data(), w_.data()});
      stiffness_->apply(w_.data(), Kx.data(), own.elements);
    }
    exchange_.start(backend_, Kx.data());
    exchange_.finish(backend_, Kx.data());
  }
  void form_of_psi() {
    form(psi_, r_);
    assemble_forces();
    if (fading_.any()) backend_.for_each(nodes_, Subtract{forces_.data(), r_.data()});
  }
  void stretch() {
    const NodeView& v = spaces_.nodes();
    fading_.take(nodes_, Product{v, P_.data(), r_.data()}, -0.5 * dt_);  // StretchRate::taken
    const sponge_detail::Columns strips = fading_.nodes();
    fading_.take(strips.count * v.NZ, StretchNodes{v, strips, fading_.stretched(), psi_.data(), P_.data()});
    fading_.stretch(CompletedState{v, 0, psi_.data(), P_.data()});  // no time back from where psi stands
    backend_.for_each(nodes_, Complete{node(dt_), psi_.data(), P_.data(), before_.data(), after_.data(), p_.data(), potential_.data()});
    forces_assembled_ = false;
    form_of_psi();
    fading_.take(nodes_, Product{v, P_.data(), r_.data()}, 0.5 * dt_);
  }
  void assemble_forces() {
    if (forces_assembled_ || !fading_.any()) return;
    fading_.form_forces(CompletedState{spaces_.nodes(), dt_, psi_.data(), P_.data()});
    backend_.for_each(nodes_, NodeForces{spaces_.nodes(), fading_.forces(), forces_.data()});
    exchange_.start(backend_, forces_.data());
    exchange_.finish(backend_, forces_.data());
    forces_assembled_ = true;
  }
  void add(std::span<const ForcingSample> forcing, Rate which, double* r) {  // r stands on the other side of the equation
    for (const ForcingSample& sample : forcing)
      if (const state::ForcedNodes nodes = view_.forced(sample.term); nodes.count > 0)
        backend_.for_each(nodes.count, rk4::AddForcing{nodes, -sample.rate[which], r});
  }
  const double* with(std::span<const ForcingSample> forcing, Rate which) {  // r and forcing, in s
    backend_.for_each(nodes_, Copy{r_.data(), s_.data()});
    add(forcing, which, s_.data());
    return s_.data();
  }
  void form_second_derivatives(double dt, std::span<const ForcingSample> forcing, Rate which, Array<double>& q) {
    backend_.for_each(nodes_, SecondDerivative{node(dt), with(forcing, which), P_.data(), q.data()});
  }
  void begin(double dt, std::span<const ForcingSample> forcing) {
    form(p_, r_);
    backend_.for_each(nodes_, SetZero{s_.data()});
    if (increment_) {
      backend_.for_each(nodes_, FormA{node(dt), r_.data(), q_.data()});
      find_in_levels(
          0.5 * dt, {}, [&] { return r_.data(); }, before_);
      backend_.for_each(nodes_, Third{before_.data(), after_.data()});
    } else {
      backend_.for_each(nodes_, MeanOverStep{node(dt), r_.data(), after_.data()});
      for (const ForcingSample& sample : forcing)
        if (const state::ForcedNodes nodes = view_.forced(sample.term); nodes.count > 0)
          backend_.for_each(nodes.count, rk4::AddForcing{nodes, sample.rate[mean_load_before], s_.data()});
    }
    backend_.for_each(nodes_, Begin{node(dt), p_.data(), after_.data(), s_.data(), psi_.data(), P_.data()});
    if (increment_) add_step_before(dt, forcing);
  }
  // What moves already does so in a step from rest, of forcing that is zero there and has a mean.
  void add_step_before(double dt, std::span<const ForcingSample> forcing) {
    const std::vector<ForcingSample> before = step_before(forcing);
    for (Array<double>* a : {&r_, &q_}) backend_.for_each(nodes_, SetZero{a->data()});
    find_in_levels(
        dt, before, [&] { return r_.data(); }, s_);
    backend_.for_each(nodes_, AddStepFromRest{node(dt), s_.data(), psi_.data(), P_.data()});
  }
  double kinetic_energy() {  // psi K psi / 2, and what the strips' own velocity adds
    form(potential_, s_);
    const double energy = 0.5 * backend_.sum(nodes_, Product{spaces_.nodes(), potential_.data(), s_.data()});
    if (!fading_.any()) return energy;
    assemble_forces();
    return energy + fading_.rest_energy() - backend_.sum(nodes_, Product{spaces_.nodes(), potential_.data(), forces_.data()});
  }

  Backend backend_;
  SpacesSetup spaces_setup_;
  Spaces spaces_;
  std::int64_t nodes_, NX_;
  BackendView<Backend> view_;
  Fading<Backend> fading_;
  FloorLayer<Backend> floor_;
  StateArrays arrays_;
  std::unique_ptr<Stiffness> stiffness_;
  Exchange<Backend> exchange_;
  local_steps::LevelElements everything_;
  std::unique_ptr<local_steps::Increment<Backend>> increment_;  // or null where all take the same step
  struct OwnSteps {
    int halvings;
    std::vector<ElementBox> elements;
  };
  std::vector<OwnSteps> own_steps_;  // by level
  Array<double> a_, w_;              // likewise
  Array<double> psi_, P_, p_, potential_, r_, s_, q_, before_, after_;
  Array<double> forces_;  // of sponges
  bool forces_assembled_ = true;
  double dt_ = 0;  // of the last step
  Phase phase_ = Phase::initial;
};

template <class Backend>
void around(const StiffnessVariant& stiffness, const MakeStiffness<Backend>& make, int preference, Variant& v) {
  v.name = "leapfrog-" + stiffness.name;
  v.description = "leapfrog of order 4 around the " + stiffness.name + " stiffness, one array for each step of it";
  offer(v);
  v.preference = preference;
  v.make_stepper = [make](const StepperSetup& setup) -> std::unique_ptr<Stepper> { return std::make_unique<Plain<Backend>>(setup, make); };
  v.bytes = [](const Mesh& mesh, int quadrature) {
    return 8.0 * (9.0 * static_cast<double>(mesh.nodes()) + 2.0 * mesh.NX() * mesh.NY()) + static_cast<double>(Spaces::bytes(mesh, quadrature));
  };
}

}  // namespace agwave::leapfrog4
