// SPDX-License-Identifier: Apache-2.0
// Water that comes in at a point, which is as small as an element: nothing is heard before its sound arrives, and what arrives agrees with finer elements.
#include "case/case_file.hpp"
#include "harness.hpp"

namespace agwave::cases {
namespace {

constexpr double interval = 0.05, c0 = 1500;
const std::vector<double> distances{3000, 6000, 9000, 12000, 15000, 18000};

// Pressure [sample][distance] of a pulse of periods from 1.2 s on, between rigid walls 1.2 km apart, in elements of 600 m.
std::vector<std::vector<double>> heard(int finer) {
  Case c = parse_case("point.yaml", R"(
domain: {size: [24000, 1200], bathymetry: {type: flat, depth: 3000}}
mesh: {elements: [40, 2, 5]}
boundary: {south: rigid, north: rigid}
sources:
  - shape: {type: point, center: [3100, 0], z: -1000, volume: 1}
    ramp: {type: gaussian, center: 4, sigma: 0.56}
time: {end: 14, local_steps: off}
sensors:
  interval: 0.05
  hydrophones: [{line: {name: H, from: [6100, 0, -1300], to: [21100, 0, -1300], count: 6}}]
)",
                      {"mesh.elements=[" + std::to_string(40 * finer) + ", " + std::to_string(2 * finer) + ", " + std::to_string(5 * finer) + "]"});
  c.solver = box_case({1e3, 1e3}, 1e3, {1, 1, 1}).solver;
  Model model(c, world());
  const auto every = static_cast<int>(std::lround(interval / model.dt()));
  std::vector<std::vector<double>> all{model.sample_all()};
  for (int n = 1; n <= 14 / interval; ++n) {
    for (int step = 0; step < every; ++step) model.advance();
    all.push_back(model.sample_all());
  }
  return all;
}

TEST(PointSource, NothingIsHeardBeforeItsSound) {
  const auto found = heard(1), finer = heard(2);
  std::printf("    distance [km]   largest [Pa]   before it   off from elements half as wide\n");
  double near = 0;
  for (std::size_t d = 0; d < distances.size(); ++d) {
    double largest = 0, before = 0, off = 0;
    for (std::size_t n = 0; n < found.size(); ++n) {
      const double p = std::abs(found[n][d]), time = interval * static_cast<double>(n);
      largest = std::max(largest, p);
      off = std::max(off, std::abs(found[n][d] - finer[n][d]));
      if (time < 4 - 4 * 0.56 + distances[d] / c0) before = std::max(before, p);
    }
    if (d == 0) near = largest;
    std::printf("    %6.0f          %.4f         %.1e     %.1e\n", distances[d] / 1e3, largest, before / near, off / near);
    EXPECT_LT(before, 2e-3 * near);
    EXPECT_LT(off, 2e-3 * near);
  }
}

}  // namespace
}  // namespace agwave::cases
