// SPDX-License-Identifier: Apache-2.0
// Classical RK4, once for all backends.
#pragma once
#include <limits>

#include "error.hpp"
#include "timestep/rk4.hpp"
#include "timestep/rk4_pointwise.hpp"
#include "trace.hpp"

namespace agwave {

template <class Backend>
class Rk4 final : public Stepper {
 public:
  Rk4(const StepperSetup& setup, const MakeOperator<Backend>& make_operator)
      : spaces_(setup.mesh, setup.ocean, setup.boundary, setup.quadrature, Backend::space),
        nodes_(setup.mesh.nodes()),
        velocities_(setup.mesh.NE() * 3 * L3D),
        level_(static_cast<std::int64_t>(setup.mesh.NX()) * setup.mesh.NY()),
        inverse_rho_g_(1 / (setup.ocean.density * setup.ocean.gravity)),
        has_surface_(setup.mesh.part.at_high(2)),
        operator_(make_operator(setup.mesh, spaces_, setup.quadrature, backend_)),
        exchange_(setup.mesh, setup.comm) {
    for (Array<double>* a : {&p_, &p_stage_, &p_sum_, &r_}) *a = zeros(nodes_);
    for (Array<double>* a : {&u_, &u_stage_, &u_sum_, &g_}) *a = zeros(velocities_);
    if (spaces_.nodes().floor && !setup.loads.empty()) {
      load_ = zeros(level_);
      for (const auto& load : setup.loads) terms_.emplace_back(Backend::space, std::span<const double>(load));
    }
    place_points(setup.points);
    if (has_surface_) {
      maximum_ = zeros(level_);
      arrival_ = Array<double>(Backend::space, std::vector<double>(level_, -1.0));
    }
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

  void sample(std::span<double> pressure) override {
    if (values_.empty()) return;
    backend_.for_each(static_cast<std::int64_t>(values_.size()),
                      rk4::SamplePoint{p_.data(), offset_.data(), node_.data(), weight_.data(), values_.data()});
    backend_.synchronize();
    values_.copy_to(pressure);
  }
  Energies energies() override {
    Energies e;
    e.kinetic = backend_.sum(velocities_ / 3, rk4::KineticEnergy{spaces_.elements(), rk4::gauss_weights(), u_.data()});
    e.acoustic = backend_.sum(nodes_, rk4::PotentialEnergy{spaces_.nodes(), p_.data(), false, 0});
    if (spaces_.nodes().surface > 0) e.surface = backend_.sum(level_, rk4::PotentialEnergy{spaces_.nodes(), p_.data(), true, nodes_ - level_});
    return e;
  }
  double wall_loss() override {
    const NodeView& v = spaces_.nodes();
    if (!v.west && !v.east && !v.south && !v.north) return 0;
    return backend_.sum(2 * static_cast<std::int64_t>(v.NX + v.NY) * v.NZ, rk4::WallLoss{v, p_.data()});
  }
  double floor_product(int term) override {
    return terms_.empty() ? 0.0 : backend_.sum(level_, rk4::FloorProduct{spaces_.nodes(), terms_[term].data(), p_.data()});
  }
  double max_pressure() override { return backend_.max(nodes_, rk4::Magnitude{p_.data()}); }

  void track_surface(double time, double threshold) override {
    if (has_surface_)
      backend_.for_each(level_, rk4::TrackSurface{p_.data() + nodes_ - level_, inverse_rho_g_, time, threshold, maximum_.data(), arrival_.data()});
  }
  double max_surface_height() override { return has_surface_ ? backend_.max(level_, rk4::Magnitude{maximum_.data()}) : 0.0; }
  void surface(std::vector<double>& height, std::vector<double>& maximum, std::vector<double>& arrival) override {
    height.clear();
    maximum.clear();
    arrival.clear();
    if (!has_surface_) return;
    backend_.synchronize();
    height.resize(static_cast<std::size_t>(level_));
    copy_bytes(Space::host, height.data(), Backend::space, p_.data() + nodes_ - level_, height.size() * sizeof(double));
    for (double& h : height) h *= inverse_rho_g_;
    maximum = maximum_.to_host();
    arrival = arrival_.to_host();
  }
  void wait() override { backend_.synchronize(); }

 private:
  static Array<double> zeros(std::int64_t n) {
    Array<double> a(Backend::space, static_cast<std::size_t>(n));
    a.zero();
    return a;
  }

  // f of stage s on the floor nodes; false when nothing moves.
  bool form_load(std::span<const TermRate> rates, int s) {
    if (terms_.empty()) return false;
    bool first = true;
    for (const TermRate& rate : rates) {
      const double value = s == 0 ? rate.start : s == 3 ? rate.end : rate.middle;
      backend_.for_each(level_, rk4::AddLoad{terms_[rate.term].data(), value, first, load_.data()});
      first = false;
    }
    return !first;
  }

  void place_points(const std::vector<PointWeights>& points) {
    if (points.empty()) return;
    std::vector<std::int32_t> offset{0}, node;
    std::vector<double> weight;
    for (const PointWeights& point : points) {
      node.insert(node.end(), point.node.begin(), point.node.end());
      weight.insert(weight.end(), point.weight.begin(), point.weight.end());
      if (node.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw Error(ExitCode::usage, "sensors: more than 2^31 basis values on one rank; use fewer sensors or more ranks");
      offset.push_back(static_cast<std::int32_t>(node.size()));
    }
    offset_ = Array<std::int32_t>(Backend::space, offset);
    node_ = Array<std::int32_t>(Backend::space, node);
    weight_ = Array<double>(Backend::space, weight);
    values_ = zeros(static_cast<std::int64_t>(points.size()));
  }

  Backend backend_;
  Spaces spaces_;
  std::int64_t nodes_, velocities_, level_;
  double inverse_rho_g_;
  bool has_surface_;
  std::unique_ptr<Operator> operator_;
  Exchange<Backend> exchange_;
  Array<double> p_, p_stage_, p_sum_, r_, u_, u_stage_, u_sum_, g_;
  Array<double> load_, maximum_, arrival_;
  std::vector<Array<double>> terms_;
  Array<std::int32_t> offset_, node_;
  Array<double> weight_, values_;
};

template <class Backend>
std::unique_ptr<Stepper> make_rk4(const StepperSetup& setup, const MakeOperator<Backend>& make_operator) {
  return std::make_unique<Rk4<Backend>>(setup, make_operator);
}

}  // namespace agwave
