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
#include <array>
#include <exception>
#include <memory>
#include <stdexcept>

#include "device/backend.hpp"
#include "device/set_zero.hpp"
#include "device/trace.hpp"
#include "error/error.hpp"
#include "timestep/leapfrog4/fused_floor.hpp"
#include "timestep/leapfrog4/fused_forcing.hpp"
#include "timestep/leapfrog4/fused_level_exchange.hpp"
#include "timestep/leapfrog4/fused_level_hearing.hpp"
#include "timestep/leapfrog4/fused_levels.hpp"
#include "timestep/leapfrog4/fused_medium.hpp"
#include "timestep/leapfrog4/fused_pointwise.hpp"
#include "timestep/leapfrog4/fused_transfer.hpp"
#include "timestep/leapfrog4/velocity.hpp"
#include "timestep/leapfrog4/watched_nodes.hpp"
#include "timestep/stepper.hpp"
#include "timestep/two_sweep/exchange.hpp"

namespace agwave::leapfrog4 {

// What is asked of a device: the sweep over items [args.first, args.last); count_anew() before and after sweeps that are recorded to be repeated; what a sweep
// does at borrowed columns, in the same bits; whether so many items fill the device, so that they may be a sweep of their own.
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
  { sweeps.fills(n) } -> std::same_as<bool>;
};

template <class Backend, SweepsOn<Backend> Sweeps>
class Fused final : public Stepper, private LevelTranspose {
  using Patches = typename Sweeps::Patches;
  using Perimeters = two_sweep::PerimeterExchange<Backend, Patches, 1>;
  using Levels = FusedLevels<Backend, Patches>;
  using LevelSweep = local_steps::LevelSweep;
  using Share = Levels::Share;
  using Values = InSums<Patches>;
  using Question = typename BackendView<Backend, Values>::Question;

 public:
  explicit Fused(const StepperSetup& setup)
      : asked_(setup.asked),
        velocity_(setup),
        spaces_(setup, Backend::space),
        places_(setup.mesh),
        view_(spaces_.nodes()),
        level_(static_cast<std::int64_t>(view_.NX) * view_.NY),
        levels_(setup.levels && setup.levels->local() ? std::make_unique<Levels>(*setup.levels, setup.mesh, view_, places_, backend_) : nullptr),
        medium_(view_, places_, levels_ ? levels_->state_size() : places_.state_size(), levels_ ? levels_->all_borrowed() : BorrowedColumns{},
                backend_),
        answers_(
            setup, view_, backend_, {nullptr, places_}, [this] { return completed_pressure(); }, [this] { return kinetic_energy(); },
            [this](Question question) { return watched_pressure(question); },
            [this](double of_rate, double of_force, double* sums) { hear(of_rate, of_force, sums); }),
        fading_(setup, spaces_, backend_),
        floor_(setup),
        sides_(setup.mesh.part),
        arrays_(fading_.with_rest(state_arrays)),
        forcing_(setup, view_, places_, levels_ != nullptr, answers_, fading_, backend_),
        transfer_(backend_, view_, places_),
        sweeps_(backend_, spaces_, places_),
        overlap_(setup.transport.overlap) {
    const two_sweep::WorkOrder work = two_sweep::order_of_work(
        static_cast<const Patches&>(places_), setup.mesh.part, [&](int n) { return Sweeps::item(places_, n); }, true);
    inside_ = places_.items() - work.boundary;
    order_ = Array<std::int32_t>(Backend::space, work.items);
    make_tables(setup);
    if (floor_.gives_way()) arrays_.push_back(floor_array);
    answers_.stand_on(floor_.view(), floor_.nodes());
    if (fading_.any()) beside_faded_ = zeros(floor_.nodes());
    for (Array<double>* a : {&psi_, &P_}) *a = zeros(levels_ ? levels_->state_size() : places_.state_size());
    sums_ = zeros(Perimeters::room(places_, setup.mesh.part, 2));
    setup.comm.agree([] {});  // meets what another rank has failed at, which lets nobody wait for it
    watch(setup);
    setup.comm.agree([] {});
    exchange_ = std::make_unique<Perimeters>(places_, setup.mesh.part, sums_.data(), 2, setup.comm, setup.transport);
    if (levels_)
      level_exchanges_ = std::make_unique<LevelExchanges<Backend, Patches>>(levels_->on_host(places_), setup.mesh.part, levels_->there(),
                                                                            sums_.data(), setup.comm, setup.transport, *exchange_);
    beside_ = {setup.transport.multiprocessors, true, [this] { exchange_->progress(); }, {}};
    setup.comm.agree([] {});
  }
  // As of TwoSweep: neighbours wait for what is under way.
  ~Fused() override {
    if (std::uncaught_exceptions() == 0)
      exchange_->finish(backend_);
    else if (exchange_->under_way())
      static_cast<void>(exchange_.release());
    if (std::uncaught_exceptions() > 0) static_cast<void>(level_exchanges_.release());
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    require_rest(u);
    forget();
    for (Array<double>* a : {&psi_, &P_}) a->zero();
    backend_.for_each(view_.size(), Rest<Patches>{view_, places_, r()});
    forcing_.rest();
    fading_.rest();
    floor_.rest();
    transfer_.to_sums(T(), 0, p);
    begin_with(Phase::initial);
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    p.resize(static_cast<std::size_t>(view_.size()));
    std::vector<double> psi(p.size());
    transfer_.fetch(completed_pressure(), 0, p);
    transfer_.fetch(completed_potential(), 0, psi);
    u = velocity_.of(psi);
    fading_.add_to(u);
  }

  const StateArrays& arrays() const override { return arrays_; }
  void get(const StateArray& array, std::int64_t first, std::span<double> values) override {
    if (array == rest_array || array == corner_array) return fading_.get(array, first, values);
    const std::int64_t at = first * view_.NX;
    if (array == floor_array) {
      backend_.synchronize();
      copy_bytes(Space::host, values.data(), Backend::space, floor_.u() + at, values.size_bytes());
    } else if (array == pressure_array || array == potential_array)
      transfer_.fetch(array == pressure_array ? completed_pressure() : completed_potential(), at, values);
    else
      transfer_.fetch(InState<Patches>{(array == ahead_array ? psi_ : P_).data(), places_}, at, values);
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) override {
    forget();
    const std::int64_t at = first * view_.NX;
    if (array == rest_array || array == corner_array) {
      fading_.set(array, first, values);
      forcing_.strips_changed();
    } else if (array == floor_array) {
      copy_bytes(Backend::space, floor_.u() + at, Space::host, values.data(), values.size_bytes());
    } else if (array == pressure_array || array == potential_array) {
      transfer_.to_sums(array == pressure_array ? T() : r(), at, values);
    } else {
      transfer_.to_state((array == ahead_array ? psi_ : P_).data(), at, values);
      backend_.synchronize();
    }
    begin_with(Phase::restored);
  }

  void step(double dt, std::span<const ForcingSample> forcing) override {
    TraceScope scope("leapfrog step");
    set_step(dt);
    if (!forcing_.assembled()) assemble_forces();
    if (phase_ == Phase::initial) begin(forcing);
    form_r();
    const FloorLoad now = forcing_.floor_load(forcing, load), mean = forcing_.floor_load(forcing, mean_load);
    forcing_.form_body(forcing, load, mean_load);
    begin_watch(now);
    const bool loaded = forcing_.form_tables(now, mean);
    if (levels_) {
      step_in_levels(dt, loaded);
    } else {
      sweep(Form::q, r(), T(), forcing_.table(loaded, 0));
      sweep(Form::next, T(), r(), forcing_.table(loaded, 1));
    }
    after_load_ = forcing_.floor_load(forcing, load_after);
    if (forcing_.in_water()) after_forcing_.assign(forcing.begin(), forcing.end());
    phase_ = Phase::stepped;
    in_T_ = Holds::nothing;
    r_formed_ = true;
    faded_ = false;
  }

  void damp() override {
    if (!fading_.any()) return;
    if (fading_.matched()) return stretch();
    watch_pressure();
    exchange_->finish(backend_);
    fading_.fade(node());
    const sponge_detail::Columns fades = fading_.nodes();
    backend_.for_each(fades.count * view_.NZ, FadeState<Patches>{{view_, places_, fades.list, fades.count}, fades, psi_.data(), P_.data()});
    backend_.for_each(watched_count(), FadeWatched<Patches>{view_, watched_.data(), fades.x, fades.y, before_.data(), after_.data(), places_, T()});
    if (!faded_) backend_.for_each(floor_.nodes(), Put{floor_.u(), beside_faded_.data()});
    if (floor_.nodes() > 0) backend_.for_each(fades.count, FadeBeside{fades, view_.NX, beside_faded_.data()});
    forcing_.strips_changed();
    assemble_forces();
    form_r();
    phase_ = Phase::watched;
    in_T_ = Holds::watched_pressure;
    faded_ = true;
  }
  double damped_energy() override { return fading_.taken(); }
  void set_damped_energy(double taken) override { fading_.set_taken(taken); }

  StateView& view() override { return answers_; }
  LevelTranspose* level_transpose() override { return levels_ ? this : nullptr; }
  void wait() override { backend_.synchronize(); }
  void settle_exchanges() override {
    exchange_->finish(backend_);
    exchange_->settle(1);
    if (level_exchanges_) level_exchanges_->each([](Perimeters& exchange) { exchange.settle(1); });
  }
  void repeat_exchange() override {  // the ghosts get what they have
    exchange_->finish(backend_);
    exchange_->run(backend_, T(), nullptr);
  }

 private:
  enum class Phase {
    initial,   // water at rest: p lies where T is, the potential, which is zero, where r is
    restored,  // likewise at any time, and psi and P are the state besides
    stepped,   // psi and P are the state
    watched    // likewise, and psi_tt before and after is known at the watched nodes
  };
  enum class Holds { nothing, watched_pressure, pressure, potential };  // of the completed state, in memory of T

  Array<double> zeros(std::int64_t n) {  // on a CPU first touched by the threads that will work on them
    Array<double> a(Backend::space, static_cast<std::size_t>(n));
    backend_.for_each(n, SetZero{a.data()});
    return a;
  }
  double* r() { return sums_.data(); }
  double* T() { return sums_.data() + places_.sums_stride(); }
  void forget() {
    exchange_->finish(backend_);
    backend_.synchronize();
  }
  void begin_with(Phase phase) {
    phase_ = phase;
    in_T_ = Holds::pressure;
    r_formed_ = false;
    faded_ = false;
  }
  void form_r() {
    if (r_formed_) return;
    sweep(Form::mixture, nullptr, r(), nullptr, 1, 0);
    r_formed_ = true;
  }

  void make_tables(const StepperSetup& setup) {
    std::vector<double> inverse_wz = assembled_weights(setup.mesh.sigma, setup.mesh.part.first[2], setup.mesh.part.count[2]);
    for (double& w : inverse_wz) w = 1 / w;
    inverse_wz_ = Array<double>(Backend::space, inverse_wz);
    const int levels = view_.surface > 0 ? 2 : 1;
    for (int n = 0; n < levels; ++n) {
      inverse_[n] = zeros(places_.table_size());
      backend_.for_each(level_, FillTables<Patches>{of_tables(view_, n == 1), places_, n == 1, 0, inverse_[n].data(), nullptr});
      if (!absorbs() || view_.excess) continue;
      damped_inverse_[n] = zeros(places_.table_size());
      keep_[n] = zeros(places_.table_size());
    }
  }

  void watch(const StepperSetup& setup) {
    const std::vector<std::int64_t> nodes = watched_nodes(setup, view_);
    watched_floor_ = std::lower_bound(nodes.begin(), nodes.end(), level_) - nodes.begin();
    watched_ = Array<std::int64_t>(Backend::space, nodes);
    before_ = zeros(watched_count());
    after_ = zeros(watched_count());
  }

  bool watches(Question question) const { return question == Question::samples || (question == Question::powers ? asked_.powers : asked_.surface); }
  bool absorbs() const { return view_.west || view_.east || view_.south || view_.north; }
  void set_step(double dt) {
    if (dt == dt_) return;
    dt_ = dt;
    medium_.set_step(dt, true);
    if (levels_) {
      levels_->set_step(dt, true);
      recordings_ = {};
    }
    for (int n = 0; n < 2; ++n)
      if (!keep_[n].empty()) {
        backend_.for_each(level_, FillTables<Patches>{view_, places_, n == 1, dt, inverse_[n].data(), nullptr});
        backend_.for_each(level_, FillTables<Patches>{view_, places_, n == 1, dt, damped_inverse_[n].data(), keep_[n].data()});
      }
  }
  NodeTables tables(Form form, int n) const {  // of the levels below the surface, of the surface
    if (form == Form::next && !keep_[n].empty()) return {damped_inverse_[n].data(), keep_[n].data()};
    return {inverse_[n].empty() ? nullptr : inverse_[n].data(), nullptr};
  }

  void assemble_forces() {  // where r is
    r_formed_ = false;
    form_forces(r());
  }
  void form_forces(double* sums) {
    fading_.form_forces(node());
    forcing_.assemble(sums, *exchange_, [this](std::int64_t n, const SpreadForces<Patches>& spread) { backend_.for_each(n, spread); });
  }
  // A matched strip leaves psi as it is, so r stays. What is watched is answered anew, by the rates as they are now.
  void stretch() {
    watch_state();
    exchange_->finish(backend_);
    const StripPlaces<Patches> strips = forcing_.strip_places();
    const StretchRate stretched = fading_.stretched();
    FusedNode<Patches> ahead = node();
    ahead.dt = 0;  // no time back from where psi stands
    backend_.for_each(strips.size(), StretchState<Patches>{strips, stretched, psi_.data(), P_.data()});
    fading_.stretch(ahead);
    forcing_.assemble(T(), *exchange_, [&](std::int64_t n, const SpreadForces<Patches>& spread) {
      fading_.take(n, SpreadStretched<Patches>{spread, stretched, psi_.data(), P_.data(), r()});
    });
    watch_again(false);
    in_T_ = Holds::watched_pressure;
    faded_ = true;
  }

  // What psi_tt was after the last step it is before this one. Only the load, of the floor, is asked for anew: at the same time, but a restart has no
  // other, and is to get the same bits.
  void begin_watch(const FloorLoad& now) {
    const bool known = !faded_ && phase_ == Phase::watched;
    if (known) std::swap(before_, after_);
    const std::int64_t count = !known || forcing_.in_water() ? watched_count() : now.terms + after_load_.terms > 0 ? watched_floor_ : 0;
    if (count == 0) return;
    exchange_->finish(backend_);
    with_nodes(forcing_.body(0), floor_.u(), [&]<class At>(const At& at) {
      backend_.for_each(count, WatchBefore<At>{watch(at, now), before_.data()});
    });
  }
  FusedNode<Patches> node() const { return {view_, places_, dt_, psi_.data(), P_.data(), forcing_.of_strips()}; }
  FusedFloorNode<Patches> node_of_floor(const BodyLoad& body, double* u) const {
    FusedFloorNode<Patches> at{node(), floor_.view()};
    at.body = body;
    at.floor.u = u;
    return at;
  }
  template <class F>  // f(FusedNode or FusedFloorNode)
  void with_nodes(const BodyLoad& body, double* u, F&& f) {
    const FusedFloorNode<Patches> at = node_of_floor(body, u);
    if (floor_.nodes() > 0)
      f(at);
    else
      f(static_cast<const FusedNode<Patches>&>(at));
  }
  template <class At>
  Watch<At> watch(const At& at, const FloorLoad& load) {
    return {at, watched_.data(), r(), load};
  }
  std::int64_t watched_count() const { return static_cast<std::int64_t>(watched_.size()); }

  // psi = 0 and P = p meanwhile, to take K of p.
  void begin(std::span<const ForcingSample> forcing) {
    if (levels_) return begin_in_levels(forcing);
    spread_pressure(P_);
    sweep(Form::mixture, nullptr, r(), nullptr, 0, 1);
    exchange_->finish(backend_);
    backend_.for_each(view_.size(), MeanOfBeginning<Patches>{view_, places_, dt_, r(), psi_.data()});
    begin_with_mean(forcing);
  }
  void spread_pressure(Array<double>& to) { backend_.for_each(view_.size(), Spread<Patches>{view_, {T(), places_}, to.data()}); }
  // psi: by how much the mean of p over a step differs from p.
  void begin_with_mean(std::span<const ForcingSample> forcing) {
    const FloorLoad moved = forcing_.floor_load(forcing, mean_load_before);
    forcing_.form_body(forcing, mean_load_before, mean_load_before);
    with_nodes(forcing_.body(0), floor_.u(), [&]<class At>(const At& at) {
      backend_.for_each(view_.size(), FusedBegin<At, Patches>{at, {T(), places_}, moved, psi_.data(), P_.data()});
    });
  }

  // Columns that step in levels. Sweeps alone are recorded: an exchange may need the host.
  void step_in_levels(double dt, bool loaded) {
    if (exchange_->needed()) return advance_in_levels(dt, loaded);
    sweeps_.count_anew(backend_);
    backend_.repeat(recordings_[loaded][forcing_.in_water_now()][hearing_.listens()], [&] { advance_in_levels(dt, loaded); });
    sweeps_.count_anew(backend_);
  }
  // Steps begin, then end, together, and are exchanged together: T of the nodes whose steps end next, r of those whose steps have ended.
  void advance_in_levels(double dt, bool loaded) {
    const std::vector<LevelSweep>& all = levels_->sweeps();
    levels_->begin(psi_.data(), P_.data());
    Perimeters* arriving = exchange_.get();
    for (auto begin = all.begin(); begin != all.end();) {
      const auto ends = begin + 1, next = std::find_if(ends, all.end(), [](const LevelSweep&s) { return s.kind == LevelSweep::Kind::begin; });
      Perimeters& exchange = level_exchanges_->from(ends->to);
      advance_together({begin, ends}, dt, loaded, *arriving, exchange);
      advance_together({ends, next}, dt, loaded, exchange, exchange);
      arriving = &exchange;
      begin = next;
    }
    levels_->end(P_.data());
  }
  // What is under way comes in beside patches that do not need it, where these are work enough; what all make goes out.
  void advance_together(std::span<const LevelSweep> sweeps, double dt, bool loaded, Perimeters& in, Perimeters& out) {
    int early = 0;
    for (const LevelSweep& s : sweeps) early += levels_->early_items(s);
    const bool apart = in.under_way() && sweeps_.fills(early);
    if (apart) {
      two_sweep::Beside beside = beside_;
      beside.progress = [&in] { in.progress(); };
      for (const LevelSweep& s : sweeps) advance(s, Share::early, dt, loaded, beside);
    }
    in.finish(backend_);
    if (out.needed()) out.begin(backend_);
    for (const LevelSweep& s : sweeps) advance(s, apart ? Share::late : Share::all, dt, loaded, {});
    if (!out.needed()) return;
    out.start(backend_, sweeps.front().kind == LevelSweep::Kind::begin ? T() : r(), nullptr, false);
    if (!overlap_) out.finish(backend_);
  }
  void advance(const LevelSweep& s, Share share, double dt, bool loaded, const two_sweep::Beside& beside) {
    const bool begins = s.kind == LevelSweep::Kind::begin;
    const Form form = begins ? Form::q : s.to > 0 ? Form::part : Form::next;
    SweepArgs<Patches> g = arguments(form, begins ? r() : T(), begins ? T() : r(), forcing_.mixed_table(loaded, s.mixed));
    g.body = forcing_.mixed_body(s.mixed);
    levels_->set(s, share, dt, g);
    levels_->before(s, share, g);
    sweeps_.run(backend_, form, g, beside);
    if (share == Share::early) return;
    if (begins && hearing_.listens() && !places_.below)
      backend_.for_each(level_,
                        ListenFloor<Patches>{
                            view_, places_, {s.at, levels_->finest()}, s.from, dt, psi_.data(), g.advance.finer, r(), g.advance.at, hearing_.ears()});
    if (!begins) sweeps_.end(backend_, form, g, levels_->borrowed(s));
    if (begins) levels_->after(s, g);
  }
  // The pressure as psi, at rest: what it moves by in half a step is three times by how much its mean over a step differs from it.
  void begin_in_levels(std::span<const ForcingSample> forcing) {
    spread_pressure(psi_);
    backend_.for_each(places_.state_size(), SetZero{P_.data()});
    const double dt = dt_;
    dt_ = 0.5 * dt;
    medium_.set_step(dt_, false);
    levels_->set_step(dt_, false);
    transfer_.aside(T(), [&] {
      sweep(Form::mixture, nullptr, r(), nullptr, 1, 0);
      advance_in_levels(dt_, false);
    });
    backend_.for_each(view_.size(), ThirdOfIncrement<Patches>{view_, places_, dt_, P_.data(), psi_.data()});
    dt_ = dt;
    medium_.set_step(dt_, true);
    levels_->set_step(dt_, true);
    begin_with_mean({});
    if (const std::vector<ForcingSample> before = step_before(forcing); !before.empty()) add_step_before(before);
  }

  // A step from rest, added to the state, which waits meanwhile.
  void add_step_before(std::span<const ForcingSample> forcing) {
    const std::int64_t size = levels_->state_size();
    std::array<Array<double>, 2> kept;
    for (const int n : {0, 1}) {
      double* const state = (n == 0 ? psi_ : P_).data();
      kept[n] = Array<double>(Backend::space, static_cast<std::size_t>(size));
      backend_.for_each(size, Put{state, kept[n].data()});
      backend_.for_each(size, SetZero{state});
    }
    exchange_->finish(backend_);
    backend_.for_each(places_.sums_size(), SetZero{r()});
    const FloorLoad mean = forcing_.floor_load(forcing, mean_load);
    forcing_.form_body(forcing, load, mean_load);
    forcing_.form_tables(forcing_.floor_load(forcing, load), mean);
    advance_in_levels(dt_, mean.terms > 0);
    exchange_->finish(backend_);
    backend_.for_each(size, Add{kept[0].data(), psi_.data()});
    backend_.for_each(size, Add{kept[1].data(), P_.data()});
    backend_.synchronize();  // before what is kept goes
  }

  SweepArgs<Patches> arguments(Form form, const double* in, double* out, const double* load) {
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
    g.dt = dt_;
    g.advance.rate = dt_;
    g.factor = (form == Form::q ? dt_ * dt_ / 12 : 1) / spaces_.elements().density;
    g.order = order_.empty() ? nullptr : order_.data();
    g.last = places_.items();
    return g;
  }
  void sweep(Form form, const double* in, double* out, const double* load, double of_psi = 0, double of_P = 0) {
    SweepArgs<Patches> g = arguments(form, in, out, load);
    g.of_psi = of_psi;
    g.of_P = of_P;
    push_from_below(form, in, false);
    if (!exchange_->needed()) return sweeps_.run(backend_, form, g, {});
    if (exchange_->under_way(out)) exchange_->finish(backend_);
    g.last = inside_;
    sweeps_.run(backend_, form, g, beside_);
    exchange_->finish(backend_);
    push_from_below(form, in, true);
    g.first = inside_;
    g.last = places_.items();
    exchange_->begin(backend_);
    sweeps_.run(backend_, form, g, {});
    exchange_->start(backend_, out, nullptr, false);
    if (!overlap_) exchange_->finish(backend_);
  }

  // Of a floor that gives way, into the load that the sweep takes of it.
  void push_from_below(Form form, const double* in, bool shared) {
    if (floor_.nodes() == 0 || form == Form::mixture) return;
    const int n = form == Form::q ? 0 : 1;
    const FusedFloorNode<Patches> at = node_of_floor(forcing_.body(n), floor_.u());
    backend_.for_each(level_, PushFromBelow<Patches>{at, in, sides_, shared, n == 0, forcing_.pushed_table(n)});
  }

  void watch_state() {
    if (phase_ != Phase::stepped) return;
    exchange_->finish(backend_);
    forcing_.form_body(after_forcing_, load_after, load_after);
    with_nodes(forcing_.body(1), floor_.u(), [&]<class At>(const At& at) {
      backend_.for_each(watched_count(), WatchPressure<At>{watch(at, after_load_), before_.data(), after_.data(), T()});
    });
    phase_ = Phase::watched;
    in_T_ = Holds::watched_pressure;
  }
  void watch_again(bool potential) {
    with_nodes(forcing_.body(1), faded_ && !fading_.matched() ? beside_faded_.data() : floor_.u(), [&]<class At>(const At& at) {
      backend_.for_each(watched_count(), WatchAgain<At>{watch(at, after_load_), before_.data(), after_.data(), potential, T()});
    });
  }
  Values watched_pressure(Question question) {
    if (!watches(question)) return completed_pressure();
    watch_pressure();
    return {T(), places_};
  }
  void watch_pressure() {
    watch_state();
    if (in_T_ != Holds::potential) return;
    watch_again(false);
    in_T_ = Holds::watched_pressure;
  }
  Values completed_pressure() {
    complete(Holds::pressure);
    return {T(), places_};
  }
  Values completed_potential() {
    if (phase_ == Phase::initial || phase_ == Phase::restored) return {r(), places_};
    complete(Holds::potential);
    return {T(), places_};
  }
  // The watched nodes know of forcing and walls, so they have the last word.
  void complete(Holds what) {
    watch_state();
    if (in_T_ == what) return;
    if (!asked_.powers) throw std::logic_error("what all of the state is asked for needs the nodes of walls and floor, which are not watched");
    const bool potential = what == Holds::potential;
    r_formed_ = false;
    sweep(Form::mixture, nullptr, r(), nullptr, potential ? 1 : 0, potential ? -0.5 * dt_ : 1);
    exchange_->finish(backend_);
    backend_.for_each(view_.size(), CompleteAll<Patches>{node(), r(), potential, T()});
    watch_again(potential);
    in_T_ = what;
  }

  // Of the completed state. At rest there is none; a restored state keeps its p on the host, which nothing else could give again.
  double kinetic_energy() {
    if (phase_ == Phase::initial) return fading_.rest_energy();
    if (phase_ != Phase::restored) {
      complete(Holds::potential);
      r_formed_ = false;
      return energy_of_motion(T(), r());
    }
    double energy = 0;
    transfer_.aside(T(), [&] { energy = energy_of_motion(r(), T()); });
    return energy;
  }
  // psi K psi / 2 and what the strips' own velocity adds, of the potential; the sweep takes its field from where psi is, so the two change places meanwhile.
  double energy_of_motion(double* potential, double* sums) {
    if (!forcing_.assembled()) form_forces(sums);
    const Swap<Patches> swap{view_, places_, potential, psi_.data()};
    backend_.for_each(view_.size(), swap);
    sweep(Form::mixture, nullptr, sums, nullptr, 1, 0);
    exchange_->finish(backend_);
    double energy = 0.5 * backend_.sum(view_.size(), StateProduct<Patches>{view_, places_, psi_.data(), sums});
    if (fading_.any()) {
      const OfColumns<Patches> columns = forcing_.touched();
      energy += fading_.rest_energy() - backend_.sum(columns.count * view_.NZ, ForceProduct<Patches>{columns, psi_.data(), forcing_.of_strips()});
    }
    backend_.for_each(view_.size(), swap);
    return energy;
  }

  void hear(double of_rate, double of_force, double* to) {
    if (phase_ == Phase::initial) return;  // nothing moves
    if (phase_ != Phase::restored) return hear_floor(of_rate, of_force, to);
    transfer_.aside(r(), [&] { hear_floor(of_rate, of_force, to); });
    r_formed_ = false;
  }
  void hear_floor(double of_rate, double of_force, double* to) {
    form_r();
    exchange_->finish(backend_);
    if (places_.below) return;
    with_nodes(forcing_.of_strips(), floor_.u(), [&]<class At>(const At& at) {
      backend_.for_each(level_, HearFloor<At>{at, r(), of_rate, of_force, to});
    });
  }

  // As the transpose of what columns in levels do (fused_level_hearing.hpp).
  void push(int term) override {
    hearing_.forget();
    const state::ForcedNodes nodes = answers_.forced(term);
    exchange_->finish(backend_);
    backend_.for_each(nodes.count, PutQuotient<Patches>{view_, places_, nodes, psi_.data()});
    sweep(Form::mixture, nullptr, r(), nullptr, 1, 0);
    exchange_->finish(backend_);
    backend_.for_each(view_.size(), PushOff<Patches>{view_, places_, dt_, r(), psi_.data(), P_.data()});
    r_formed_ = false;
  }
  void listen(const Ears& ears) override { hearing_.listen(ears); }
  void tell(int now, int before, double per_step) override {
    if (!places_.below) hearing_.tell(now, before, per_step, answers_.heard());
  }

  Asked asked_;
  Backend backend_;
  Velocity velocity_;
  Spaces spaces_;
  Places<Patches> places_;
  NodeView view_;
  std::int64_t level_;
  std::unique_ptr<Levels> levels_;  // or null where all take the same step; lends places_ what they know of them
  FusedMedium<Backend, Patches> medium_;
  BackendView<Backend, Values> answers_;
  Fading<Backend> fading_;
  FloorLayer<Backend> floor_;
  SharedSides sides_;
  StateArrays arrays_;
  FusedForcing<Backend, Patches> forcing_;
  FusedTransfer<Backend, Patches> transfer_;
  Sweeps sweeps_;
  two_sweep::Beside beside_;
  LevelHearing<Backend> hearing_{level_, backend_};
  bool overlap_;                                            // work goes on while messages travel
  Array<std::int32_t> order_;                               // of the work, empty without neighbours
  int inside_ = 0;                                          // how much of it is done before neighbours are waited for
  Array<double> inverse_[2], damped_inverse_[2], keep_[2];  // NodeTables of the levels below the surface, of the surface
  Array<double> inverse_wz_, psi_, P_, sums_;
  Array<std::int64_t> watched_;               // ascending, so those of the floor come first
  std::int64_t watched_floor_ = 0;            // how many
  Array<double> before_, after_;              // psi_tt at the watched nodes
  FloorLoad after_load_;                      // of the last step
  std::vector<ForcingSample> after_forcing_;  // likewise
  double dt_ = 0;
  Phase phase_ = Phase::initial;
  Holds in_T_ = Holds::pressure;
  bool r_formed_ = false;
  std::array<std::array<std::array<typename Backend::Recording, 2>, 2>, 2>
      recordings_{};            // of a step in levels, [forced on the floor][in the water][heard]
  Array<double> beside_faded_;  // displacement of the floor as FadeBeside has it, for questions about a state that has faded
  bool faded_ = false;          // since the last step: psi_tt is no longer what it was after it
  std::unique_ptr<Perimeters> exchange_;
  std::unique_ptr<LevelExchanges<Backend, Patches>> level_exchanges_;  // where columns step in levels
};

// Memory per rank [bytes], uplift terms and sampled points not counted.
template <class Backend, class Sweeps>
double fused_bytes(const Mesh& mesh) {
  using Patches = typename Sweeps::Patches;
  using Perimeters = two_sweep::PerimeterExchange<Backend, Patches, 1>;
  const Places<Patches> places(mesh);
  const double level = static_cast<double>(mesh.NX()) * mesh.NY(), watched = 2 * level + 2.0 * (mesh.NX() + mesh.NY()) * mesh.NZ();
  const double values = 2.0 * static_cast<double>(places.state_size()) + static_cast<double>(Perimeters::room(places, mesh.part, 2)) +
                        8.0 * static_cast<double>(places.table_size()) + mesh.NZ() + 2 * level + 3 * watched;
  const double order = mesh.part.grid == std::array<int, 3>{1, 1, 1} ? 0 : 4.0 * static_cast<double>(places.items());
  return 8 * values + order + static_cast<double>(Spaces::bytes(mesh, 4)) + Sweeps::bytes(places) + Perimeters::bytes(places, mesh.part);
}
// What columns that step in levels add, tables of forcing included.
template <class Backend, class Sweeps>
double fused_level_bytes(const LocalLevels& levels, const Mesh& mesh) {
  using Patches = typename Sweeps::Patches;
  return FusedLevels<Backend, Patches>::bytes(levels, mesh) + 8.0 * static_cast<double>(Places<Patches>(mesh).table_size());
}

}  // namespace agwave::leapfrog4
