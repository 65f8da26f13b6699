// SPDX-License-Identifier: Apache-2.0
// RK4 in two sweeps per step, equal to classical RK4 in exact arithmetic:
//   v1 = y + dt/4 (L y + g1),  v2 = y + dt/3 (L v1 + g2),  v3 = y + dt/2 (L v2 + g3),  y' = y + dt (L v3 + g4)
//   g1 = f0,  g2 = (f0 + fh)/2,  g3 = (f0 + 2 fh)/3,  g4 = (f0 + 4 fh + f1)/6      f0, fh, f1: start, middle, end of the step
// Sweep A finishes the last step and forms what the next one starts from; sweep B does the rest of it. With the contravariant
// flux U of the velocity and F(p) that of the gradient, the divergences are linear in both:
//   sweep A   U' = U - dt/rho F(p3),   r1 = G^T U',                        r2 - r1 = G^T (-dt/4rho F(p'))
//   sweep B                            r3 = r1 + G^T (-dt/3rho F(p1)),     r4 = r1 + G^T (-dt/2rho F(p2))
// so that sweep B never touches the velocity: it is read once and written once per step.
// A question about the completed state runs the next sweep A at once: it is due in any case, so asking costs nothing and changes no
// later bit. Only when the next step then has another dt is it run again, from the finished state; r1 comes from the stored U' either way.
// Several ranks: what neighbours need comes last in every sweep, and is exchanged beside the inside of the next one (exchange.hpp).
#pragma once
#include <exception>
#include <memory>

#include "device/set_zero.hpp"
#include "device/trace.hpp"
#include "error/error.hpp"
#include "timestep/sponge_layer.hpp"
#include "timestep/state_view_impl.hpp"
#include "timestep/stepper.hpp"
#include "timestep/two_sweep/exchange.hpp"
#include "timestep/two_sweep/pointwise.hpp"
#include "timestep/two_sweep/state_transfer.hpp"
#include "timestep/two_sweep/sweeps.hpp"

namespace agwave::two_sweep {

template <class Backend, SweepsOn<Backend> Sweeps>
class TwoSweep final : public Stepper {
  using Patches = typename Sweeps::Patches;
  using Perimeters = PerimeterExchange<Backend, Patches>;

 public:
  explicit TwoSweep(const StepperSetup& setup)
      : spaces_(setup, Backend::space),
        patches_(setup.mesh),
        view_(padded(spaces_.nodes(), patches_)),
        level_(static_cast<std::int64_t>(view_.NX) * view_.NY),
        elements_(setup.mesh.NE()),
        inverse_density_(1 / setup.medium.density()),
        below_(!setup.mesh.part.at_low(2)),
        above_(!setup.mesh.part.at_high(2)),
        answers_(
            setup, view_, backend_, {nullptr, view_}, [this] { return state::NodeValues(completed_p(), view_); },
            [this] {
              return backend_.sum(patches_.points(), KineticEnergy<Patches>{spaces_.elements(), patches_, basis<L1D>.rule, flux_.data()});
            }),
        sweeps_(backend_, spaces_, patches_),
        overlap_(setup.transport.overlap),
        sponge_(setup) {
    const auto order = [&](bool last) {
      return order_of_work(
          patches_, setup.mesh.part, [&](int n) { return Sweeps::item(patches_, n); }, last);
    };
    const WorkOrder work = order(true);
    inside_ = patches_.items() - sweeps_.last_part(work.boundary, patches_.items());
    // Where most is boundary the rest touches it, so that little of an A can begin before B ends: waiting blocks would only hold multiprocessors that B, or
    // unpacking, could use.
    const bool can_wait = Sweeps::waits_inside && !work.items.empty() && !setup.transport.shared;
    waits_inside_ = can_wait && 2 * work.boundary <= patches_.items();
    order_[true] = Array<std::int32_t>(Backend::space, work.items);
    order_[false] = Array<std::int32_t>(Backend::space, order(!waits_inside_).items);
    std::vector<double> inverse_wz = assembled_weights(setup.mesh.sigma, setup.mesh.part.first[2], setup.mesh.part.count[2]);
    for (double& w : inverse_wz) w = 1 / w;
    inverse_wz_ = Array<double>(Backend::space, inverse_wz);
    inverse_column_ = zeros<double>(backend_, level_);
    backend_.for_each(level_, InverseMass{view_, false, inverse_column_.data()});
    if (view_.surface > 0) {
      inverse_surface_ = zeros<double>(backend_, level_);
      backend_.for_each(level_, InverseMass{view_, true, inverse_surface_.data()});
    }
    const std::int64_t nodes = static_cast<std::int64_t>(view_.pitch) * view_.NY * view_.NZ;
    p_ = zeros<double>(backend_, nodes);
    p_next_ = zeros<double>(backend_, nodes);
    flux_ = zeros<double>(backend_, patches_.flux_size());
    sums_ = zeros<double>(backend_, Perimeters::room(patches_, setup.mesh.part, 4));
    if (view_.west || view_.east || view_.south || view_.north)
      wall_ = zeros<double>(backend_, static_cast<std::int64_t>(patches_.wall_columns()) * view_.NZ);
    require_floor_planes(setup.forcing);
    if (forced()) loads_ = zeros<double>(backend_, 2 * loads_of_step());
    sweeps_.follow(backend_);
    loading_.follow(backend_);
    backend_.synchronize();
    setup.comm.agree([] {});  // meets what another rank has failed at, which lets nobody wait for it
    exchange_ = std::make_unique<Perimeters>(patches_, setup.mesh.part, sums_.data(), 4, setup.comm, setup.transport);
    const bool all_along = setup.transport.shared || !exchange_->in_place();
    beside_ = {setup.transport.multiprocessors, all_along, [this] { exchange_->progress(); }, {}};
    beside_.shares = work.items.empty() || (waits_inside_ && overlap_);
    setup.comm.agree([] {});                                    // likewise, before the first exchange
    if (can_wait) exchange_->load(backend_, sums(2), sums(3));  // by all ranks, whichever of them wait inside
  }

  // Neighbours wait for what is under way, so the last of it is received; unless an error takes the ranks elsewhere, when it is left to MPI
  // with all that it needs.
  ~TwoSweep() override {
    if (std::uncaught_exceptions() == 0) {
      forget_steps();
      return;
    }
    if (exchange_->in_place()) sums_.abandon();  // neighbours may still write there
    if (exchange_->under_way()) static_cast<void>(exchange_.release());
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    incoming().set_pressure(0, p);
    incoming().set_velocity(0, u, false);
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    p.resize(static_cast<std::size_t>(view_.size()));
    u.resize(static_cast<std::size_t>(elements_) * 3 * L3D);
    outgoing().get_pressure(0, p);
    outgoing().get_velocity(0, u, false);
  }

  static const StateArrays& state_arrays() {
    static const StateArrays all{pressure_array, {velocity_array.name, StateArray::Items::elements, Patches::Bar::form}};
    return all;
  }
  const StateArrays& arrays() const override { return state_arrays(); }
  void get(const StateArray& array, std::int64_t first, std::span<double> values) override {
    if (array == pressure_array)
      outgoing().get_pressure(first, values);
    else
      outgoing().get_velocity(first, values, true);
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) override {
    if (array == pressure_array)
      incoming().set_pressure(first, values);
    else
      incoming().set_velocity(first, values, true);
  }

  void step(double dt, std::span<const ForcingSample> forcing) override {
    TraceScope scope("two-sweep step");
    if (phase_ != Phase::ahead || dt != dt_) sweep_a(dt);
    form_loads(forcing);
    SweepArgs<Patches> g = arguments();
    g.in_a = sums(0);
    g.in_b = sums(1);
    g.out_a = sums(2);
    g.out_b = sums(3);
    g.load = loads();
    g.ca_dt = dt / 4;
    g.cb_dt = dt / 3;
    g.alpha = -dt / 3 * inverse_density_;
    g.beta = -dt / 2 * inverse_density_;
    g.staged = true;
    sweep<false>(g);
    dt_ = dt;
    phase_ = Phase::unfinished;
  }
  // The sums that a sweep A has formed from the state are those of the state before: it is run again by the next step, on every rank.
  void damp() override {
    complete();
    sponge_.fade(backend_, view_, p_.data(), spaces_.elements(), FluxVelocity<Patches>{spaces_.elements(), patches_, basis<L1D>.rule, flux_.data()});
    sweeps_.follow(backend_);
    phase_ = Phase::complete;
  }
  double damped_energy() override { return sponge_.taken(backend_); }
  void set_damped_energy(double taken) override { sponge_.set_taken(backend_, taken); }
  void wait() override {
    sweeps_.join(backend_);
    backend_.synchronize();
  }
  void settle_exchanges() override {
    forget_exchange();
    exchange_->settle(sweeps_.at_work(beside_));
  }
  void repeat_exchange() override {  // the ghosts get what they have
    forget_exchange();
    exchange_->run(backend_, sums(2), sums(3));
    sweeps_.follow(backend_);
  }

  StateView& view() override { return answers_; }

 private:
  enum class Phase {
    complete,    // p and U are the state
    unfinished,  // they still lack the last step's finish, which r3 and r4 have
    ahead        // they are the state, and r1, r2 of a next step of size dt_ are formed
  };

  static NodeView padded(NodeView v, const Patches& patches) {
    v.pitch = patches.pitch();
    return v;
  }

  // Neither the old state nor what is under way is needed any more.
  StateTransfer<Backend, Patches> incoming() {
    forget_steps();
    return transfer();
  }
  StateTransfer<Backend, Patches> outgoing() {
    complete();
    return transfer();
  }
  StateTransfer<Backend, Patches> transfer() { return {backend_, view_, spaces_.elements(), patches_, p_.data(), flux_.data(), p_next_}; }

  void complete() {
    if (phase_ == Phase::unfinished) sweep_a(dt_);
  }
  const double* completed_p() {
    complete();
    return p_.data();
  }

  template <bool A>
  void sweep(SweepArgs<Patches>& g) {
    g.order = order_[A].data();
    g.last = patches_.items();
    if (!exchange_->needed()) return sweeps_.template run<A>(backend_, g, {});
    Backend& stream = sweeps_.template stream<A>(backend_);
    if (exchange_->under_way(g.out_a)) exchange_->finish(stream);  // a sweep that is run again
    if (waits_inside_) {
      // Whoever waits in sweep B still has its multiprocessor. An A beside it before B's gate is open could take the one that packing or unpacking needs.
      if (A) stream.follow(exchange_->last_multiprocessor());
      Beside beside = beside_;
      if (exchange_->under_way()) beside.gate = exchange_->gate();
      sweeps_.template run<A>(backend_, g, beside);
      exchange_->finish_and_open();
    } else {
      g.last = inside_;
      sweeps_.template run<A>(backend_, g, beside_);
      exchange_->finish(stream);
      g.first = inside_;
      g.last = patches_.items();
      exchange_->begin(stream);
      Beside nothing;
      nothing.shares = beside_.shares;
      sweeps_.template run<A>(backend_, g, nothing);
    }
    exchange_->start(stream, g.out_a, g.out_b, !A);  // most of the next A's inside is done beside B, or there is little of it
    if (!overlap_) forget_exchange();
  }
  void forget_exchange() {
    sweeps_.join(backend_);
    exchange_->finish(backend_);
    sweeps_.follow(backend_);
  }

  double* sums(int n) { return sums_.data() + n * patches_.sums_stride(); }  // r1, r2 - r1, r3, r4

  // Finishes the last step, if there is one to finish, and forms r1 and r2 of a step of size dt.
  void sweep_a(double dt) {
    const bool unfinished = phase_ == Phase::unfinished;
    SweepArgs<Patches> g = arguments();
    g.in_a = sums(2);
    g.in_b = sums(3);
    g.out_a = sums(0);
    g.out_b = sums(1);
    g.load = loaded_ ? loads() + 2 * level_ : nullptr;
    g.ca_dt = dt_ / 2;
    g.cb_dt = dt_;
    g.alpha = unfinished ? -dt_ * inverse_density_ : 0;
    g.beta = -dt / 4 * inverse_density_;
    g.staged = unfinished;
    sweep<true>(g);
    std::swap(p_, p_next_);
    phase_ = Phase::ahead;
  }

  SweepArgs<Patches> arguments() {
    SweepArgs<Patches> g{};
    g.elements = spaces_.elements();
    g.nodes = view_;
    g.patches = patches_;
    g.inverse_wz = inverse_wz_.data();
    g.inverse_column = inverse_column_.data();
    g.inverse_surface = inverse_surface_.data();
    g.p = p_.data();
    g.p_next = p_next_.data();
    g.flux = flux_.data();
    g.wall = wall_.data();
    g.below = below_;
    g.above = above_;
    return g;
  }

  bool forced() const { return answers_.terms() > 0 && !below_; }  // ranks above others have no node of the floor
  void require_floor_planes(const std::vector<NodalForcing>& forcing) const {
    for (const NodalForcing& f : forcing)
      if (f.count() > 0 && (f.first != 0 || !f.list.empty() || f.count() != level_))
        throw Error(ExitCode::usage,
                    "two-sweep takes forcing of the whole floor plane alone; use another variant for forcing in the water, such as pa");
  }
  std::size_t loads_of_step() const { return 4 * static_cast<std::size_t>(level_); }
  double* loads() { return loaded_ ? loads_.data() + later_loads_ * loads_of_step() : nullptr; }
  // Beside the sweeps of the step before, which have loads of their own.
  void form_loads(std::span<const ForcingSample> forcing) {
    loaded_ = forced() && !forcing.empty();
    if (!loaded_) return;
    later_loads_ = !later_loads_;
    loading_.follow(loads_used_);
    bool first = true;
    for (const ForcingSample& sample : forcing) {
      const auto [start, middle, end, unused] = sample.rate;
      const AddLoads add{answers_.forced(sample.term).weights,
                         {start, (start + middle) / 2, (start + 2 * middle) / 3, (start + 4 * middle + end) / 6},
                         first,
                         level_,
                         loads()};
      loading_.for_each(level_, add);
      first = false;
    }
    sweeps_.template stream<false>(backend_).follow(loading_);
    sweeps_.template stream<true>(backend_).follow(loading_);
    backend_.mark(loads_used_);  // by the sweeps so far
  }

  void forget_steps() {
    forget_exchange();
    backend_.synchronize();
    phase_ = Phase::complete;
  }
  Backend backend_;
  Spaces spaces_;
  Patches patches_;
  NodeView view_;  // with the padded rows of p
  std::int64_t level_, elements_;
  double inverse_density_;
  bool below_, above_;  // other ranks have the layers there
  BackendView<Backend> answers_;
  Sweeps sweeps_;
  Beside beside_;
  bool overlap_;                  // work goes on while messages travel
  bool waits_inside_ = false;     // for neighbours, in the middle of a sweep; else between its inside and its boundary
  Array<std::int32_t> order_[2];  // of the work, [sweep: B, A], empty without neighbours
  int inside_ = 0;                // how much of it is done before neighbours are waited for, if it is done between
  SpongeLayer<Backend> sponge_;
  Array<double> inverse_wz_, inverse_column_, inverse_surface_, p_, p_next_, flux_, sums_, wall_, loads_;
  Backend loading_ = Backend::urgent();   // forms loads
  typename Backend::Instant loads_used_;  // before the last ones were formed
  bool later_loads_ = false;              // which half of loads_ the last step has
  double dt_ = 0;                         // of the last step
  bool loaded_ = false;                   // the last step was forced
  Phase phase_ = Phase::complete;
  std::unique_ptr<Perimeters> exchange_;  // neighbours may write to sums_ until it ends
};

// Memory per rank [bytes], uplift terms and sampled points not counted.
template <class Backend, class Sweeps>
double bytes(const Mesh& mesh) {
  using Patches = typename Sweeps::Patches;
  using Perimeters = PerimeterExchange<Backend, Patches>;
  const Patches patches(mesh);
  const double level = static_cast<double>(mesh.NX()) * mesh.NY(), NZ = mesh.NZ();
  const double values = 2.0 * patches.pitch() * mesh.NY() * NZ + static_cast<double>(patches.flux_size()) +
                        static_cast<double>(Perimeters::room(patches, mesh.part, 4)) + patches.wall_columns() * NZ + NZ + 12 * level;
  const double order = mesh.part.grid == std::array<int, 3>{1, 1, 1} ? 0 : 8.0 * static_cast<double>(patches.items());
  return 8 * values + order + static_cast<double>(Spaces::bytes(mesh, 4)) + Sweeps::bytes(patches) + Perimeters::bytes(patches, mesh.part);
}

}  // namespace agwave::two_sweep
