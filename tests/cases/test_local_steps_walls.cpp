// SPDX-License-Identifier: Apache-2.0
// What comes back of a plane pulse from absorbing walls of columns of every level, in flat water, and what the filter of kinks changes of that.
#include "levels_of_tests.hpp"

namespace agwave::cases {
namespace {

struct SentBack {
  double pulse;        // largest pressure of what one wall sends back, over that of the incident pulse
  double slow, quick;  // likewise its amplitude at periods of 30 and 6 s
  double arrived;      // of the incident pulse, its amplitude at a period of 6 s
};

// It begins in the middle at rest, half of it goes each way, through columns without halvings into those at the walls. A sensor half way to the wall has
// heard it by 22 s, hears what that wall sends back until 38 s and the other wall's share later.
SentBack sent_back(int halvings, double C_D, const KinkFilter& filter = {}) {
  const double c0 = OceanCase{}.sound_speed, wide = 2000, L = 30 * wide, sigma = 2 * c0, interval = 3 * C_D / (20 * c0 / wide);
  Case c = box_case({L, 40e3}, 8000, {30, 1, 1});
  c.boundary.west = c.boundary.east = Wall::absorbing;
  c.boundary.surface = Surface::rigid;
  c.solver.scheme = "leapfrog4";
  c.time.safety = 1;
  c.time.step = interval / 3;
  c.sensors.interval = interval;
  c.time.end = interval * std::ceil(41 / interval);
  seafloor(c, 0.75 * L, 700);
  Plan plan = plan_in(c, strips(30, 1, {halvings, 0, 0, halvings}));
  plan.filter = filter;
  Model model(c, world(), std::move(plan));
  set_state(model, [=](double x, double, double) { return 2 * std::exp(-0.5 * std::pow((x - 0.5 * L) / sigma, 2)); });
  SentBack back{};
  Values half_way;
  for (;; model.advance()) {
    if (model.step() % 3 == 0) {
      half_way.push_back(model.sample_all()[0]);
      if (model.time() > 22 && model.time() < 38) back.pulse = std::max(back.pulse, std::abs(half_way.back()));
    }
    if (model.finished()) break;
  }
  const auto window = static_cast<std::size_t>(0.5 * L / c0 / interval);
  const auto ratio = [&](double period) {
    return amplitude(half_way, window, window, interval, period) / amplitude(half_way, 0, window, interval, period);
  };
  back.slow = ratio(30);
  back.quick = ratio(6);
  back.arrived = amplitude(half_way, 0, window, interval, 6);
  return back;
}

// With the mass m of one halving, and with m = 1 of more, which sends back what a wave of period T feels of the damping's delay.
TEST(LocalStepsWalls, PlanePulseLeaves) {
  std::printf("    C D    halvings   sent back of the pulse   of a period of 30 s   of 6 s\n");
  for (const double C_D : {0.75, 1.5, 2.25, 3.0, 3.5})
    for (const int halvings : {0, 1, 2, 3, 4}) {
      const SentBack back = sent_back(halvings, C_D);
      std::printf("    %.2f   %d          %.1e                  %.1e               %.1e\n", C_D, halvings, back.pulse, back.slow, back.quick);
      const double of_c_d_3 = std::pow(std::max(C_D, 1.0) / 3, halvings > 1 ? 2 : 3);
      EXPECT_LT(back.pulse, (halvings == 0 ? 3e-5 : halvings == 1 ? 6e-4 : 1e-2) * of_c_d_3) << halvings << " halvings, C D " << C_D;
      if (C_D <= 3) {
        EXPECT_LT(back.pulse, 1e-2) << halvings << " halvings, C D " << C_D;
      }
    }
}

// All the time, as a source with kinks that lasts would have it, at the longest steps that it goes by.
TEST(LocalStepsWalls, FilteredPlanePulseLeaves) {
  const KinkFilter filter{.spans = {{0, 1e9}}, .steps = 2, .of = 6, .longer = 1};
  std::printf("    C D    halvings   sent back of the pulse   unfiltered   taken of a period of 6 s\n");
  for (const double C_D : {0.75, 1.5, 2.25, 3.0})
    for (const int halvings : {0, 1, 2, 4}) {
      const SentBack plain = sent_back(halvings, C_D), filtered = sent_back(halvings, C_D, filter);
      const double taken = 1 - filtered.arrived / plain.arrived;
      std::printf("    %.2f   %d          %.1e                  %.1e      %+.1e\n", C_D, halvings, filtered.pulse, plain.pulse, taken);
      EXPECT_NE(filtered.arrived, plain.arrived);  // it acts
      EXPECT_LT(filtered.pulse, 1.1 * plain.pulse + 3e-3 * std::pow(C_D / 3, 6)) << halvings << " halvings, C D " << C_D;
      EXPECT_LT(std::abs(taken), 2e-4) << halvings << " halvings, C D " << C_D;
    }
}

}  // namespace
}  // namespace agwave::cases
