// SPDX-License-Identifier: Apache-2.0
// Portions of patches that go aside: each patch's first pass, then its second, within the room beside passes of finer patches.
#include <gtest/gtest.h>

#include <random>

#include "timestep/local_steps/asides.hpp"

namespace agwave::local_steps {
namespace {

TEST(Asides, FindTheRoomThatLastRoundsLeave) {
  EXPECT_EQ(room_beside(90, 90, 100), 10);
  EXPECT_EQ(room_beside(100, 100, 100), 0);
  EXPECT_EQ(room_beside(210, 210, 100), 90);
  EXPECT_EQ(room_beside(150, 290, 100), 150);  // another rank takes three rounds
  EXPECT_EQ(room_beside(49, 49, 100), 0);      // sooner done alone
}

TEST(Asides, AreOfTheLevelThatSavesMost) {
  const std::vector<bool> has{true, true, false, true};
  const std::vector<std::int64_t> patches{5, 400, 0, 60}, inner{1, 300, 0, 40};
  const Asides found = find_asides(schedule(has), patches, PassPatches(patches), inner, 100);
  EXPECT_EQ(found.halvings, 1);
  EXPECT_GT(found.patches, 100);  // 14 passes of 60 patches in a step of that level, whose rounds have room for 40, in halves
  EXPECT_LE(found.patches, 280);
}

TEST(Asides, NoneGoWhereNothingIsIdleOrNobodyAsks) {
  const std::vector<bool> has{true, false, true};
  const std::vector<std::int64_t> patches{400, 0, 200}, inner{300, 0, 150};
  EXPECT_EQ(find_asides(schedule(has), patches, PassPatches(patches), inner, 200).halvings, -1);
  EXPECT_EQ(find_asides(schedule(has), patches, PassPatches(patches), inner, 0).halvings, -1);
}

TEST(Asides, PassEveryPatchOnceAndThenOnceMore) {
  std::mt19937 random(3);
  int some = 0;
  for (int n = 0; n < 300; ++n) {
    const std::size_t levels = 2 + random() % 4;
    std::vector<bool> has(levels, false);
    std::vector<std::int64_t> patches(levels, 0), inner(levels, 0);
    for (std::size_t h = 0; h < levels; ++h) {
      has[h] = h == 0 || h + 1 == levels || random() % 2 == 0;
      if (has[h]) patches[h] = 1 + random() % 900;
      inner[h] = patches[h] > 0 ? random() % patches[h] : 0;
    }
    const std::int64_t at_once = 1 + random() % 300;
    PassPatches most(patches);
    for (std::int64_t& of : most.end) of += random() % 200;
    for (std::int64_t& of : most.begin) of += random() % 200;
    const std::vector<LevelSweep> sweeps = schedule(has);
    const Asides found = find_asides(sweeps, patches, most, inner, at_once);
    if (found.halvings < 0) continue;
    ++some;
    SCOPED_TRACE(n);
    EXPECT_LE(found.patches, inner[static_cast<std::size_t>(found.halvings)]);
    int next[2] = {0, 0};
    std::size_t portion = 0;
    const PassPatches own(patches);
    for (const LevelSweep& s : sweeps) {
      if (s.kind == LevelSweep::Kind::end && s.from == found.halvings) break;
      if (s.from <= found.halvings) continue;
      ASSERT_LT(portion, found.portions.size());
      const Asides::Portion& p = found.portions[portion++];
      EXPECT_LE(p.last - p.first, room_beside(own.of(s), most.of(s), at_once));
      if (p.ends) EXPECT_EQ(next[0], found.patches);
      EXPECT_EQ(p.first, next[p.ends]);
      next[p.ends] = p.last;
    }
    EXPECT_EQ(portion, found.portions.size());
    EXPECT_EQ(next[0], found.patches);
    EXPECT_EQ(next[1], found.patches);
  }
  EXPECT_GT(some, 50);
}

}  // namespace
}  // namespace agwave::local_steps
