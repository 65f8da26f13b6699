// SPDX-License-Identifier: Apache-2.0
// Matched strips: what comes back of sound at 0, 30 and 60 degrees, of a long gravity wave, and of waves at every angle in an ocean that is twice as large;
// the energy budget; random data over terrain, which do not grow; and the same traces by every stepper.
#include <random>

#include "schemes.hpp"

namespace agwave::cases {
namespace {

constexpr double c0 = 1500, rho = 1025, g = 9.81, H = 4000;

Case with_strips(Case c, std::array<double, 4> width, bool matched = true) {
  c.solver.variant = "auto";
  c.solver.scheme = "leapfrog4";
  c.boundary.sponge = {width, matched ? 1e-4 : 0.01, {}, matched};
  return c;
}

// As in test_sponge.cpp: the square root of the energy left when a packet has been to the east wall and is back.
double sound_back(double degrees, double width, bool matched) {
  const double k = 2 * pi / 4e3, angle = degrees * pi / 180, kx = k * std::cos(angle), ky = k * std::sin(angle), L = 56e3;
  const double Ly = ky > 0 ? pi / ky : 2e3, sigma = 8e3;
  Case c = with_strips(box_case({L, Ly}, H, {40, 1, 1}), {0, width, 0, 0}, matched);
  c.boundary.east = Wall::absorbing;
  c.boundary.surface = Surface::rigid;
  set_time(c, std::ceil(2 * L / (c0 * std::cos(angle))), 0.5, 4);
  Model model(c, world());
  set_state(model, [=](double x, double y, double) { return std::exp(-0.5 * std::pow(x / sigma, 2)) * std::cos(kx * x) * std::cos(ky * y); });
  const double before = model.budget().final;
  for (std::int64_t step = 0; step < model.plan().steps; ++step) model.advance();
  const EnergyBudget after = model.budget();
  std::printf("      budget %.1e\n", std::abs(after.final + after.boundary_loss + after.sponge_loss - before) / before);
  return std::sqrt(after.final / before);
}

TEST(Matched, SoundAtSeveralAngles) {
  for (const double degrees : {0.0, 30.0, 60.0}) {
    const double cosine = std::cos(degrees * pi / 180), wall = (1 - cosine) / (1 + cosine);
    const double fading = sound_back(degrees, 20e3, false), matched = sound_back(degrees, 20e3, true);
    std::printf("    %4.0f   fading %.4f  matched %.4f (%.4f)\n", degrees, fading, matched, wall * std::pow(1e-4, cosine));
  }
}

double gravity_back(double width, bool matched) {
  const double s = std::sqrt(g * H / (1 + g * H / (c0 * c0))), sigma = 40e3, length = 6 * sigma, interval = 0.05 * sigma / s;
  Case c = with_strips(box_case({length, 2 * H}, H, {24, 1, 1}), {0, width, 0, 0}, matched);
  c.boundary.east = Wall::absorbing;
  set_time(c, 230 * interval, interval);
  gauge(c, length - 3 * sigma, H);
  const auto traces =
      run(c, [&](Model& model) { set_state(model, [=](double x, double, double) { return rho * g * std::exp(-0.5 * std::pow(x / sigma, 2)); }); });
  double in = 0, out = 0;
  for (std::size_t n = 0; n < traces.time.size(); ++n) {
    double& largest = traces.time[n] < 6 * sigma / s ? in : out;
    largest = std::max(largest, std::abs(traces.value[0][n]));
  }
  return out / in;
}

TEST(Matched, LongGravityWave) {
  for (const double width : {20e3, 40e3, 60e3}) std::printf("    %3.0f km  fading %.4f  matched %.4f\n", width / 1e3, gravity_back(width, false), gravity_back(width, true));
}

Traces in_ocean(std::array<double, 2> size, double element, std::array<double, 4> width, bool matched) {
  Case c = with_strips(box_case(size, H, {std::llround(size[0] / element), std::llround(size[1] / element), 1}, Wall::absorbing), width, matched);
  const double x = 0.5 * (size[0] - 300e3), y = 0.5 * (size[1] - 200e3);
  source(c, gaussian({x + 150e3, y + 100e3}, {12e3, 12e3}), smoothstep_ramp(0, 20, 4));
  for (const auto& at : {std::array{80e3, 100e3}, {70e3, 70e3}, {150e3, 70e3}, {110e3, 70e3}, {90e3, 70e3}}) gauge(c, x + at[0], y + at[1]);
  for (const auto& at : {std::array{80e3, 100e3}, {70e3, 70e3}, {150e3, 70e3}, {110e3, 70e3}, {90e3, 70e3}}) seafloor(c, x + at[0], y + at[1]);
  set_time(c, 1200, 5);
  return run(c);
}

// Energy after this many steps from random pressure, over that after a hundred.
double growth(Case c, int steps) {
  set_time(c, 20, 20);
  Model model(c, world());
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> any(-1, 1);
  const auto h = [](double a) { const double b = std::sin(a * 12.9898 + 1.1) * 43758.5453; return b - std::floor(b) - 0.5; };
  const int which = getenv("WHICH") ? atoi(getenv("WHICH")) : 7;
  set_state(model, [&](double x, double y, double z) { return which == 7 ? any(engine) : h((which & 1 ? x : 0.) + 1.7 * (which & 2 ? y : 0.) + 2.3 * (which & 4 ? z : 0.)); });
  double before = 0;
  for (int n = 0; n < steps; ++n) {
    model.advance();
    if (n == 99) before = model.budget().final;
    if (n % 500 == 499) std::printf(" %.1e", model.budget().final / before);
  }
  std::printf("  dt %.3f\n", model.dt());
  return model.budget().final / before;
}

TEST(Matched, RandomData) {
  const double e = 4e3, W = 3 * e;
  for (const bool terrain : {false, true})
    for (const bool surface : {false, true})
      for (const auto& width : {std::array{W, W, 0., 0.}, {W, W, W, W}})
        for (const auto& n : {std::array<std::int64_t, 3>{8, 8, 1}, {8, 8, 3}}) {
          Case c = with_strips(box_case({8 * e, static_cast<double>(n[1]) * e}, H, n, Wall::rigid), width);
          if (!surface) c.boundary.surface = Surface::rigid;
          if (terrain) c.domain.bathymetry = GaussianBathymetry{H, 3000, {9e3, 12e3}, {9e3, 9e3}};
          std::printf("    R terrain %d surface %d %g %g %d %d %d:", terrain, surface, width[0], width[2], (int)n[0], (int)n[1], (int)n[2]);
          growth(c, 5000);
        }
}

TEST(Matched, AsInALargerOcean) {
  const double e = 10e3;
  const Traces large = in_ocean({600e3, 400e3}, e, {60e3, 60e3, 60e3, 60e3}, true);
  for (const bool matched : {false, true})
    for (const double W : {40e3, 60e3}) {
    const Traces found = in_ocean({300e3, 200e3}, e, {W, W, W, W}, matched);
    for (std::size_t s = 0; s < found.value.size(); ++s) {
      double most = 0, peak = max_abs(large.value[s]);
      std::size_t when = 0;
      for (std::size_t n = 0; n < found.time.size(); ++n)
        if (const double d = std::abs(found.value[s][n] - large.value[s][n]); d > most) most = d, when = n;
      std::printf("    %s %2.0f km, sensor %zu: peak %.4g, off by %.4f of it at %g s\n", matched ? "matched" : "fading ", W / 1e3, s, peak, most / peak, found.time[when]);
    }
    std::printf("    budget: sponge %.3f residual %.1e of work\n", found.budget.sponge_loss / found.budget.source_work, found.budget.residual / found.budget.source_work);
  }
}

}  // namespace
}  // namespace agwave::cases
