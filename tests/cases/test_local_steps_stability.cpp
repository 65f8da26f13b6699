// SPDX-License-Identifier: Apache-2.0
// Steps in levels do not grow: random terrains in three dimensions, patches that meet at edges and corners, safety 0.7 to 0.95, rigid and absorbing
// walls. Levels that are too coarse do, and are refused with the place.
#include <random>

#include "../unit/expect_error.hpp"
#include "harness.hpp"
#include "timestep/local_steps/growth.hpp"

namespace agwave::cases {
namespace {

Case terrain(unsigned seed) {  // a margin across, with undulations along it, from 100 or 300 m to 2 or 6 km; elements 1 to 4 km wide
  std::mt19937 engine(seed);
  const auto between = [&](double a, double b) { return a + (b - a) * std::uniform_real_distribution<double>()(engine); };
  const double width = between(1e3, 4e3);
  Case c = box_case({18 * width, 9 * width}, 4000, {18, 9, seed % 3 == 0 ? 2 : 1}, seed % 2 == 0 ? Wall::rigid : Wall::absorbing);
  const double shallow = between(100, 300), deep = between(2e3, 6e3);
  c.domain.bathymetry = MarginBathymetry{
      shallow, deep, deep, between(12, 15) * width, between(6, 10) * width, 3 * width, between(0, 3) * width, between(6, 20) * width};
  c.time.local_steps = 8;
  c.time.safety = between(0.7, 0.95);
  set_time(c, 100, 100);
  return c;
}

TEST(LocalStepsStability, RandomTerrainsDoNotGrow) {
  std::printf("    seed   levels   safety   coarsest step   growth over the second half of the steps\n");
  int in_levels = 0;
  for (int seed = 0; seed < 4; ++seed) {
    const Case c = terrain(static_cast<unsigned>(seed));
    Model model(c, world());
    const Growth growth = measure_growth(model.stepper(), model.mesh(), model.dt(), 60, world());
    std::printf("    %3d    %zu        %.3f    %.4f s        %.3f\n", seed, model.plan().levels.levels.size(), c.time.safety, model.dt(),
                growth.factor);
    in_levels += model.plan().levels.local();
    EXPECT_LT(growth.factor, 2);  // as slow waves may
    EXPECT_NO_THROW(model.require_stable_levels());
  }
  EXPECT_GE(in_levels, 3);
}

// The check leaves no trace in the run.
TEST(LocalStepsStability, IsAskedBeforeTheRun) {
  Case c = terrain(2);
  source(c, gaussian({12e3, 6e3}, {6e3, 6e3}), smoothstep_ramp(0, 2, 4));
  set_time(c, 2, 2);
  const auto after = [&](bool asked) {
    Model model(c, world());
    if (asked) model.require_stable_levels();
    for (int n = 0; n < 8; ++n) model.advance();
    std::vector<double> p, u;
    model.stepper().get_state(p, u);
    return p;
  };
  EXPECT_EQ(after(true), after(false));
}

TEST(LocalStepsStability, LevelsThatAreTooCoarseAreRefused) {
  const Case c = terrain(0);
  Plan plan = make_plan(c, world());
  ASSERT_TRUE(plan.levels.local());
  const auto finest = static_cast<std::uint8_t>(plan.levels.levels.size() - 1);
  std::ranges::replace(plan.levels.number, finest, static_cast<std::uint8_t>(finest - 1));
  Model model(c, world(), std::move(plan));
  expect_words(message_of(ExitCode::unstable, [&] { model.require_stable_levels(); }),
               {"local steps are unstable on this mesh", "grow by a factor", "most at x = "});
}

}  // namespace
}  // namespace agwave::cases
