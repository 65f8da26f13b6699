// SPDX-License-Identifier: Apache-2.0
// The fused leapfrog (fused.hpp) in single precision. psi itself cannot be kept in that: under lifted water and slow waves it grows far beyond what a step
// changes it by, and what it is rounded by kicks the pressure. But a step is linear and the same every time, so the change of the state from one step to the
// next,
//   d = psi' - psi = dt P',     Q = P' - P
// obeys the very same step, with loads that are each less that of the step before (change_forcing.hpp), in the same sweeps: psi and P are d and Q there.
// d / dt is the mean pressure over a step, so it is rounded by what the pressure would be, and
//   p = d / dt - dt/24 (psi_tt' - psi_tt),   psi_tt' - psi_tt = psi_tt of the change, from r = K d
// Walls and a floor that gives way want psi_tt itself, too, which their nodes add up, in double precision, and such a floor its displacement; sponges want
// psi itself in their strips (strip_changes.hpp). All that is asked of p follows from what is carried. Energies of motion and of what sponges take, and
// velocities, which need psi, do not: none are given.
// The first step begins with a state and not with a change: psi and P are the state itself then, under all of the load, until its change is taken.
#pragma once
#include <algorithm>
#include <stdexcept>

#include "device/trace.hpp"
#include "error/error.hpp"
#include "timestep/leapfrog4/change_floor.hpp"
#include "timestep/leapfrog4/change_forcing.hpp"
#include "timestep/leapfrog4/change_hearing.hpp"
#include "timestep/leapfrog4/change_watch.hpp"
#include "timestep/leapfrog4/changes_pointwise.hpp"
#include "timestep/leapfrog4/fused_filter.hpp"
#include "timestep/leapfrog4/fused_stepper.hpp"
#include "timestep/leapfrog4/strip_changes.hpp"
#include "timestep/leapfrog4/velocity.hpp"
#include "timestep/variants.hpp"

namespace agwave::leapfrog4 {

// Carried besides the pressure, which is asked for before the first step.
inline const StateArray change_array{"potential_change", StateArray::Items::node_rows, "over a step, half a step ahead"};
inline const StateArray rate_change_array{"potential_rate_change", StateArray::Items::node_rows, "of the mean over a step"};
inline const StateArrays change_arrays{change_array, rate_change_array, pressure_array};
inline const StateArray curvature_array{"potential_curvature", StateArray::Items::node_rows,
                                        "at walls, half a step behind"};  // where any absorbs, and on a floor that gives way

template <class Backend, SweepsOn<Backend> Sweeps>
class FusedChanges final : public FusedStepper<Backend, Sweeps> {
  using Base = FusedStepper<Backend, Sweeps>;
  using Base::answers_, Base::asked_, Base::backend_, Base::level_, Base::level_hearing_, Base::places_, Base::r_formed_, Base::spaces_,
      Base::sweeps_, Base::view_, Base::forget, Base::form_r, Base::node, Base::r, Base::T;
  using typename Base::Patches, typename Base::Question, typename Base::Values, typename Base::real;

 public:
  explicit FusedChanges(const StepperSetup& setup)
      : Base(setup),
        strips_(setup, spaces_, view_, places_, backend_),
        floor_(setup, backend_),
        damps_(floor_.gives_way() || setup.boundary.absorbs()),
        watched_(setup, view_, strips_.fading().touched(), damps_, backend_),
        forcing_(setup, view_, places_, sweeps_.levels() != nullptr, answers_, strips_.fading().touched(), backend_),
        hearing_(setup.asked.hears && !places_.below && !sweeps_.levels(), level_, backend_) {
    if (damps_) arrays_.push_back(curvature_array);
    arrays_ = strips_.with_strips(floor_.with_floor(arrays_));
    answers_.stand_on(floor_.layer().view(), floor_.layer().nodes());
    if (setup.asked.filters) filter_.make_room();
    setup.comm.agree([] {});
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    require_rest(u);
    forget();
    sweeps_.transfer().to_sums(T(), 0, p);
    watched_.rest();
    floor_.rest();
    strips_.rest();
    forcing_.strips_stand();
    hearing_.rest();
    begin_with(Phase::initial);
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    p.resize(static_cast<std::size_t>(view_.size()));
    sweeps_.transfer().fetch(completed_pressure(), 0, p);
    u.clear();
  }

  const StateArrays& arrays() const override { return arrays_; }
  void get(const StateArray& array, std::int64_t first, std::span<double> values) override {
    const std::int64_t at = first * view_.NX;
    if (array == pressure_array) return sweeps_.transfer().fetch(completed_pressure(), at, values);
    if (array == curvature_array) return watched_.get(at, values);
    if (floor_.has(array)) return floor_.get(array, at, values);
    if (strips_.has(array)) return strips_.get(array, first, values, sweeps_.transfer());
    sweeps_.transfer().fetch(InState<Patches>{state(array), places_}, at, values);
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) override {
    forget();
    const std::int64_t at = first * view_.NX;
    if (array == pressure_array)
      sweeps_.transfer().to_sums(T(), at, values);
    else if (array == curvature_array)
      watched_.set(at, values);
    else if (floor_.has(array))
      floor_.set(array, at, values);
    else if (strips_.has(array))
      strips_.set(array, first, values, sweeps_.transfer());
    else
      sweeps_.transfer().to_state(state(array), at, values);
    backend_.synchronize();
    begin_with(Phase::restored);
  }

  void step(double dt, std::span<const ForcingSample> forcing) override {
    TraceScope scope("leapfrog step");
    set_step(dt);
    const bool first = phase_ == Phase::initial;
    Array<real> P_before;
    if (first) P_before = begin(forcing);
    form_forces_of_strips();
    strips_.pay(sweeps_.P());
    form_r();
    forcing_.form(forcing, first);
    add_curvature(forcing, first);
    add_force_of_floor();
    Base::sweep(forcing_, floor_);
    floor_.add_change();
    r_formed_ = true;
    if (first) {
      strips_.begin(sweeps_.psi());
      take_first_change(forcing, P_before);
    } else {
      strips_.receive(sweeps_.psi(), sweeps_.P());
      r_formed_ = !filter_.give_back();
    }
    forcing_.strips_stand();
    last_.assign(forcing.begin(), forcing.end());
    phase_ = Phase::stepped;
    in_T_ = Holds::nothing;
  }

  void filter(double dt, double longer, std::span<const ForcingSample>) override {
    if (phase_ == Phase::initial) return;  // nothing moves
    TraceScope scope("leapfrog filter");
    set_step(dt);
    form_forces_of_strips();
    strips_.pay_change(sweeps_.psi(), dt);
    filter_.form(view_, longer * dt);
    strips_.pay_change(sweeps_.psi(), -dt);
    filter_.pay();
    in_T_ = Holds::nothing;
    r_formed_ = false;
  }
  void damp() override {
    if (!strips_.any()) return;
    sweeps_.finish_exchange();
    strips_.damp(sweeps_.psi(), sweeps_.dt());
    damp_answers();
  }
  double damped_energy() override { return 0; }
  void set_damped_energy(double) override {}

 private:
  enum class Phase {
    initial,   // water at rest: p lies where T is
    restored,  // likewise at any time, and psi and P are the change besides
    stepped    // psi and P are the change
  };
  // Of the completed pressure, in memory of T: at watched nodes while nothing forces, at all of them, at all nodes.
  enum class Holds { nothing, at_rest, watched, all };

  real* state(const StateArray& array) {
    if (array != change_array && array != rate_change_array) throw std::logic_error("no array that the leapfrog of changes carries");
    return array == change_array ? sweeps_.psi() : sweeps_.P();
  }
  void set_step(double dt) {
    if (dt != sweeps_.dt() && phase_ == Phase::stepped)
      throw std::logic_error("what is carried is the change over a step, whose length cannot be another's");
    sweeps_.set_step(dt);
  }
  void form_forces_of_strips() {
    if (strips_.forces_stand()) return;
    sweeps_.finish_exchange();
    strips_.form_forces(sweeps_.psi(), sweeps_.dt(), sweeps_.exchange(), T(), forcing_.change_strips());
  }
  void begin_with(Phase phase) {
    phase_ = phase;
    in_T_ = Holds::all;
    r_formed_ = false;
  }
  template <class F>  // f(NodeOfChange or FloorNodeOfChange)
  void with_nodes(const BodyLoadOf<real>& body, F&& f) {
    floor_.with_nodes(node(body), f);
  }

  // psi and P as Fused begins with them. Where columns step in levels P is returned, for it cannot be found again then.
  Array<real> begin(std::span<const ForcingSample> forcing) {
    sweeps_.mean_of_beginning();
    const std::span<const ForcingSample> moving = sweeps_.levels() ? std::span<const ForcingSample>{} : forcing;
    form_bodies_of_beginning(moving);
    with_nodes(forcing_.body(0), [&]<class At>(const At& at) {
      backend_.for_each(view_.size(), FusedBegin<At, Patches>{at, {T(), places_}, load_of_beginning(moving), sweeps_.psi(), sweeps_.P()});
    });
    if (!sweeps_.levels()) return {};
    if (const std::vector<ForcingSample> before = step_before(forcing); !before.empty()) {
      forcing_.form(before, true);
      sweeps_.add_step_from_rest(Base::mixed(forcing_));
    }
    return sweeps_.copy(sweeps_.P());
  }
  void form_bodies_of_beginning(std::span<const ForcingSample> forcing) {  // in the water that moves already
    const RateChange begun{mean_load_before};
    forcing_.form_bodies(forcing, begun, begun);
  }
  FloorLoad load_of_beginning(std::span<const ForcingSample> forcing) { return forcing_.floor_load(forcing, mean_load_before); }
  void take_first_change(std::span<const ForcingSample> forcing, const Array<real>& P_before) {
    sweeps_.finish_exchange();
    form_bodies_of_beginning(forcing);
    with_nodes(forcing_.body(0), [&]<class At>(const At& at) {
      backend_.for_each(view_.size(), FirstChange<At>{at, load_of_beginning(forcing), P_before.data(), sweeps_.psi(), sweeps_.P()});
    });
    backend_.synchronize();  // before P_before goes
    r_formed_ = false;
  }

  void add_curvature(std::span<const ForcingSample> forcing, bool first) {  // whose loads are formed
    const WatchedPart part = watched_.damped();
    if (part.count == 0) return;
    sweeps_.finish_exchange();
    const FloorLoad now = forcing_.floor_load(forcing, load), before = first ? FloorLoad{} : forcing_.floor_load_before(forcing, load);
    with_nodes(forcing_.body(0), [&]<class At>(const At& at) {
      backend_.for_each(part.count, AddCurvature<At>{{at, part, r(), now, before}, watched_.curvature()});
    });
  }
  void watch(bool all) {  // rather than what is asked about while nothing forces
    form_r();
    sweeps_.finish_exchange();
    const RateChange step{load_after, RateChange::Less::load_now};
    forcing_.form_bodies(last_, step, step);
    const FloorLoad after = forcing_.floor_load(last_, load_after), now = forcing_.floor_load(last_, load);
    const WatchedPart part = all ? watched_.all() : watched_.at_rest();
    beside_.follow(backend_);  // few nodes, which wait for memory while those of surface and floor keep it busy
    with_nodes(forcing_.body(0), [&]<class At>(const At& at) {
      beside_.for_each(part.count, WatchChange<At>{{at, part, r(), after, now}, watched_.curvature(), T()});
    });
    if (watched_.surface()) watch_level({node(forcing_.body(0)), r(), false});
    if (all && watched_.floor()) watch_level({node(forcing_.body(0)), r(), true, after, now});
    backend_.follow(beside_);
  }
  void watch_level(const LevelNodes<Patches>& nodes) { backend_.for_each(places_.table_size(), LevelOfChange<Patches>{nodes, T()}); }
  void damp_answers() {
    if (!strips_.owes() || in_T_ == Holds::nothing) return;
    const WatchedPart part = in_T_ == Holds::all ? WatchedPart{nullptr, nullptr, view_.size()} : watched_.in_strips(in_T_ == Holds::watched);
    with_nodes({}, [&](const auto& at) { strips_.damp_pressure(at, part, T()); });
  }
  void add_force_of_floor() {
    if (!asked_.hears || sweeps_.levels()) return;
    sweeps_.finish_exchange();
    hearing_.add_force(places_, r());
  }
  void hear(double of_rate, double of_force, double* to) override {
    if (!asked_.hears) throw std::logic_error("who hears says so before the first step");
    if (phase_ == Phase::initial) return;  // nothing moves
    form_r();
    sweeps_.finish_exchange();
    with_nodes({}, [&](const auto& at) { hearing_.hear(at, r(), of_rate, of_force, to); });
  }
  // What pushes the water for an interval has a state at its first step that is the change over an interval of what a single push makes: of a floor that is
  // lifted it stays small, and needs no change of its own. At the end of the interval it is pulled back again.
  void pull(int term) override {
    const Array<real> psi = sweeps_.copy(sweeps_.psi()), P = sweeps_.copy(sweeps_.P());
    for (real* state : {sweeps_.psi(), sweeps_.P()}) backend_.for_each(sweeps_.state_size(), SetZero{state});
    sweeps_.push_off(answers_.forced(term));
    r_formed_ = false;
    backend_.for_each(sweeps_.state_size(), SubtractFrom{psi.data(), sweeps_.psi()});
    backend_.for_each(sweeps_.state_size(), SubtractFrom{P.data(), sweeps_.P()});
    backend_.synchronize();  // before the copies go
  }
  void tell(int now, int, double per_step) override {
    if (!places_.below) level_hearing_.tell(now, per_step, answers_.heard());
  }

  Values watched_pressure(Question question) override {
    // While something forces, what it forces is asked about before long.
    const bool forced = question == Question::forced || !last_.empty();
    if (in_T_ < (forced ? Holds::watched : Holds::at_rest)) {
      in_T_ = forced ? Holds::watched : Holds::at_rest;
      watch(forced);
      damp_answers();
    }
    return {T(), places_};
  }
  Values completed_pressure() override {
    if (in_T_ == Holds::all) return {T(), places_};
    Base::require_powers();
    form_r();
    sweeps_.finish_exchange();
    backend_.for_each(view_.size(), PressureOfChange<Patches>{node(), r(), T()});
    watch(true);
    in_T_ = Holds::all;
    damp_answers();
    return {T(), places_};
  }

  StripChanges<Backend, Patches> strips_;
  ChangeFloor<Backend, Patches> floor_;
  bool damps_;  // walls absorb or a floor gives way, here or on other ranks
  ChangeWatch<Backend> watched_;
  ChangeForcing<Backend, Patches> forcing_;
  ChangeHearing<Backend, Patches> hearing_;
  FilterOfChange<Backend, Sweeps> filter_{sweeps_, backend_};
  Backend beside_;  // watch()
  StateArrays arrays_ = change_arrays;
  std::vector<ForcingSample> last_;  // of the last step
  Phase phase_ = Phase::initial;
  Holds in_T_ = Holds::all;
};

// Memory per rank [bytes], uplift terms and sampled points not counted.
template <class Backend, class Sweeps>
double fused_changes_bytes(const Mesh& mesh) {
  const double level = static_cast<double>(mesh.NX()) * mesh.NY(), watched = 2 * level + 2.0 * (mesh.NX() + mesh.NY()) * mesh.NZ();
  return FusedSweeps<Backend, Sweeps>::bytes(mesh) + 8 * (2 * level + 2 * watched) + 4 * (3 * watched - 6 * level);
}

// And of what the filter owes.
template <class Sweeps>
double filter_bytes(const Mesh& mesh) {
  using Patches = typename Sweeps::Patches;
  return sizeof(typename Patches::real) * static_cast<double>(Places<Patches>(mesh).state_size());
}

// What a variant in double precision becomes in single, but for what its device adds.
template <class Backend, class Sweeps>
Variant of_changes(Variant v) {
  v.single = true;
  v.recalls_forcing = true;
  v.knows_potential = false;
  v.arrays = change_arrays;
  v.accuracy = 1e-4;
  v.make_stepper = [](const StepperSetup& setup) -> std::unique_ptr<Stepper> { return std::make_unique<FusedChanges<Backend, Sweeps>>(setup); };
  v.bytes = [](const Mesh& mesh, int) { return fused_changes_bytes<Backend, Sweeps>(mesh); };
  v.level_bytes = FusedLevels<Backend, typename Sweeps::Patches>::bytes;
  v.aside_bytes = FusedSweeps<Backend, Sweeps>::aside_bytes;
  v.filter_bytes = filter_bytes<Sweeps>;
  v.medium_bytes = FusedMedium<Backend, typename Sweeps::Patches>::bytes;
  return v;
}

}  // namespace agwave::leapfrog4
