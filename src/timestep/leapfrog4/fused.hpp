// SPDX-License-Identifier: Apache-2.0
// The leapfrog of order 4 in two sweeps per step, each one gradient and one divergence of one field while its elements are on chip:
//   sweep of q       q = A psi + f from r,                       T = r + dt^2/12 K q
//   sweep of next    P', psi' from T, psi and P, in place,       r = K psi'
// so that a step reads r, T, psi, P and writes T, r, psi, P: 8 values a node. What is asked at every step is answered from r at the nodes it concerns,
// which are watched: points, walls, the surface and the floor. What is asked of all nodes takes a sweep more, whose sums go where T was.
// Several ranks: what neighbours need comes last in a sweep, and is exchanged beside the inside of the next one.
#pragma once
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <stdexcept>

#include "comm/exchange.hpp"
#include "device/backend.hpp"
#include "device/set_zero.hpp"
#include "device/trace.hpp"
#include "error/error.hpp"
#include "timestep/leapfrog4/fused_levels.hpp"
#include "timestep/leapfrog4/fused_pointwise.hpp"
#include "timestep/leapfrog4/velocity.hpp"
#include "timestep/state_view_impl.hpp"
#include "timestep/stepper.hpp"
#include "timestep/two_sweep/exchange.hpp"

namespace agwave::leapfrog4 {

// What is asked of a device: the sweep over items [args.first, args.last); count_anew() before and after sweeps that are recorded to be repeated.
template <class S, class Backend>
concept SweepsOn = requires(S sweeps, Backend& backend, const Spaces& spaces, const typename S::Patches& patches,
                            const SweepArgs<typename S::Patches>& args, const two_sweep::Beside& beside, Form form, int n) {
  S(backend, spaces, patches);
  { S::bytes(patches) } -> std::same_as<double>;
  { S::item(patches, n) } -> std::same_as<two_sweep::Item>;
  sweeps.run(backend, form, args, beside);
  sweeps.count_anew(backend);
};

template <class Backend, SweepsOn<Backend> Sweeps>
class Fused final : public Stepper {
  using Patches = typename Sweeps::Patches;
  using Perimeters = two_sweep::PerimeterExchange<Backend, Patches, 1>;
  using Question = typename BackendView<Backend>::Question;

 public:
  explicit Fused(const StepperSetup& setup)
      : asked_(setup.asked),
        velocity_(setup),
        spaces_(setup, Backend::space),
        places_(setup.mesh),
        view_(spaces_.nodes()),
        level_(static_cast<std::int64_t>(view_.NX) * view_.NY),
        answers_(
            setup, view_, backend_, [this] { return complete_pressure(); }, [this] { return kinetic_energy(); },
            [this](Question question) { return watched_pressure(question); },
            [this](double of_rate, double of_force, double* sums) {
              exchange_->finish(backend_);
              if (!places_.below) backend_.for_each(level_, HearFloor<Patches>{node(), r(), of_rate, of_force, sums});
            }),
        fading_(setup, spaces_, backend_),
        sweeps_(backend_, spaces_, places_),
        overlap_(setup.transport.overlap) {
    const two_sweep::WorkOrder work = two_sweep::order_of_work(
        static_cast<const Patches&>(places_), setup.mesh.part, [&](int n) { return Sweeps::item(places_, n); }, true);
    if (setup.levels && setup.levels->local()) step_in(*setup.levels);
    inside_ = places_.items() - work.boundary;
    order_ = Array<std::int32_t>(Backend::space, work.items);
    make_tables(setup);
    for (Array<double>* a : {&psi_, &P_}) *a = zeros(places_.state_size());
    for (Array<double>* a : {&p_, &potential_}) *a = zeros(view_.size());
    sums_ = zeros(Perimeters::room(places_, setup.mesh.part, 2));
    setup.comm.agree([] {});  // meets what another rank has failed at, which lets nobody wait for it
    watch(setup);
    setup.comm.agree([] {});
    exchange_ = std::make_unique<Perimeters>(places_, setup.mesh.part, sums_.data(), 2, setup.comm, setup.transport);
    beside_ = {setup.transport.multiprocessors, true, [this] { exchange_->progress(); }, {}};
    setup.comm.agree([] {});
  }
  // As of TwoSweep: neighbours wait for what is under way.
  ~Fused() override {
    if (std::uncaught_exceptions() == 0)
      exchange_->finish(backend_);
    else if (exchange_->under_way())
      static_cast<void>(exchange_.release());
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    require_rest(u);
    forget();
    for (Array<double>* a : {&psi_, &P_, &potential_}) a->zero();
    if (fading_.any()) strip_body_.zero();
    for (Array<double>& values : water_body_)
      if (!water_terms_.empty()) values.zero();
    fading_.rest();
    p_.copy_from(p);
    phase_ = Phase::initial;
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    complete();
    backend_.synchronize();
    p = p_.to_host();
    u = velocity_.of(potential_.to_host());
    fading_.add_to(u);
  }

  const StateArrays& arrays() const override { return fading_.any() ? faded_arrays : state_arrays; }
  void get(const StateArray& array, std::int64_t first, std::span<double> values) override {
    complete();
    if (array == rest_array) return fading_.get(first, values);
    const std::int64_t at = first * view_.NX, count = static_cast<std::int64_t>(values.size());
    if (array == pressure_array || array == potential_array) {
      backend_.synchronize();
      copy_bytes(Space::host, values.data(), Backend::space, (array == pressure_array ? p_ : potential_).data() + at, values.size_bytes());
      return;
    }
    Array<double> room(Backend::space, values.size());
    backend_.for_each(count, Gather<Patches>{view_, places_, at, (array == ahead_array ? psi_ : P_).data(), room.data()});
    backend_.synchronize();
    copy_bytes(Space::host, values.data(), Backend::space, room.data(), values.size_bytes());
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) override {
    forget();
    const std::int64_t at = first * view_.NX, count = static_cast<std::int64_t>(values.size());
    if (array == rest_array) {
      fading_.set(first, values);
      forces_assembled_ = false;
    } else if (array == pressure_array || array == potential_array) {
      copy_bytes(Backend::space, (array == pressure_array ? p_ : potential_).data() + at, Space::host, values.data(), values.size_bytes());
    } else {
      Array<double> room(Backend::space, values.size());
      copy_bytes(Backend::space, room.data(), Space::host, values.data(), values.size_bytes());
      backend_.for_each(count, Spread<Patches>{view_, places_, at, room.data(), (array == ahead_array ? psi_ : P_).data()});
      if (levels_) levels_->lend_rates(P_.data(), false);
      backend_.synchronize();
    }
    phase_ = Phase::restored;
  }

  void step(double dt, std::span<const ForcingSample> forcing) override {
    TraceScope scope("leapfrog step");
    set_step(dt);
    assemble_forces();
    if (phase_ == Phase::initial) begin(forcing);
    if (phase_ == Phase::initial || phase_ == Phase::restored) sweep(Form::mixture, nullptr, r(), nullptr, 1, 0);
    const FloorLoad now = floor_load(forcing, load), mean = floor_load(forcing, mean_load);
    form_body(forcing, load, mean_load);
    begin_watch(now);
    form_tables(now, mean);
    const bool loaded = now.terms + mean.terms > 0;
    if (levels_) {
      sweeps_.count_anew(backend_);
      backend_.repeat(recordings_[loaded][body_formed_], [&] { advance_in_levels(dt, loaded); });
      sweeps_.count_anew(backend_);
    } else {
      sweep(Form::q, r(), T(), table(loaded, 0));
      sweep(Form::next, T(), r(), table(loaded, 1));
    }
    after_load_ = floor_load(forcing, load_after);
    if (!water_terms_.empty()) after_forcing_.assign(forcing.begin(), forcing.end());
    phase_ = Phase::stepped;
    faded_ = false;
  }

  void damp() override {
    if (!fading_.any()) return;
    watch_state();
    exchange_->finish(backend_);
    fading_.fade(node());
    const sponge_detail::Columns fades = fading_.nodes();
    backend_.for_each(fades.count * view_.NZ, FadeState<Patches>{{view_, places_, fades.list, fades.count}, fades, psi_.data(), P_.data()});
    backend_.for_each(watched_count(), FadeWatched{view_, watched_.data(), fades.x, fades.y, before_.data(), after_.data(), p_.data()});
    forces_assembled_ = false;
    assemble_forces();
    sweep(Form::mixture, nullptr, r(), nullptr, 1, 0);
    phase_ = Phase::watched;
    faded_ = true;
  }
  double damped_energy() override { return fading_.taken(); }
  void set_damped_energy(double taken) override { fading_.set_taken(taken); }

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
    initial,   // p is the pressure of water at rest
    restored,  // psi, P, p and the potential are the state
    stepped,   // psi and P are, and r = K psi
    watched,   // likewise, and p at the watched nodes
    complete   // likewise, and all of p and of the potential
  };

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

  void make_tables(const StepperSetup& setup) {
    std::vector<double> inverse_wz = assembled_weights(setup.mesh.sigma, setup.mesh.part.first[2], setup.mesh.part.count[2]);
    for (double& w : inverse_wz) w = 1 / w;
    inverse_wz_ = Array<double>(Backend::space, inverse_wz);
    const int levels = view_.surface > 0 ? 2 : 1;
    for (int n = 0; n < levels; ++n) {
      inverse_[n] = zeros(places_.table_size());
      backend_.for_each(level_, FillTables<Patches>{view_, places_, n == 1, 0, inverse_[n].data(), nullptr});
      if (!absorbs()) continue;
      damped_inverse_[n] = zeros(places_.table_size());
      keep_[n] = zeros(places_.table_size());
    }
    if (forced()) loads_ = zeros((levels_ ? 3 : 2) * places_.table_size());
    if (forced() && setup.forcing.size() > FloorLoad::most) planes_ = zeros(4 * level_);
    place_bodies(setup);
  }
  // Patches that strips touch, or sources in the water.
  void place_bodies(const StepperSetup& setup) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(places_.count()), -1);
    const auto mark = [&](std::int64_t column) {
      places_.each(static_cast<int>(column % view_.NX), static_cast<int>(column / view_.NX), 0,
                   [&](int x, int y, int, int) { at[static_cast<std::size_t>(y) * places_.px + x] = 0; });
    };
    for (const std::int32_t column : fading_.touched()) mark(column);
    for (std::size_t term = 0; term < setup.forcing.size(); ++term) {
      const NodalForcing& f = setup.forcing[term];
      if (f.count() == 0 || on_floor(f)) continue;
      water_terms_.push_back(static_cast<int>(term));
      for (std::int64_t n = 0; n < f.count(); ++n) mark(f.node(n) % level_);
    }
    std::int64_t size = 0;
    for (std::int64_t& begin : at)
      if (begin == 0) {
        begin = size;
        size += places_.patch_sums();
      }
    if (size == 0) return;
    body_at_ = Array<std::int64_t>(Backend::space, at);
    touched_ = Array<std::int32_t>(Backend::space, std::span<const std::int32_t>(fading_.touched()));
    if (fading_.any()) strip_body_ = zeros(size);
    for (int n = 0; n < (levels_ ? 3 : 2) && !water_terms_.empty(); ++n) water_body_[n] = zeros(size);
  }
  bool on_floor(const NodalForcing& f) const { return f.first == 0 && f.list.empty() && f.count() == level_; }

  void watch(const StepperSetup& setup) {
    std::vector<std::int64_t> nodes;
    // A node of a point is watched on every rank that holds it, or copies would differ in their last bits.
    std::vector<double> read(static_cast<std::size_t>(view_.size()), 0.0);
    for (const PointWeights& point : setup.points)
      for (const std::int32_t n : point.node) read[static_cast<std::size_t>(n)] = 1;
    Cpu host;
    Exchange<Cpu> copies(setup.mesh, setup.comm, Transport{});
    if (copies.needed()) {
      copies.start(host, read.data());
      copies.finish(host, read.data());
    }
    for (std::int64_t n = 0; n < view_.size(); ++n)
      if (read[static_cast<std::size_t>(n)] > 0) nodes.push_back(n);
    const bool powers = watches(Question::powers), surface = watches(Question::surface) && !places_.above;
    const auto wall = [&](bool absorbs, bool there) { return powers && absorbs && there; };
    for (int k = 0; k < view_.NZ; ++k)
      for (int j = 0; j < view_.NY; ++j) {
        const bool row =
            (powers && k == 0 && forced()) || (surface && k == view_.NZ - 1) || wall(view_.south, j == 0) || wall(view_.north, j == view_.NY - 1);
        for (int i = 0; i < view_.NX; i += row || view_.NX == 1 ? 1 : view_.NX - 1)
          if (row || wall(view_.west, i == 0) || wall(view_.east, i == view_.NX - 1))
            nodes.push_back((static_cast<std::int64_t>(k) * view_.NY + j) * view_.NX + i);
      }
    for (const int term : water_terms_) {
      const NodalForcing& f = setup.forcing[static_cast<std::size_t>(term)];
      for (std::int64_t n = 0; powers && n < f.count(); ++n) nodes.push_back(f.node(n));
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    watched_floor_ = std::lower_bound(nodes.begin(), nodes.end(), level_) - nodes.begin();
    watched_ = Array<std::int64_t>(Backend::space, nodes);
    before_ = zeros(static_cast<std::int64_t>(nodes.size()));
    after_ = zeros(static_cast<std::int64_t>(nodes.size()));
  }

  bool watches(Question question) const { return question == Question::samples || (question == Question::powers ? asked_.powers : asked_.surface); }
  bool absorbs() const { return view_.west || view_.east || view_.south || view_.north; }
  void set_step(double dt) {
    if (dt == dt_) return;
    dt_ = dt;
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

  bool forced() const { return answers_.terms() > 0 && !places_.below; }  // ranks above others have no node of the floor
  // More terms than are summed up at once are summed up beforehand, in a plane for each of the four rates.
  FloorLoad floor_load(std::span<const ForcingSample> forcing, Rate which) {
    FloorLoad sum;
    if (!forced()) return sum;
    double* const plane = planes_.data() + static_cast<std::int64_t>(which) * level_;
    bool first = true;
    for (std::size_t n = 0; n < forcing.size(); ++n) {
      if (answers_.forced(forcing[n].term).count == 0 || in_water(forcing[n].term)) continue;
      if (sum.terms == FloorLoad::most) {
        backend_.for_each(level_, AddFloorLoad{sum, first, plane});
        first = false;
        sum.terms = 0;
      }
      sum.weights[sum.terms] = answers_.forced(forcing[n].term).weights;
      sum.rate[sum.terms++] = forcing[n].rate[which];
    }
    if (first) return sum;
    backend_.for_each(level_, AddFloorLoad{sum, false, plane});
    sum.terms = 1;
    sum.weights[0] = plane;
    sum.rate[0] = 1;
    return sum;
  }
  void form_tables(const FloorLoad& a, const FloorLoad& b) {
    if (a.terms + b.terms > 0)
      backend_.for_each(level_, SpreadLoads<Patches>{places_, {a, b}, {loads_.data(), loads_.data() + places_.table_size()}});
  }
  bool in_water(int term) const { return std::find(water_terms_.begin(), water_terms_.end(), term) != water_terms_.end(); }
  // Forcing in the water at two rates: of the strips, and of sources, which begins anew wherever one has been.
  void form_body(std::span<const ForcingSample> forcing, Rate a, Rate b) {
    const auto forces = [&](const ForcingSample& sample) { return in_water(sample.term); };
    const bool any = std::any_of(forcing.begin(), forcing.end(), forces);
    if (!any && !body_formed_) return;
    body_formed_ = any;
    AddWaterTerm<Patches> add{places_,
                              view_,
                              {},
                              true,
                              {{water_body_[0].data(), water_body_[1].data()}, body_at_.data()},
                              strip_body_.empty() ? nullptr : strip_body_.data(),
                              {}};
    const auto each = [&](int term) {
      add.nodes = answers_.forced(term);
      backend_.for_each(add.nodes.count, add);
    };
    for (const int term : water_terms_) each(term);
    add.begins = false;
    for (const ForcingSample& sample : forcing)
      if (forces(sample)) {
        add.rate[0] = sample.rate[a];
        add.rate[1] = sample.rate[b];
        each(sample.term);
      }
  }
  BodyLoad of_strips() const { return {strip_body_.empty() ? nullptr : strip_body_.data(), body_at_.data()}; }
  BodyLoad body(int n) const { return water_terms_.empty() ? of_strips() : BodyLoad{water_body_[n].data(), body_at_.data()}; }
  // What the strips force their nodes with, as all ranks that hold them add it up.
  void assemble_forces() {
    if (forces_assembled_) return;
    exchange_->finish(backend_);
    backend_.for_each(places_.sums_size(), SetZero{T()});
    const OfColumns<Patches> columns{view_, places_, touched_.data(), static_cast<std::int64_t>(touched_.size())};
    const std::int64_t nodes = columns.count * view_.NZ;
    backend_.for_each(nodes, SumForces<Patches>{columns, fading_.forces(), T()});
    exchange_->run(backend_, T(), nullptr);
    backend_.for_each(nodes,
                      SpreadForces<Patches>{columns, T(), {{strip_body_.data(), water_body_[0].data()}, body_at_.data()}, water_body_[1].data()});
    forces_assembled_ = true;
  }
  const double* table(bool loaded, int n) const { return loaded ? loads_.data() + n * places_.table_size() : nullptr; }

  // What psi_tt was after the last step it is before this one. Only the load, of the floor, is asked for anew: at the same time, but a restart has no
  // other, and is to get the same bits.
  void begin_watch(const FloorLoad& now) {
    const bool known = !faded_ && (phase_ == Phase::watched || phase_ == Phase::complete);
    if (known) std::swap(before_, after_);
    const std::int64_t count = !known || !water_terms_.empty() ? watched_count() : now.terms + after_load_.terms > 0 ? watched_floor_ : 0;
    if (count == 0) return;
    exchange_->finish(backend_);
    backend_.for_each(count, WatchBefore<Patches>{watch(now, body(0)), before_.data()});
  }
  FusedNode<Patches> node() const { return {view_, places_, dt_, psi_.data(), P_.data(), of_strips()}; }
  Watch<Patches> watch(const FloorLoad& load, const BodyLoad& body) {
    FusedNode<Patches> at = node();
    at.body = body;
    return {at, watched_.data(), r(), load};
  }
  std::int64_t watched_count() const { return static_cast<std::int64_t>(watched_.size()); }

  // psi = 0 and P = p meanwhile, to take K of p.
  void begin(std::span<const ForcingSample> forcing) {
    if (levels_) return begin_in_levels(forcing);
    backend_.for_each(view_.size(), Spread<Patches>{view_, places_, 0, p_.data(), P_.data()});
    sweep(Form::mixture, nullptr, T(), nullptr, 0, 1);
    exchange_->finish(backend_);
    backend_.for_each(view_.size(), MeanOfBeginning<Patches>{view_, places_, dt_, T(), potential_.data()});
    begin_with_mean(forcing);
  }
  // potential: by how much the mean of p over a step differs from p.
  void begin_with_mean(std::span<const ForcingSample> forcing) {
    const FloorLoad moved = floor_load(forcing, mean_load_before);
    form_body(forcing, mean_load_before, mean_load_before);
    backend_.for_each(view_.size(), FusedBegin<Patches>{view_, places_, dt_, p_.data(), potential_.data(), moved, body(0), psi_.data(), P_.data()});
    backend_.for_each(view_.size(), SetZero{potential_.data()});
  }

  // Columns that step in levels.
  void step_in(const LocalLevels& levels) { levels_ = std::make_unique<FusedLevels<Backend, Patches>>(levels, view_, places_, backend_); }
  void advance_in_levels(double dt, bool loaded) {
    using Sweep = local_steps::LevelSweep;
    for (const Sweep& s : levels_->sweeps()) {
      const bool begins = s.kind == Sweep::Kind::begin;
      const Form form = begins ? Form::q : s.to > 0 ? Form::part : Form::next;
      SweepArgs<Patches> g = arguments(form, begins ? r() : T(), begins ? T() : r(), mixed_table(loaded, s.mixed));
      g.body = mixed_body(s.mixed);
      levels_->set(s, dt, g);
      levels_->before(s, g);
      sweeps_.run(backend_, form, g, {});
      levels_->after(s, g);
    }
  }
  // Forcing at the first rate where the second has no weight, at the second where it has all of it, else of both.
  const double* mixed_table(bool loaded, double weight) {
    if (!loaded || weight == 0 || weight == 1) return table(loaded, weight == 1);
    const std::int64_t size = places_.table_size();
    backend_.for_each(size, MixForcing{weight, table(true, 0), table(true, 1), loads_.data() + 2 * size});
    return table(true, 2);
  }
  BodyLoad mixed_body(double weight) {
    if (!body_formed_ || weight == 0 || weight == 1) return body(weight == 1);
    backend_.for_each(static_cast<std::int64_t>(water_body_[2].size()),
                      MixForcing{weight, water_body_[0].data(), water_body_[1].data(), water_body_[2].data()});
    return {water_body_[2].data(), body_at_.data()};
  }
  // The pressure as psi, at rest: what it moves by in half a step is three times by how much its mean over a step differs from it.
  void begin_in_levels(std::span<const ForcingSample> forcing) {
    backend_.for_each(view_.size(), Spread<Patches>{view_, places_, 0, p_.data(), psi_.data()});
    backend_.for_each(places_.state_size(), SetZero{P_.data()});
    const double dt = dt_;
    dt_ = 0.5 * dt;
    levels_->set_step(dt_, false);
    sweep(Form::mixture, nullptr, r(), nullptr, 1, 0);
    advance_in_levels(dt_, false);
    backend_.for_each(view_.size(), ThirdOfIncrement<Patches>{view_, places_, dt_, P_.data(), potential_.data()});
    dt_ = dt;
    levels_->set_step(dt_, true);
    begin_with_mean(forcing);
    levels_->lend_rates(P_.data(), false);
  }

  SweepArgs<Patches> arguments(Form form, const double* in, double* out, const double* load) {
    SweepArgs<Patches> g{};
    g.elements = spaces_.elements();
    g.nodes = view_;
    g.patches = places_;
    g.inverse_wz = inverse_wz_.data();
    g.column = tables(form, 0);
    g.surface = tables(form, 1);
    g.psi = psi_.data();
    g.P = P_.data();
    g.in = in;
    g.sums = out;
    g.load = load;
    if (form != Form::mixture) g.body = body(form == Form::q ? 0 : 1);
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

  void watch_state() {
    if (phase_ != Phase::stepped) return;
    exchange_->finish(backend_);
    form_body(after_forcing_, load_after, load_after);
    backend_.for_each(watched_count(), WatchPressure<Patches>{watch(after_load_, body(1)), before_.data(), after_.data(), p_.data()});
    phase_ = Phase::watched;
  }
  const double* watched_pressure(Question question) {
    if (watches(question))
      watch_state();
    else
      complete();
    return p_.data();
  }
  // The watched nodes know of forcing and walls, so they have the last word.
  void complete() {
    watch_state();
    if (phase_ != Phase::watched) return;
    if (!asked_.powers) throw std::logic_error("what all of the state is asked for needs the nodes of walls and floor, which are not watched");
    if (levels_) levels_->lend_rates(P_.data(), true);
    for (const bool potential : {false, true}) {
      sweep(Form::mixture, nullptr, T(), nullptr, potential ? 1 : 0, potential ? -0.5 * dt_ : 1);
      exchange_->finish(backend_);
      Array<double>& to = potential ? potential_ : p_;
      backend_.for_each(view_.size(), CompleteAll<Patches>{node(), T(), potential, to.data()});
      backend_.for_each(watched_count(), WatchAgain<Patches>{watch(after_load_, body(1)), before_.data(), after_.data(), potential, to.data()});
    }
    if (levels_) levels_->lend_rates(P_.data(), false);
    phase_ = Phase::complete;
  }
  const double* complete_pressure() {
    complete();
    return p_.data();
  }
  // psi K psi / 2 and what the strips' own velocity adds, of the potential of the completed state; the sweep takes its field from where psi is, so the two change places meanwhile.
  double kinetic_energy() {
    complete();
    assemble_forces();
    const Swap<Patches> swap{view_, places_, potential_.data(), psi_.data()};
    backend_.for_each(view_.size(), swap);
    sweep(Form::mixture, nullptr, T(), nullptr, 1, 0);
    exchange_->finish(backend_);
    double energy = 0.5 * backend_.sum(view_.size(), StateProduct<Patches>{view_, places_, psi_.data(), T()});
    if (fading_.any()) {
      const OfColumns<Patches> columns{view_, places_, touched_.data(), static_cast<std::int64_t>(touched_.size())};
      energy += fading_.rest_energy() - backend_.sum(columns.count * view_.NZ, ForceProduct<Patches>{columns, psi_.data(), of_strips()});
    }
    backend_.for_each(view_.size(), swap);
    return energy;
  }

  Asked asked_;
  Backend backend_;
  Velocity velocity_;
  Spaces spaces_;
  Places<Patches> places_;
  NodeView view_;
  std::int64_t level_;
  BackendView<Backend> answers_;
  Fading<Backend> fading_;
  Sweeps sweeps_;
  two_sweep::Beside beside_;
  bool overlap_;                                            // work goes on while messages travel
  Array<std::int32_t> order_;                               // of the work, empty without neighbours
  int inside_ = 0;                                          // how much of it is done before neighbours are waited for
  Array<double> inverse_[2], damped_inverse_[2], keep_[2];  // NodeTables of the levels below the surface, of the surface
  Array<double> inverse_wz_, loads_, planes_, psi_, P_, sums_, p_, potential_;
  Array<std::int64_t> watched_;               // ascending, so those of the floor come first
  std::int64_t watched_floor_ = 0;            // how many
  Array<double> before_, after_;              // psi_tt at the watched nodes
  FloorLoad after_load_;                      // of the last step
  Array<std::int32_t> touched_;               // columns of nodes that strips force
  std::vector<int> water_terms_;              // of forcing off the floor
  std::vector<ForcingSample> after_forcing_;  // of the last step
  Array<std::int64_t> body_at_;               // BodyLoad
  Array<double> strip_body_, water_body_[3];  // forcing by the strips alone; with sources at two rates, and of both mixed
  bool forces_assembled_ = true;              // strip_body_ is that of fading_
  bool body_formed_ = false;                  // water_body_ is more than strip_body_ somewhere
  double dt_ = 0;
  Phase phase_ = Phase::initial;
  std::unique_ptr<FusedLevels<Backend, Patches>> levels_;                   // or null where all take the same step
  std::array<std::array<typename Backend::Recording, 2>, 2> recordings_{};  // of a step in levels, [forced on the floor][and in the water]
  bool faded_ = false;                                                      // since the last step: psi_tt is no longer what it was after it
  std::unique_ptr<Perimeters> exchange_;
};

// Memory per rank [bytes], uplift terms and sampled points not counted.
template <class Backend, class Sweeps>
double fused_bytes(const Mesh& mesh) {
  using Patches = typename Sweeps::Patches;
  using Perimeters = two_sweep::PerimeterExchange<Backend, Patches, 1>;
  const Places<Patches> places(mesh);
  const double level = static_cast<double>(mesh.NX()) * mesh.NY(), watched = 2 * level + 2.0 * (mesh.NX() + mesh.NY()) * mesh.NZ();
  const double values = 2.0 * static_cast<double>(places.state_size()) + 2.0 * static_cast<double>(mesh.nodes()) +
                        static_cast<double>(Perimeters::room(places, mesh.part, 2)) + 8.0 * static_cast<double>(places.table_size()) + mesh.NZ() +
                        2 * level + 3 * watched;
  const double order = mesh.part.grid == std::array<int, 3>{1, 1, 1} ? 0 : 4.0 * static_cast<double>(places.items());
  return 8 * values + order + static_cast<double>(Spaces::bytes(mesh, 4)) + Sweeps::bytes(places) + Perimeters::bytes(places, mesh.part);
}

}  // namespace agwave::leapfrog4
