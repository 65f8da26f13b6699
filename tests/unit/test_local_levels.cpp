// SPDX-License-Identifier: Apache-2.0
// Levels of local steps from limits that are made up: what each patch gets, which levels are worth their launches, which coarsest step; that every
// rank and processor grid finds the same; and what a shelf gains.
// ranks: 1 2 4
#include <cmath>
#include <numeric>

#include "../cases/harness.hpp"
#include "error/error.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/local_steps/levels.hpp"

namespace agwave::cases {
namespace {

constexpr LevelWishes by_work_alone{.least_work = true, .layers = 4, .chunk = 4};

LocalLevels choose(const ColumnPatches& patches, const std::vector<double>& limits, double step, const LevelWishes& wishes = by_work_alone) {
  const double alone = *std::min_element(limits.begin(), limits.end());
  return choose_levels(patches, limits, std::vector<double>{step}, alone, wishes);
}
std::vector<int> halvings(const LocalLevels& found) {
  std::vector<int> all;
  for (const auto number : found.number) all.push_back(found.levels[number].halvings);
  return all;
}

TEST(LocalLevels, HalveTheStepUntilEveryPatchIsStable) {
  const ColumnPatches patches{48, 4};
  const LocalLevels found = choose(patches, {1, 0.51, 0.5, 0.49, 0.1, 7}, 1);
  EXPECT_EQ(halvings(found), (std::vector<int>{0, 1, 1, 2, 4, 0}));
  ASSERT_EQ(found.levels.size(), 4u);
  EXPECT_EQ(found.levels[1].columns, 64);
  EXPECT_DOUBLE_EQ(found.step_of(3), 1.0 / 16);
  EXPECT_DOUBLE_EQ(found.share(3), 16.0 / (1 + 1 + 2 + 2 + 4 + 16));
  EXPECT_DOUBLE_EQ(found.fewer, 6 / 0.1 / 26.0);
  EXPECT_DOUBLE_EQ(found.gain, found.fewer);
  EXPECT_TRUE(found.local());
}

TEST(LocalLevels, CountColumnsOfPatchesThatAreCutShort) {
  const ColumnPatches patches{11, 6};
  EXPECT_EQ(patches.count(), 4);
  const LocalLevels found = choose(patches, {1, 0.5, 0.25, 1}, 1);
  EXPECT_EQ(found.levels[0].columns, 32 + 6);
  EXPECT_EQ(found.levels[1].columns, 12);
  EXPECT_EQ(found.levels[2].columns, 16);
  EXPECT_EQ(found.of(10, 0), 1);
  EXPECT_EQ(found.of(7, 5), 2);
  EXPECT_EQ(found.of(8, 4), 0);
}

TEST(LocalLevels, MergeWhatIsNotWorthItsLaunches) {
  const ColumnPatches patches{8000, 4};
  std::vector<double> limits(1000, 1);
  std::fill_n(limits.begin(), 200, 0.25);
  std::fill_n(limits.begin() + 200, 60, 0.5);
  LevelWishes wishes = by_work_alone;
  EXPECT_EQ(choose(patches, limits, 1, wishes).levels.size(), 3u);
  wishes.least_work = false;  // passes over 260 patches take no longer than over 200: two at a time on each of 132 multiprocessors
  const LocalLevels merged = choose(patches, limits, 1, wishes);
  ASSERT_EQ(merged.levels.size(), 2u);
  EXPECT_EQ(merged.levels[1].halvings, 2);
  EXPECT_EQ(merged.levels[1].columns, 260 * 32);
  EXPECT_LT(merged.gain, 1000 * 4 / (740 + 260 * 4.0));
  std::fill_n(limits.begin() + 260, 300, 0.5);
  EXPECT_EQ(choose(patches, limits, 1, wishes).levels.size(), 3u);
  std::fill_n(limits.begin() + 260, 300, 1);
  wishes = by_work_alone;
  wishes.most = 2;
  EXPECT_EQ(halvings(choose(patches, limits, 1, wishes)), halvings(merged));
}

// Patches that are held take a level that is fine enough and not too fine, and a coarsest step that allows it.
TEST(LocalLevels, HoldPatches) {
  const ColumnPatches patches{80, 4};
  std::vector<double> limits(10, 8);
  limits[0] = 1;  // asks for three halvings of 8
  LevelWishes wishes = by_work_alone;
  EXPECT_EQ(choose_levels(patches, limits, std::vector{8.0, 4.0, 1.0}, 1, wishes).step, 8);
  wishes.held.assign(10, false);
  wishes.held[0] = true;
  wishes.most_held = 2;
  EXPECT_EQ(choose_levels(patches, limits, std::vector{8.0, 4.0, 1.0}, 1, wishes).step, 4);
  EXPECT_THROW(choose_levels(patches, limits, std::vector{8.0}, 1, wishes), Error);
  wishes.held = {false, true};  // asks for one halving, amid others that ask for three
  wishes.held.resize(10, false);
  limits[1] = 4;
  const LocalLevels found = choose_levels(patches, limits, std::vector{8.0, 1.0}, 1, wishes);
  EXPECT_EQ(found.step, 8);
  EXPECT_LE(found.levels[found.number[1]].halvings, 2);
  wishes.most = 2;  // then only the finest is left, which is too fine
  EXPECT_FALSE(choose_levels(patches, limits, std::vector{8.0, 1.0}, 1, wishes).local());
}

TEST(LocalLevels, TakeTheCheapestCoarsestStep) {
  const ColumnPatches patches{80, 4};
  std::vector<double> limits(10, 1.3);
  std::fill_n(limits.begin(), 5, 0.5);
  LocalLevels found = choose_levels(patches, limits, steps_on_offer(10, 1.3, 0.5), 0.5, by_work_alone);
  EXPECT_DOUBLE_EQ(found.step, 1);  // 1.25 would have to be divided by four
  std::fill_n(limits.begin(), 5, 0.65);
  found = choose_levels(patches, limits, steps_on_offer(10, 1.3, 0.65), 0.625, by_work_alone);
  EXPECT_DOUBLE_EQ(found.step, 1.25);
  LevelWishes one = by_work_alone;
  one.most = 1;
  found = choose_levels(patches, limits, steps_on_offer(10, 1.3, 0.65), 0.625, one);
  EXPECT_DOUBLE_EQ(found.step, 0.625);
  EXPECT_FALSE(found.local());
  EXPECT_DOUBLE_EQ(found.gain, 1);
  EXPECT_THROW(choose_levels(patches, limits, std::vector<double>{1.0}, 0.625, one), Error);
  const std::vector<double> many = steps_on_offer(1e6, 1.3, 0.01);
  EXPECT_LT(many.size(), 1000u);
  EXPECT_LE(many.front(), 1.3);
  EXPECT_LE(many.back(), 0.01);
  for (const double step : many) EXPECT_NEAR(std::remainder(1e6, step), 0, 1e-6);
}

Case shelf(std::array<std::int64_t, 3> elements = {128, 16, 4}) {  // 2 km wide elements from 200 m of water to 4 km
  Case c = box_case({256e3, 2e3 * static_cast<double>(elements[1])}, 4000, elements);
  c.domain.bathymetry = MarginBathymetry{200, 4000, 4000, 238e3, 40e3, 10e3, 2000, 60e3};
  set_time(c, 10, 1);
  return c;
}

// A patch next to shallow columns is as fine as they are, and no level is coarser than its own columns allow.
TEST(LocalLevels, ReachOneColumnFurther) {
  if (!world().root()) return;  // of one rank, which is enough
  const Comm self(MPI_COMM_SELF);
  const Plan plan = make_plan(shelf({128, 8, 2}), self);
  const std::vector<double> limits = patch_limits(plan.mesh, plan.limit.columns, leapfrog4_integrator, self);
  const ColumnPatches patches{128, 8};
  ASSERT_EQ(static_cast<std::int64_t>(limits.size()), patches.count());
  const ColumnBounds& own = plan.limit.columns;
  bool beyond = false;
  for (int ey = 0; ey < own.ny; ++ey)
    for (int ex = 0; ex < own.nx; ++ex)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int x = ex + dx, y = ey + dy;
          if (x < 0 || y < 0 || x >= own.nx || y >= own.ny) continue;
          const double limit = leapfrog4_integrator.imaginary_limit / std::sqrt(own.patch(ex, ey, 1, 1));
          EXPECT_LE(limits[static_cast<std::size_t>(patches.of(x, y))], limit);
          beyond = beyond || (patches.of(x, y) != patches.of(ex, ey) && limits[static_cast<std::size_t>(patches.of(x, y))] == limit);
        }
  EXPECT_TRUE(beyond);
}

TEST(LocalLevels, AreTheSameOnEveryGrid) {
  Case c = shelf({128, 8, 2});
  c.solver.variant = "leapfrog-reference";  // splits anywhere
  const Comm self(MPI_COMM_SELF);
  const auto limits = [&](const Comm& comm) {
    const Plan plan = make_plan(c, comm);
    return patch_limits(plan.mesh, plan.limit.columns, leapfrog4_integrator, comm);
  };
  const std::vector<double> alone = limits(self);
  for (int py = 1; py <= world().size(); ++py) {
    if (world().size() % py != 0) continue;
    c.parallel.grid = std::array<int, 3>{world().size() / py, py, 1};
    EXPECT_EQ(limits(world()), alone);
  }
  c.parallel.grid = std::array<int, 3>{1, std::max(1, world().size() / 2), std::min(2, world().size())};  // layers apart
  EXPECT_EQ(limits(world()), alone);
}

TEST(LocalLevels, AShelfGains) {
  const Plan plan = make_plan(shelf(), world());
  const std::vector<double> limits = patch_limits(plan.mesh, plan.limit.columns, leapfrog4_integrator, world());
  const auto [least, most] = std::minmax_element(limits.begin(), limits.end());
  const LocalLevels found = choose_levels({128, 16}, limits, steps_on_offer(1, *most, *least), *least, by_work_alone);
  std::printf("    coarsest step %.3f s, %.2f times fewer visits:", found.step, found.fewer);
  for (std::size_t l = 0; l < found.levels.size(); ++l)
    std::printf("  %lld columns of %.4f s, %.0f %%", static_cast<long long>(found.levels[l].columns), found.step_of(l), 100 * found.share(l));
  std::printf("\n");
  EXPECT_GT(found.fewer, 4);
  double visits = 0;  // counted again, column by column
  for (int ey = 0; ey < 16; ++ey)
    for (int ex = 0; ex < 128; ++ex) visits += 1 / found.step_of(static_cast<std::size_t>(found.of(ex, ey)));
  EXPECT_NEAR(found.fewer, 128 * 16 / *least / visits, 1e-9 * found.fewer);
}

}  // namespace
}  // namespace agwave::cases
