// SPDX-License-Identifier: Apache-2.0
// RK4 in two sweeps per step (shared/design/solver.md), equal to classical RK4 in exact arithmetic:
//   v1 = y + dt/4 (L y + g1),  v2 = y + dt/3 (L v1 + g2),  v3 = y + dt/2 (L v2 + g3),  y' = y + dt (L v3 + g4)
//   g1 = f0,  g2 = (f0 + fh)/2,  g3 = (f0 + 2 fh)/3,  g4 = (f0 + 4 fh + f1)/6      f0, fh, f1: start, middle, end of the step
// Sweep A finishes the last step and forms the first two sums of the next; sweep B forms the other two. A question about the
// completed state runs the next sweep A at once: it is due in any case, so asking costs nothing and changes no later bit. Only
// when the next step then has another dt is it run again, from the finished state; r1 and r2 come from the stored U' either way.
// The velocity is kept as contravariant flux, in patches (two_sweep_layout.hpp). One rank.
//   Sweeps: void run<A>(Backend&, const SweepArgs&), asynchronous on the backend's stream.
#pragma once
#include "error.hpp"
#include "timestep/pressure_answers.hpp"
#include "timestep/stepper.hpp"
#include "timestep/two_sweep_pointwise.hpp"
#include "trace.hpp"

namespace agwave::two_sweep {

template <class Backend, class Sweeps>
class TwoSweep final : public Stepper {
 public:
  explicit TwoSweep(const StepperSetup& setup)
      : spaces_(setup.mesh, setup.ocean, setup.boundary, setup.quadrature, Backend::space),
        patches_(setup.mesh),
        nodes_(setup.mesh.nodes()),
        level_(static_cast<std::int64_t>(setup.mesh.NX()) * setup.mesh.NY()),
        elements_(setup.mesh.NE()),
        inverse_density_(1 / setup.ocean.density),
        answers_(setup, spaces_) {
    const auto& whole = setup.mesh.elements;
    if (elements_ != whole[0] * whole[1] * whole[2]) throw Error(ExitCode::usage, "two-sweep runs on one rank");
    std::vector<double> inverse_wz = assembled_weights(setup.mesh.sigma, 0, whole[2]);
    for (double& w : inverse_wz) w = 1 / w;
    inverse_wz_ = Array<double>(Backend::space, inverse_wz);
    const NodeView& v = spaces_.nodes();
    p_ = zeros(nodes_);
    p_next_ = zeros(nodes_);
    flux_ = zeros(patches_.flux_size());
    sums_ = zeros(4 * patches_.sums_size());
    if (v.west || v.east || v.south || v.north) wall_ = zeros(static_cast<std::int64_t>(patches_.wall_columns()) * v.NZ);
    if (answers_.terms() > 0) loads_ = zeros(4 * level_);
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    backend_.synchronize();
    p_.copy_from(p);
    for_chunks([&](std::int64_t first, std::int64_t count, double* chunk) {
      copy_bytes(Backend::space, chunk, Space::host, u.data() + first * 3 * L3D, static_cast<std::size_t>(count) * 3 * L3D * sizeof(double));
      backend_.for_each(count * L3D, StoreFlux{spaces_.elements(), patches_, gauss_points(), first, chunk, flux_.data()});
      backend_.synchronize();
    });
    unfinished_ = ahead_ = false;
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    complete();
    backend_.synchronize();
    p = p_.to_host();
    u.resize(static_cast<std::size_t>(elements_) * 3 * L3D);
    for_chunks([&](std::int64_t first, std::int64_t count, double* chunk) {
      backend_.for_each(count * L3D, ReadFlux{spaces_.elements(), patches_, gauss_points(), first, flux_.data(), chunk});
      backend_.synchronize();
      copy_bytes(Space::host, u.data() + first * 3 * L3D, Backend::space, chunk, static_cast<std::size_t>(count) * 3 * L3D * sizeof(double));
    });
  }

  void step(double dt, std::span<const TermRate> rates) override {
    TraceScope scope("two-sweep step");
    if (!ahead_ || dt != dt_) sweep_a(dt);
    ahead_ = false;
    form_loads(rates);
    SweepArgs g = arguments(0);
    g.ca_dt = dt / 4;
    g.cb_dt = dt / 3;
    g.alpha = -dt / 3 * inverse_density_;
    g.beta = -dt / 2 * inverse_density_;
    g.staged = true;
    sweeps_.template run<false>(backend_, g);
    dt_ = dt;
    unfinished_ = true;
  }
  void wait() override { backend_.synchronize(); }

  void sample(std::span<double> pressure) override { answers_.sample(backend_, completed_p(), pressure); }
  Energies energies() override {
    complete();
    Energies e = answers_.potential(backend_, p_.data());
    e.kinetic = backend_.sum(patches_.flux_size() / 3, KineticEnergy{spaces_.elements(), patches_, gauss_points(), flux_.data()});
    return e;
  }
  double wall_loss() override { return answers_.wall_loss(backend_, completed_p()); }
  double floor_product(int term) override { return answers_.floor_product(backend_, completed_p(), term); }
  double max_pressure() override { return answers_.max_pressure(backend_, completed_p()); }
  void track_surface(double time, double threshold) override { answers_.track_surface(backend_, completed_p(), time, threshold); }
  double max_surface_height() override { return answers_.max_surface_height(backend_); }
  void surface(std::vector<double>& height, std::vector<double>& maximum, std::vector<double>& arrival) override {
    answers_.surface(backend_, completed_p(), height, maximum, arrival);
  }

 private:
  static Array<double> zeros(std::int64_t n) {
    Array<double> a(Backend::space, static_cast<std::size_t>(n));
    a.zero();
    return a;
  }

  void complete() {
    if (!unfinished_) return;
    sweep_a(dt_);
    ahead_ = true;
  }
  const double* completed_p() {
    complete();
    return p_.data();
  }

  // Finishes the last step, if there is one to finish, and forms r1, r2 of a step of size dt.
  void sweep_a(double dt) {
    SweepArgs g = arguments(2);
    g.ca_dt = dt_ / 2;
    g.cb_dt = dt_;
    g.alpha = unfinished_ ? -dt_ * inverse_density_ : 0;
    g.beta = -dt / 4 * inverse_density_;
    g.staged = unfinished_;
    sweeps_.template run<true>(backend_, g);
    std::swap(p_, p_next_);
    unfinished_ = false;
  }

  // Reads the sums `from` and from + 1 (r1, r2: 0; r3, r4: 2) with the forcing of the same numbers, writes the other two.
  SweepArgs arguments(int from) {
    double* const s = sums_.data();
    const std::int64_t size = patches_.sums_size(), to = 2 - from;
    return {.elements = spaces_.elements(),
            .nodes = spaces_.nodes(),
            .patches = patches_,
            .inverse_wz = inverse_wz_.data(),
            .p = p_.data(),
            .p_next = p_next_.data(),
            .r_a = s + from * size,
            .r_b = s + (from + 1) * size,
            .out_a = s + to * size,
            .out_b = s + (to + 1) * size,
            .flux = flux_.data(),
            .wall = wall_.data(),
            .load = loaded_ ? loads_.data() + from * level_ : nullptr,
            .ca_dt = 0,
            .cb_dt = 0,
            .alpha = 0,
            .beta = 0,
            .staged = false};
  }

  void form_loads(std::span<const TermRate> rates) {
    loaded_ = answers_.terms() > 0 && !rates.empty();
    if (!loaded_) return;
    bool first = true;
    for (const TermRate& r : rates) {
      const AddLoads add{answers_.term(r.term),
                         {r.start, (r.start + r.middle) / 2, (r.start + 2 * r.middle) / 3, (r.start + 4 * r.middle + r.end) / 6},
                         first,
                         level_,
                         loads_.data()};
      backend_.for_each(level_, add);
      first = false;
    }
  }

  // r3 and r4 carry nothing while the state is complete: room for the physical velocity, some elements at a time.
  template <class F>
  void for_chunks(F&& f) {
    const std::int64_t size = 2 * patches_.sums_size() / (3 * L3D);
    for (std::int64_t first = 0; first < elements_; first += size)
      f(first, std::min(size, elements_ - first), sums_.data() + 2 * patches_.sums_size());
  }

  Backend backend_;
  Sweeps sweeps_;
  Spaces spaces_;
  PatchGrid patches_;
  std::int64_t nodes_, level_, elements_;
  double inverse_density_;
  PressureAnswers<Backend> answers_;
  Array<double> inverse_wz_, p_, p_next_, flux_, sums_, wall_, loads_;
  double dt_ = 0;            // of the last step
  bool loaded_ = false;      // the last step was forced
  bool unfinished_ = false;  // p and U still lack the last step's finish
  bool ahead_ = false;       // r1, r2 of a next step of size dt_ are formed
};

// Memory per rank [bytes], uplift terms and sampled points not counted.
inline double bytes(const Mesh& mesh) {
  const PatchGrid patches(mesh);
  const double level = static_cast<double>(mesh.NX()) * mesh.NY(), NZ = mesh.NZ();
  const double values = 2.0 * static_cast<double>(mesh.nodes()) + static_cast<double>(patches.flux_size()) +
                        4.0 * static_cast<double>(patches.sums_size()) + patches.wall_columns() * NZ + NZ + 6 * level;
  return 8 * values + static_cast<double>(Spaces::bytes(mesh, 4));
}

}  // namespace agwave::two_sweep
