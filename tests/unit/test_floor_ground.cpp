// SPDX-License-Identifier: Apache-2.0
// What the case says of the floor, and what a node of it is made of. What is wrong with a floor stands in tests/cases/bad_input/floors.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "boundary/floor.hpp"
#include "case/case_file.hpp"
#include "run/plan.hpp"

namespace agwave {
namespace {

std::string with_floor(const std::string& floor) {
  return "domain:\n  size: [8e3, 6e3]\n  bathymetry: {type: gaussian, depth: 4000, height: 2000, center: [4e3, 3e3], radius: [2e3, 2e3]}\n"
         "mesh: {elements: [4, 3, 1]}\nboundary: {floor: " +
         floor + "}\ntime: {end: 1}\nsolver: {device: cpu}\n";
}
Case with(const std::string& floor) { return parse_case("case.yaml", with_floor(floor), {}); }

TEST(Ground, IsRigidOrAMap) {
  EXPECT_FALSE(with("rigid").boundary.floor);
  const FloorCase sand = *with("{density: 1900, sound_speed: 1700}").boundary.floor;
  const Ground ground = ground_at(sand, 1234);
  EXPECT_EQ(ground.impedance, 1900.0 * 1700);
  EXPECT_NEAR(2 * std::numbers::pi / ground.corner(), 120, 1e-10);
  EXPECT_EQ(ground_at(*with("{density: 1900, sound_speed: 1700, stiffness: 2e5}").boundary.floor, 0).stiffness, 2e5);
}

TEST(Ground, IsLinearInDepth) {
  const FloorCase f = *with("{depth: [1000, 3000], density: [2500, 1500], sound_speed: [4000, 1600], stiffness: [4e5, 2e5]}").boundary.floor;
  for (const auto& [depth, part] : {std::pair{0.0, 0.0}, {1000.0, 0.0}, {1500.0, 0.25}, {3000.0, 1.0}, {6000.0, 1.0}}) {
    const Ground ground = ground_at(f, depth);
    EXPECT_NEAR(ground.impedance, (2500 - 1000 * part) * (4000 - 2400 * part), 1e-6) << depth;
    EXPECT_NEAR(ground.stiffness, 4e5 - 2e5 * part, 1e-6) << depth;
  }
}

TEST(Ground, NodesStandForTheSlopingFloor) {
  const Comm comm;
  const Case c = with("{depth: [2000, 4000], density: [2500, 1500], sound_speed: [4000, 1600]}");
  const Plan plan = make_plan(c, comm);
  ASSERT_TRUE(plan.floor.gives_way);
  double area = 0;
  for (const double a : plan.floor.area) {
    EXPECT_GT(a, 0);
    area += a;
  }
  EXPECT_GT(area, 1.1 * 8e3 * 6e3);
  EXPECT_LT(area, 2.0 * 8e3 * 6e3);
  EXPECT_NEAR(plan.floor.impedances.most, 2500 * 4000, 0.02 * 2500 * 4000);
  EXPECT_LT(plan.floor.impedances.least, 0.3 * 2500 * 4000);
  EXPECT_NEAR(plan.floor.corners.least, 1.0 / 120, 1e-12);
  EXPECT_TRUE(plan.variant->takes_floors) << plan.variant->name;
  EXPECT_TRUE(std::any_of(plan.notes.begin(), plan.notes.end(), [](const std::string& note) { return note.find("boundary.floor") != note.npos; }));
  EXPECT_NE(to_text(plan.floor).find("standing water sinks by"), std::string::npos);
}

}  // namespace
}  // namespace agwave
