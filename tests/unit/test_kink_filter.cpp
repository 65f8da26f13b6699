// SPDX-License-Identifier: Apache-2.0
// When a run filters what kinks in time excite: sources with kinks that are quicker than the mesh, with an integrator that damps nothing by itself.
#include <gtest/gtest.h>

#include "case/case_file.hpp"
#include "run/kink_filter.hpp"
#include "run/plan.hpp"

namespace agwave {
namespace {

const Comm& world() {
  static const Comm comm;
  return comm;
}

// Carries sound from 9.3 s on.
Plan plan_of(const std::string& ramp, const std::string& time = "", const std::string& solver = "") {
  return make_plan(parse_case("c.yaml",
                              "domain:\n  size: [80e3, 60e3]\n  bathymetry: {type: flat, depth: 4000}\nmesh: {elements: [8, 6, 4]}\n"
                              "sources: [{shape: {type: gaussian, center: [40e3, 30e3], radius: [9e3, 9e3]}, ramp: " +
                                  ramp + "}]\ntime: {end: 100" + time + "}\nsolver: {device: cpu" + solver + "}\n",
                              {}),
                   world());
}
KinkFilter filter_of(const std::string& ramp, const std::string& time = "") { return plan_of(ramp, time).filter; }

TEST(KinkFilter, IsForSourcesWithKinksThatAreQuickerThanTheMesh) {
  const KinkFilter quick = filter_of("{type: linear, start: 12, duration: 5}");
  EXPECT_EQ(quick.sources, (std::vector<std::string>{"sources[0]"}));
  EXPECT_EQ(quick.steps, 2);
  EXPECT_EQ(quick.of, 6);
  ASSERT_EQ(quick.spans.size(), 1u);
  EXPECT_LT(quick.spans[0].begin, 12);
  EXPECT_GT(quick.spans[0].begin, 11);
  EXPECT_NEAR(quick.spans[0].end, 17 + 10 * 1.4 * 10e3 / 1500, 1e-9);
  EXPECT_EQ(to_text(quick).substr(0, 46), "kinks of sources[0] filtered at 2 of 6 steps f") << to_text(quick);
  const KinkFilter smooth = filter_of("{type: smoothstep, duration: 5}"), slow = filter_of("{type: linear, duration: 5000}");
  for (const KinkFilter& none : {smooth, slow}) {
    EXPECT_EQ(none.steps, 0);
    EXPECT_TRUE(none.sources.empty());
    EXPECT_EQ(to_text(none), "");
  }
}

TEST(KinkFilter, ActsAtTwoStepsInARow) {
  const KinkFilter filter{.spans = {{1, 5}, {8, 9}}, .steps = 2, .of = 6, .sources = {"sources[0]"}};
  EXPECT_TRUE(filter.acts(6, 1));
  EXPECT_TRUE(filter.acts(7, 4.9));
  EXPECT_FALSE(filter.acts(8, 2));
  EXPECT_FALSE(filter.acts(11, 2));
  EXPECT_FALSE(filter.acts(6, 0.9));
  EXPECT_FALSE(filter.acts(6, 5));
  EXPECT_TRUE(filter.acts(12, 8.5));
  EXPECT_EQ(filter.count(91, 0.1), 7 * 2 + 2);  // 12, 13, 18, ..., 48, 49; 84, 85
  EXPECT_FALSE(KinkFilter{}.acts(0, 0));
}

TEST(KinkFilter, IsNotForRk4AndCanBeTurnedOff) {
  const std::string ramp = "{type: linear, duration: 5}";
  EXPECT_EQ(to_text(filter_of(ramp, ", scheme: rk4")), "");
  const KinkFilter off = filter_of(ramp, ", filter: off");
  EXPECT_EQ(off.steps, 0);
  EXPECT_EQ(to_text(off), "kinks of sources[0] ring on (time.filter: off)");
}

TEST(KinkFilter, TakesRoomInSinglePrecision) {
  const auto memory = [](const std::string& filter) {
    return plan_of("{type: linear, duration: 5}", ", filter: " + filter, ", precision: single").memory;
  };
  EXPECT_GT(memory("auto"), memory("off") + 4 * 33 * 25 * 17);
}

}  // namespace
}  // namespace agwave
