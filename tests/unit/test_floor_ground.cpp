// SPDX-License-Identifier: Apache-2.0
// What the case says of the floor, and what a node of it is made of. What is wrong with a floor stands in tests/cases/bad_input/floors.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "boundary/floor.hpp"
#include "case/case_file.hpp"
#include "expect_error.hpp"
#include "fem/load.hpp"
#include "fem/spaces.hpp"
#include "run/plan.hpp"
#include "source/prepared.hpp"
#include "terrain/sediments.hpp"
#if AGWAVE_NETCDF
#include "grid_maker.hpp"
#endif

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
  EXPECT_EQ(plan.variant->name, "leapfrog-sweep");
  EXPECT_NE(to_text(plan.floor).find("standing water sinks by"), std::string::npos);
}

TEST(Ground, IsNotForTwoSweep) {
  Case c = with("{density: 1900, sound_speed: 1700}");
  c.solver.scheme = "rk4";
  const Plan plan = make_plan(c, Comm());
  EXPECT_TRUE(plan.variant->takes_floors) << plan.variant->name;
  EXPECT_TRUE(std::any_of(plan.notes.begin(), plan.notes.end(), [](const std::string& note) { return note.find("boundary.floor") != note.npos; }));
}

TEST(Ground, IsOneOfTypes) {
  const FloorCase f =
      *with("{file: s.nc, variable: lithology, types: [3, 1], density: [2700, 1400], sound_speed: [5000, 1500], stiffness: [6e5, 2e5]}")
           .boundary.floor;
  EXPECT_EQ(f.types, (std::vector<double>{3, 1}));
  EXPECT_EQ(f.variable, "lithology");
  EXPECT_EQ(ground_of(f, 0).impedance, 2700.0 * 5000);
  EXPECT_EQ(ground_of(f, 1).impedance, 1400.0 * 1500);
  EXPECT_EQ(ground_of(f, 1).stiffness, 2e5);
}

#if AGWAVE_NETCDF

// Basalt in the west, mud in the east: types 3 and 1, the border between two nodes of the grid, 2500 m from the wall.
struct TypeGrid : GridMaker {
  TypeGrid() {
    x_name = "x", y_name = "y", x_units = y_units = "m", name = "lithology", units = "1";
    x = linspace(-1000, 9000, 11);
    y = linspace(-1000, 7000, 9);
    type = NC_BYTE;
    value = [](double at_x, double, double) { return at_x < 2500 ? 3.0 : 1.0; };
  }
};
Case with_types(const std::string& file) { return with("{file: " + file + ", types: [1, 3], density: [1400, 2700], sound_speed: [1500, 5000]}"); }

TEST(Ground, NodesHaveTheTypeOfTheNearestNodeOfTheGrid) {
  const TempDir dir;
  TypeGrid().write(dir / "s.nc");
  const Case c = with_types(dir / "s.nc");
  const Plan plan = make_plan(c, Comm());
  const std::vector<double> x = plan.mesh.x_nodes();
  ASSERT_EQ(plan.floor.impedance.size(), x.size() * static_cast<std::size_t>(plan.mesh.NY()));
  for (std::size_t n = 0; n < plan.floor.impedance.size(); ++n)
    EXPECT_EQ(plan.floor.impedance[n], x[n % x.size()] < 2500 ? 2700.0 * 5000 : 1400.0 * 1500) << x[n % x.size()];
  EXPECT_EQ(plan.floor.impedances.least, 1400.0 * 1500);
  EXPECT_EQ(plan.floor.impedances.most, 2700.0 * 5000);
  EXPECT_NEAR(plan.floor.corners.most, 1.0 / 120, 1e-12);
  const Sediments sediments(c, *plan.domain);
  EXPECT_EQ(sediments.fingerprint(), plan.floor.sediments);
  TypeGrid other;
  other.value = [](double, double, double) { return 3.0; };
  other.write(dir / "s.nc");
  EXPECT_NE(Sediments(c, *plan.domain).fingerprint(), plan.floor.sediments);
}

TEST(Ground, PreparedFilesCarryTypes) {
  const TempDir dir;
  TypeGrid().write(dir / "s.nc");
  Case c = with_types(dir / "s.nc");
  write_prepared(c, dir / "depth.h5");
  const auto domain = make_domain(c);
  const Sediments file(c, *domain);
  c.domain.bathymetry = PreparedBathymetry{dir / "depth.h5", mark};
  std::filesystem::remove(dir / "s.nc");
  const Sediments prepared(c, *domain);
  EXPECT_EQ(prepared.fingerprint(), file.fingerprint());
  for (const double x : {0.0, 2400.0, 2600.0, 8000.0}) EXPECT_EQ(prepared.entry(x, 1234), x < 2500 ? 1U : 0U);
  c.boundary.floor->file = dir / "other.nc";
  expect_words(message_of(ExitCode::input, [&] { Sediments(c, *domain); }),
               {"was prepared with the sea floor of s.nc", "run `agwave prepare` again"});
}

#endif

// A ridge within an element: what a load of constant motion along the normal gives some nodes is less than nothing, which would pump.
TEST(Ground, StandsForNoLessThanAFlatFloor) {
  const Comm self(MPI_COMM_SELF);
  const Case c =
      parse_case("case.yaml",
                 "domain: {size: [8e3, 6e3], bathymetry: {type: cosine, depth: 4000, amplitude: 0.9, waves: [3, 2.4]}}\n"
                 "mesh: {elements: [4, 3, 1]}\nboundary: {floor: {density: 1900, sound_speed: 1700}}\ntime: {end: 1}\nsolver: {device: cpu}\n",
                 {});
  const Plan plan = make_plan(c, self);
  UpliftTerm unit;
  unit.shape = [](double, double) { return 1.0; };
  unit.motion = Motion::normal;
  const std::vector<double> load = floor_load(plan.mesh, unit, self), areas = floor_areas(plan.mesh, self);
  EXPECT_EQ(plan.floor.area, areas);
  EXPECT_LT(*std::min_element(load.begin(), load.end()), 0);
  const std::vector<double> wx = assembled_weights(plan.mesh.x_faces, 0, 4), wy = assembled_weights(plan.mesh.y_faces, 0, 3);
  ASSERT_EQ(areas.size(), wx.size() * wy.size());
  for (std::size_t n = 0; n < areas.size(); ++n) {
    EXPECT_GE(areas[n], wx[n % wx.size()] * wy[n / wx.size()]);
    EXPECT_GE(areas[n], load[n]);
  }
}

}  // namespace
}  // namespace agwave
