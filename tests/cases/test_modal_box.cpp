// SPDX-License-Identifier: Apache-2.0
// A flat, closed box driven by one horizontal cosine mode, against its exact solution (exact_modal.hpp): order of
// convergence in h, with dt fixed and small, and in dt, on one mesh, of both integrators. The exact solution itself is checked
// first, against an integration in time of the one-dimensional problem in z on one spectral element.
#include "modal_experiment.hpp"
#include "schemes.hpp"
#include "spectral_column.hpp"

namespace agwave::cases {
namespace {

TEST(ModalBox, ExactSolutionAgreesWithASpectralColumn) {
  const OceanCase ocean;
  const double H = 4000, interval = 0.5;
  const std::size_t samples = 81;
  std::printf("    k [1/m]   sigma [s]   largest difference, relative: floor, surface\n");
  for (const auto& parameters : {std::pair{2.1e-4, 0.8}, std::pair{5e-4, 1.5}, std::pair{3e-4, 0.5}}) {
    const double k = parameters.first, sigma = parameters.second;
    const Ramp ramp = gaussian_ramp(sigma);
    const auto exact = ExactModal(ocean, H, k, ramp).pressure({-H, 0}, interval, samples);
    SpectralColumn column(ocean, H, k, 24, [&](double) { return ocean.sound_speed; });
    const auto b2 = [&](double t) { return second_derivative(ramp, t); };
    double floor = 0, surface = 0;
    const int per = 2000;
    const double dt = interval / per;
    for (std::size_t s = 1; s < samples; ++s) {
      for (int n = 0; n < per; ++n) column.step((s - 1) * interval + n * dt, dt, b2);
      floor = std::max(floor, std::abs(column.floor() - exact[0][s]));
      surface = std::max(surface, std::abs(column.surface() - exact[1][s]));
    }
    floor /= max_abs(exact[0]);
    surface /= max_abs(exact[1]);
    std::printf("    %8.1e   %7.2f     %.1e  %.1e\n", k, sigma, floor, surface);
    EXPECT_LT(floor, 1e-9);
    EXPECT_LT(surface, 1e-9);
  }
}

// Largest L2 norm of the error over the times observed, relative to the largest L2 norm of the solution.
class NormInSpace {
 public:
  NormInSpace(const Experiment& s, std::int64_t every) : s_(s), every_(every) {}
  void operator()(Model& model) {
    const Mesh& m = model.mesh();
    const auto x = m.x_nodes(), y = m.y_nodes(), sigma = m.sigma_nodes();
    const double kx = s_.m * pi / s_.size[0], ky = s_.n * pi / s_.size[1];
    if (P_.empty()) {
      std::vector<double> z;
      for (double value : sigma) z.push_back(-s_.depth * value);
      P_ = ExactModal(OceanCase{}, s_.depth, std::hypot(kx, ky), gaussian_ramp(s_.sigma))
               .pressure(z, s_.interval, static_cast<std::size_t>(s_.end / s_.interval) + 1);
    }
    const auto sample = static_cast<std::size_t>(std::llround(model.time() / s_.interval));
    if (sample % every_ != 0) return;
    const Spaces spaces({m, OceanCase{}, BoundaryCase{}, 4}, Space::host);
    const NodeView& v = spaces.nodes();
    std::vector<double> p, u;
    model.stepper().get_state(p, u);
    double difference = 0, norm = 0;
    std::size_t n = 0;
    for (int k = 0; k < v.NZ; ++k)
      for (int j = 0; j < v.NY; ++j)
        for (int i = 0; i < v.NX; ++i, ++n) {
          const double weight = v.wx[i] * v.wy[j] * v.wz[k], exact = P_[k][sample] * std::cos(kx * x[i]) * std::cos(ky * y[j]);
          difference += weight * (p[n] - exact) * (p[n] - exact);
          norm += weight * exact * exact;
        }
    difference_ = std::max(difference_, difference);
    norm_ = std::max(norm_, norm);
  }
  double relative() const { return std::sqrt(difference_ / norm_); }

 private:
  const Experiment& s_;
  std::size_t every_;
  std::vector<std::vector<double>> P_;
  double difference_ = 0, norm_ = 0;
};

// The pressure converges at order 5 in L2, in the water and at the seafloor (whose load is integrated with Gauss points for
// that reason, see fem/load.cpp). At the surface it is nearer to 4: the projection on the velocity space drops the degree-4
// part of p across the gradient, the lumped gravity mass keeps it.
TEST(ModalBox, FifthOrderInMeshSize) {
  const Experiment s;
  const auto exact = s.exact();
  const char* names[4] = {"L2", "water", "floor", "surface"};
  const double least_order[4] = {4.5, 4.5, 4.5, 3.0}, largest[4] = {4e-6, 1.2e-5, 5e-6, 4e-4};
  double before[4] = {};
  std::printf("    elements  ");
  for (const char* name : names) std::printf("  %8s  order", name);
  std::printf("\n");
  int level = 0;
  for (const std::array<std::int64_t, 3> elements : {std::array<std::int64_t, 3>{2, 2, 1}, {4, 4, 2}, {8, 8, 4}}) {
    NormInSpace norm(s, 4);
    const auto traces = run(s.make(elements, 20), {}, [&](Model& model) { norm(model); });
    const double error[4] = {norm.relative(), max_difference(part(traces.value, 3, 9), part(exact, 3, 9)),
                             max_difference(part(traces.value, 0, 3), part(exact, 0, 3)),
                             max_difference(part(traces.value, 12, 3), part(exact, 12, 3))};
    std::printf("    %2ldx%ldx%ld    ", static_cast<long>(elements[0]), static_cast<long>(elements[1]), static_cast<long>(elements[2]));
    for (int q = 0; q < 4; ++q) {
      const double order = level > 0 ? std::log2(before[q] / error[q]) : 0;
      std::printf("  %.2e  %5.2f", error[q], order);
      if (level == 2 || (level == 1 && q < 2)) {
        EXPECT_GT(order, least_order[q]) << names[q];
      }
      if (level == 2) {
        EXPECT_LT(error[q], largest[q]) << names[q];
      }
      before[q] = error[q];
    }
    std::printf("\n");
    ++level;
  }
}

// Of the whole pressure and of the surface, as maps show them, one trace of all nodes each.
std::vector<std::vector<double>> maps_of(const Case& c, Traces& traces) {
  std::vector<std::vector<double>> maps(2);
  traces = run(c, {}, [&](Model& model) {
    const Mesh& m = model.mesh();
    const Pick water{Field::pressure, {0, 0, 0}, {m.NX(), m.NY(), m.NZ()}, 1}, surface{Field::pressure, {0, 0, m.NZ() - 1}, {m.NX(), m.NY(), 1}, 1};
    model.view().queue_picks(std::array{water, surface});
    const auto taken = model.view().take_picks();
    for (std::size_t n = 0; n < maps.size(); ++n) maps[n].insert(maps[n].end(), taken[n].begin(), taken[n].end());
  });
  return maps;
}

// Against RK4 with small steps, which both integrators converge to on this mesh.
TEST(ModalBox, FourthOrderInTime) {
  Experiment s;
  s.end = 18;
  const std::array<std::int64_t, 3> elements{3, 3, 1};
  Traces reference;
  const auto maps = maps_of(stepped_by("rk4", s.make(elements, 64)), reference);
  std::printf("    scheme      dt [s]     floor     order  water     order  surface   order  map       order  of surface  order\n");
  for (const char* scheme : schemes) {
    std::array<double, 5> before{};
    for (const int per : {4, 8, 16}) {
      const Case c = stepped_by(scheme, s.make(elements, per));
      Traces traces;
      const auto found = maps_of(c, traces);
      const Differences d = differences(c, traces.value, reference.value);
      const std::array<double, 5> error{d.floor, d.water, d.surface, max_difference(part(found, 0, 1), part(maps, 0, 1)),
                                        max_difference(part(found, 1, 1), part(maps, 1, 1))};
      std::printf("    %-10s  %.5f  ", scheme, traces.dt);
      for (std::size_t q = 0; q < error.size(); ++q) {
        const double order = before[q] > 0 ? std::log2(before[q] / error[q]) : 0;
        std::printf("  %.2e  %5.2f", error[q], order);
        if (before[q] > 0) {
          EXPECT_GT(order, 3.8) << scheme << ", quantity " << q;
        }
      }
      std::printf("\n");
      before = error;
    }
  }
}

}  // namespace
}  // namespace agwave::cases
