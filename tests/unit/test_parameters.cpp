// SPDX-License-Identifier: Apache-2.0
// Parameters of a floor motion: their grid, their areas, and averages of a pressure that are what the loads of their shapes make of it.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "error/error.hpp"
#include "fem/load.hpp"
#include "fem/parameters.hpp"

using namespace agwave;

namespace {

Mesh seamount_floor(const Counts& elements = {6, 5, 1}) {
  MeshCase mesh;
  mesh.elements = elements;
  const std::array<double, 2> size{30e3, 20e3};
  const auto floor = make_analytic_bathymetry(GaussianBathymetry{4000, 2000, {13e3, 9e3}, {6e3, 5e3}}, size, {});
  return make_mesh(mesh, size, make_partition(elements, {1, 1, 1}, 0), *floor);
}

P2oCase every(double spacing) {
  P2oCase p;
  p.spacing = spacing;
  return p;
}

TEST(Parameters, AveragesAreTheTransposeOfLoads) {
  const Mesh mesh = seamount_floor();
  const Comm self(MPI_COMM_SELF);
  for (const Motion motion : {Motion::normal, Motion::vertical}) {
    P2oCase given = every(4000);
    given.x = Range{3e3, 28e3};
    const ParameterGrid grid = make_parameter_grid(given, mesh);
    const FloorAverages averages(grid, motion, mesh);
    const std::size_t nodes = mesh.depth.size(), all = static_cast<std::size_t>(grid.size());
    std::vector<double> pressures(2 * nodes), found(2 * all), parts(2 * all);
    for (std::size_t n = 0; n < pressures.size(); ++n) pressures[n] = std::sin(0.37 * static_cast<double>(n * n % 1009));
    averages.apply(pressures, 2, 0, all, found);
    for (const std::size_t from : {std::size_t{0}, all / 3}) averages.apply(pressures, 2, from, from == 0 ? all / 3 : all, parts);
    EXPECT_EQ(found, parts);
    for (std::size_t i = 0; i < all; ++i) {
      std::vector<double> one(all, 0.0);
      one[i] = 1;
      UpliftTerm term;
      term.shape = [&](double x, double y) { return grid.value(one, x, y); };
      term.motion = motion;
      const std::vector<double> load = floor_load(mesh, term, self);
      const double area = std::accumulate(load.begin(), load.end(), 0.0);
      EXPECT_GT(area, 0);
      EXPECT_NEAR(averages.areas()[i], area, 1e-12 * area);
      for (std::size_t s = 0; s < 2; ++s) {
        double sum = 0;
        for (std::size_t n = 0; n < nodes; ++n) sum += load[n] * pressures[2 * n + s];
        EXPECT_NEAR(found[2 * i + s], sum, 1e-12 * area) << i;
      }
    }
  }
}

TEST(Parameters, GridsLieInTheMiddleOfTheirRegion) {
  const Mesh mesh = seamount_floor();
  P2oCase given = every(4000);
  ParameterGrid grid = make_parameter_grid(given, mesh);
  EXPECT_EQ(grid.nx(), 8);  // 28 of 30 km
  EXPECT_DOUBLE_EQ(grid.x.front(), 1000);
  EXPECT_DOUBLE_EQ(grid.x.back(), 29000);
  EXPECT_EQ(grid.ny(), 6);
  EXPECT_DOUBLE_EQ(grid.y.front(), 0);
  EXPECT_EQ(grid.y.back(), 20000);
  given.x = Range{5e3, 15e3};
  given.spacing.reset();
  grid = make_parameter_grid(given, mesh);
  EXPECT_EQ(grid.nx(), 9);  // the nodes of two elements
  EXPECT_EQ(grid.ny(), 21);
  EXPECT_EQ(grid.x, gll_nodes(mesh.x_faces, 1, 2));
  EXPECT_EQ(grid.spacing, 0);
}

TEST(Parameters, ValuesAreBilinearAndRestBeyond) {
  const ParameterGrid grid{{0, 2, 3}, {10, 20}, 0};
  const std::vector<double> m{1, 3, 7, 2, 4, 8};
  EXPECT_EQ(grid.value(m, 2, 10), 3);
  EXPECT_EQ(grid.value(m, 3, 20), 8);
  EXPECT_DOUBLE_EQ(grid.value(m, 1, 15), 2.5);
  EXPECT_EQ(grid.value(m, 3.001, 15), 0);
  EXPECT_EQ(grid.value(m, 1, 9.999), 0);
}

TEST(Parameters, RefusesWhatDoesNotFitTheMesh) {
  const Mesh mesh = seamount_floor();
  EXPECT_THROW(make_parameter_grid(every(1000), mesh), Error);   // nodes are 1250 m apart
  EXPECT_THROW(make_parameter_grid(every(20001), mesh), Error);  // the domain is 20 km wide
  EXPECT_NO_THROW(make_parameter_grid(every(20000), mesh));
  P2oCase given = every(4000);
  given.y = Range{-5, 10e3};
  EXPECT_THROW(make_parameter_grid(given, mesh), Error);
}

}  // namespace
