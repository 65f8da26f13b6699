// SPDX-License-Identifier: Apache-2.0
// The sweeps of the fused leapfrog and what they work on: psi and P, and two arrays of sums, r and T (fused_layout.hpp). What these are of, the state or
// its change over a step, is for who carries them (fused.hpp, fused_changes.hpp). Columns take the same step, or step in levels (fused_levels.hpp).
// Several ranks: what neighbours need comes last in a sweep, and is exchanged beside the inside of the next one.
#pragma once
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <vector>

#include "device/backend.hpp"
#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_level_hearing.hpp"
#include "timestep/leapfrog4/fused_level_steps.hpp"
#include "timestep/leapfrog4/fused_levels.hpp"
#include "timestep/leapfrog4/fused_medium.hpp"
#include "timestep/leapfrog4/fused_pointwise.hpp"
#include "timestep/leapfrog4/fused_transfer.hpp"
#include "timestep/stepper.hpp"
#include "timestep/two_sweep/exchange.hpp"

namespace agwave::leapfrog4 {

// What is asked of a device: the sweep over items [args.first, args.last); count_anew() before and after sweeps that are recorded to be repeated; what a sweep
// does at borrowed columns, in the same bits; whether so many items fill the device, so that they may be a sweep of their own; how many it passes at once where
// it leaves so many multiprocessors to others, or 0 where none stands idle; a sweep whose blocks do an item and go, so that those of others come between. Where
// steps of several halvings end, the sweep moves them by what came before, or, if they end apart (LevelSweep::from, to, base), end_steps() does, at any time
// since they have begun.
template <class S, class Backend>
concept SweepsOn = requires(S sweeps, Backend& backend, const Spaces& spaces, const typename S::Patches& patches,
                            const SweepArgs<typename S::Patches>& args, const two_sweep::Beside& beside, const BorrowedColumns& columns, Form form,
                            int n) {
  S(backend, spaces, patches);
  { S::bytes(patches) } -> std::same_as<double>;
  { S::item(patches, n) } -> std::same_as<two_sweep::Item>;
  sweeps.run(backend, form, args, beside);
  sweeps.count_anew(backend);
  sweeps.end(backend, form, args, columns);
  { sweeps.ends_apart(n, n, n) } -> std::same_as<bool>;
  sweeps.end_steps(backend, args);
  { sweeps.fills(n) } -> std::same_as<bool>;
  { S::at_once(n) } -> std::same_as<int>;
  sweeps.run_aside(backend, form, args);
  { S::waits_inside } -> std::convertible_to<bool>;
};

template <class Backend, SweepsOn<Backend> Sweeps>
class FusedSweeps {
 public:
  using Patches = typename Sweeps::Patches;
  using real = typename Patches::real;
  using Perimeters = two_sweep::PerimeterExchange<Backend, Patches, 1>;
  using Levels = FusedLevels<Backend, Patches>;
  using LevelSweep = local_steps::LevelSweep;
  struct Forces {  // of a sweep: on the floor (SweepArgs::load), in the water
    FloorLoadOf<real> load{};
    BodyLoadOf<real> body{};
  };

  // `spaces` and `backend` stay longer than this. Collective.
  FusedSweeps(const StepperSetup& setup, const Spaces& spaces, Backend& backend)
      : spaces_(spaces),
        backend_(backend),
        places_(setup.mesh),
        view_(spaces.nodes()),
        level_(static_cast<std::int64_t>(view_.NX) * view_.NY),
        levels_(setup.levels && setup.levels->local()
                    ? std::make_unique<Levels>(*setup.levels, setup.mesh, view_, places_, at_once(setup), setup.comm, backend)
                    : nullptr),
        medium_(view_, places_, state_size(), levels_ ? levels_->all_borrowed() : BorrowedColumns{}, backend),
        transfer_(backend, view_, places_),
        sweeps_(backend, spaces, places_),
        overlap_(setup.transport.overlap) {
    const two_sweep::WorkOrder work = two_sweep::order_of_work(
        static_cast<const Patches&>(places_), setup.mesh.part, [&](int n) { return Sweeps::item(places_, n); }, true);
    inside_ = places_.items() - work.boundary;
    order_ = Array<std::int32_t>(Backend::space, work.items);
    make_tables(setup.mesh);
    for (Array<real>* a : {&psi_, &P_}) *a = zeros<real>(backend_, state_size());
    sums_ = zeros<real>(backend_, Perimeters::room(places_, setup.mesh.part, 2));
    setup.comm.agree([] {});  // meets what another rank has failed at, which lets nobody wait for it
    exchange_ = std::make_unique<Perimeters>(places_, setup.mesh.part, sums_.data(), 2, setup.comm, setup.transport);
    setup.comm.agree([] {});
    if (levels_) level_steps_ = std::make_unique<LevelSteps<Backend, Sweeps>>(setup, places_, *levels_, sweeps_, *exchange_, sums_.data(), backend);
    beside_ = {setup.transport.multiprocessors, true, [this] { exchange_->progress(); }, {}};
    setup.comm.agree([] {});
  }
  // As of TwoSweep: neighbours wait for what is under way.
  ~FusedSweeps() {
    if (std::uncaught_exceptions() == 0)
      exchange_->finish(backend_);
    else if (exchange_->under_way())
      static_cast<void>(exchange_.release());
  }
  FusedSweeps(const FusedSweeps&) = delete;
  FusedSweeps& operator=(const FusedSweeps&) = delete;

  const Places<Patches>& places() const { return places_; }
  FusedTransfer<Backend, Patches>& transfer() { return transfer_; }
  Perimeters& exchange() { return *exchange_; }
  const Levels* levels() const { return levels_.get(); }  // or null where all take the same step
  std::int64_t state_size() const { return levels_ ? levels_->state_size() : places_.state_size(); }
  double dt() const { return dt_; }
  real* psi() { return psi_.data(); }
  real* P() { return P_.data(); }
  const real* psi() const { return psi_.data(); }
  const real* P() const { return P_.data(); }
  real* r() { return sums_.data(); }
  real* T() { return sums_.data() + places_.sums_stride(); }

  void set_step(double dt) {
    if (dt == dt_) return;
    set_step(dt, true);
    recordings_ = {};
    for (int n = 0; n < 2; ++n)
      if (!keep_[n].empty()) {
        backend_.for_each(level_, FillTables<Patches>{view_, places_, n == 1, dt, inverse_[n].data(), nullptr});
        backend_.for_each(level_, FillTables<Patches>{view_, places_, n == 1, dt, damped_inverse_[n].data(), keep_[n].data()});
      }
  }

  void finish_exchange() { exchange_->finish(backend_); }
  void settle_exchanges() {
    exchange_->finish(backend_);
    const int at_once = std::max(1, Sweeps::at_once(0));
    exchange_->settle(at_once);
    if (level_steps_) level_steps_->settle(at_once);
  }
  void repeat_exchange() {  // the ghosts get what they have
    exchange_->finish(backend_);
    exchange_->run(backend_, T(), nullptr);
  }

  // K of of_psi psi + of_P P, to an array of sums.
  void mix(real* to, double of_psi, double of_P) {
    SweepArgs<Patches> g = arguments(Form::mixture, nullptr, to, {});
    g.of_psi = static_cast<real>(of_psi);
    g.of_P = static_cast<real>(of_P);
    sweep(Form::mixture, g, [](bool) {});
  }
  // Both sweeps of a step. before(n, shared): what has to be done before sweep n passes what is inside, and what neighbours share, unless that is nothing.
  template <class F>
  void step(const Forces& of_q, const Forces& of_next, bool nothing, F&& before) {
    if constexpr (requires(const SweepArgs<Patches>& args) { sweeps_.run_both(backend_, args, args); })  // as one, where a device can
      if (nothing && !exchange_->needed())
        return sweeps_.run_both(backend_, arguments(Form::q, r(), T(), of_q), arguments(Form::next, T(), r(), of_next));
    sweep(Form::q, arguments(Form::q, r(), T(), of_q), [&](bool shared) { before(0, shared); });
    sweep(Form::next, arguments(Form::next, T(), r(), of_next), [&](bool shared) { before(1, shared); });
  }
  // Where columns step in levels (LevelSteps::Step). Sweeps alone are recorded, as number `which` of those that differ in more than values: an exchange may need
  // the host.
  template <class F, class G>
  void step_in_levels(std::size_t which, F&& forces, G&& beginning) {
    if (exchange_->needed()) return advance_in_levels(forces, beginning);
    sweeps_.count_anew(backend_);
    backend_.repeat(recordings_[which], [&] { advance_in_levels(forces, beginning); });
    sweeps_.count_anew(backend_);
  }

  // Of p at rest, which lies where T is, for a beginning: by how much its mean over a step about it differs from it, to where psi is. P is lost.
  // In levels: as psi, at rest, p moves in half a step by three times that.
  void mean_of_beginning() {
    const Spread<Patches> p{view_, {T(), places_}, levels_ ? psi() : P()};
    backend_.for_each(state_size(), SetZero{levels_ ? P() : psi()});
    backend_.for_each(view_.size(), p);
    if (!levels_) {
      mix(r(), 0, 1);
      exchange_->finish(backend_);
      return backend_.for_each(view_.size(), MeanOfBeginning<Patches>{view_, places_, dt_, r(), psi()});
    }
    const double dt = dt_;
    set_step(0.5 * dt, false);
    transfer_.aside(T(), [&] {
      mix(r(), 1, 0);
      advance_in_levels([](Backend&, int, double) { return Forces{}; }, [](const LevelSweep&, const SweepArgs<Patches>&) {});
    });
    backend_.for_each(view_.size(), ThirdOfIncrement<Patches>{view_, places_, dt_, P(), psi()});
    set_step(dt, true);
  }
  // A step from rest in levels, added to the state, which waits meanwhile.
  template <class F>
  void add_step_from_rest(F&& forces) {
    const std::int64_t size = state_size();
    std::array<Array<real>, 2> kept{copy(psi()), copy(P())};
    for (real* state : {psi(), P()}) backend_.for_each(size, SetZero{state});
    exchange_->finish(backend_);
    backend_.for_each(places_.sums_size(), SetZero{r()});
    advance_in_levels(forces, [](const LevelSweep&, const SweepArgs<Patches>&) {});
    exchange_->finish(backend_);
    backend_.for_each(size, Add{kept[0].data(), psi()});
    backend_.for_each(size, Add{kept[1].data(), P()});
    backend_.synchronize();  // before what is kept goes
  }
  // At rest: to the state a step after a reading of these nodes has pushed the water (fused_level_hearing.hpp). r is lost.
  void push_off(const state::ForcedNodes& nodes) {
    exchange_->finish(backend_);
    backend_.for_each(nodes.count, PutQuotient<Patches>{view_, places_, nodes, psi()});
    mix(r(), 1, 0);
    exchange_->finish(backend_);
    backend_.for_each(view_.size(), PushOff<Patches>{view_, places_, dt_, r(), psi(), P()});
  }
  Array<real> copy(const real* state) {
    Array<real> kept(Backend::space, static_cast<std::size_t>(state_size()));
    backend_.for_each(state_size(), Put{state, kept.data()});
    return kept;
  }

  // Of two copies of the state.
  static double aside_bytes(const Mesh& mesh) { return 2.0 * sizeof(real) * static_cast<double>(Places<Patches>(mesh).state_size()); }

  // Memory per rank [bytes] with two tables of forcing, all columns taking the same step.
  static double bytes(const Mesh& mesh) {
    const Places<Patches> places(mesh);
    const double values = 2.0 * static_cast<double>(places.state_size()) + static_cast<double>(Perimeters::room(places, mesh.part, 2)) +
                          8.0 * static_cast<double>(places.table_size()) + mesh.NZ();
    const double order = mesh.part.grid == std::array<int, 3>{1, 1, 1} ? 0 : 4.0 * static_cast<double>(places.items());
    return sizeof(real) * values + order + static_cast<double>(Spaces::bytes(mesh, 4)) + Sweeps::bytes(places) + Perimeters::bytes(places, mesh.part);
  }

 private:
  static int at_once(const StepperSetup& setup) {
    const bool alone = setup.mesh.part.grid == std::array<int, 3>{1, 1, 1};
    return Sweeps::at_once(alone ? 0 : setup.transport.multiprocessors);
  }

  void make_tables(const Mesh& mesh) {
    std::vector<real> inverse_wz;
    for (const double w : assembled_weights(mesh.sigma, mesh.part.first[2], mesh.part.count[2])) inverse_wz.push_back(static_cast<real>(1 / w));
    inverse_wz_ = Array<real>(Backend::space, inverse_wz);
    const bool walls = view_.west || view_.east || view_.south || view_.north;
    for (int n = 0; n < (view_.surface > 0 ? 2 : 1); ++n) {
      inverse_[n] = zeros<real>(backend_, places_.table_size());
      backend_.for_each(level_, FillTables<Patches>{of_tables(view_, n == 1), places_, n == 1, 0, inverse_[n].data(), nullptr});
      if (!walls || view_.excess) continue;
      damped_inverse_[n] = zeros<real>(backend_, places_.table_size());
      keep_[n] = zeros<real>(backend_, places_.table_size());
    }
  }
  NodeTablesOf<real> tables(Form form, int n) const {  // of the levels below the surface, of the surface
    if (form == Form::next && !keep_[n].empty()) return {damped_inverse_[n].data(), keep_[n].data()};
    return {inverse_[n].empty() ? nullptr : inverse_[n].data(), nullptr};
  }
  void set_step(double dt, bool walls) {
    dt_ = dt;
    medium_.set_step(dt, walls);
    if (levels_) levels_->set_step(dt, walls);
  }

  SweepArgs<Patches> arguments(Form form, const real* in, real* out, const Forces& forces) {
    SweepArgs<Patches> g{};
    g.elements = spaces_.elements();
    g.nodes = view_;
    g.patches = places_;
    g.inverse_wz = inverse_wz_.data();
    g.medium = medium_.of(form);
    g.column = tables(form, 0);
    g.surface = tables(form, 1);
    g.psi = psi();
    g.P = P();
    g.in = in;
    g.sums = out;
    g.load = forces.load;
    g.body = forces.body;
    g.dt = static_cast<real>(dt_);
    g.advance.rate = g.dt;
    g.factor = static_cast<real>((form == Form::q ? dt_ * dt_ / 12 : 1) / spaces_.elements().density);
    g.order = order_.empty() ? nullptr : order_.data();
    g.last = places_.items();
    return g;
  }
  template <class F>
  void sweep(Form form, SweepArgs<Patches> g, F&& before) {
    before(false);
    if (!exchange_->needed()) return sweeps_.run(backend_, form, g, {});
    if (exchange_->under_way(g.sums)) exchange_->finish(backend_);
    g.last = inside_;
    sweeps_.run(backend_, form, g, beside_);
    exchange_->finish(backend_);
    before(true);
    g.first = inside_;
    g.last = places_.items();
    exchange_->begin(backend_);
    sweeps_.run(backend_, form, g, {});
    exchange_->start(backend_, g.sums, nullptr, false);
    if (!overlap_) exchange_->finish(backend_);
  }

  template <class F, class G>
  void advance_in_levels(F&& forces, G&& beginning) {
    const auto args = [this](Form form, const real* in, real* out, const Forces& of) { return arguments(form, in, out, of); };
    level_steps_->advance(
        typename LevelSteps<Backend, Sweeps>::template Step<decltype(args), F, G, Forces>{psi(), P(), r(), T(), dt_, args, forces, beginning});
  }

  const Spaces& spaces_;
  Backend& backend_;
  Places<Patches> places_;
  NodeView view_;
  std::int64_t level_;
  std::unique_ptr<Levels> levels_;  // lends places_ what they know of them
  FusedMedium<Backend, Patches> medium_;
  FusedTransfer<Backend, Patches> transfer_;
  Sweeps sweeps_;
  two_sweep::Beside beside_;
  bool overlap_;                                          // work goes on while messages travel
  Array<std::int32_t> order_;                             // of the work, empty without neighbours
  int inside_ = 0;                                        // how much of it is done before neighbours are waited for
  Array<real> inverse_[2], damped_inverse_[2], keep_[2];  // NodeTablesOf of the levels below the surface, of the surface
  Array<real> inverse_wz_, psi_, P_, sums_;
  double dt_ = 0;
  std::array<typename Backend::Recording, 16> recordings_{};  // of steps in levels, by step_in_levels' `which`
  std::unique_ptr<Perimeters> exchange_;
  std::unique_ptr<LevelSteps<Backend, Sweeps>> level_steps_;  // or null
};

}  // namespace agwave::leapfrog4
