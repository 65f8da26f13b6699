// SPDX-License-Identifier: Apache-2.0
// The physical energy of a closed box over 20,000 coarsest steps in levels, 100,000 with AGWAVE_LONG=1 in the environment.
// label: slow
#include "levels_of_tests.hpp"

namespace agwave::cases {
namespace {

void expect_kept(double shelf) {
  Case c = box_case({24 * 2e3, 4 * 2e3}, 4000, {24, 4, 1});
  c.domain.bathymetry = MarginBathymetry{shelf, 4000, 4000, 46e3, 40e3, 10e3, 500, 16e3};
  c.time.local_steps = 8;
  set_time(c, 1, 1);
  const LocalLevels levels = make_plan(c, world()).levels;
  std::printf("    %s\n", to_text(levels).c_str());
  ASSERT_GE(levels.levels.size(), 3u);
  Model model(c, world());
  set_state(model, [](double x, double y, double) { return 1e3 * std::exp(-(std::pow(x - 30e3, 2) + std::pow(y - 3e3, 2)) / std::pow(5e3, 2)); });
  const double start = model.view().energies().total();
  const bool all = std::getenv("AGWAVE_LONG");
  const int steps = all ? 100000 : 20000, every = 10, window = all ? 10000 : 5000;
  double least = inf, most = 0, mean = 0, first = 0;
  std::printf("    coarsest steps   mean energy / E(0) - 1   least      largest of a window\n");
  double window_least = inf, window_most = 0;
  for (int step = 1; step <= steps; ++step) {
    model.stepper().step(model.dt(), {});
    if (step % every != 0) continue;
    const double energy = model.view().energies().total() / start;
    window_least = std::min(window_least, energy);
    window_most = std::max(window_most, energy);
    mean += energy * every / window;
    if (step % window != 0) continue;
    std::printf("    %6d           %+.5e             %+.1e   %+.1e\n", step, mean - 1, window_least - 1, window_most - 1);
    if (step == window) first = mean;
    least = std::min(least, window_least);
    most = std::max(most, window_most);
    EXPECT_LT(std::abs(mean - first), 2e-7);
    mean = 0;
    window_least = inf;
    window_most = 0;
  }
  EXPECT_GT(least, 1 - 1e-5);
  EXPECT_LT(most, 1 + 1e-5);
}

TEST(LocalStepsEnergy, ClosedBoxKeepsIt) { expect_kept(250); }
TEST(LocalStepsEnergy, ClosedBoxWithFinerLevelsKeepsIt) { expect_kept(60); }

}  // namespace
}  // namespace agwave::cases
