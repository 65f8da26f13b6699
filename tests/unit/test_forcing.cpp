// SPDX-License-Identifier: Apache-2.0
// Nodal forcing: of the floor it is the floor load to the bit; of a sensor it is what that reads, transposed; of water at a point the same to degree 3. On every
// processor grid each rank has, at the nodes that it holds, the weights of one rank alone.
// ranks: 1 2 4
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "expect_error.hpp"
#include "fem/forcing.hpp"
#include "fem/load.hpp"
#include "fem/points.hpp"
#include "shapes.hpp"
#include "terrain/domain.hpp"

namespace agwave {
namespace {

constexpr std::array<std::int64_t, 3> elements{4, 4, 4};

const Comm& world() {
  static const Comm comm;
  return comm;
}

Case wavy_case() {
  Case c;
  c.domain.size = {8e3, 6e3};
  c.domain.bathymetry = CosineBathymetry{2000, 0.2, {1, 1}};
  c.mesh.elements = elements;
  return c;
}

struct Block {
  Case c = wavy_case();
  std::unique_ptr<Domain> domain = make_domain(c);
  Mesh mesh;
  Block(std::array<int, 3> grid, int rank) {
    mesh = make_mesh(c.mesh, domain->size, make_partition(elements, grid, rank), *make_bathymetry(c, *domain));
  }
};

std::vector<std::array<int, 3>> grids() {
  std::vector<std::array<int, 3>> list;
  for (const int x : {1, 2, 4})
    for (const int y : {1, 2, 4})
      for (const int z : {1, 2, 4})
        if (x * y * z == world().size()) list.push_back({x, y, z});
  return list;
}

using Weights = std::map<std::array<std::int64_t, 3>, double>;  // by node of the whole mesh
Weights weights_by_place(const Mesh& m, const NodalForcing& f) {
  Weights all;
  std::int64_t last = -1;
  for (std::int64_t n = 0; n < f.count(); ++n) {
    const std::int64_t node = f.node(n);
    EXPECT_GT(node, last);
    last = node;
    all[{4 * m.part.first[0] + node % m.NX(), 4 * m.part.first[1] + node / m.NX() % m.NY(), 4 * m.part.first[2] + node / m.NX() / m.NY()}] =
        f.weights[static_cast<std::size_t>(n)];
  }
  return all;
}

PointTerm point(double x, double y, double z, double volume = 1) {
  PointTerm term{ramp_series({.start = 1, .duration = 3})};
  term.x = x, term.y = y, term.z = z, term.volume = volume, term.name = "here";
  return term;
}

// Inside elements, on faces, edges and corners between ranks, on the floor and the surface.
std::vector<PointTerm> points() {
  return {point(1234, 2345, -700),      point(4e3, 2000, -100), point(4e3, 3e3, -1000),
          point(2e3, 1.5e3, -450, 1e6), point(8e3, 6e3, 0),     point(0, 0, -1600)};
}

TEST(Forcing, OfThePointsIsTheSameOnEveryGrid) {
  const Block whole({1, 1, 1}, 0);
  const auto expected = point_forcing(whole.mesh, points(), Comm(MPI_COMM_SELF));
  for (const auto& grid : grids()) {
    const Block own(grid, world().rank());
    const auto found = point_forcing(own.mesh, points(), world());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t n = 0; n < found.size(); ++n) {
      Weights held;
      const auto& part = own.mesh.part;
      for (const auto& [node, weight] : weights_by_place(whole.mesh, expected[n])) {
        bool here = true;
        for (int d = 0; d < 3; ++d) here = here && node[d] >= 4 * part.first[d] && node[d] <= 4 * (part.first[d] + part.count[d]);
        if (here) held[node] = weight;
      }
      EXPECT_EQ(weights_by_place(own.mesh, found[n]), held) << "point " << n;
    }
  }
}

TEST(Forcing, OfTheFloorIsTheFloorLoad) {
  Case c = wavy_case();
  c.sources.push_back({gaussian({3e3, 2e3}, {900, 1500}), 2, Ramp{.duration = 4}, Motion::normal, {}});
  c.sources.push_back({modal(1, 2), 1, Ramp{.type = Ramp::Type::linear, .start = 1, .duration = 2}, Motion::vertical, {}});
  for (const auto& grid : grids()) {
    const Block own(grid, world().rank());
    const SourceTerms terms = make_terms(c, *own.domain);
    const auto loads = floor_loads(own.mesh, terms.uplift, world());
    const auto forcing = make_forcing(own.mesh, terms, world());
    ASSERT_EQ(forcing.size(), 2u);
    for (std::size_t n = 0; n < 2; ++n) {
      EXPECT_EQ(forcing[n].weights, loads[n]);
      EXPECT_EQ(forcing[n].count(), own.mesh.part.at_low(2) ? own.mesh.NX() * own.mesh.NY() : 0);
      EXPECT_EQ(forcing[n].node(5), 5);
      EXPECT_EQ(forcing[n].series.piecewise_linear, n == 1);
      EXPECT_EQ(forcing[n].series.value(1.7), terms.uplift[n].value(1.7));
    }
    EXPECT_EQ(forcing[1].series.begin, 1);
    EXPECT_EQ(forcing[1].series.end, 3);
  }
}

double P4(double x) { return (35 * std::pow(x, 4) - 30 * x * x + 3) / 8; }

double product(const NodalForcing& f, const std::function<double(int i, int j, int k)>& field, const Mesh& m) {
  double sum = 0;
  for (std::int64_t n = 0; n < f.count(); ++n) {
    const std::int64_t node = f.node(n);
    sum += f.weights[static_cast<std::size_t>(n)] *
           field(static_cast<int>(node % m.NX()), static_cast<int>(node / m.NX() % m.NY()), static_cast<int>(node / m.NX() / m.NY()));
  }
  return sum;
}

// Any nodal field is read as a sensor reads it.
TEST(Forcing, OfASensorIsItsTranspose) {
  const Block whole({1, 1, 1}, 0);
  const Mesh& m = whole.mesh;
  for (const PointTerm& term : points()) {
    const PointAt at{term.x, term.y, term.z, PointOn::depth};
    const std::string name = "sensor";
    const NodalForcing f = sensor_forcing(m, {&at, 1}, {&name, 1}, Comm(MPI_COMM_SELF))[0];
    const PointSet sensor = locate_points(m, {at}, {name});
    const auto field = [&](std::int64_t node) { return std::sin(0.37 * static_cast<double>(node)); };
    double reading = 0;
    for (std::size_t n = 0; n < sensor.points[0].node.size(); ++n) reading += sensor.points[0].weight[n] * field(sensor.points[0].node[n]);
    EXPECT_NEAR(product(
                    f, [&](int i, int j, int k) { return field((static_cast<std::int64_t>(k) * m.NY() + j) * m.NX() + i); }, m),
                reading, 1e-12);
  }
}

// The weights of water at a point add up to its volume, and their moments are those of the place; patterns of Legendre's P4 along any direction are not
// read, whatever they are multiplied with, nor are they excited therefore; and polynomials of degree 3 are read as they are.
TEST(Forcing, OfAPointIsOfDegreeThree) {
  const Block whole({1, 1, 1}, 0);
  const Mesh& m = whole.mesh;
  const auto x = m.x_nodes(), y = m.y_nodes(), sigma = m.sigma_nodes();
  for (const PointTerm& term : points()) {
    const NodalForcing f = point_forcing(m, {&term, 1}, Comm(MPI_COMM_SELF))[0];
    const double volume = term.volume;
    const auto sum = [&](const auto& field) { return product(f, field, m); };
    EXPECT_NEAR(sum([&](int, int, int) { return 1.0; }), volume, 1e-12 * volume);
    EXPECT_NEAR(sum([&](int i, int, int) { return x[i]; }), volume * term.x, 1e-9 * volume);
    EXPECT_NEAR(sum([&](int, int j, int) { return y[j]; }), volume * term.y, 1e-9 * volume);
    EXPECT_NEAR(sum([&](int i, int, int) { return std::pow(x[i] / 1e3, 3); }), volume * std::pow(term.x / 1e3, 3), 1e-9 * volume);
    EXPECT_NEAR(sum([&](int i, int j, int k) { return -sigma[k] * m.depth_at(i, j); }), volume * term.z, 2 * volume);  // the depth is of degree 4
    const auto other = [](int a, int b) { return std::sin(0.37 * a + 1.1 * b); };
    const auto pattern = [](int n) { return P4(gll.x[static_cast<std::size_t>(n % 4)]); };
    EXPECT_NEAR(sum([&](int i, int j, int k) { return pattern(i) * other(j, k); }), 0, 1e-12 * volume);
    EXPECT_NEAR(sum([&](int i, int j, int k) { return pattern(j) * other(i, k); }), 0, 1e-12 * volume);
    EXPECT_NEAR(sum([&](int i, int j, int k) { return pattern(k) * other(i, j); }), 0, 1e-12 * volume);
    EXPECT_EQ(f.series.value(2.5), 0.5);
  }
}

TEST(Forcing, OutsideTheWaterIsAnError) {
  const Block own(grids()[0], world().rank());
  const auto complaint = [&](const PointTerm& term) { return message_of(ExitCode::usage, [&] { point_forcing(own.mesh, {&term, 1}, world()); }); };
  expect_words(complaint(point(1e3, 1e3, -5000)), {"here: z = -5000 m is outside the water column"});
  expect_words(complaint(point(1e3, 1e3, 1)), {"here: z = 1 m is outside the water column"});
  expect_words(complaint(point(9e3, 1e3, -10)), {"here: x = 9000 m, y = 1000 m is outside the domain, x 0 to 8000 m"});
}

}  // namespace
}  // namespace agwave
