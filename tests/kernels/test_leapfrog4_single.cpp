// SPDX-License-Identifier: Apache-2.0
// Every variant of the leapfrog that has a likeness in single precision, against itself in double: all remainders of the mesh against its patches, walls,
// sources on the floor and in the water, sound channels, floors that give way, columns that step in levels; its state goes on from its arrays; the same bits
// run after run, watched or not; and the memory it is said to take.
#include "comm/threads.hpp"
#include "leapfrog4_checks.hpp"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace {

template <class Check>
void for_each_single(Check&& check) {
  for_each_variant([&](const Variant& v) {
    if (v.in_single) check(v, *v.in_single);
  });
}

// As a run would give them: of terms that come and go.
std::vector<ForcingSample> history(const Stage& stage, int n) {
  using namespace leapfrog4;
  const auto moves = [](int term, int step) { return step >= term && step < 5 + 2 * term; };
  const auto at = [&](int term, int step) {
    const double rate = moves(term, step) ? std::sin(0.7 * step + term) : 0.0,
                 earlier = moves(term, step - 1) ? std::sin(0.7 * (step - 1) + term) : 0.0;
    return Rates{rate, 1.1 * rate, moves(term, step) ? 0.9 * rate + 0.2 : 0.0, 1.1 * earlier};
  };
  std::vector<ForcingSample> samples;
  for (int term = 0; term < static_cast<int>(stage.forcing.size()); ++term)
    if (moves(term, n) || moves(term, n - 1)) samples.push_back({term, at(term, n), at(term, n - 1)});
  return samples;
}

// The stage's, by the patches of a variant.
LocalLevels levels_for(const Variant& v, const Stage& stage) {
  return stage.levels ? by_patches(*stage.levels, v.unit(stage.mesh.elements)[0]) : LocalLevels{};
}
std::unique_ptr<Stepper> make(const Variant& v, const Stage& stage) {  // levels are read while it is made
  const LocalLevels levels = levels_for(v, stage);
  StepperSetup setup = stage.setup(4);
  if (stage.levels) setup.levels = &levels;
  return v.make_stepper(setup);
}

enum class Begin { rest, pressure };
// longer: the state is filtered for steps so many times as long, at two of three steps; 0: never.
Answers after(const Variant& v, const Stage& stage, Begin begin, int steps, bool watched, double dt, int first = 0, double longer = 0) {
  const auto stepper = make(v, stage);
  const auto nodes = static_cast<std::size_t>(stage.mesh.nodes());
  stepper->set_state(begin == Begin::rest ? std::vector<double>(nodes) : random_values(nodes, 5, stage.ocean.density * stage.ocean.sound_speed),
                     std::vector<double>(static_cast<std::size_t>(stage.mesh.NE()) * 3 * L3D));
  for (int n = 0; n < steps; ++n) {
    if (longer > 0 && n % 3 > 0) stepper->filter(dt, longer, {});
    stepper->step(dt, history(stage, first + n));
    if (watched) ask(*stepper, false);
  }
  return ask(*stepper, false);
}

void expect_near(const Answers& found, const Answers& expected, double tolerance) {
  EXPECT_LT(relative_difference(found.p, expected.p), tolerance);
  EXPECT_LT(relative_difference(found.sampled, expected.sampled), tolerance);
  for (std::size_t n = 0; n < expected.height.size(); ++n)  // of pressures elsewhere, which may not have come so far yet
    ASSERT_NEAR(found.height[n], expected.height[n], tolerance * expected.largest / 1e4);
  EXPECT_LT(relative_difference(found.powers, expected.powers), 3 * tolerance);
  EXPECT_NEAR(found.largest, expected.largest, tolerance * expected.largest);
}
void expect_same(const Answers& found, const Answers& expected) {
  EXPECT_EQ(found.p, expected.p);
  EXPECT_EQ(found.sampled, expected.sampled);
  EXPECT_EQ(found.height, expected.height);
  EXPECT_EQ(found.powers, expected.powers);
}

Stage with_sources(const Mesh& mesh) {
  Stage stage = with_sponges_and_sources(mesh);
  stage.sponge = Sponge();
  return stage;
}

TEST(LeapfrogSingle, AgreesWithDoubleOnEveryRemainder) {
  const std::vector<std::array<std::int64_t, 3>> shapes{{1, 1, 1}, {9, 1, 1},  {8, 4, 4},  {3, 5, 2},  {17, 9, 5},
                                                        {7, 3, 9}, {16, 8, 1}, {33, 4, 2}, {24, 5, 17}};
  for_each_single([&](const Variant& v, const Variant& single) {
    for (const auto& shape : shapes)
      for (const int order : {1, 4})
        for (const Begin begin : {Begin::rest, Begin::pressure}) {
          SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", order " << order << ", from rest "
                                          << (begin == Begin::rest));
          const Mesh mesh = ridged_mesh(shape, order);
          const Stage stage(mesh);
          const double dt = step_of(stage, 4);
          for (const int steps : {1, 2, 12})
            expect_near(after(single, stage, begin, steps, false, dt), after(v, stage, begin, steps, false, dt), 2e-5);
        }
  });
}

TEST(LeapfrogSingle, AgreesWithSourcesInTheWaterAndInAChannel) {
  for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{5, 4, 2}, {17, 9, 5}, {16, 8, 1}})
    for (const bool channel : {false, true}) {
      SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", channel " << channel);
      const Mesh mesh = ridged_mesh(shape, 4);
      Stage stage = with_sources(mesh);
      if (channel) stage.in_a_channel();
      const double dt = step_of(stage, 4);
      for_each_single([&](const Variant& v, const Variant& single) {
        const Answers expected = after(v, stage, Begin::rest, 11, false, dt);
        expect_near(after(single, stage, Begin::rest, 11, false, dt), expected, 2e-5);
        expect_near(after(single, stage, Begin::rest, 11, true, dt), expected, 2e-5);
      });
    }
}

TEST(LeapfrogSingle, AgreesWhereItIsFiltered) {
  unsigned seed = 0;
  for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {5, 4, 2}, {17, 9, 5}, {16, 8, 1}})
    for (const bool local : {false, true})
      for (const Begin begin : {Begin::rest, Begin::pressure}) {
        SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", in levels " << local << ", from rest "
                                        << (begin == Begin::rest));
        const Mesh mesh = ridged_mesh(shape, 4);
        Stage stage = with_sources(mesh);
        const double dt = step_of(stage, 4), longer = local ? 1.05 : 1;
        const LocalLevels levels = random_levels(mesh, dt, {0, 1, 2}, ++seed, 16);
        if (local) stage.levels = &levels;
        if (!local) stage.on_soft_ground();
        for_each_single([&](const Variant& v, const Variant& single) {
          ASSERT_TRUE(single.filters);
          const Answers expected = after(v, stage, begin, 11, false, dt, 0, longer);
          EXPECT_GT(relative_difference(expected.p, after(v, stage, begin, 11, false, dt).p), 3e-4);
          const Answers found = after(single, stage, begin, 11, false, dt, 0, longer);
          expect_near(found, expected, 1e-4);
          expect_same(after(single, stage, begin, 11, true, dt, 0, longer), found);
        });
      }
}

TEST(LeapfrogSingle, AgreesOnSoftGround) {
  for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {5, 4, 2}, {17, 9, 5}, {16, 8, 1}})
    for (const bool in_water : {false, true})
      for (const Begin begin : {Begin::rest, Begin::pressure}) {
        SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", sources in the water " << in_water
                                        << ", from rest " << (begin == Begin::rest));
        const Mesh mesh = ridged_mesh(shape, 4);
        Stage stage = in_water ? with_sources(mesh) : Stage(mesh);
        stage.on_soft_ground();
        const double dt = step_of(stage, 4);
        for_each_single([&](const Variant& v, const Variant& single) {
          for (const int steps : {1, 2, 13}) {
            const Answers expected = after(v, stage, begin, steps, false, dt);
            expect_near(after(single, stage, begin, steps, false, dt), expected, 2e-5);
            expect_near(after(single, stage, begin, steps, true, dt), expected, 2e-5);
          }
        });
      }
}

// Asked right after the damping or before it, in strips over a floor of its own springs under every node.
TEST(LeapfrogSingle, AgreesRightAfterADamping) {
  const Mesh mesh = ridged_mesh({17, 9, 2}, 4);
  for (const bool matched : {false, true}) {
    SCOPED_TRACE(testing::Message() << "matched " << matched);
    Stage stage = matched ? with_matched_strips(mesh) : with_sponges_and_sources(mesh);
    stage.on_soft_ground();
    const double dt = step_of(stage, 4);
    if (matched) stage.sponge.interval = dt;
    for (double& rate : stage.sponge.rate) rate *= 0.25 / (0.3 * stage.sponge.interval);
    const auto damped = [&](const Variant& v, bool watched) {
      const auto stepper = make(v, stage);
      stepper->set_state(std::vector<double>(static_cast<std::size_t>(mesh.nodes())),
                         std::vector<double>(static_cast<std::size_t>(mesh.NE()) * 3 * L3D));
      for (int n = 0; n < 13; ++n) {
        stepper->step(dt, history(stage, n));
        if (n % 4 > 0) continue;
        if (watched) ask(*stepper, false);
        stepper->damp();
      }
      StateView& view = stepper->view();
      view.record_sample();
      std::vector<double> found = view.take_samples();
      view.record_powers(std::array{0, 1});
      const std::vector<double> powers = view.take_powers();
      for (double power : powers) found.push_back(power * 1e6 / mesh.size[0] / mesh.size[1]);
      return found;
    };
    for_each_single([&](const Variant& v, const Variant& single) {
      const std::vector<double> expected = damped(v, false);
      EXPECT_LT(relative_difference(damped(single, false), expected), 2e-5);
      EXPECT_LT(relative_difference(damped(single, true), expected), 2e-5);
    });
  }
}

// From rest and from a pressure, where the floor moves before the first step; walls and sources at every level, jumps of two and three of them.
TEST(LeapfrogSingle, AgreesWhereColumnsStepInLevels) {
  const std::vector<std::array<std::int64_t, 3>> shapes{{17, 5, 1}, {33, 9, 2}, {48, 4, 5}, {40, 12, 1}};
  unsigned seed = 0;
  for (const auto& shape : shapes)
    for (const bool channel : {false, true})
      for (const Begin begin : {Begin::rest, Begin::pressure}) {
        SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", channel " << channel << ", from rest "
                                        << (begin == Begin::rest));
        const Mesh mesh = ridged_mesh(shape, 4);
        Stage stage = with_sources(mesh);
        if (channel) stage.in_a_channel();
        const double dt = step_of(stage, 4);
        const LocalLevels levels = random_levels(mesh, dt, {0, 1, 3}, ++seed, 16);
        stage.levels = &levels;
        for_each_single([&](const Variant& v, const Variant& single) {
          for (const int steps : {1, 2, 9}) {
            const Answers expected = after(v, stage, begin, steps, false, dt, 2);
            expect_near(after(single, stage, begin, steps, false, dt, 2), expected, 2e-5);
            expect_near(after(single, stage, begin, steps, true, dt, 2), expected, 2e-5);
          }
        });
      }
}

TEST(LeapfrogSingle, IsTheSameBitsRunAfterRunWatchedOrNot) {
  const Mesh mesh = ridged_mesh({19, 6, 5}, 4);
  Stage stage = with_sources(mesh);
  const double dt = step_of(stage, 4);
  const LocalLevels levels = random_levels(mesh, dt, {0, 1, 2}, 5, 16);
  const int before = threads();
  for_each_single([&](const Variant&, const Variant& single) {
    for (const int kind : {0, 1, 2}) {  // alike, in levels, on soft ground
      stage.levels = kind == 1 ? &levels : nullptr;
      if (kind == 2) stage.on_soft_ground();
      const Answers first = after(single, stage, Begin::pressure, 7, false, dt);
      for (int run = 0; run < 12; ++run) {
        set_threads(run % 3 + 1);
        expect_same(after(single, stage, Begin::pressure, 7, run % 2 == 1, dt), first);
      }
      set_threads(before);
      stage.floor = {};
    }
  });
}

TEST(LeapfrogSingle, GoesOnFromItsArrays) {
  const Mesh mesh = ridged_mesh({17, 9, 5}, 4);
  Stage stage = with_sources(mesh);
  const double dt = step_of(stage, 4);
  const LocalLevels levels = random_levels(mesh, dt, {0, 2}, 1, 16);
  for_each_single([&](const Variant&, const Variant& single) {
    for (const int steps : {1, 3, 4, 5, 6}) {
      stage.levels = steps % 2 == 0 ? &levels : nullptr;
      stage.floor = {};
      if (steps == 5) stage.on_soft_ground();
      const auto through = make(single, stage), again = make(single, stage);
      const std::vector<double> p(static_cast<std::size_t>(mesh.nodes())), u(static_cast<std::size_t>(mesh.NE()) * 3 * L3D);
      through->set_state(p, u);
      again->set_state(p, u);
      for (int n = 0; n < steps; ++n) through->step(dt, history(stage, n));
      for (const StateArray& array : through->arrays()) {
        std::vector<double> values(array.items == StateArray::Items::floor_rows ? stage.floor.area.size() : p.size());
        through->get(array, 0, values);
        again->set(array, 0, values);
      }
      Answers left = ask(*through, false), right = ask(*again, false);
      EXPECT_EQ(left.p, right.p);
      for (int n = steps; n < 9; ++n)
        for (Stepper* s : {through.get(), again.get()}) s->step(dt, history(stage, n));
      left = ask(*through, false);
      right = ask(*again, false);
      expect_same(right, left);
    }
  });
}

// More patches and chunks than a GPU has places for at a time: each works on several, one after the other.
TEST(LeapfrogSingle, GoesFromOneChunkToTheNext) {
  const Mesh mesh = ridged_mesh({96, 40, 12}, 1);
  const Stage stage(mesh);
  const double dt = step_of(stage, 4);
  for_each_single([&](const Variant& v, const Variant& single) {
    expect_near(after(single, stage, Begin::rest, 3, false, dt), after(v, stage, Begin::rest, 3, false, dt), 2e-5);
  });
}

// Ten thousand steps of a basin that never comes to rest; half as many in levels.
TEST(LeapfrogSingle, StaysWithDouble) {
  const Mesh mesh = ridged_mesh({8, 4, 2}, 4), wide = ridged_mesh({32, 4, 1}, 4);
  for (const bool local : {false, true}) {
    Stage stage(local ? wide : mesh);
    for (Wall* wall : {&stage.boundary.west, &stage.boundary.east, &stage.boundary.south, &stage.boundary.north}) *wall = Wall::rigid;
    const double dt = step_of(stage, 4);
    const LocalLevels levels = random_levels(wide, dt, {0, 2}, 2, 16);
    if (local) stage.levels = &levels;
    const int steps = local ? 5000 : 10000;
    for_each_single([&](const Variant& v, const Variant& single) {
      expect_near(after(single, stage, Begin::rest, steps, false, dt), after(v, stage, Begin::rest, steps, false, dt), 5e-3);
    });
  }
}

TEST(LeapfrogSingle, TakesThePredictedMemory) {
  const Mesh mesh = ridged_mesh({64, 32, 4}, 4);
  Stage stage(mesh);
  const LocalLevels levels = random_levels(mesh, step_of(stage, 4), {0, 1, 3}, 3, 16);
  for_each_single([&](const Variant& v, const Variant& single) {
    for (const bool local : {false, true}) {
      stage.levels = local ? &levels : nullptr;
      const double before = static_cast<double>(memory_use().now);
      const auto stepper = make(single, stage);
      const double taken = static_cast<double>(memory_use().now) - before,
                   predicted = single.bytes(mesh, 4) + (local ? single.level_bytes(levels_for(single, stage), mesh) : 0);
      EXPECT_NEAR(taken, predicted + 8 * 2 * static_cast<double>(mesh.NX()) * mesh.NY(), 0.02 * predicted);
      EXPECT_LT(predicted, 0.56 * (v.bytes(mesh, 4) + (local ? v.level_bytes(levels, mesh) : 0)));
    }
  });
}

TEST(LeapfrogSingle, RefusesWaterThatMovesAndAnotherStep) {
  const Mesh mesh = ridged_mesh({1, 1, 1}, 4);
  const Stage stage(mesh);
  for_each_single([&](const Variant&, const Variant& single) {
    const auto stepper = single.make_stepper(stage.setup(4));
    const std::vector<double> p(static_cast<std::size_t>(mesh.nodes())), u(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 1.0);
    EXPECT_THROW(stepper->set_state(p, u), Error);
    stepper->step(0.01, {});
    EXPECT_THROW(stepper->step(0.02, {}), std::logic_error);
  });
}

}  // namespace
}  // namespace agwave
