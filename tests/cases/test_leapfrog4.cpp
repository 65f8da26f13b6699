// SPDX-License-Identifier: Apache-2.0
// The leapfrog of order 4: it converges to what RK4 computes on the same mesh, is stable with absorbing walls of every kind at the step that the
// model chooses, lets a plane pulse out, and moves the volume of a ramp with kinks to the last digit.
#include "schemes.hpp"

namespace agwave::cases {
namespace {

constexpr double c0 = 1500;

Case leapfrog(const Case& c) { return stepped_by("leapfrog4", c); }

// Depths of 1500 to 4000 m, at random on a grid of 1.5 km.
void random_terrain(const TempDir& dir) {
  const int nx = 9, ny = 8;
  Noise noise(25);
  std::string grid = text(nx, " ncols\n", ny, " nrows\n0 xlower\n0 ylower\n1500 cellsize\n-9999 nodata_value\n");
  for (int n = 0; n < nx * ny; ++n) grid += text(-1500 - 2500 * (noise() + 0.5), (n + 1) % nx == 0 ? "\n" : " ");
  dir.write("random.tt3", grid);
}

// Smooth in time: an uplift along the normal of the floor, and if asked for water that comes in at a point.
Case over_random_terrain(const TempDir& dir, const BoundaryCase& boundary, bool point) {
  Case c = box_case({12e3, 10e3}, 3000, {5, 4, 2});
  GridBathymetry terrain;
  terrain.file = dir / "random.tt3";
  c.domain.bathymetry = terrain;
  c.boundary = boundary;
  source(c, gaussian({6000, 5000}, {2500, 2000}), gaussian_ramp(0.8), 1, Motion::normal);
  if (point) source(c, make_shape("{type: point, center: [3300, 7100], z: -900, volume: 2e6}"), gaussian_ramp(0.7));
  seafloor(c, 2100, 1800);
  seafloor(c, 7900, 6100);
  seafloor(c, 12e3, 3300);
  hydrophone(c, 6100, 4900, -700);
  hydrophone(c, 400, 9900, -300);
  gauge(c, 11000, 9000);
  gauge(c, 3000, 4000);
  set_time(c, 11, 0.5);
  return c;
}

// Both at a fraction of their own automatic steps, so that each halving halves both.
TEST(Leapfrog4, ConvergesToRk4) {
  const TempDir dir;
  random_terrain(dir);
  const Wall r = Wall::rigid, a = Wall::absorbing;
  struct Boundary {
    const char* name;
    BoundaryCase boundary;
    bool rigid, point;
  };
  std::printf("    boundary            steps rk4, leapf. per s   floor    falls    water    falls    surface  falls\n");
  for (const Boundary& b :
       {Boundary{"rigid", {r, r, r, r, Surface::gravity}, true, true}, Boundary{"rigid, with a lid", {r, r, r, r, Surface::rigid}, true, false},
        Boundary{"absorbing", {a, a, a, a, Surface::gravity}, false, false},
        Boundary{"west and south absorb", {a, r, a, r, Surface::gravity}, false, false}}) {
    Differences before;
    for (const int part_of_step : {10, 20}) {
      std::array<Traces, 2> traces;
      Case c = over_random_terrain(dir, b.boundary, b.point);
      for (std::size_t n = 0; n < schemes.size(); ++n) {
        Case at = stepped_by(schemes[n], c);
        at.time.step = make_plan(at, world()).choice.dt / part_of_step;
        traces[n] = run(at);
      }
      const Differences d = differences(c, traces[1].value, traces[0].value);
      const std::array<double, 3> now{d.floor, d.water, d.surface}, last{before.floor, before.water, before.surface};
      std::printf("    %-22s  %5.0f  %5.0f            ", b.name, 1 / traces[0].dt, 1 / traces[1].dt);
      for (std::size_t q = 0; q < now.size(); ++q) {
        std::printf("  %.1e  %4.1f ", now[q], last[q] > 0 ? last[q] / now[q] : 0.0);
        EXPECT_LT(now[q], b.rigid ? 1e-7 : 1e-5) << b.name;
        if (last[q] > 0) {
          EXPECT_GT(last[q] / now[q], b.rigid ? 15.5 : 4) << b.name;
        }
      }
      std::printf("\n");
      before = d;
    }
  }
}

struct Sides {
  const char* name;
  BoundaryCase boundary;
  double left;  // of the energy, at most: slow surface waves keep much of it
  std::vector<double> safeties{0.9};
  bool sponge = false;  // at the west wall, over two columns
};
std::vector<Sides> sides() {
  const Wall r = Wall::rigid, a = Wall::absorbing;
  return {{"absorbing", {a, a, a, a, Surface::gravity}, 0.7, {0.75, 0.9, 0.99}},
          {"absorbing, lid", {a, a, a, a, Surface::rigid}, 0.4},
          {"west and south", {a, r, a, r, Surface::gravity}, 0.8},
          {"east alone", {r, a, r, r, Surface::gravity}, 0.95},
          {"sponge", {a, r, r, r, Surface::gravity}, 0.7, {0.9}, true},
          {"rigid", {r, r, r, r, Surface::gravity}, inf},
          {"rigid, lid", {r, r, r, r, Surface::rigid}, inf}};
}

// Random pressure, which holds every mode of the mesh. What lets out takes energy; without it the physical energy, which is not quite what the scheme
// keeps, wavers as it did at the beginning.
void expect_stable(const Basin& shape, const Sides& s, double safety) {
  Case c = leapfrog(box_case(shape.size, shape.depth, shape.elements));
  c.boundary = s.boundary;
  if (s.sponge) c.boundary.sponge = {{2 * shape.size[0] / static_cast<double>(shape.elements[0]), 0, 0, 0}, 0.01, {}};
  shape.set_floor(c);
  c.time.safety = safety;
  set_time(c, 200, 100);  // long against a step, so that rounding it down costs nothing
  Model model(c, world());
  Noise noise(2024);
  set_state(model, [&](double, double, double) { return noise(); });
  const double start = model.view().energies().total();
  double early = 0, late = 0, last = 0;  // largest of steps 1 to 1000 and 4001 to 5000
  for (int step = 1; step <= 5000; ++step) {
    model.advance();
    if (step % 20 != 0 || (step > 1000 && step <= 4000)) continue;
    last = model.view().energies().total();
    double& largest = step <= 1000 ? early : late;
    largest = std::max(largest, last);
  }
  std::printf("    %-8s   %-14s  %.2f     %5.2f          %.2e  %.2e  %.2e\n", shape.name, s.name, safety, model.dt() * model.plan().limit.damping,
              early / start, late / start, last / start);
  EXPECT_LT(late, (s.left < 1 ? 1 : 1.02) * early) << shape.name << ", " << s.name;
  EXPECT_LT(last, s.left * start) << shape.name << ", " << s.name;
}

TEST(Leapfrog4, ChosenStepIsStableForRandomData) {
  std::printf("    elements   boundary        safety   C dt at most   largest E of steps 1 to 1000, 4001 to 5000, last / E(0)\n");
  for (const Sides& s : sides())
    for (const Basin& shape : basins)
      for (const double safety : s.safeties)
        if (!s.sponge || shape.elements[0] > 2) expect_stable(shape, s, safety);
}

// It begins in the middle at rest, and half of it goes each way; a sensor half way to the wall hears it before 20 s and what the wall sends back before
// 40 s, the other wall's share later.
TEST(Leapfrog4, PlanePulseLeaves) {
  const std::array<double, 5> periods{6, 8, 10, 15, 30};
  std::printf("    C dt    largest pressure left / incident   sent back at periods of");
  for (const double period : periods) std::printf("  %2.0f s    ", period);
  std::printf("\n");
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
    std::printf("    %.1f     %.1e                                                   ", C_dt, left);
    EXPECT_LT(left, 2e-4);
    const auto& half_way = traces.value[75];
    const auto window = static_cast<std::size_t>(0.5 * L / c0 / interval);
    for (const double period : periods) {
      const double back = amplitude(half_way, window, window, interval, period) / amplitude(half_way, 0, window, interval, period);
      std::printf("  %.1e", back);
      EXPECT_LT(back, 5e-4) << "period " << period;
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace agwave::cases
