// SPDX-License-Identifier: Apache-2.0
// Absorbing walls: a plane acoustic pulse at normal incidence leaves (below a rigid surface, where there is one); a long
// gravity wave is reflected by (c - s) / (c + s), s its speed, as docs/theory.md warns; and with four such walls on cubic, flat,
// tall and sheared elements the step that the model chooses is stable for random data.
#include "schemes.hpp"

namespace agwave::cases {
namespace {

constexpr double c0 = 1500, rho = 1025, g = 9.81;

TEST(Absorbing, PlaneAcousticPulseLeaves) {
  std::printf("    wall    largest pressure left / incident\n");
  for (const int wall : {0, 1, 2, 3}) {  // west, east, south, north
    const bool along_x = wall < 2, up = wall % 2 == 1;
    const double L = 24e3, sigma = 900, sign = up ? 1 : -1;
    Case c = rk4_case(along_x ? std::array{L, 2e3} : std::array{2e3, L}, 2000,
                      along_x ? std::array<std::int64_t, 3>{24, 1, 1} : std::array<std::int64_t, 3>{1, 24, 1});
    (wall == 0 ? c.boundary.west : wall == 1 ? c.boundary.east : wall == 2 ? c.boundary.south : c.boundary.north) = Wall::absorbing;
    c.boundary.surface = Surface::rigid;
    set_time(c, 13, 0.1);
    for (double at = 0; at <= L; at += 600) seafloor(c, along_x ? at : 700, along_x ? 700 : at);
    const auto pulse = [=](double x, double y, double) { return std::exp(-0.5 * std::pow(((along_x ? x : y) - 0.5 * L) / sigma, 2)); };
    std::array<Scalar, 3> u;
    u[along_x ? 0 : 1] = [=](double x, double y, double z) { return sign * pulse(x, y, z) / (rho * c0); };
    const auto traces = run(c, [&](Model& model) { set_state(model, pulse, u); });
    double left = 0;
    for (const auto& station : traces.value)
      for (std::size_t s = 0; s < traces.time.size(); ++s)
        if (traces.time[s] > (0.5 * L + 6 * sigma) / c0) left = std::max(left, std::abs(station[s]));
    std::printf("    %4d    %.1e\n", wall, left);
    EXPECT_LT(left, 0.01);
  }
}

// Half a Gaussian at the rigid west wall, at rest: it all runs east.
TEST(Absorbing, LongGravityWavesAreReflected) {
  std::printf("    scheme      depth [m]   reflected/incident   (c-s)/(c+s)   from sqrt(gH) alone\n");
  for (const char* scheme : schemes)
    for (const double H : {4000.0, 50.0}) {
      const double still = std::sqrt(g * H), s = still / std::sqrt(1 + g * H / (c0 * c0));
      const double width = H > 1000 ? 40e3 : 400, L = 6 * width, interval = 0.05 * width / s;
      Case c = stepped_by(scheme, box_case({L, 2 * H}, H, {12, 1, 1}));
      c.boundary.east = Wall::absorbing;
      set_time(c, 230 * interval, interval);  // 11.5 widths: 3 to the gauge, 3 to the wall, 3 back
      gauge(c, L - 3 * width, H);
      const auto traces = run(
          c, [&](Model& model) { set_state(model, [=](double x, double, double) { return rho * g * std::exp(-0.5 * std::pow(x / width, 2)); }); });
      double in = 0, out = 0;
      for (std::size_t n = 0; n < traces.time.size(); ++n) {
        double& largest = traces.time[n] < 6 * width / s ? in : out;
        largest = std::max(largest, traces.value[0][n]);
      }
      const double expected = (c0 - s) / (c0 + s);
      std::printf("    %-10s  %7.0f     %.4f               %.4f        %.4f      (%ld steps)\n", scheme, H, out / in, expected,
                  (c0 - still) / (c0 + still), std::lround(traces.time.back() / traces.dt));
      EXPECT_NEAR(out / in / expected, 1, 0.005);
      EXPECT_NEAR(out / in, H > 1000 ? 0.77 : 0.97, 0.005);
    }
}

Case walled(const Basin& shape) {
  Case c = rk4_case(shape.size, shape.depth, shape.elements, Wall::absorbing);
  shape.set_floor(c);
  return c;
}

void random_state(Model& model) {
  Noise next(2024);
  const double Z = rho * c0;
  const Scalar noise = [&](double, double, double) { return next() / Z; };
  set_state(model, [&](double, double, double) { return next(); }, {noise, noise, noise});
}

TEST(Absorbing, ChosenStepIsStableForRandomData) {
  std::printf("    elements   safety   dt/waves-only limit   largest E(n+1)/E(n) - 1   E(5000)/E(0)\n");
  for (const Basin& shape : basins)
    for (const double safety : {0.9, 0.99}) {
      Case c = walled(shape);
      c.time.safety = safety;
      set_time(c, 200, 100);  // long against a step, so that rounding it down costs nothing
      Model model(c, world());
      random_state(model);
      const double start = model.view().energies().total();
      double energy = start, growth = -1;
      for (int step = 0; step < 5000; ++step) {
        model.advance();
        const double now = model.view().energies().total();
        growth = std::max(growth, now / energy - 1);
        energy = now;
      }
      std::printf("    %-8s   %.2f     %.3f                 %+.1e                  %.1e\n", shape.name, safety,
                  model.dt() / model.plan().limit.waves_only, growth, energy / start);
      EXPECT_LT(growth, 1e-12) << shape.name;
      EXPECT_LT(energy, 0.7 * start) << shape.name;  // still velocities without divergence keep the rest
    }
}

// How sharp the bound is: the least multiple of it, in steps of 2.5 %, that random data show to be unstable.
TEST(Absorbing, BoundIsSharp) {
  std::printf("    elements   bound/waves-only limit   unstable from (times the bound)\n");
  for (const Basin& shape : basins) {
    Case c = walled(shape);
    set_time(c, 200, 100);
    Model model(c, world());
    double factor = 1.0;
    for (bool stable = true; stable && factor < 2; factor += stable ? 0.025 : 0) {
      random_state(model);
      const double start = model.view().energies().total();
      for (int step = 0; step < 3000 && stable; ++step) {
        model.stepper().step(factor * model.plan().limit.dt, {});
        if (step % 50 == 49) stable = model.view().energies().total() < 10 * start;
      }
    }
    std::printf("    %-8s   %.3f                    %.3f\n", shape.name, model.plan().limit.dt / model.plan().limit.waves_only, factor);
    EXPECT_GT(factor, 1.0) << shape.name;
    if (!shape.seamount) {
      EXPECT_LE(factor, 1.2) << shape.name;
    }
  }
}

}  // namespace
}  // namespace agwave::cases
