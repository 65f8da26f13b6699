// SPDX-License-Identifier: Apache-2.0
// Cuts of ranks by the work of levels: no worse than even ones, the best where that can be told by trying all, on patches, one for every rank.
#include <random>

#include "../cases/levels_of_tests.hpp"
#include "timestep/local_steps/level_cuts.hpp"

namespace agwave::cases {
namespace {

Counts unit() { return {ColumnPatches{}.wide, ColumnPatches::deep, 4}; }
Cuts even(const LocalLevels& levels, int px, int py) { return even_cuts({levels.patches.nx, levels.patches.ny, 4}, {px, py, 1}, unit()); }

// Of the rank that has the most, over the mean, column by column.
double busiest(const LocalLevels& levels, const Cuts& cuts) {
  double most = 0, all = 0;
  const auto ranks = static_cast<int>((cuts[0].size() - 1) * (cuts[1].size() - 1));
  for (int rank = 0; rank < ranks; ++rank) {
    const Partition part = make_partition(cuts, rank);
    double own = 0;
    for (std::int64_t ey = 0; ey < part.count[1]; ++ey)
      for (std::int64_t ex = 0; ex < part.count[0]; ++ex)
        own += std::ldexp(1.0, levels.levels[static_cast<std::size_t>(levels.of(part.first[0] + ex, part.first[1] + ey))].halvings);
    most = std::max(most, own);
    all += own;
  }
  return most / all * ranks;
}

TEST(LevelCuts, BalanceAShelf) {
  const LocalLevels levels = strips(80, 40, {0, 0, 0, 0, 0, 0, 0, 0, 0, 3});  // nine columns of patches, and one that steps eight times as often
  const LevelCuts two = cut_by_work(levels, even(levels, 2, 1));
  EXPECT_EQ(two.cuts[0], (std::vector<std::int64_t>{0, 72, 80}));
  EXPECT_DOUBLE_EQ(two.busiest, 9 / 8.5);
  EXPECT_DOUBLE_EQ(two.even, 12 / 8.5);
  const LevelCuts across = cut_by_work(levels, even(levels, 1, 2));
  EXPECT_EQ(across.cuts[1], (std::vector<std::int64_t>{0, 20, 40}));
  EXPECT_DOUBLE_EQ(across.busiest, 1);
  EXPECT_EQ(to_text(two), "the busiest of 2 ranks has 5.9 % more work than the mean (41 % with as many columns for each)");
}

TEST(LevelCuts, OfSeveralGridsTakeTheFirstThatBalances) {
  const LocalLevels levels = strips(80, 40, {0, 0, 0, 0, 0, 0, 0, 0, 0, 3});
  const std::vector<Cuts> grids{even(levels, 2, 1), even(levels, 1, 2)};
  EXPECT_EQ(cut_by_work(levels, grids).cuts[0].size(), 2u);
}

TEST(LevelCuts, AreOnPatchesAndNoWorseThanEvenOnes) {
  std::mt19937 engine(1);
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::int64_t nx = 8 + static_cast<std::int64_t>(engine() % 120), ny = 4 + static_cast<std::int64_t>(engine() % 60);
    const LocalLevels levels = random_levels({nx, ny}, 4, seed);
    const auto up_to = [&](std::int64_t patches) {
      return 1 + static_cast<int>(engine() % static_cast<unsigned>(std::min<std::int64_t>(4, patches)));
    };
    const int px = up_to(levels.patches.px()), py = up_to(levels.patches.py());
    const Cuts before = even(levels, px, py);
    const LevelCuts found = cut_by_work(levels, before);
    SCOPED_TRACE(testing::Message() << nx << " x " << ny << " columns, " << px << " x " << py << " ranks");
    EXPECT_NEAR(found.busiest, busiest(levels, found.cuts), 1e-12);
    EXPECT_NEAR(found.even, busiest(levels, before), 1e-12);
    EXPECT_LE(found.busiest, found.even);
    EXPECT_EQ(found.cuts[2], before[2]);
    for (const int d : {0, 1}) {
      ASSERT_EQ(found.cuts[d].size(), before[d].size());
      EXPECT_EQ(found.cuts[d].front(), 0);
      EXPECT_EQ(found.cuts[d].back(), d == 0 ? nx : ny);
      for (std::size_t c = 0; c + 1 < found.cuts[d].size(); ++c) {
        EXPECT_LT(found.cuts[d][c], found.cuts[d][c + 1]);
        EXPECT_EQ(found.cuts[d][c] % unit()[d], 0);
      }
    }
  }
}

// Along one direction they are the best there are.
TEST(LevelCuts, AreTheBestAlongOneDirection) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const LocalLevels levels = random_levels({80, 4}, 5, seed);
    double least = inf;
    for (std::int64_t a = 1; a < 9; ++a)
      for (std::int64_t b = a + 1; b < 10; ++b) least = std::min(least, busiest(levels, {{{0, 8 * a, 8 * b, 80}, {0, 4}, {0, 4}}}));
    EXPECT_NEAR(cut_by_work(levels, even(levels, 3, 1)).busiest, least, 1e-12) << seed;
  }
}

TEST(LevelCuts, AGridFinerThanPatchesStaysAsItIs) {
  const LocalLevels levels = strips(16, 4, {0, 2});
  const Cuts cuts = even_cuts({16, 4, 1}, {4, 1, 1});
  EXPECT_EQ(cut_by_work(levels, cuts).cuts, cuts);
}

}  // namespace
}  // namespace agwave::cases
