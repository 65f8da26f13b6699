// SPDX-License-Identifier: Apache-2.0
// What a stepper answers from the completed pressure alone: samples, potential energies, powers, the surface's extremes.
// Owns the uplift loads, the sampled points and the surface maps on the backend; p_L is the stepper's.
#pragma once
#include <limits>

#include "error.hpp"
#include "timestep/rk4_pointwise.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

template <class Backend>
class PressureAnswers {
 public:
  PressureAnswers(const StepperSetup& setup, const Spaces& spaces)
      : view_(spaces.nodes()),
        nodes_(setup.mesh.nodes()),
        level_(static_cast<std::int64_t>(setup.mesh.NX()) * setup.mesh.NY()),
        inverse_rho_g_(1 / (setup.ocean.density * setup.ocean.gravity)),
        has_surface_(setup.mesh.part.at_high(2)) {
    if (view_.floor)
      for (const auto& load : setup.loads) terms_.emplace_back(Backend::space, std::span<const double>(load));
    place_points(setup.points);
    if (has_surface_) {
      maximum_ = Array<double>(Backend::space, static_cast<std::size_t>(level_));
      maximum_.zero();
      arrival_ = Array<double>(Backend::space, std::vector<double>(level_, -1.0));
    }
  }

  int terms() const { return static_cast<int>(terms_.size()); }
  const double* term(int n) const { return terms_[n].data(); }

  void sample(Backend& backend, const double* p, std::span<double> pressure) {
    if (values_.empty()) return;
    backend.for_each(static_cast<std::int64_t>(values_.size()), rk4::SamplePoint{p, offset_.data(), node_.data(), weight_.data(), values_.data()});
    backend.synchronize();
    values_.copy_to(pressure);
  }
  Energies potential(Backend& backend, const double* p) const {
    Energies e;
    e.acoustic = backend.sum(nodes_, rk4::PotentialEnergy{view_, p, false, 0});
    if (view_.surface > 0) e.surface = backend.sum(level_, rk4::PotentialEnergy{view_, p, true, nodes_ - level_});
    return e;
  }
  double wall_loss(Backend& backend, const double* p) const {
    if (!view_.west && !view_.east && !view_.south && !view_.north) return 0;
    return backend.sum(2 * static_cast<std::int64_t>(view_.NX + view_.NY) * view_.NZ, rk4::WallLoss{view_, p});
  }
  double floor_product(Backend& backend, const double* p, int term) const {
    return terms_.empty() ? 0.0 : backend.sum(level_, rk4::FloorProduct{view_, terms_[term].data(), p});
  }
  double max_pressure(Backend& backend, const double* p) const { return backend.max(nodes_, rk4::Magnitude{p}); }
  void track_surface(Backend& backend, const double* p, double time, double threshold) {
    if (has_surface_)
      backend.for_each(level_, rk4::TrackSurface{p + nodes_ - level_, inverse_rho_g_, time, threshold, maximum_.data(), arrival_.data()});
  }
  double max_surface_height(Backend& backend) const { return has_surface_ ? backend.max(level_, rk4::Magnitude{maximum_.data()}) : 0.0; }
  void surface(Backend& backend, const double* p, std::vector<double>& height, std::vector<double>& maximum, std::vector<double>& arrival) const {
    height.clear();
    maximum.clear();
    arrival.clear();
    if (!has_surface_) return;
    backend.synchronize();
    height.resize(static_cast<std::size_t>(level_));
    copy_bytes(Space::host, height.data(), Backend::space, p + nodes_ - level_, height.size() * sizeof(double));
    for (double& h : height) h *= inverse_rho_g_;
    maximum = maximum_.to_host();
    arrival = arrival_.to_host();
  }

 private:
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
    values_ = Array<double>(Backend::space, points.size());
  }

  NodeView view_;
  std::int64_t nodes_, level_;
  double inverse_rho_g_;
  bool has_surface_;
  std::vector<Array<double>> terms_;
  Array<std::int32_t> offset_, node_;
  Array<double> weight_, values_, maximum_, arrival_;
};

}  // namespace agwave
