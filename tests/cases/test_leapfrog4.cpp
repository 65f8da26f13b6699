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
    const auto traces =
        run(c, [&](Model& model) { set_state(model, [=](double x, double, double) { return 2 * std::exp(-0.5 * std::pow((x - 0.5 * L) / sigma, 2)); }); });
    double left = 0;
    for (const auto& station : traces.value)
      for (std::size_t s = 0; s < traces.time.size(); ++s)
        if (traces.time[s] > (0.5 * L + 6 * sigma) / c0) left = std::max(left, std::abs(station[s]));
    std::printf("    %.1f     %.1e\n", C_dt, left);
    EXPECT_LT(left, 0.005);
  }
}

// What a wall with a sponge before it sends back of a pressure that runs apart both ways: RK4's sponge fades pressure and velocity, this one the potential
// and its rate, which a long wave notices.
double sent_back(const char* scheme, double wave, double speed, double width, bool lid) {
  constexpr double H = 4000;
  const double L = 16 * wave, interval = 0.05 * wave / speed;
  Case c = box_case({L, 2 * H}, H, {32, 1, 1});
  c.solver.scheme = scheme;
  c.boundary.east = Wall::absorbing;
  if (lid) c.boundary.surface = Surface::rigid;
  c.boundary.sponge.width[1] = width;
  set_time(c, 230 * interval, interval);
  hydrophone(c, L - 3 * wave, H, 0);
  const auto traces = run(c, [&](Model& model) {
    set_state(model, [=](double x, double, double) { return 2e4 * std::exp(-0.5 * std::pow((x - (L - 6 * wave)) / wave, 2)); });
  });
  double in = 0, out = 0;
  for (std::size_t n = 0; n < traces.time.size(); ++n) {
    double& largest = traces.time[n] < 6 * wave / speed ? in : out;
    largest = std::max(largest, std::abs(traces.value[0][n]));
  }
  return out / in;
}

TEST(Leapfrog4, SpongesReflectLikeRk4s) {
  const double still = std::sqrt(9.81 * 4000), long_wave = still / std::sqrt(1 + still * still / (c0 * c0));
  std::printf("    wave      length / width   RK4      leapfrog4\n");
  struct Wave {
    const char* name;
    double length, speed, width;
    bool lid;
  };
  for (const Wave& w : {Wave{"sound", 3e3, c0, 20e3, true}, Wave{"gravity", 20e3, long_wave, 80e3, false}, Wave{"gravity", 40e3, long_wave, 80e3, false}}) {
    const double rk4 = sent_back("rk4", w.length, w.speed, w.width, w.lid), found = sent_back("leapfrog4", w.length, w.speed, w.width, w.lid);
    std::printf("    %-8s  %.2f             %.4f   %.4f\n", w.name, w.length / w.width, rk4, found);
    EXPECT_LT(found, std::max(1.1 * rk4, 0.01));
  }
}

}  // namespace
}  // namespace agwave::cases
