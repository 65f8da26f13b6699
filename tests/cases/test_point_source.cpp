// SPDX-License-Identifier: Apache-2.0
// Water that comes in at a point, which is as small as an element: nothing is heard before its sound arrives, and what arrives agrees with finer elements.
#include "case/case_file.hpp"
#include "harness.hpp"

namespace agwave::cases {
namespace {

constexpr double interval = 0.05, c0 = 1500;
const std::vector<double> distances{3000, 6000, 9000, 12000, 15000, 18000};

// Pressure [sample][distance] of a pulse of periods from 1.2 s on, between rigid walls 1.2 km apart, in elements of 600 m: of water that comes in inside them, or
// where they meet.
std::vector<std::vector<double>> heard(bool on_faces, int finer) {
  const double x = on_faces ? 3000 : 3100;
  Case c = parse_case("point.yaml", R"(
domain: {size: [24000, 1200], bathymetry: {type: flat, depth: 3000}}
mesh: {elements: [40, 2, 5]}
boundary: {south: rigid, north: rigid}
sources:
  - shape: {type: point, volume: 1}
    ramp: {type: gaussian, center: 4, sigma: 0.56}
time: {end: 14, local_steps: off}
sensors:
  interval: 0.05
)",
                      {text("sources[0].shape.center=[", x, ", ", on_faces ? 600 : 0, "]"), text("sources[0].shape.z=", on_faces ? -1200 : -1000),
                       text("sensors.hydrophones=[{line: {name: H, from: [", x + 3000, ", 0, -1300], to: [", x + 18000, ", 0, -1300], count: 6}}]"),
                       text("mesh.elements=[", 40 * finer, ", ", 2 * finer, ", ", 5 * finer, "]")});
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

// limit: of what comes before its sound, and of how much differs from elements half as wide, both over the largest of the nearest.
void expect_sound_alone(bool on_faces, double limit) {
  const auto found = heard(on_faces, 1), finer = heard(on_faces, 2);
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
    EXPECT_LT(before, limit * near);
    EXPECT_LT(off, limit * near);
  }
}

TEST(PointSource, NothingIsHeardBeforeItsSound) { expect_sound_alone(false, 2e-3); }
TEST(PointSource, NorOfOneWhereElementsMeet) { expect_sound_alone(true, 3e-2); }

}  // namespace
}  // namespace agwave::cases
