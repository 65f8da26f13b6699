// SPDX-License-Identifier: Apache-2.0
// Kinks in time, of linear ramps and of sequences of grids, excite waves that no mesh carries. What of them rings on above the band that the mesh
// resolves, after the floor has come to rest: with small steps of either integrator it is the mesh's own. The leapfrog, which damps nothing, adds up to a
// third to it at its automatic step; RK4 at its own damps what turns by a radian a step or more. Smooth ramps leave nothing to damp.
#include "schemes.hpp"

namespace agwave::cases {
namespace {

constexpr double start = 0.5, rise = 5, end = 40, element = 2000;
const double resolved = OceanCase{}.sound_speed / (1.4 * element);  // [Hz], of sound (docs/verification.md)

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

// [Pa], root mean square of what lies above the resolved band, under a Hann window from the end of the rise on.
double ringing(const std::vector<double>& values, double dt) {
  const auto first = static_cast<std::size_t>(std::ceil((start + rise) / dt)), count = values.size() - first;
  std::vector<double> window(count);
  for (std::size_t n = 0; n < count; ++n)
    window[n] = values[first + n] * (1 - std::cos(2 * pi * (static_cast<double>(n) + 0.5) / static_cast<double>(count)));
  double sum = 0;
  for (std::size_t k = 1; k <= count / 2; ++k) {
    if (static_cast<double>(k) / (static_cast<double>(count) * dt) < resolved) continue;
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

// Floor, water, surface: largest ringing over the largest value. Sampled at every automatic step, of which each takes `parts`.
std::array<double, 3> run_with(const char* scheme, Case c, int parts) {
  c = stepped_by(scheme, c);
  const double dt = make_plan(c, world()).choice.dt;
  c.sensors.interval = dt;
  c.time.step = dt / parts;
  c.time.end = dt * std::floor(end / dt);
  const Traces traces = run(c);
  std::array<double, 3> found{};
  for (std::size_t kind = 0; kind < 3; ++kind) {
    double most = 0, largest = 0;
    for (std::size_t n = 3 * kind; n < 3 * kind + 3; ++n) {
      most = std::max(most, ringing(traces.value[n], dt));
      largest = std::max(largest, max_abs(traces.value[n]));
    }
    found[kind] = most / largest;
  }
  return found;
}

void expect_like_the_mesh(const char* what, const ShapePointer& shape, const std::optional<Ramp>& ramp, Wall walls, double most) {
  const Case c = over_a_seamount(shape, ramp, walls);
  const auto mesh = run_with("rk4", c, 8), rk4 = run_with("rk4", c, 1), leapfrog = run_with("leapfrog4", c, 1);
  for (std::size_t kind = 0; kind < 3; ++kind) {
    std::printf("    %-28s  %-7s  %.4f   %.4f   %.4f        %.3f\n", what, std::array{"floor", "water", "surface"}[kind], mesh[kind], rk4[kind],
                leapfrog[kind], leapfrog[kind] / mesh[kind]);
    EXPECT_LT(leapfrog[kind], most * mesh[kind]) << what;
  }
}

void head() { std::printf("    source                        at       mesh     rk4      leapfrog4     leapfrog4/mesh\n"); }

TEST(Kinks, OfALinearRampRingAsTheMeshDoes) {
  head();
  const ShapePointer shape = gaussian({11e3, 9e3}, {3e3, 2.5e3});
  Ramp ramp = smoothstep_ramp(start, rise, 2);
  expect_like_the_mesh("smoothstep, rigid walls", shape, ramp, Wall::rigid, 1.05);
  ramp.type = Ramp::Type::linear;
  expect_like_the_mesh("linear ramp, rigid walls", shape, ramp, Wall::rigid, 1.4);
  expect_like_the_mesh("linear ramp, absorbing walls", shape, ramp, Wall::absorbing, 1.4);
}

TEST(Kinks, OfASequenceOfGridsRingAsTheMeshDoes) {
  head();
  const TempDir dir;
  std::string lines;
  for (const double part_of_rise : {0.0, 0.3, 0.5, 1.0})
    for (double y = 20e3; y >= 0; y -= 1e3)
      for (double x = 0; x <= 20e3; x += 1e3)
        lines += text(start + rise * part_of_rise, " ", x, " ", y, " ",
                      part_of_rise * part_of_rise * std::exp(-0.5 * (std::pow((x - 11e3) / 3e3, 2) + std::pow((y - 9e3) / 2.5e3, 2))), "\n");
  dir.write("uplift.tt1", lines);
  expect_like_the_mesh("four grids, rigid walls", make_shape("{type: grid, file: " + (dir / "uplift.tt1") + "}"), {}, Wall::rigid, 1.4);
}

}  // namespace
}  // namespace agwave::cases
