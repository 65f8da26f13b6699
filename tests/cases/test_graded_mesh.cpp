// SPDX-License-Identifier: Apache-2.0
// The exact solution of the flat box on graded columns and layers: as accurate as the widest of them, at order 5 when all are halved.
#include "exact_modal.hpp"
#include "harness.hpp"

namespace agwave::cases {
namespace {

// Largest error over sensors and times, of the largest pressure.
double error_on(const Spacing& x, const Spacing& y, double layer_ratio, std::array<std::int64_t, 3> elements, const char* variant) {
  const double Lx = 16e3, Ly = 12e3, H = 4000, interval = 0.5, end = 16;
  Case c = box_case({Lx, Ly}, H, elements);
  if (c.solver.device == "cpu") c.solver.variant = variant;
  c.mesh.spacing = {x, y};
  c.mesh.interfaces.clear();
  double sum = 0;
  for (std::int64_t k = 0; k <= elements[2]; ++k) {
    c.mesh.interfaces.push_back(sum);
    sum += std::pow(layer_ratio, static_cast<double>(k) / static_cast<double>(elements[2]));
  }
  for (double& s : c.mesh.interfaces) s /= c.mesh.interfaces.back();
  const Ramp ramp = gaussian_ramp(0.9);
  source(c, modal(2, 1), ramp);
  set_time(c, end, interval);
  const std::array<std::array<double, 2>, 3> places{{{900, 700}, {5300, 4400}, {15.5e3, 11e3}}};
  for (const auto& p : places) seafloor(c, p[0], p[1]);
  for (const auto& p : places) gauge(c, p[0], p[1]);
  const Traces traces = run(c);
  const auto P = ExactModal(c.ocean, H, std::hypot(2 * pi / Lx, pi / Ly), ramp).pressure({-H, 0}, interval, traces.time.size());
  double worst = 0;
  for (std::size_t n = 0; n < places.size(); ++n) {
    const double factor = std::cos(2 * pi * places[n][0] / Lx) * std::cos(pi * places[n][1] / Ly);
    for (std::size_t s = 0; s < traces.time.size(); ++s) worst = std::max(worst, std::abs(traces.value[n][s] - factor * P[0][s]));
  }
  return worst / max_abs(P[0]);
}

TEST(GradedMesh, ConvergesToTheExactSolution) {
  const Spacing focus{.rule = Spacing::Rule::focus, .ratio = 3, .center = 5e3, .radius = 3e3},
      geometric{.rule = Spacing::Rule::geometric, .ratio = 0.4};
  std::printf("    variant     4x3x2      8x6x4      order\n");
  for (const char* variant : {"pa", "two-sweep"}) {
    const double coarse = error_on(focus, geometric, 0.5, {4, 3, 2}, variant), fine = error_on(focus, geometric, 0.5, {8, 6, 4}, variant);
    std::printf("    %-10s  %.2e   %.2e   %.2f\n", variant, coarse, fine, std::log2(coarse / fine));
    EXPECT_GT(std::log2(coarse / fine), 4.0);
    EXPECT_LT(fine, 1e-3);
  }
}

}  // namespace
}  // namespace agwave::cases
