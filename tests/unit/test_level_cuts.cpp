// SPDX-License-Identifier: Apache-2.0
// Cuts of ranks by the work of levels: no worse than even ones, the best where that can be told by trying all, on patches, one for every rank.
#include <random>

#include "../cases/levels_of_tests.hpp"
#include "timestep/local_steps/level_cuts.hpp"
#include "timestep/local_steps/schedule.hpp"

namespace agwave::cases {
namespace {

Counts unit() { return {ColumnPatches{}.wide, ColumnPatches::deep, 4}; }
Cuts even(const LocalLevels& levels, int px, int py) { return even_cuts({levels.patches.nx, levels.patches.ny, 4}, {px, py, 1}, unit()); }
LevelCuts of_one(const LocalLevels& levels, const Cuts& even, const Passes& passes = passes_by_columns()) {
  return cut_by_work(levels, std::span(&even, 1), passes);
}

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

// Nine columns of patches, and one that steps eight times as often, in passes in which nobody can help: what counts are passes of all.
TEST(LevelCuts, BalanceAShelf) {
  const LocalLevels levels = strips(80, 40, {0, 0, 0, 0, 0, 0, 0, 0, 0, 3});
  const LevelCuts two = of_one(levels, even(levels, 2, 1));
  EXPECT_EQ(two.cuts[0], (std::vector<std::int64_t>{0, 40, 80}));
  EXPECT_DOUBLE_EQ(two.busiest, 12 / 8.5);
  EXPECT_DOUBLE_EQ(two.even, 12 / 8.5);
  EXPECT_DOUBLE_EQ(two.waits, 1 - 17 / 24.0);
  const LevelCuts across = of_one(levels, even(levels, 1, 2));
  EXPECT_EQ(across.cuts[1], (std::vector<std::int64_t>{0, 20, 40}));
  EXPECT_DOUBLE_EQ(across.busiest, 1);
  EXPECT_EQ(to_text(two),
            "the busiest of 2 ranks has 41 % more work than the mean (41 % with as many columns for each); ranks wait 29 % of the time for the "
            "slowest in each "
            "pass");
}

TEST(LevelCuts, OfSeveralGridsTakeTheFirstThatBalances) {
  const LocalLevels levels = strips(80, 40, {0, 0, 0, 0, 0, 0, 0, 0, 0, 3});
  const std::vector<Cuts> grids{even(levels, 2, 1), even(levels, 1, 2)};
  EXPECT_EQ(cut_by_work(levels, grids, passes_by_columns()).cuts[0].size(), 2u);
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
    const LevelCuts found = of_one(levels, before);
    SCOPED_TRACE(testing::Message() << nx << " x " << ny << " columns, " << px << " x " << py << " ranks");
    EXPECT_NEAR(found.busiest, busiest(levels, found.cuts), 1e-12);
    EXPECT_NEAR(found.even, busiest(levels, before), 1e-12);
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

// What a step takes whose passes each take as long as the rank with most patches in it: those that begin steps of so many halvings and more at a time within
// it, those that end.
double step_time(const LocalLevels& levels, const Cuts& cuts, double (*time)(std::int64_t)) {
  std::vector<bool> has(static_cast<std::size_t>(levels.levels.back().halvings) + 1, false);
  for (const LocalLevels::Level& l : levels.levels) has[static_cast<std::size_t>(l.halvings)] = true;
  const auto ranks = static_cast<int>((cuts[0].size() - 1) * (cuts[1].size() - 1));
  std::vector<std::vector<std::int64_t>> patches(static_cast<std::size_t>(ranks), std::vector<std::int64_t>(has.size(), 0));
  for (int rank = 0; rank < ranks; ++rank) {
    const Partition part = make_partition(cuts, rank);
    for (std::int64_t ey = 0; ey < part.count[1]; ey += ColumnPatches::deep)
      for (std::int64_t ex = 0; ex < part.count[0]; ex += levels.patches.wide)
        ++patches[static_cast<std::size_t>(rank)][static_cast<std::size_t>(levels.halvings_of(part.first[0] + ex, part.first[1] + ey))];
  }
  double all = 0;
  const std::vector<local_steps::LevelSweep> sweeps = local_steps::schedule(has);
  for (auto s = sweeps.begin(); s != sweeps.end();) {
    const auto begin = s++;
    while (s != sweeps.end() && s->kind == local_steps::LevelSweep::Kind::end) ++s;
    double begins = 0, ends = 0;
    for (const std::vector<std::int64_t>& own : patches) {
      std::int64_t from = 0;
      for (auto h = static_cast<std::size_t>(begin->from); h < own.size(); ++h) from += own[h];
      begins = std::max(begins, time(from));
      double together = 0;
      for (auto end = begin + 1; end != s; ++end) together += time(own[static_cast<std::size_t>(end->from)]);
      ends = std::max(ends, together);
    }
    all += begins + ends;
  }
  return all;
}

// No cut can be moved along its direction so that a step takes less, whether passes take time by patches or by rounds of six.
TEST(LevelCuts, AreWhereNoneMovesForTheBetter) {
  const auto by_patches = [](std::int64_t n) { return static_cast<double>(n); };
  const auto in_rounds = [](std::int64_t n) { return static_cast<double>((n + 5) / 6); };
  for (unsigned seed = 0; seed < 20; ++seed)
    for (double (*time)(std::int64_t) : {+by_patches, +in_rounds}) {
      const LocalLevels levels = random_levels({80, 32}, 5, seed);
      const Passes passes{[time](double, std::int64_t patches) { return time(patches); }};
      const LevelCuts found = of_one(levels, even(levels, 3, 2), passes);
      const double takes = step_time(levels, found.cuts, time);
      EXPECT_GE(found.waits, 0);
      EXPECT_LT(found.waits, 1);
      for (const int d : {0, 1})
        for (std::size_t c = 1; c + 1 < found.cuts[d].size(); ++c)
          for (std::int64_t at = found.cuts[d][c - 1] + unit()[d]; at < found.cuts[d][c + 1]; at += unit()[d]) {
            Cuts moved = found.cuts;
            moved[d][c] = at;
            EXPECT_GE(step_time(levels, moved, time), takes * (1 - 1e-9)) << seed << ": cut " << c << " along " << d << " at " << at;
          }
    }
}

// Of the coarser patches in the east some go aside, beside passes of those in the west: so more of them can be with one rank.
TEST(LevelCuts, KnowOfPatchesAside) {
  std::vector<int> halvings(40, 0);
  std::fill_n(halvings.begin(), 13, 4);
  const LocalLevels levels = strips(320, 40, halvings);
  const auto in_rounds = [](double, std::int64_t n) { return static_cast<double>((n + 49) / 50); };
  const LevelCuts without = of_one(levels, even(levels, 2, 1), Passes{in_rounds}), with = of_one(levels, even(levels, 2, 1), Passes{in_rounds, 50});
  EXPECT_LT(with.waits, without.waits);
  EXPECT_LT(with.cuts[0][1], without.cuts[0][1]);
}

TEST(LevelCuts, AGridFinerThanPatchesStaysAsItIs) {
  const LocalLevels levels = strips(16, 4, {0, 2});
  const Cuts cuts = even_cuts({16, 4, 1}, {4, 1, 1});
  EXPECT_EQ(of_one(levels, cuts).cuts, cuts);
}

}  // namespace
}  // namespace agwave::cases
