// SPDX-License-Identifier: Apache-2.0
// The fused leapfrog (fused.hpp) in single precision. psi itself cannot be kept in that: under lifted water and slow waves it grows far beyond what a step
// changes it by, and what it is rounded by kicks the pressure. But a step is linear and the same every time, so the change of the state from one step to the
// next,
//   d = psi' - psi = dt P',     Q = P' - P
// obeys the very same step, with loads that are each less that of the step before (change_forcing.hpp), in the same sweeps: psi and P are d and Q there.
// d / dt is the mean pressure over a step, so it is rounded by what the pressure would be, and
//   p = d / dt - dt/24 (psi_tt' - psi_tt),   psi_tt' - psi_tt = psi_tt of the change, from r = K d
// Walls want psi_tt itself, too, which their nodes add up, in double precision. All that is asked of p follows from what is carried. Energies of motion and
// velocities, which need psi, do not: none are given.
// The first step begins with a state and not with a change: psi and P are the state itself then, under all of the load, until its change is taken.
#pragma once
#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>

#include "device/backend.hpp"
#include "device/trace.hpp"
#include "error/error.hpp"
#include "timestep/leapfrog4/change_forcing.hpp"
#include "timestep/leapfrog4/changes_pointwise.hpp"
#include "timestep/leapfrog4/fused_medium.hpp"
#include "timestep/leapfrog4/fused_transfer.hpp"
#include "timestep/leapfrog4/velocity.hpp"
#include "timestep/leapfrog4/watched_nodes.hpp"
#include "timestep/stepper.hpp"
#include "timestep/two_sweep/exchange.hpp"
#include "timestep/variants.hpp"

namespace agwave::leapfrog4 {

// Carried besides the pressure, which is asked for before the first step.
inline const StateArray change_array{"potential_change", StateArray::Items::node_rows, "over a step, half a step ahead"};
inline const StateArray rate_change_array{"potential_rate_change", StateArray::Items::node_rows, "of the mean over a step"};
inline const StateArrays change_arrays{change_array, rate_change_array, pressure_array};
inline const StateArray curvature_array{"potential_curvature", StateArray::Items::node_rows, "at walls, half a step behind"};  // where any absorbs

template <class Backend, class Sweeps>  // Sweeps: as of Fused, of columns that all take the same step
class FusedChanges final : public Stepper {
  using Patches = typename Sweeps::Patches;
  using real = typename Patches::real;
  using Perimeters = two_sweep::PerimeterExchange<Backend, Patches, 1>;
  using Values = InSums<Patches>;
  using Question = typename BackendView<Backend, Values>::Question;

 public:
  explicit FusedChanges(const StepperSetup& setup)
      : asked_(setup.asked),
        spaces_(setup, Backend::space),
        places_(setup.mesh),
        view_(spaces_.nodes()),
        level_(static_cast<std::int64_t>(view_.NX) * view_.NY),
        medium_(view_, places_, places_.state_size(), {}, backend_),
        answers_(
            setup, view_, backend_, {nullptr, places_}, [this] { return completed_pressure(); }, [] { return 0.0; },
            [this](Question question) { return watched_pressure(question); }),
        forcing_(setup, view_, places_, answers_, backend_),
        transfer_(backend_, view_, places_),
        sweeps_(backend_, spaces_, places_),
        overlap_(setup.transport.overlap) {
    const two_sweep::WorkOrder work = two_sweep::order_of_work(
        static_cast<const Patches&>(places_), setup.mesh.part, [&](int n) { return Sweeps::item(places_, n); }, true);
    inside_ = places_.items() - work.boundary;
    order_ = Array<std::int32_t>(Backend::space, work.items);
    make_tables(setup);
    psi_ = zeros(places_.state_size());
    P_ = zeros(places_.state_size());
    sums_ = zeros(Perimeters::room(places_, setup.mesh.part, 2));
    setup.comm.agree([] {});  // meets what another rank has failed at, which lets nobody wait for it
    watched_ = Array<std::int64_t>(Backend::space, watched_nodes(setup, view_));
    for (int wall = 0; wall < 4; ++wall) walls_ = walls_ || setup.boundary.absorbs(wall);
    if (walls_) arrays_.push_back(curvature_array);
    curvature_ = Array<double>(Backend::space, walls_ ? watched_.size() : 0);
    if (walls_) curvature_.zero();
    setup.comm.agree([] {});
    exchange_ = std::make_unique<Perimeters>(places_, setup.mesh.part, sums_.data(), 2, setup.comm, setup.transport);
    beside_ = {setup.transport.multiprocessors, true, [this] { exchange_->progress(); }, {}};
    setup.comm.agree([] {});
  }
  // As of TwoSweep: neighbours wait for what is under way.
  ~FusedChanges() override {
    if (std::uncaught_exceptions() == 0)
      exchange_->finish(backend_);
    else if (exchange_->under_way())
      static_cast<void>(exchange_.release());
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    require_rest(u);
    forget();
    transfer_.to_sums(T(), 0, p);
    if (walls_) curvature_.zero();
    begin_with(Phase::initial);
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    p.resize(static_cast<std::size_t>(view_.size()));
    transfer_.fetch(completed_pressure(), 0, p);
    u.clear();
  }

  const StateArrays& arrays() const override { return arrays_; }
  void get(const StateArray& array, std::int64_t first, std::span<double> values) override {
    const std::int64_t at = first * view_.NX;
    if (array == pressure_array) return transfer_.fetch(completed_pressure(), at, values);
    if (array == curvature_array) return get_curvature(at, values);
    transfer_.fetch(InState<Patches>{(array == change_array ? psi_ : P_).data(), places_}, at, values);
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) override {
    forget();
    const std::int64_t at = first * view_.NX;
    if (array == pressure_array)
      transfer_.to_sums(T(), at, values);
    else if (array == curvature_array)
      set_curvature(at, values);
    else
      transfer_.to_state((array == change_array ? psi_ : P_).data(), at, values);
    backend_.synchronize();
    begin_with(Phase::restored);
  }

  void step(double dt, std::span<const ForcingSample> forcing) override {
    TraceScope scope("leapfrog step");
    set_step(dt);
    const bool first = phase_ == Phase::initial;
    if (first) begin(forcing);
    form_r();
    forcing_.form(forcing, first);
    add_curvature(forcing, first);
    sweep(Form::q, r(), T(), forcing_.table(0));
    sweep(Form::next, T(), r(), forcing_.table(1));
    r_formed_ = true;
    if (first) take_first_change(forcing);
    last_.assign(forcing.begin(), forcing.end());
    phase_ = Phase::stepped;
    in_T_ = Holds::nothing;
  }

  void damp() override {}
  double damped_energy() override { return 0; }
  void set_damped_energy(double) override {}

  StateView& view() override { return answers_; }
  void wait() override { backend_.synchronize(); }
  void settle_exchanges() override {
    exchange_->finish(backend_);
    exchange_->settle(1);
  }
  void repeat_exchange() override {  // the ghosts get what they have
    exchange_->finish(backend_);
    exchange_->run(backend_, T(), nullptr);
  }

 private:
  enum class Phase {
    initial,   // water at rest: p lies where T is
    restored,  // likewise at any time, and psi and P are the change besides
    stepped    // psi and P are the change
  };
  enum class Holds { nothing, watched, all };  // of the completed pressure, in memory of T

  Array<real> zeros(std::int64_t n) {
    Array<real> a(Backend::space, static_cast<std::size_t>(n));
    backend_.for_each(n, SetReal<real>{a.data()});  // on a CPU first touched by the threads that will work on them
    return a;
  }
  real* r() { return sums_.data(); }
  real* T() { return sums_.data() + places_.sums_stride(); }
  void forget() {
    exchange_->finish(backend_);
    backend_.synchronize();
  }
  void begin_with(Phase phase) {
    phase_ = phase;
    in_T_ = Holds::all;
    r_formed_ = false;
  }
  void form_r() {
    if (r_formed_) return;
    sweep(Form::mixture, nullptr, r(), nullptr, 1, 0);
    r_formed_ = true;
  }

  void make_tables(const StepperSetup& setup) {
    std::vector<real> inverse_wz;
    for (const double w : assembled_weights(setup.mesh.sigma, setup.mesh.part.first[2], setup.mesh.part.count[2]))
      inverse_wz.push_back(static_cast<real>(1 / w));
    inverse_wz_ = Array<real>(Backend::space, inverse_wz);
    for (int n = 0; n < (view_.surface > 0 ? 2 : 1); ++n) {
      inverse_[n] = zeros(places_.table_size());
      backend_.for_each(level_, FillTables<Patches>{of_tables(view_, n == 1), places_, n == 1, 0, inverse_[n].data(), nullptr});
      if (!absorbs() || view_.excess) continue;
      damped_inverse_[n] = zeros(places_.table_size());
      keep_[n] = zeros(places_.table_size());
    }
  }
  bool watches(Question question) const { return question == Question::samples || (question == Question::powers ? asked_.powers : asked_.surface); }
  bool absorbs() const { return view_.west || view_.east || view_.south || view_.north; }
  void set_step(double dt) {
    if (dt == dt_) return;
    if (phase_ == Phase::stepped) throw std::logic_error("what is carried is the change over a step, whose length cannot be another's");
    dt_ = dt;
    medium_.set_step(dt, true);
    for (int n = 0; n < 2; ++n)
      if (!keep_[n].empty()) {
        backend_.for_each(level_, FillTables<Patches>{view_, places_, n == 1, dt, inverse_[n].data(), nullptr});
        backend_.for_each(level_, FillTables<Patches>{view_, places_, n == 1, dt, damped_inverse_[n].data(), keep_[n].data()});
      }
  }
  NodeTablesOf<real> tables(Form form, int n) const {  // of the levels below the surface, of the surface
    if (form == Form::next && !keep_[n].empty()) return {damped_inverse_[n].data(), keep_[n].data()};
    return {inverse_[n].empty() ? nullptr : inverse_[n].data(), nullptr};
  }
  ChangeNode<Patches> node() const { return {view_, places_, dt_, psi_.data(), P_.data(), {}}; }

  void begin(std::span<const ForcingSample> forcing) {
    backend_.for_each(places_.state_size(), SetReal<real>{psi_.data()});
    backend_.for_each(view_.size(), Spread<Patches>{view_, {T(), places_}, P_.data()});
    sweep(Form::mixture, nullptr, r(), nullptr, 0, 1);
    exchange_->finish(backend_);
    backend_.for_each(view_.size(), FirstState<Patches>{moving(forcing), {T(), places_}, r(), psi_.data(), P_.data()});
  }
  BeginChanges<Patches> moving(std::span<const ForcingSample> forcing) {
    const RateChange begun{mean_load_before};
    forcing_.form_bodies(forcing, begun, begun);
    return {view_, places_, dt_, forcing_.body(0), forcing_.floor_load(forcing, mean_load_before)};
  }
  void take_first_change(std::span<const ForcingSample> forcing) {
    exchange_->finish(backend_);
    backend_.for_each(view_.size(), FirstChange<Patches>{moving(forcing), psi_.data(), P_.data()});
    r_formed_ = false;
  }

  SweepArgs<Patches> arguments(Form form, const real* in, real* out, const real* load) {
    SweepArgs<Patches> g{};
    g.elements = spaces_.elements();
    g.nodes = view_;
    g.patches = places_;
    g.inverse_wz = inverse_wz_.data();
    g.medium = medium_.of(form);
    g.column = tables(form, 0);
    g.surface = tables(form, 1);
    g.psi = psi_.data();
    g.P = P_.data();
    g.in = in;
    g.sums = out;
    g.load = load;
    if (form != Form::mixture) g.body = forcing_.body(form == Form::q ? 0 : 1);
    g.dt = static_cast<real>(dt_);
    g.advance.rate = g.dt;
    g.factor = static_cast<real>((form == Form::q ? dt_ * dt_ / 12 : 1) / spaces_.elements().density);
    g.order = order_.empty() ? nullptr : order_.data();
    g.last = places_.items();
    return g;
  }
  void sweep(Form form, const real* in, real* out, const real* load, double of_psi = 0, double of_P = 0) {
    SweepArgs<Patches> g = arguments(form, in, out, load);
    g.of_psi = static_cast<real>(of_psi);
    g.of_P = static_cast<real>(of_P);
    if (!exchange_->needed()) return sweeps_.run(backend_, form, g, {});
    if (exchange_->under_way(out)) exchange_->finish(backend_);
    g.last = inside_;
    sweeps_.run(backend_, form, g, beside_);
    exchange_->finish(backend_);
    g.first = inside_;
    g.last = places_.items();
    exchange_->begin(backend_);
    sweeps_.run(backend_, form, g, {});
    exchange_->start(backend_, out, nullptr, false);
    if (!overlap_) exchange_->finish(backend_);
  }

  std::int64_t watched_count() const { return static_cast<std::int64_t>(watched_.size()); }
  Curve<Patches> curve(const FloorLoad& now, const FloorLoad& before) {
    Curve<Patches> at{node(), watched_.data(), r(), now, before};
    at.body = forcing_.body(0);
    return at;
  }
  void add_curvature(std::span<const ForcingSample> forcing, bool first) {  // whose loads are formed
    if (!walls_ || !absorbs()) return;
    exchange_->finish(backend_);
    const FloorLoad now = forcing_.floor_load(forcing, load), before = first ? FloorLoad{} : forcing_.floor_load_before(forcing, load);
    backend_.for_each(watched_count(), AddCurvature<Patches>{curve(now, before), curvature_.data()});
  }
  void watch() {
    form_r();
    exchange_->finish(backend_);
    const RateChange step{load_after, RateChange::Less::load_now};
    forcing_.form_bodies(last_, step, step);
    const FloorLoad after = forcing_.floor_load(last_, load_after), now = forcing_.floor_load(last_, load);
    backend_.for_each(watched_count(), WatchChange<Patches>{curve(after, now), walls_ ? curvature_.data() : nullptr, T()});
  }
  // f(n, place among the values) of the watched nodes from number `first` on.
  template <class F>
  void each_watched(std::int64_t first, std::size_t size, F&& f) const {
    const std::vector<std::int64_t> nodes = watched_.to_host();
    for (auto n = std::lower_bound(nodes.begin(), nodes.end(), first); n != nodes.end() && *n < first + static_cast<std::int64_t>(size); ++n)
      f(static_cast<std::size_t>(n - nodes.begin()), static_cast<std::size_t>(*n - first));
  }
  void get_curvature(std::int64_t first, std::span<double> values) {
    backend_.synchronize();
    const std::vector<double> all = curvature_.to_host();
    std::fill(values.begin(), values.end(), 0.0);
    each_watched(first, values.size(), [&](std::size_t n, std::size_t at) { values[at] = all[n]; });
  }
  void set_curvature(std::int64_t first, std::span<const double> values) {
    std::vector<double> all = curvature_.to_host();
    each_watched(first, values.size(), [&](std::size_t n, std::size_t at) { all[n] = values[at]; });
    curvature_.copy_from(all);
  }
  Values watched_pressure(Question question) {
    if (!watches(question)) return completed_pressure();
    if (in_T_ == Holds::nothing) {
      watch();
      in_T_ = Holds::watched;
    }
    return {T(), places_};
  }
  // The watched nodes know of forcing and walls, so they have the last word.
  Values completed_pressure() {
    if (in_T_ == Holds::all) return {T(), places_};
    if (!asked_.powers) throw std::logic_error("what all of the state is asked for needs the nodes of walls and floor, which are not watched");
    form_r();
    exchange_->finish(backend_);
    backend_.for_each(view_.size(), PressureOfChange<Patches>{node(), r(), T()});
    watch();
    in_T_ = Holds::all;
    return {T(), places_};
  }

  Asked asked_;
  Backend backend_;
  Spaces spaces_;
  Places<Patches> places_;
  NodeView view_;
  std::int64_t level_;
  FusedMedium<Backend, Patches> medium_;
  BackendView<Backend, Values> answers_;
  ChangeForcing<Backend, Patches> forcing_;
  FusedTransfer<Backend, Patches> transfer_;
  Sweeps sweeps_;
  two_sweep::Beside beside_;
  bool overlap_;                                          // work goes on while messages travel
  Array<std::int32_t> order_;                             // of the work, empty without neighbours
  int inside_ = 0;                                        // how much of it is done before neighbours are waited for
  Array<real> inverse_[2], damped_inverse_[2], keep_[2];  // NodeTables of the levels below the surface, of the surface
  Array<real> inverse_wz_, psi_, P_, sums_;
  StateArrays arrays_ = change_arrays;
  Array<std::int64_t> watched_;      // ascending
  bool walls_ = false;               // some absorb, here or on other ranks
  Array<double> curvature_;          // psi_tt at the watched nodes of walls, in the middle of the last step
  std::vector<ForcingSample> last_;  // of the last step
  double dt_ = 0;
  Phase phase_ = Phase::initial;
  Holds in_T_ = Holds::all;
  bool r_formed_ = false;
  std::unique_ptr<Perimeters> exchange_;
};

// Memory per rank [bytes], uplift terms and sampled points not counted.
template <class Backend, class Sweeps>
double fused_changes_bytes(const Mesh& mesh) {
  using Patches = typename Sweeps::Patches;
  using real = typename Patches::real;
  using Perimeters = two_sweep::PerimeterExchange<Backend, Patches, 1>;
  const Places<Patches> places(mesh);
  const double level = static_cast<double>(mesh.NX()) * mesh.NY(), watched = 2 * level + 2.0 * (mesh.NX() + mesh.NY()) * mesh.NZ();
  const double values = 2.0 * static_cast<double>(places.state_size()) + static_cast<double>(Perimeters::room(places, mesh.part, 2)) +
                        8.0 * static_cast<double>(places.table_size()) + mesh.NZ();
  const double order = mesh.part.grid == std::array<int, 3>{1, 1, 1} ? 0 : 4.0 * static_cast<double>(places.items());
  return sizeof(real) * values + 8 * (2 * level + 2 * watched) + order + static_cast<double>(Spaces::bytes(mesh, 4)) + Sweeps::bytes(places) +
         Perimeters::bytes(places, mesh.part);
}

// What a variant in double precision becomes in single, but for what its device adds.
inline Variant of_changes(Variant v) {
  v.single = true;
  v.recalls_forcing = true;
  v.knows_potential = false;
  v.arrays = change_arrays;
  v.takes_sponges = v.takes_matched = v.takes_floors = v.hears_in_levels = false;
  v.ranks_with_levels = 0;
  v.level_bytes = {};
  v.accuracy = 1e-4;
  return v;
}

}  // namespace agwave::leapfrog4
