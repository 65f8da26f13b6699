// SPDX-License-Identifier: Apache-2.0
// Kinks in time, of linear ramps and of sequences of grids, excite waves that no mesh carries. What of them rings on above the band that the
// mesh resolves, after the floor has come to rest: with small steps of either integrator it is the mesh's own. RK4 damps what turns by a radian a step or
// more. The leapfrog damps nothing, and adds up to a third to it at its automatic step; but as it is filtered no more is left than of RK4's, and what the mesh
// resolves is as it was. Smooth ramps leave nothing to filter.
#include "schemes.hpp"

namespace agwave::cases {
namespace {

constexpr double start = 0.5, rise = 5, end = 40, element = 2000;
const double resolved = OceanCase{}.sound_speed / (1.4 * element);  // [Hz], of sound (docs/verification.md)

// Beside a shelf, whose columns take finer steps.
Case over_a_margin(const ShapePointer& shape, const Ramp& ramp, int levels) {
  Case c = box_case({24 * element, 8 * element}, 4000, {24, 8, 2}, Wall::rigid);
  c.domain.bathymetry = MarginBathymetry{200, 4000, 4000, 38e3, 22e3, 4e3};
  source(c, shape, ramp);
  for (const double x : {5e3, 28e3, 39e3}) {
    seafloor(c, x, 9e3);
    hydrophone(c, x, 9.3e3, -200);
    gauge(c, x, 8.7e3);
  }
  c.time.local_steps = levels;
  set_time(c, end, 1);
  return c;
}

Case over_a_seamount(const ShapePointer& shape, const std::optional<Ramp>& ramp, Wall walls) {
  Case c = box_case({10 * element, 10 * element}, 4000, {10, 10, 2}, walls);
  c.domain.bathymetry = GaussianBathymetry{4000, 1000, {9e3, 11e3}, {4e3, 4e3}};
  source(c, shape, ramp.value_or(Ramp{}));
  c.sources[0].ramp = ramp;
  for (const double x : {5e3, 11e3, 17e3}) {
    seafloor(c, x, 9e3);
    hydrophone(c, x, 9.3e3, -1500);
    gauge(c, x, 8.7e3);
  }
  set_time(c, end, 1);
  return c;
}

// [Pa], root mean square of what lies between two frequencies, under a Hann window from the end of the rise on.
double between(double low, double high, const std::vector<double>& values, double dt) {
  const auto first = static_cast<std::size_t>(std::ceil((start + rise) / dt)), count = values.size() - first;
  std::vector<double> window(count);
  for (std::size_t n = 0; n < count; ++n)
    window[n] = values[first + n] * (1 - std::cos(2 * pi * (static_cast<double>(n) + 0.5) / static_cast<double>(count)));
  double sum = 0;
  for (std::size_t k = 1; k <= count / 2; ++k) {
    const double frequency = static_cast<double>(k) / (static_cast<double>(count) * dt);
    if (frequency < low || frequency >= high) continue;
    double cosine = 0, sine = 0;
    for (std::size_t n = 0; n < count; ++n) {
      const double phase = 2 * pi * static_cast<double>(k * n % count) / static_cast<double>(count);
      cosine += window[n] * std::cos(phase);
      sine += window[n] * std::sin(phase);
    }
    sum += cosine * cosine + sine * sine;
  }
  return std::sqrt(2 * sum) / static_cast<double>(count);
}

struct Found {                                            // on the floor, in the water, at the surface
  std::array<double, 3> ringing{}, largest{}, carried{};  // above what the mesh resolves, over the largest value; that; below it [Pa]
};
// Sampled at every automatic step, of which each takes `parts`.
Found run_with(const char* scheme, Case c, int parts, bool filter = true) {
  c = stepped_by(scheme, c);
  c.time.filter = filter;
  const double dt = make_plan(c, world()).choice.dt;
  c.sensors.interval = dt;
  c.time.step = dt / parts;
  c.time.end = dt * std::floor(end / dt);
  const Traces traces = run(c);
  Found found;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    double& largest = found.largest[kind];
    for (std::size_t n = 3 * kind; n < 3 * kind + 3; ++n) {
      found.ringing[kind] = std::max(found.ringing[kind], between(resolved, INFINITY, traces.value[n], dt));
      found.carried[kind] = std::max(found.carried[kind], between(0, 0.75 * resolved, traces.value[n], dt));
      largest = std::max(largest, max_abs(traces.value[n]));
    }
    found.ringing[kind] /= largest;
  }
  return found;
}

// kinks: or it is smooth, and never filtered.
void expect_no_more_than_rk4(const char* what, const ShapePointer& shape, const std::optional<Ramp>& ramp, Wall walls, bool kinks) {
  const Case c = over_a_seamount(shape, ramp, walls);
  EXPECT_EQ(make_plan(stepped_by("leapfrog4", c), world()).filter.steps > 0, kinks) << what;
  EXPECT_EQ(make_plan(stepped_by("rk4", c), world()).filter.steps, 0) << what;
  const Found mesh = run_with("rk4", c, 8), rk4 = run_with("rk4", c, 1), rings = run_with("leapfrog4", c, 1, false),
              leapfrog = run_with("leapfrog4", c, 1);
  for (std::size_t kind = 0; kind < 3; ++kind) {
    std::printf("    %-28s  %-7s  %.4f   %.4f   %.4f      %.4f     %.6f\n", what, std::array{"floor", "water", "surface"}[kind], mesh.ringing[kind],
                rk4.ringing[kind], rings.ringing[kind], leapfrog.ringing[kind], leapfrog.carried[kind] / rings.carried[kind]);
    EXPECT_LT(rings.ringing[kind], (kinks ? 1.4 : 1.05) * mesh.ringing[kind]) << what;
    if (kinks) {
      EXPECT_LE(leapfrog.ringing[kind], 1.005 * rk4.ringing[kind]) << what;
    }
    EXPECT_NEAR(leapfrog.carried[kind], rings.carried[kind], 1e-3 * rings.carried[kind]) << what;
  }
}

void head() { std::printf("    source                        at       mesh     rk4      unfiltered  leapfrog4  below the band\n"); }

TEST(Kinks, OfALinearRampRingNoMoreThanWithRk4) {
  head();
  const ShapePointer shape = gaussian({11e3, 9e3}, {3e3, 2.5e3});
  Ramp ramp = smoothstep_ramp(start, rise, 2);
  expect_no_more_than_rk4("smoothstep, rigid walls", shape, ramp, Wall::rigid, false);
  ramp.type = Ramp::Type::linear;
  expect_no_more_than_rk4("linear ramp, rigid walls", shape, ramp, Wall::rigid, true);
  expect_no_more_than_rk4("linear ramp, absorbing walls", shape, ramp, Wall::absorbing, true);
}

// RK4 at the finest step damps nothing that coarse columns do not resolve; the filter goes by the step of each. In Pa, for the largest values ring as well.
// With kinks half a coarsest step after the beginning of one; elsewhere more may be left on the floor of finer columns (docs/theory.md).
TEST(Kinks, InLevelsRingNoMoreThanWithRk4) {
  const Ramp ramp{.type = Ramp::Type::linear, .start = start, .duration = rise};
  const ShapePointer shape = gaussian({20e3, 9e3}, {6e3, 3e3});
  const Case one = over_a_margin(shape, ramp, 1);
  Case several = over_a_margin(shape, ramp, 8);
  several.time.step = 1.0 / 9;  // start and end of the rise are at 4.5 and 49.5 of them
  const Plan plan = make_plan(stepped_by("leapfrog4", several), world());
  ASSERT_GE(plan.levels.levels.size(), 3u);
  const Found rk4 = run_with("rk4", one, 1), rings = run_with("leapfrog4", several, 1, false), leapfrog = run_with("leapfrog4", several, 1);
  std::printf("    levels: %s\n    at       rk4 [Pa]  unfiltered  in levels  below the band\n", to_text(plan.levels).c_str());
  for (std::size_t kind = 0; kind < 3; ++kind) {
    const auto pascals = [kind](const Found& found) { return found.ringing[kind] * found.largest[kind]; };
    std::printf("    %-7s  %8.5g  %8.5g    %8.5g   %.6f\n", std::array{"floor", "water", "surface"}[kind], pascals(rk4), pascals(rings),
                pascals(leapfrog), leapfrog.carried[kind] / rings.carried[kind]);
    EXPECT_LE(pascals(leapfrog), 1.005 * pascals(rk4));
    EXPECT_NEAR(leapfrog.carried[kind], rings.carried[kind], 1e-3 * rings.carried[kind]);
  }
}

TEST(Kinks, OfASequenceOfGridsRingNoMoreThanWithRk4) {
  head();
  const TempDir dir;
  std::string lines;
  for (const double part_of_rise : {0.0, 0.3, 0.5, 1.0})
    for (double y = 20e3; y >= 0; y -= 1e3)
      for (double x = 0; x <= 20e3; x += 1e3)
        lines += text(start + rise * part_of_rise, " ", x, " ", y, " ",
                      part_of_rise * part_of_rise * std::exp(-0.5 * (std::pow((x - 11e3) / 3e3, 2) + std::pow((y - 9e3) / 2.5e3, 2))), "\n");
  dir.write("uplift.tt1", lines);
  expect_no_more_than_rk4("four grids, rigid walls", make_shape("{type: grid, file: " + (dir / "uplift.tt1") + "}"), {}, Wall::rigid, true);
}

}  // namespace
}  // namespace agwave::cases
