// SPDX-License-Identifier: Apache-2.0
// Sponges: what comes back of sound at 0, 30 and 60 degrees and of a long gravity wave, with the wall alone and with a sponge before it; the
// energy budget with the sponge's share; what dampings sound like; and the same bits or rounding for every stepper. scripts/plot_verification.py draws the table.
#include "schemes.hpp"
#include "strip_experiments.hpp"

namespace agwave::cases {
namespace {

constexpr double c0 = 1500, rho = 1025, g = 9.81, H = 4000;
constexpr double sponge = 20e3;

Case with_strip(const char* scheme, double width, double reflection, Case c) {
  c = stepped_by(scheme, c);
  c.boundary.sponge.width[1] = width;
  c.boundary.sponge.reflection = reflection;
  return c;
}

TEST(Sponge, SoundAtSeveralAngles) {
  std::printf("    scheme      angle   wall alone   (1-cos)/(1+cos)   wall and sponge   wall x what two ways through it leave\n");
  for (const char* scheme : schemes)
    for (const double degrees : {0.0, 30.0, 60.0}) {
      const double cosine = std::cos(degrees * pi / 180), wall = (1 - cosine) / (1 + cosine), reflection = 1e-3;
      const double expected = wall * std::pow(reflection, std::sqrt(g * H) / (c0 * cosine));
      const auto back = [&](double width) {
        return sound_back(degrees, 0.02, [&](const Case& c) { return with_strip(scheme, width, reflection, c); });
      };
      const double alone = back(0), both = back(sponge);
      std::printf("    %-10s  %4.0f    %.4f       %.4f            %.4f            %.4f\n", scheme, degrees, alone, wall, both, expected);
      EXPECT_NEAR(alone, wall, 0.006);
      EXPECT_NEAR(both, expected, 0.003);
    }
}

TEST(Sponge, LongGravityWave) {
  std::printf("    scheme      width [km]   reflection asked   reflected/incident   (c-s)/(c+s) x reflection\n");
  const double s = std::sqrt(g * H / (1 + g * H / (c0 * c0))), wall = (c0 - s) / (c0 + s);
  for (const char* scheme : schemes)
    for (const auto& [width, reflection] : std::vector<std::pair<double, double>>{{0.0, 1.0}, {40e3, 0.1}, {60e3, 0.01}, {100e3, 0.01}}) {
      EnergyBudget budget;
      const double back = gravity_back(12, budget, [&](const Case& c) { return with_strip(scheme, width, reflection, c); });
      std::printf("    %-10s  %6.0f       %.2f               %.4f               %.4f\n", scheme, width / 1e3, reflection, back, wall * reflection);
      EXPECT_NEAR(back, wall * reflection, 0.004);
      EXPECT_EQ(budget.sponge_loss > 0, width > 0);
    }
}

Case forced() {
  Case c = box_case({48e3, 24e3}, H, {12, 6, 2}, Wall::absorbing);
  c.domain.bathymetry = GaussianBathymetry{H, 1500, {20e3, 14e3}, {5e3, 6e3}};
  c.boundary.sponge = {{16e3, 0, 8e3, 8e3}, 0.05, {}};
  source(c, gaussian({22e3, 11e3}, {5e3, 4e3}), smoothstep_ramp(1, 8, 4), 1, Motion::normal);
  seafloor(c, 6e3, 4e3);
  seafloor(c, 30e3, 12e3);
  gauge(c, 10e3, 20e3);
  return c;
}

TEST(Sponge, EnergyBudgetCloses) {
  std::printf("    scheme      dt [s]    wall loss/work   sponge loss/work   residual/work\n");
  for (const char* scheme : {"rk4", "leapfrog4"}) {
    double before = 0;
    for (const int per : {16, 32}) {
      Case c = forced();
      c.solver.variant = "auto";
      c.solver.scheme = scheme;
      set_time(c, 24, 1, per);
      const auto budget = run(c).budget;
      const double residual = std::abs(budget.residual) / budget.source_work;
      std::printf("    %-10s  %.5f   %.4f           %.4f             %.1e\n", scheme, 1.0 / per, budget.boundary_loss / budget.source_work,
                  budget.sponge_loss / budget.source_work, residual);
      EXPECT_GT(budget.sponge_loss, 0.02 * budget.source_work);
      EXPECT_NEAR(budget.residual, budget.final - budget.source_work + budget.boundary_loss + budget.sponge_loss, 1e-12 * budget.source_work);
      EXPECT_LT(residual, 1e-4);
      if (before > 0) {
        EXPECT_LT(residual, before / 3);
      }
      before = residual;
    }
  }
}

// How strong a frequency is in the later two thirds of a trace.
double tone(const std::vector<double>& time, const std::vector<double>& values, double frequency) {
  const double from = time.back() / 3, length = time.back() - from;
  double cosine = 0, sine = 0, weights = 0;
  for (std::size_t n = 0; n < time.size(); ++n) {
    if (time[n] < from) continue;
    const double weight = 1 - std::cos(2 * pi * (time[n] - from) / length), phase = 2 * pi * frequency * time[n];
    cosine += weight * std::cos(phase) * values[n];
    sine += weight * std::sin(phase) * values[n];
    weights += weight;
  }
  return 2 * std::hypot(cosine, sine) / weights;
}

// A tsunami that fades at intervals must not make the strip sound, least of all with a frequency of the water: with what lets a tenth fade at once, dampings
// come every 2.6 s here, close to 4 H / 3 c.
TEST(Sponge, DampingsOfATsunamiAreNotHeard) {
  std::printf("    scheme      dampings every [s]   their tone / largest pressure\n");
  for (const char* scheme : schemes) {
    Case c = with_strip(scheme, 0, 0.01, box_case({96e3, 4e3}, 3000, {48, 2, 2}));
    c.boundary.west = c.boundary.east = Wall::absorbing;
    c.boundary.sponge.width[0] = 40e3;
    set_time(c, 360, 0.25);
    source(c, gaussian({64e3, 2e3}, {8e3, 1e9}), smoothstep_ramp(0, 60, 4));
    seafloor(c, 52e3, 1e3);
    double interval = 0;
    const Traces traces = run(c, [&](Model& model) { interval = model.plan().sponge.interval; });
    const double heard = tone(traces.time, traces.value[0], 1 / interval) / max_abs(traces.value[0]);
    std::printf("    %-10s  %.4f               %.1e\n", scheme, interval, heard);
    EXPECT_LT(heard, 1e-4);
  }
}

// Both integrators fade at the same times by the same factors, so they differ by what the steps do.
TEST(Sponge, LeapfrogFadesAsRk4) {
  std::printf("    steps per s   largest difference of traces / largest value   sponge loss against RK4's\n");
  double before = 0;
  for (const int per : {20, 40}) {
    const auto traces = [&](const char* scheme) {
      Case c = forced();
      c.solver.variant = "auto";
      c.solver.scheme = scheme;
      set_time(c, 24, 1, per);
      return run(c);
    };
    const auto rk4 = traces("rk4"), leapfrog = traces("leapfrog4");
    double largest = 0, scale = 0;
    for (std::size_t s = 0; s < rk4.value.size(); ++s)
      for (std::size_t n = 0; n < rk4.time.size(); ++n) {
        largest = std::max(largest, std::abs(leapfrog.value[s][n] - rk4.value[s][n]));
        scale = std::max(scale, std::abs(rk4.value[s][n]));
      }
    const double loss = leapfrog.budget.sponge_loss / rk4.budget.sponge_loss - 1;
    std::printf("    %4d          %.1e                                        %.1e\n", per, largest / scale, loss);
    EXPECT_LT(largest, 1e-3 * scale);
    EXPECT_LT(std::abs(loss), 1e-3);
    if (before > 0) {
      EXPECT_LT(largest / scale, before / 2);
    }
    before = largest / scale;
  }
}

TEST(Sponge, SameWithEveryStepper) {
  Case c = forced();
  set_time(c, 12, 0.5);
  c.solver.device = "cpu";
  c.solver.variant = "pa";
  const auto expected = run(c);
  const char* other = std::getenv("AGWAVE_TEST_DEVICE");
  for (const char* device : std::initializer_list<const char*>{"cpu", other}) {
    if (!device) continue;
    c.solver.device = device;
    for (const char* variant : {"two-sweep", "fused-mf"}) {
      const bool there = std::any_of(variants().begin(), variants().end(),
                                     [&](const Variant& v) { return v.name == variant && to_string(v.device) == std::string(device); });
      if (!there) continue;
      c.solver.variant = variant;
      const auto found = run(c);
      const double difference = max_difference(found.value, expected.value);
      std::printf("    %-4s %-9s  traces %.1e, sponge loss %.1e\n", device, variant, difference,
                  found.budget.sponge_loss / expected.budget.sponge_loss - 1);
      EXPECT_LT(difference, 1e-11);
      EXPECT_NEAR(found.budget.sponge_loss / expected.budget.sponge_loss, 1, 1e-11);
    }
  }
}

}  // namespace
}  // namespace agwave::cases
