// SPDX-License-Identifier: Apache-2.0
// How the sweeps of two-sweep share a GPU, read from the plan of their launches: no GPU is needed.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "timestep/two_sweep/launch_plan.hpp"

namespace agwave::two_sweep {
namespace {

constexpr int h200 = 132;  // multiprocessors

const Beside alone{};
Beside neighbours(int multiprocessors, bool all_along, bool shares = true) {
  Beside b;
  b.multiprocessors = multiprocessors;
  b.all_along = all_along;
  b.shares = shares;
  return b;
}

// The queue of a sweep as blocks use it (cuda/shared.cuh): a block that stays takes items until there are none and is told so once; one that goes takes
// one, and gives its turn back if there was none. Blocks take their turns in any order.
class Queue {
 public:
  void run(const LaunchPlan& plan, int items, std::mt19937& random) {
    ASSERT_EQ(plan.taken, taken_);
    std::map<int, int> done;
    std::vector<bool> blocks;  // whether they stay
    for (const Launch& l : plan.launches) {
      ASSERT_GE(l.blocks, 1);
      ASSERT_GE(l.blocks, l.stay);
      ASSERT_GE(l.stay, 1);  // somebody takes what the others leave
      for (int n = 0; n < l.blocks; ++n) blocks.push_back(n < l.stay);
    }
    while (!blocks.empty()) {
      const std::size_t at = random() % blocks.size();
      const bool stays = blocks[at];
      const unsigned item = taken_++ - plan.taken;
      const bool none = item >= static_cast<unsigned>(items);
      if (none && !stays) --taken_;
      if (!none) ++done[static_cast<int>(item)];
      if (none || !stays) blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
    }
    EXPECT_EQ(done.size(), static_cast<std::size_t>(items));
    for (const auto& [item, times] : done) EXPECT_EQ(times, 1) << item;
  }

 private:
  unsigned taken_ = 0;
};

int stay(const LaunchPlan& plan, Lane lane) {
  int all = 0;
  for (const Launch& l : plan.launches) all += l.lane == lane ? l.stay : 0;
  return all;
}

TEST(LaunchPlan, OneGpuAloneIsSharedByAAndB) {
  LaunchPlanner planner(h200);
  const LaunchPlan first = planner.sweep_a({.items = 1000}, alone);
  EXPECT_TRUE(first.alone);  // there is no B yet
  EXPECT_EQ(stay(first, Lane::a), h200);
  for (int step = 0; step < 3; ++step) {
    const LaunchPlan b = planner.sweep_b({.items = 1000}, alone);
    ASSERT_EQ(b.launches.size(), 1u);
    EXPECT_EQ(b.launches[0].blocks, h200);  // one item on each, then half of them stay
    EXPECT_EQ(b.launches[0].stay, h200 / 2);
    const LaunchPlan a = planner.sweep_a({.items = 1000}, alone);
    EXPECT_FALSE(a.alone);
    ASSERT_TRUE(a.begin_at);
    EXPECT_EQ(*a.begin_at, b.taken + h200);
    EXPECT_EQ(stay(a, Lane::a), h200 / 2);  // beside B
    EXPECT_EQ(stay(a, Lane::b), h200 / 2);  // when B ends
  }
  EXPECT_EQ(planner.sweeps_b(), 3u);
}

TEST(LaunchPlan, AComesAloneWhenAllHasBeenJoined) {
  LaunchPlanner planner(h200);
  planner.sweep_b({.items = 1000}, alone);
  planner.joined();
  const LaunchPlan a = planner.sweep_a({.items = 1000}, alone);
  EXPECT_TRUE(a.alone);
  EXPECT_FALSE(a.begin_at);
}

TEST(LaunchPlan, LeavesMultiprocessorsToAnExchange) {
  for (const bool all_along : {false, true})
    for (const bool gated : {false, true}) {
      SCOPED_TRACE(testing::Message() << all_along << gated);
      LaunchPlanner planner(h200);
      const Beside beside = neighbours(1, all_along);
      planner.sweep_a({.items = 1000, .neighbours = true, .gated = gated}, beside);
      const LaunchPlan b = planner.sweep_b({.items = 1000, .neighbours = true, .gated = gated}, beside);
      EXPECT_EQ(b.launches[0].blocks, h200 - 1);
      const LaunchPlan a = planner.sweep_a({.items = 1000, .neighbours = true, .gated = gated}, beside);
      EXPECT_EQ(stay(b, Lane::b) + stay(a, Lane::a), h200 - all_along);
      EXPECT_EQ(stay(a, Lane::a) + stay(a, Lane::b), h200 - all_along - (gated && all_along ? 3 : 0));  // the last items of A wait for unpacking
    }
}

TEST(LaunchPlan, SharedGpusGetOneSweepAfterTheOther) {
  LaunchPlanner planner(h200);
  const Beside beside = neighbours(1, true, false);
  for (int step = 0; step < 2; ++step)
    for (const bool first : {true, false}) {  // inside, then boundary
      const LaunchPlan b = planner.sweep_b({.items = 300, .first = first, .neighbours = true}, beside);
      EXPECT_EQ(stay(b, Lane::b), h200 - 1);
      EXPECT_EQ(b.launches[0].blocks, h200 - 1);
    }
  for (const bool first : {true, false}) EXPECT_TRUE(planner.sweep_a({.items = 300, .first = first, .neighbours = true}, beside).alone);
  EXPECT_EQ(planner.sweeps_b(), 2u);
}

TEST(LaunchPlan, FewItemsGetFewBlocks) {
  LaunchPlanner planner(h200);
  const LaunchPlan b = planner.sweep_b({.items = 5}, alone);
  EXPECT_EQ(b.launches[0].blocks, 5);
  EXPECT_EQ(b.launches[0].stay, 5);
  const LaunchPlan a = planner.sweep_a({.items = 5}, alone);
  EXPECT_EQ(stay(a, Lane::a), 5);
  EXPECT_EQ(stay(a, Lane::b), 5);
}

TEST(LaunchPlan, EveryItemIsTakenOnceAndNoMultiprocessorTwice) {
  std::mt19937 random(7);
  const auto up_to = [&](int most) { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
  for (int plan = 0; plan < 200; ++plan) {
    const int multiprocessors = up_to(150), reserved = static_cast<int>(random() % 3);
    const bool in_two = random() % 2, exchanges = in_two || random() % 2;
    const Beside beside = exchanges ? neighbours(reserved, random() % 2, !in_two) : alone;
    SCOPED_TRACE(testing::Message() << multiprocessors << " multiprocessors, " << beside.multiprocessors << " left, in two " << in_two);
    LaunchPlanner planner(multiprocessors);
    Queue of_a, of_b;
    int with_b = 0;
    for (int step = 0; step < 4; ++step) {
      const int items = up_to(600), inside = in_two ? static_cast<int>(random() % static_cast<unsigned>(items)) : items;
      const auto parts = [&](auto&& f) {
        if (inside > 0) f(SweepPart{.items = inside, .neighbours = exchanges, .gated = exchanges && !in_two});
        if (inside < items) f(SweepPart{.items = items - inside, .first = inside == 0, .neighbours = exchanges});
      };
      parts([&](const SweepPart& part) {
        const LaunchPlan a = planner.sweep_a(part, beside);
        of_a.run(a, part.items, random);
        const int most = planner.at_work(beside.all_along || a.alone ? beside : alone);
        if (!a.alone) {
          EXPECT_LE(with_b + stay(a, Lane::a), most);
        }
        EXPECT_LE(stay(a, Lane::a) + stay(a, Lane::b), std::max(most, 2));  // an A that waits for B can always begin where B ends
      });
      parts([&](const SweepPart& part) {
        const LaunchPlan b = planner.sweep_b(part, beside);
        of_b.run(b, part.items, random);
        with_b = stay(b, Lane::b);
        EXPECT_LE(b.launches[0].blocks, planner.at_work(beside));
      });
    }
  }
}

}  // namespace
}  // namespace agwave::two_sweep
