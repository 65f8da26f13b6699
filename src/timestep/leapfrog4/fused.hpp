// SPDX-License-Identifier: Apache-2.0
// The leapfrog of order 4 in two sweeps per step, each one gradient and one divergence of one field while its elements are on chip:
//   sweep of q       q = A psi + f from r,                       T = r + dt^2/12 K q
//   sweep of next    P', psi' from T, psi and P, in place,       r = K psi'
// so that a step reads r, T, psi, P and writes T, r, psi, P: 8 values a node, and these four arrays are its memory. What is asked at every step is answered
// from r at the nodes it concerns, which are watched: points, walls, the surface and the floor; the answers go to where T is, which the next step writes
// anew. What is asked of all nodes takes a sweep more, whose sums go where r was, so that r is formed anew before it is needed again.
// A floor that gives way comes into both sweeps as a load (fused_floor.hpp).
// Several ranks: what neighbours need comes last in a sweep, and is exchanged beside the inside of the next one.
#pragma once
#include <algorithm>
#include <limits>

#include "device/trace.hpp"
#include "error/error.hpp"
#include "timestep/leapfrog4/fused_filter.hpp"
#include "timestep/leapfrog4/fused_forcing.hpp"
#include "timestep/leapfrog4/fused_stepper.hpp"
#include "timestep/leapfrog4/fused_watch.hpp"
#include "timestep/leapfrog4/state_floor.hpp"
#include "timestep/leapfrog4/velocity.hpp"
#include "timestep/variants.hpp"

namespace agwave::leapfrog4 {

template <class Backend, SweepsOn<Backend> Sweeps>
class Fused final : public FusedStepper<Backend, Sweeps> {
  using Base = FusedStepper<Backend, Sweeps>;
  using Base::answers_, Base::asked_, Base::backend_, Base::level_, Base::level_hearing_, Base::places_, Base::r_formed_, Base::spaces_,
      Base::sweeps_, Base::view_, Base::forget, Base::form_r, Base::r, Base::T;
  using typename Base::Patches, typename Base::Question, typename Base::Values;

 public:
  explicit Fused(const StepperSetup& setup)
      : Base(setup),
        spaces_setup_(setup),
        fading_(setup, spaces_, backend_),
        floor_(setup, fading_.any(), backend_),
        arrays_(floor_.with_floor(fading_.with_rest(state_arrays))),
        forcing_(setup, view_, places_, sweeps_.levels() != nullptr, answers_, fading_, backend_),
        watch_(setup, view_, fading_.touched(), backend_) {
    answers_.stand_on(floor_.layer().view(), floor_.layer().nodes());
    setup.comm.agree([] {});
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    require_rest(u);
    forget();
    for (double* state : {sweeps_.psi(), sweeps_.P()}) backend_.for_each(sweeps_.state_size(), SetZero{state});
    backend_.for_each(view_.size(), Rest<Patches>{view_, places_, r()});
    forcing_.rest();
    fading_.rest();
    floor_.rest();
    sweeps_.transfer().to_sums(T(), 0, p);
    begin_with(Phase::initial);
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    p.resize(static_cast<std::size_t>(view_.size()));
    std::vector<double> psi(p.size());
    sweeps_.transfer().fetch(completed_pressure(), 0, p);
    sweeps_.transfer().fetch(completed_potential(), 0, psi);
    u = velocity_of(spaces_setup_, psi);
    fading_.add_to(u);
  }

  const StateArrays& arrays() const override { return arrays_; }
  void get(const StateArray& array, std::int64_t first, std::span<double> values) override {
    if (array == rest_array || array == corner_array) return fading_.get(array, first, values);
    const std::int64_t at = first * view_.NX;
    if (array == floor_array)
      floor_.get(at, values);
    else if (array == pressure_array || array == potential_array)
      sweeps_.transfer().fetch(array == pressure_array ? completed_pressure() : completed_potential(), at, values);
    else
      sweeps_.transfer().fetch(InState<Patches>{array == ahead_array ? sweeps_.psi() : sweeps_.P(), places_}, at, values);
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) override {
    forget();
    const std::int64_t at = first * view_.NX;
    if (array == rest_array || array == corner_array) {
      fading_.set(array, first, values);
      forcing_.strips_changed();
    } else if (array == floor_array) {
      floor_.set(at, values);
    } else if (array == pressure_array || array == potential_array) {
      sweeps_.transfer().to_sums(array == pressure_array ? T() : r(), at, values);
    } else {
      sweeps_.transfer().to_state(array == ahead_array ? sweeps_.psi() : sweeps_.P(), at, values);
      backend_.synchronize();
    }
    begin_with(Phase::restored);
  }

  void step(double dt, std::span<const ForcingSample> forcing) override {
    TraceScope scope("leapfrog step");
    sweeps_.set_step(dt);
    if (!forcing_.assembled()) assemble_forces();
    if (phase_ == Phase::initial) begin(forcing);
    form_r();
    const FloorLoad now = forcing_.floor_load(forcing, load), mean = forcing_.floor_load(forcing, mean_load);
    forcing_.form_body(forcing, load, mean_load);
    const bool paused = !forced_ && forcing.empty();
    forced_ = !forcing.empty();
    begin_watch(now, paused);
    forcing_.form_tables(now, mean);
    Base::sweep(forcing_, floor_);
    after_load_ = forcing_.floor_load(forcing, load_after);
    if (forcing_.in_water()) after_forcing_.assign(forcing.begin(), forcing.end());
    phase_ = Phase::stepped;
    in_T_ = Holds::nothing;
    r_formed_ = true;
    faded_ = false;
  }

  void filter(double dt, double longer, std::span<const ForcingSample> forcing) override {
    if (phase_ == Phase::initial) return;  // nothing moves
    TraceScope scope("leapfrog filter");
    sweeps_.set_step(dt);
    if (!forcing_.assembled()) assemble_forces();  // of the state as it is
    const auto balance = [&](const auto& p, double factor) { take_balance(fading_, view_, p, answers_, forcing, dt, factor); };
    filter_state(sweeps_, view_, longer * dt, asked_.powers, balance, backend_);
    phase_ = Phase::stepped;
    in_T_ = Holds::nothing;
    r_formed_ = false;
  }
  // psi stays where it stands in either type of strip, and r with it. What is watched is answered anew, by the rates as they are now.
  void damp() override {
    if (!fading_.any()) return;
    watch_state(true);
    form_r();
    sweeps_.finish_exchange();
    if (fading_.matched())
      stretch();
    else
      fade();
    faded_ = true;
    watch_again(false, phase_ == Phase::watched && in_T_ != Holds::potential);
    in_T_ = Holds::watched_pressure;
  }
  double damped_energy() override { return fading_.taken(); }
  void set_damped_energy(double taken) override { fading_.set_taken(taken); }

 private:
  enum class Phase {
    initial,   // water at rest: p lies where T is, the potential, which is zero, where r is
    restored,  // likewise at any time, and psi and P are the state besides
    stepped,   // psi and P are the state
    watched    // likewise, and psi_tt before and after is known at the watched nodes
  };
  enum class Holds { nothing, watched_pressure, pressure, potential };  // of the completed state, in memory of T

  void begin_with(Phase phase) {
    phase_ = phase;
    in_T_ = Holds::pressure;
    r_formed_ = false;
    faded_ = false;
  }
  void assemble_forces() {  // where r is
    r_formed_ = false;
    form_forces(r());
  }
  void form_forces(double* sums) {
    fading_.form_forces(node());
    forcing_.assemble(sums, sweeps_.exchange(), [this](std::int64_t n, const SpreadForces<Patches>& spread) { backend_.for_each(n, spread); });
  }
  template <class Damped>
  DampState<Patches, Damped> damp_state(const Damped& damped) {
    return {forcing_.strip_places(), damped, sweeps_.psi(), sweeps_.P()};
  }
  void fade() {
    fading_.fade(node(), sweeps_.dt());
    const sponge_detail::Columns fades = fading_.nodes();
    const DampState<Patches, FadedRate> damp = damp_state(FadedRate{fades});
    fading_.take(damp.stretches(), damp);
    watch_.fade(fades);
    floor_.fade(fades, view_.NX, faded_);
    form_forces(T());
  }
  void stretch() {
    const StretchRate stretched = fading_.stretched();
    const DampState<Patches, StretchRate> damp = damp_state(stretched);
    backend_.for_each(damp.stretches(), damp);  // SpreadStretched says what of the energy goes
    FusedNode<Patches> ahead = node();
    ahead.dt = 0;  // no time back from where psi stands
    fading_.stretch(ahead);
    forcing_.assemble(T(), sweeps_.exchange(), [&](std::int64_t n, const SpreadForces<Patches>& spread) {
      fading_.take(n, SpreadStretched<Patches>{spread, stretched, sweeps_.psi(), sweeps_.P(), r()});
    });
  }

  // What psi_tt was after the last step it is before this one, but in strips that have been damped. Only the load, of the floor, is asked for anew: at the
  // same time, but a restart has no other, and is to get the same bits. So the floor, which is not watched while nothing forces, is found when something does.
  // paused: nothing forces in this step, nor in the last one.
  void begin_watch(const FloorLoad& now, bool paused) {
    const bool known = phase_ == Phase::watched;
    if (known) watch_.go_on();
    if (!known || !paused) watch_.know_all();
    const bool all = !known || forcing_.in_water(), in_strips = !all && faded_;
    if (all ? watch_.count() == 0 : paused && !in_strips) return;
    sweeps_.finish_exchange();
    with_nodes(forcing_.body(0), [&](const auto& at) {
      if (all) return watch_.find_before(at, r(), now);
      if (!paused) watch_.find_before_at_floor(at, r(), now);
      if (in_strips) watch_.find_before_in_strips(at, r(), now);
    });
  }
  FusedNode<Patches> node() const { return Base::node(forcing_.of_strips()); }
  template <class F>  // f(FusedNode or FusedFloorNode)
  void with_nodes(const BodyLoad& body, F&& f, bool faded = false) {
    floor_.with_nodes(Base::node(body), f, faded);
  }

  void begin(std::span<const ForcingSample> forcing) {
    sweeps_.mean_of_beginning();
    if (!sweeps_.levels()) return begin_with_mean(forcing);
    begin_with_mean({});
    if (const std::vector<ForcingSample> before = step_before(forcing); !before.empty()) add_step_before(before);
  }
  // psi: by how much the mean of p over a step differs from p.
  void begin_with_mean(std::span<const ForcingSample> forcing) {
    const FloorLoad moved = forcing_.floor_load(forcing, mean_load_before);
    forcing_.form_body(forcing, mean_load_before, mean_load_before);
    with_nodes(forcing_.body(0), [&]<class At>(const At& at) {
      backend_.for_each(view_.size(), FusedBegin<At, Patches>{at, {T(), places_}, moved, sweeps_.psi(), sweeps_.P()});
    });
  }

  void add_step_before(std::span<const ForcingSample> forcing) {
    const FloorLoad mean = forcing_.floor_load(forcing, mean_load);
    forcing_.form_body(forcing, load, mean_load);
    forcing_.form_tables(forcing_.floor_load(forcing, load), mean);
    sweeps_.add_step_from_rest(Base::mixed(forcing_));
  }

  // all: rather than what is asked about while nothing forces, as far as it is known.
  void watch_state(bool all) {
    if (phase_ != Phase::stepped && (phase_ != Phase::watched || faded_ || watch_.covers(all))) return;
    form_r();
    sweeps_.finish_exchange();
    forcing_.form_body(after_forcing_, load_after, load_after);
    with_nodes(forcing_.body(1), [&](const auto& at) { watch_.find_pressure(all, at, r(), after_load_, T()); });
    phase_ = Phase::watched;
    in_T_ = Holds::watched_pressure;
  }
  // in_strips: there alone, the rest stands.
  void watch_again(bool potential, bool in_strips = false) {
    const auto find = [&](const auto& at) {
      if (in_strips)
        watch_.find_pressure_in_strips(at, r(), after_load_, T());
      else
        watch_.find_again(at, r(), after_load_, potential, T());
    };
    with_nodes(forcing_.body(1), find, faded_ && !fading_.matched());
  }
  Values watched_pressure(Question question) override {
    const bool all = question == Question::forced || forced_;  // while something forces, what it forces is asked about before long
    watch_pressure(all);
    if (all && !watch_.knows_all()) return completed_pressure();  // of what begins to force within the next step
    return {T(), places_};
  }
  void watch_pressure(bool all) {
    watch_state(all);
    if (in_T_ != Holds::potential) return;
    watch_again(false);
    in_T_ = Holds::watched_pressure;
  }
  Values completed_pressure() override {
    complete(Holds::pressure);
    return {T(), places_};
  }
  Values completed_potential() {
    if (phase_ == Phase::initial || phase_ == Phase::restored) return {r(), places_};
    complete(Holds::potential);
    return {T(), places_};
  }
  void complete(Holds what) {
    watch_state(forced_);
    if (in_T_ == what) return;
    Base::require_powers();
    const bool potential = what == Holds::potential;
    r_formed_ = false;
    sweeps_.mix(r(), potential ? 1 : 0, potential ? -0.5 * sweeps_.dt() : 1);
    sweeps_.finish_exchange();
    backend_.for_each(view_.size(), CompleteAll<Patches>{node(), r(), potential, T()});
    watch_again(potential);
    in_T_ = what;
  }

  // Of the completed state. At rest there is none; a restored state keeps its p on the host, which nothing else could give again.
  double kinetic_energy() override {
    if (phase_ == Phase::initial) return fading_.rest_energy();
    if (phase_ != Phase::restored) {
      complete(Holds::potential);
      r_formed_ = false;
      return energy_of_motion(T(), r());
    }
    double energy = 0;
    sweeps_.transfer().aside(T(), [&] { energy = energy_of_motion(r(), T()); });
    return energy;
  }
  // psi K psi / 2 and what the strips' own velocity adds, of the potential; the sweep takes its field from where psi is, so the two change places meanwhile.
  double energy_of_motion(double* potential, double* sums) {
    if (!forcing_.assembled()) form_forces(sums);
    const Swap<Patches> swap{view_, places_, potential, sweeps_.psi()};
    backend_.for_each(view_.size(), swap);
    sweeps_.mix(sums, 1, 0);
    sweeps_.finish_exchange();
    double energy = 0.5 * backend_.sum(view_.size(), StateProduct<Patches>{view_, places_, sweeps_.psi(), sums});
    if (fading_.any()) {
      const OfColumns<Patches> columns = forcing_.touched();
      energy += fading_.rest_energy() - backend_.sum(columns.count * view_.NZ, ForceProduct<Patches>{columns, sweeps_.psi(), forcing_.of_strips()});
    }
    backend_.for_each(view_.size(), swap);
    return energy;
  }

  void hear(double of_rate, double of_force, double* to) override {
    if (phase_ == Phase::initial) return;  // nothing moves
    if (phase_ != Phase::restored) return hear_floor(of_rate, of_force, to);
    sweeps_.transfer().aside(r(), [&] { hear_floor(of_rate, of_force, to); });
    r_formed_ = false;
  }
  void hear_floor(double of_rate, double of_force, double* to) {
    form_r();
    sweeps_.finish_exchange();
    if (places_.below) return;
    with_nodes(forcing_.of_strips(), [&]<class At>(const At& at) { backend_.for_each(level_, HearFloor<At>{at, r(), of_rate, of_force, to}); });
  }

  void tell(int now, int before, double per_step) override {
    if (!places_.below) level_hearing_.tell(now, before, per_step, answers_.heard());
  }

  SpacesSetup spaces_setup_;
  Fading<Backend> fading_;
  StateFloor<Backend, Patches> floor_;
  StateArrays arrays_;
  FusedForcing<Backend, Patches> forcing_;
  FusedWatch<Backend> watch_;
  FloorLoad after_load_;                      // of the last step
  std::vector<ForcingSample> after_forcing_;  // likewise
  Phase phase_ = Phase::initial;
  Holds in_T_ = Holds::pressure;
  bool forced_ = false;  // by anything, in the last step
  bool faded_ = false;   // since the last step: psi_tt is no longer what it was after it
};

// Memory per rank [bytes], uplift terms and sampled points not counted.
template <class Backend, class Sweeps>
double fused_bytes(const Mesh& mesh) {
  const double level = static_cast<double>(mesh.NX()) * mesh.NY(), watched = 2 * level + 2.0 * (mesh.NX() + mesh.NY()) * mesh.NZ();
  return FusedSweeps<Backend, Sweeps>::bytes(mesh) + 8 * (2 * level + 3 * watched) + 4 * (3 * watched - 5 * level);
}

// What `leapfrog-sweep` is on every device.
template <class Backend, class Sweeps>
Variant fused_variant() {
  Variant v;
  v.name = "leapfrog-sweep";
  offer(v);
  v.quadratures = {4};
  v.hears_in_levels = true;
  v.preference = 20;
  v.unit = Sweeps::Patches::unit;
  v.make_stepper = [](const StepperSetup& setup) -> std::unique_ptr<Stepper> { return std::make_unique<Fused<Backend, Sweeps>>(setup); };
  v.bytes = [](const Mesh& mesh, int) { return fused_bytes<Backend, Sweeps>(mesh); };
  v.level_bytes = FusedLevels<Backend, typename Sweeps::Patches>::bytes;
  v.aside_bytes = FusedSweeps<Backend, Sweeps>::aside_bytes;
  v.medium_bytes = FusedMedium<Backend, typename Sweeps::Patches>::bytes;
  v.most_nodes = std::numeric_limits<double>::infinity();
  return v;
}

}  // namespace agwave::leapfrog4
