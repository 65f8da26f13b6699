// SPDX-License-Identifier: Apache-2.0
// Classical RK4, once for all backends.
#pragma once
#include "device/trace.hpp"
#include "timestep/pressure_answers.hpp"
#include "timestep/rk4/rk4.hpp"
#include "timestep/rk4/rk4_pointwise.hpp"
#include "timestep/sponge_layer.hpp"

namespace agwave {

template <class Backend>
class Rk4 final : public Stepper {
 public:
  Rk4(const StepperSetup& setup, const MakeOperator<Backend>& make_operator)
      : spaces_(setup.mesh, setup.ocean, setup.boundary, setup.quadrature, Backend::space),
        nodes_(setup.mesh.nodes()),
        NX_(setup.mesh.NX()),
        velocities_(setup.mesh.NE() * 3 * L3D),
        level_(static_cast<std::int64_t>(setup.mesh.NX()) * setup.mesh.NY()),
        answers_(setup, spaces_.nodes()),
        operator_(make_operator(setup.mesh, spaces_, setup.quadrature, backend_)),
        exchange_(setup.mesh, setup.comm, setup.transport),
        sponge_(setup) {
    for (Array<double>* a : {&p_, &p_stage_, &p_sum_, &r_}) *a = zeros(nodes_);
    for (Array<double>* a : {&u_, &u_stage_, &u_sum_, &g_}) *a = zeros(velocities_);
    if (answers_.terms() > 0) load_ = zeros(level_);
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    backend_.synchronize();
    p_.copy_from(p);
    u_.copy_from(u);
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    backend_.synchronize();
    p = p_.to_host();
    u = u_.to_host();
  }

  Carried carried() const override { return Carried::velocity; }
  void get_rows(std::int64_t first, std::span<double> p) override { get(p_, first * NX_, p); }
  void set_rows(std::int64_t first, std::span<const double> p) override { set(p_, first * NX_, p); }
  void get_elements(std::int64_t first, std::span<double> u) override { get(u_, first * 3 * L3D, u); }
  void set_elements(std::int64_t first, std::span<const double> u) override { set(u_, first * 3 * L3D, u); }

  void step(double dt, std::span<const TermRate> rates) override {
    constexpr double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, c[4] = {0.5, 0.5, 1, 0};
    for (int s = 0; s < 4; ++s) {
      TraceScope scope("RK4 stage");
      const double* p = s == 0 ? p_.data() : p_stage_.data();
      const double* u = s == 0 ? u_.data() : u_stage_.data();
      double* r = r_.data();
      backend_.for_each(nodes_, rk4::SetZero{r});
      if (exchange_.needed()) {
        operator_->apply(p, u, g_.data(), r, Part::shared);
        exchange_.start(backend_, r);
        operator_->apply(p, u, g_.data(), r, Part::interior);
        exchange_.finish(backend_, r);
      } else {
        operator_->apply(p, u, g_.data(), r, Part::all);
      }
      const bool loaded = form_load(rates, s);
      const rk4::Weights weights{b[s] * dt, c[s] * dt, s == 0, s == 3};
      backend_.for_each(velocities_ / 3,
                        rk4::UpdateVelocity{spaces_.elements(), rk4::gauss_weights(), weights, g_.data(), u_.data(), u_sum_.data(), u_stage_.data()});
      backend_.for_each(
          nodes_, rk4::UpdatePressure{spaces_.nodes(), weights, r, p, loaded ? load_.data() : nullptr, p_.data(), p_sum_.data(), p_stage_.data()});
    }
  }

  void damp() override {
    const ElementView& elements = spaces_.elements();
    sponge_.fade(backend_, spaces_.nodes(), p_.data(), elements, rk4::ElementVelocity{elements.nx, elements.ny, u_.data()});
  }
  double damped_energy() override { return sponge_.taken(backend_); }
  void set_damped_energy(double taken) override { sponge_.set_taken(backend_, taken); }

  void record_sample() override { answers_.record_sample(backend_, p_.data()); }
  std::vector<double> take_samples() override { return answers_.take_samples(backend_); }
  void record_powers(std::span<const int> terms) override { answers_.record_powers(backend_, p_.data(), terms); }
  std::vector<double> take_powers() override { return answers_.take_powers(backend_); }
  void queue_picks(std::span<const Pick> picks) override { answers_.queue_picks(backend_, p_.data(), picks); }
  std::vector<std::vector<double>> take_picks() override { return answers_.take_picks(backend_); }
  Energies energies() override {
    Energies e = answers_.potential(backend_, p_.data());
    e.kinetic = backend_.sum(velocities_ / 3, rk4::KineticEnergy{spaces_.elements(), rk4::gauss_weights(), u_.data()});
    return e;
  }
  double max_pressure() override { return answers_.max_pressure(backend_, p_.data()); }
  void track_surface(double time, double threshold) override { answers_.track_surface(backend_, p_.data(), time, threshold); }
  double max_surface_height() override { return answers_.max_surface_height(backend_); }
  void surface(std::vector<double>& height, std::vector<double>& maximum, std::vector<double>& arrival) override {
    answers_.surface(backend_, p_.data(), height, maximum, arrival);
  }
  void set_surface_extremes(std::span<const double> maximum, std::span<const double> arrival) override {
    answers_.set_surface_extremes(backend_, maximum, arrival);
  }
  void wait() override {
    backend_.synchronize();
    exchange_.settle();
  }
  void repeat_exchange() override {  // r carries nothing between steps
    exchange_.start(backend_, r_.data());
    exchange_.finish(backend_, r_.data());
  }

 private:
  static Array<double> zeros(std::int64_t n) {
    Array<double> a(Backend::space, static_cast<std::size_t>(n));
    a.zero();
    return a;
  }

  void get(const Array<double>& from, std::int64_t first, std::span<double> values) {
    backend_.synchronize();
    copy_bytes(Space::host, values.data(), Backend::space, from.data() + first, values.size_bytes());
  }
  void set(Array<double>& to, std::int64_t first, std::span<const double> values) {
    backend_.synchronize();
    copy_bytes(Backend::space, to.data() + first, Space::host, values.data(), values.size_bytes());
  }

  // f of stage s on the floor nodes; false when nothing moves.
  bool form_load(std::span<const TermRate> rates, int s) {
    if (answers_.terms() == 0) return false;
    bool first = true;
    for (const TermRate& rate : rates) {
      const double value = s == 0 ? rate.start : s == 3 ? rate.end : rate.middle;
      backend_.for_each(level_, rk4::AddLoad{answers_.term(rate.term), value, first, load_.data()});
      first = false;
    }
    return !first;
  }

  Backend backend_;
  Spaces spaces_;
  std::int64_t nodes_, NX_, velocities_, level_;
  PressureAnswers<Backend> answers_;
  std::unique_ptr<Operator> operator_;
  Exchange<Backend> exchange_;
  SpongeLayer<Backend> sponge_;
  Array<double> p_, p_stage_, p_sum_, r_, u_, u_stage_, u_sum_, g_;
  Array<double> load_;
};

template <class Backend>
std::unique_ptr<Stepper> make_rk4(const StepperSetup& setup, const MakeOperator<Backend>& make_operator) {
  return std::make_unique<Rk4<Backend>>(setup, make_operator);
}

}  // namespace agwave
