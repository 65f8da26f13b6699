// SPDX-License-Identifier: Apache-2.0
// What every variant of the leapfrog answers at the nodes that it watches, against the plain one, where they change: sources pause and begin again, strips are
// damped.
#include "leapfrog4_checks.hpp"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace {

// While nothing forces, the floor is not watched. A source that begins again finds it as if it had been, and is asked about before its first step; its ramp may
// be at rest in the middle of that.
TEST(LeapfrogWatched, WatchesTheFloorAgainAfterAPause) {
  const Mesh mesh = ridged_mesh({17, 9, 2}, 4);
  for (const bool local : {false, true}) {
    SCOPED_TRACE(testing::Message() << "in levels " << local);
    Stage stage(mesh);
    const double dt = step_of(stage, 4);
    const LocalLevels levels = random_levels(mesh, dt, {0, 1, 2}, 3);
    if (local) stage.levels = &levels;
    const auto powers = [&](const Variant& v) {
      const auto stepper = begun(v, stage);
      std::vector<std::vector<double>> found;
      std::vector<double> unused[3];
      for (int n = 0; n < 9; ++n) {
        const bool forced = n < 2 || n > 5, asked = forced || n == 5;
        const double t = n, now = n == 6 ? 0 : std::sin(t);
        stepper->step(dt, forced ? std::vector<ForcingSample>{{0, {now, std::sin(t + 0.3), std::sin(t + 0.5), 0}}} : std::vector<ForcingSample>{});
        stepper->view().record_powers(asked ? std::vector<int>{0} : std::vector<int>{});
        found.push_back(stepper->view().take_powers());
        stepper->view().surface(unused[0], unused[1], unused[2]);
      }
      return found;
    };
    const std::vector<std::vector<double>> expected = powers(reference_of(leapfrog4_integrator));
    EXPECT_NE(expected[6][1], 0);
    for_each_variant([&](const Variant& v) {
      if (local && v.ranks_with_levels == 0) return;
      const std::vector<std::vector<double>> found = powers(v);
      for (std::size_t n = 0; n < expected.size(); ++n)
        for (std::size_t of = 0; of < expected[n].size(); ++of)
          EXPECT_NEAR(found[n][of], expected[n][of], 1e-11 * std::abs(expected[n][of])) << "step " << n << ", of " << of;
    });
  }
}

// Between rigid walls, without points or sources, the first watched node is one of the surface.
TEST(LeapfrogWatched, AgreesWhereTheSurfaceAloneIsWatched) {
  const Mesh mesh = ridged_mesh({17, 9, 2}, 4);
  for (const bool local : {false, true}) {
    SCOPED_TRACE(testing::Message() << "in levels " << local);
    Stage stage(mesh);
    stage.forcing.clear();
    stage.points.clear();
    stage.boundary = {Wall::rigid, Wall::rigid, Wall::rigid, Wall::rigid};
    const double dt = step_of(stage, 4);
    const LocalLevels levels = random_levels(mesh, dt, {0, 1, 2}, 3);
    if (local) stage.levels = &levels;
    const auto goes_on = [&](const Variant& v) {
      const auto stepper = begun(v, stage);
      Answers found;
      for (int n = 0; n < 4; ++n) {
        stepper->step(dt, {});
        std::vector<double> unused[2];
        stepper->view().surface(found.height, unused[0], unused[1]);
      }
      found.energy = stepper->view().energies().total();
      stepper->get_state(found.p, found.u);
      return found;
    };
    const Answers expected = goes_on(reference_of(leapfrog4_integrator));
    for_each_variant([&](const Variant& v) {
      if (local && v.ranks_with_levels == 0) return;
      const Answers found = goes_on(v);
      EXPECT_LT(relative_difference(found.height, expected.height), 1e-12);
      EXPECT_LT(relative_difference(found.p, expected.p), 1e-12);
      EXPECT_NEAR(found.energy, expected.energy, 1e-12 * expected.energy);
    });
  }
}

// Strips over a floor that sources lift; their rates times `weak`.
Stage over_a_floor(const Mesh& mesh, bool matched, bool soft, double weak) {
  Stage stage = matched ? with_matched_strips(mesh) : with_sponges_and_sources(mesh);
  stage.forcing.resize(2);
  for (double& rate : stage.sponge.rate) rate *= weak;
  if (soft) stage.on_soft_ground();
  if (matched) stage.sponge.interval = step_of(stage, 4);
  return stage;
}

// Also of a floor that sources have left. Where p of a node is not watched it follows from K of a rate that has been damped, rather than is damped itself: the
// same where strips are weak.
TEST(LeapfrogWatched, AgreesRightAfterADamping) {
  const Mesh mesh = ridged_mesh({17, 9, 2}, 4);
  for (const bool matched : {false, true})
    for (const bool soft : {false, true})
      for (const double weak : {1.0, 1e-9}) {
        SCOPED_TRACE(testing::Message() << "matched " << matched << ", soft ground " << soft << ", rates times " << weak);
        const Stage stage = over_a_floor(mesh, matched, soft, weak);
        const double dt = step_of(stage, 4);
        const auto damped = [&](const Variant& v) {
          const auto stepper = begun(v, stage);
          for (int n = 0; n < 9; ++n) {
            const bool forced = n < 2;
            stepper->step(dt, forced ? std::vector<ForcingSample>{{0, {0.7, 0.6, 0.5, 0}}} : std::vector<ForcingSample>{});
            stepper->view().record_powers(forced ? std::vector<int>{0} : std::vector<int>{});
            stepper->view().take_powers();
            if (n % 4 == 0) stepper->damp();
          }
          return ask(*stepper);
        };
        const Answers expected = damped(reference_of(leapfrog4_integrator));
        for_each_variant([&](const Variant& v) {
          const Answers found = damped(v);
          EXPECT_LT(relative_difference(found.sampled, expected.sampled), 1e-12);
          if (soft) EXPECT_LT(relative_difference(found.powers, expected.powers), 1e-12);
          if (weak == 1) return;
          EXPECT_LT(relative_difference(found.p, expected.p), 1e-7);
          EXPECT_LT(relative_difference(found.powers, expected.powers), 1e-7);
          EXPECT_NEAR(found.energy, expected.energy, 1e-7 * expected.energy);
        });
      }
}

// In the step after one, which finds what has been damped anew and nothing else: while the floor moves, and once nothing forces.
TEST(LeapfrogWatched, AgreesAStepAfterADamping) {
  const Mesh mesh = ridged_mesh({17, 9, 2}, 4);
  for (const bool matched : {false, true})
    for (const bool soft : {false, true})
      for (const bool forced : {false, true}) {
        SCOPED_TRACE(testing::Message() << "matched " << matched << ", soft ground " << soft << ", forced " << forced);
        const Stage stage = over_a_floor(mesh, matched, soft, 1);
        const double dt = step_of(stage, 4);
        const auto goes_on = [&](const Variant& v) {
          const auto stepper = begun(v, stage);
          std::vector<ForcingSample> rates{{0, {0.7, 0.6, 0.5, 0.4}}};
          for (int n = 0; n < 8; ++n) {
            if (n == 2 && !forced) rates.clear();
            stepper->step(dt, rates);
            stepper->view().record_sample();
            stepper->view().take_samples();
            if (n == 3 || n == 6) stepper->damp();
          }
          return ask(*stepper);
        };
        const Answers expected = goes_on(reference_of(leapfrog4_integrator));
        for_each_variant([&](const Variant& v) { expect_like(goes_on(v), expected); });
      }
}

}  // namespace
}  // namespace agwave
