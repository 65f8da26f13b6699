// SPDX-License-Identifier: Apache-2.0
// Partition and mesh: every element once on any grid, the grid with the fewest shared nodes, node lines that meet between
// ranks to the last bit, and counts beyond 32 bits.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "error/error.hpp"
#include "mesh/mesh.hpp"

namespace agwave {
namespace {

using Elements = std::array<std::int64_t, 3>;
using Grid = std::array<int, 3>;

class Sloping final : public Bathymetry {
 public:
  std::vector<double> depths(std::span<const double> x, std::span<const double> y, std::int64_t first_i, std::int64_t first_j) const override {
    first = {first_i, first_j};
    std::vector<double> h;
    for (double b : y)
      for (double a : x) h.push_back(2000 + 300 * std::sin(a / 700) * std::cos(b / 500));
    return h;
  }
  mutable std::array<std::int64_t, 2> first{};
};

MeshCase mesh_case(Elements elements, int order) {
  MeshCase c;
  c.elements = elements;
  c.order = order;
  for (std::int64_t k = 0; k <= elements[2]; ++k) c.interfaces.push_back(static_cast<double>(k) / static_cast<double>(elements[2]));
  return c;
}

// ---- partition ----------------------------------------------------------------------------------------------------------

TEST(Split, IsContiguousAndEven) {
  for (std::int64_t n : {1, 2, 7, 12, 1000003})
    for (int parts = 1; parts <= std::min<std::int64_t>(n, 13); ++parts) {
      std::int64_t next = 0, least = n, most = 0;
      for (int c = 0; c < parts; ++c) {
        const auto [first, count] = split(n, parts, c);
        EXPECT_EQ(first, next);
        next = first + count;
        least = std::min(least, count);
        most = std::max(most, count);
      }
      EXPECT_EQ(next, n);
      EXPECT_LE(most - least, 1);
      EXPECT_GE(least, 1);
    }
}

TEST(Partition, CoversEveryElementOnce) {
  const Elements elements{7, 5, 4};
  for (Grid grid : {Grid{1, 1, 1}, {7, 5, 4}, {2, 1, 1}, {1, 3, 1}, {1, 1, 4}, {3, 2, 1}, {2, 2, 3}, {5, 4, 2}}) {
    std::map<std::array<std::int64_t, 3>, int> seen;
    const int ranks = grid[0] * grid[1] * grid[2];
    for (int rank = 0; rank < ranks; ++rank) {
      const Partition part = make_partition(elements, grid, rank);
      EXPECT_EQ(part.rank_of(part.coords), rank);
      for (std::int64_t z = 0; z < part.count[2]; ++z)
        for (std::int64_t y = 0; y < part.count[1]; ++y)
          for (std::int64_t x = 0; x < part.count[0]; ++x) ++seen[{part.first[0] + x, part.first[1] + y, part.first[2] + z}];
      for (int d = 0; d < 3; ++d) {
        EXPECT_EQ(part.at_low(d), part.first[d] == 0);
        EXPECT_EQ(part.at_high(d), part.first[d] + part.count[d] == elements[d]);
      }
    }
    EXPECT_EQ(seen.size(), 7u * 5 * 4);
    for (const auto& [element, times] : seen) EXPECT_EQ(times, 1);
  }
}

TEST(Partition, InteriorTouchesNoOtherRank) {
  const Elements elements{70, 60, 20};
  const Counts unit{8, 4, 16};
  EXPECT_DOUBLE_EQ(interior_share(make_partition(elements, {1, 1, 1}, 0, unit), unit), 1);
  EXPECT_DOUBLE_EQ(interior_share(make_partition(elements, {3, 1, 1}, 1, unit), unit), 1.0 / 3);  // of 9 blocks 3, one inside
  EXPECT_DOUBLE_EQ(interior_share(make_partition(elements, {2, 3, 1}, 3, unit), unit),
                   0.75 * 3 / 5);                                                           // of 9 x 15 blocks 4 x 5, neighbours on three sides
  EXPECT_DOUBLE_EQ(interior_share(make_partition(elements, {1, 1, 2}, 0, unit), unit), 0);  // one chunk
  EXPECT_DOUBLE_EQ(interior_share(make_partition(elements, {9, 1, 1}, 4, unit), unit), 0);  // one block, neighbours on both sides
  EXPECT_DOUBLE_EQ(interior_share(make_partition(elements, {1, 2, 1}, 1, {1, 1, 1}), {1, 1, 1}), 29.0 / 30);
}

// Nodes shared by an interface count as often as interfaces hold them.
double shared_nodes(Elements e, Grid g) {
  const double n[3] = {4.0 * e[0] + 1, 4.0 * e[1] + 1, 4.0 * e[2] + 1};
  return (g[0] - 1) * n[1] * n[2] + (g[1] - 1) * n[0] * n[2] + (g[2] - 1) * n[0] * n[1];
}

TEST(Grid, HasTheFewestSharedNodes) {
  for (Elements e : {Elements{1, 1, 1}, {8, 8, 8}, {64, 48, 4}, {1, 100, 2}, {5, 3, 2}, {1000, 1, 1}, {3, 3, 30}})
    for (int ranks = 1; ranks <= 64; ++ranks) {
      double fewest = INFINITY;
      for (int x = 1; x <= ranks; ++x)
        for (int y = 1; y <= ranks; ++y)
          for (int z = 1; z <= ranks; ++z)
            if (x * y * z == ranks && x <= e[0] && y <= e[1] && z <= e[2]) fewest = std::min(fewest, shared_nodes(e, {x, y, z}));
      if (std::isinf(fewest)) {
        EXPECT_THROW(choose_grid(e, ranks, std::nullopt), Error);
        continue;
      }
      const Grid g = choose_grid(e, ranks, std::nullopt);
      EXPECT_EQ(g[0] * g[1] * g[2], ranks);
      EXPECT_EQ(shared_nodes(e, g), fewest) << ranks << " ranks on " << e[0] << " x " << e[1] << " x " << e[2];
    }
}

void expect_usage(const std::function<void()>& call, const std::vector<std::string>& fragments) {
  try {
    call();
    FAIL() << "no error; expected one with '" << fragments.front() << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    const std::string message = error.what();
    for (const std::string& fragment : fragments) EXPECT_NE(message.find(fragment), std::string::npos) << fragment << " is not in: " << message;
  }
}

TEST(Grid, ErrorsSayWhatToDo) {
  EXPECT_EQ(choose_grid({4, 3, 2}, 6, Grid{1, 3, 2}), (Grid{1, 3, 2}));
  expect_usage([] { choose_grid({4, 3, 2}, 4, Grid{1, 3, 2}); }, {"[1, 3, 2]", "needs 6 ranks, but 4", "grid: auto"});
  expect_usage([] { choose_grid({4, 3, 2}, 5, Grid{5, 1, 1}); }, {"5 ranks along x", "4 elements"});
  expect_usage([] { choose_grid({4, 3, 2}, 3, Grid{1, 1, 3}); }, {"3 ranks along z", "2 elements"});
  expect_usage([] { choose_grid({4, 3, 2}, 25, std::nullopt); }, {"25 ranks", "4 x 3 x 2", "fewer ranks"});
  expect_usage([] { choose_grid({4, 4, 4}, 5, std::nullopt); }, {"5 ranks"});  // a prime above every direction
}

// ---- mesh -----------------------------------------------------------------------------------------------------------------

TEST(GllNodes, AreGllPointsBetweenTheFaces) {
  const std::vector<double> faces = {0, 1, 3, 10};
  const std::vector<double> nodes = gll_nodes(faces, 0, 3);
  ASSERT_EQ(nodes.size(), 13u);
  for (int e = 0; e < 3; ++e)
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(nodes[4 * e + i], faces[e] + 0.5 * (1 + gll.x[i]) * (faces[e + 1] - faces[e]), 1e-14);
  for (int e = 0; e <= 3; ++e) EXPECT_EQ(nodes[4 * e], faces[e]);  // ends to the bit, from either side
}

// Nodes and depths that two ranks share are the same numbers, so that geometry does not tear.
TEST(Mesh, BlocksMatchTheWholeToTheBit) {
  const Elements elements{7, 5, 4};
  for (int order : {1, 4}) {
    const Sloping floor;
    const Mesh whole = make_mesh(mesh_case(elements, order), {9100, 6500}, make_partition(elements, {1, 1, 1}, 0), floor);
    const auto x = whole.x_nodes(), y = whole.y_nodes(), s = whole.sigma_nodes();
    for (Grid grid : {Grid{3, 2, 1}, {2, 2, 3}, {7, 5, 4}}) {
      std::int64_t owned = 0;
      for (int rank = 0; rank < grid[0] * grid[1] * grid[2]; ++rank) {
        const Mesh mesh = make_mesh(mesh_case(elements, order), {9100, 6500}, make_partition(elements, grid, rank), floor);
        const int per_column = order == 4 ? 4 : 1;  // prepared depths are looked up by these
        EXPECT_EQ(floor.first[0], per_column * mesh.part.first[0]);
        EXPECT_EQ(floor.first[1], per_column * mesh.part.first[1]);
        const auto bx = mesh.x_nodes(), by = mesh.y_nodes(), bs = mesh.sigma_nodes();
        for (int i = 0; i < mesh.NX(); ++i) EXPECT_EQ(bx[i], x[4 * mesh.part.first[0] + i]);
        for (int j = 0; j < mesh.NY(); ++j) EXPECT_EQ(by[j], y[4 * mesh.part.first[1] + j]);
        for (int k = 0; k < mesh.NZ(); ++k) EXPECT_EQ(bs[k], s[4 * mesh.part.first[2] + k]);
        const int first_i = static_cast<int>(4 * mesh.part.first[0]), first_j = static_cast<int>(4 * mesh.part.first[1]);
        for (int j = 0; j < mesh.NY(); ++j)
          for (int i = 0; i < mesh.NX(); ++i) ASSERT_EQ(mesh.depth_at(i, j), whole.depth_at(first_i + i, first_j + j));
        for (int k = 0; k < mesh.NZ(); ++k)
          for (int j = 0; j < mesh.NY(); ++j)
            for (int i = 0; i < mesh.NX(); ++i) owned += mesh.owned(i, j, k);
      }
      EXPECT_EQ(owned, whole.global_nodes());  // every node has one owner
    }
  }
}

TEST(Mesh, OfOrderOneIsBilinearInEachColumn) {
  const Sloping floor;
  const Elements elements{3, 2, 1};
  const Mesh mesh = make_mesh(mesh_case(elements, 1), {3000, 2000}, make_partition(elements, {1, 1, 1}, 0), floor);
  const Mesh curved = make_mesh(mesh_case(elements, 4), {3000, 2000}, make_partition(elements, {1, 1, 1}, 0), floor);
  for (int ey = 0; ey < 2; ++ey)
    for (int ex = 0; ex < 3; ++ex)
      for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i) {
          const double r = 0.5 * (1 + gll.x[i]), s = 0.5 * (1 + gll.x[j]);
          const auto corner = [&](int a, int b) { return curved.depth_at(4 * (ex + a), 4 * (ey + b)); };
          const double expected = (1 - r) * (1 - s) * corner(0, 0) + r * (1 - s) * corner(1, 0) + (1 - r) * s * corner(0, 1) + r * s * corner(1, 1);
          EXPECT_NEAR(mesh.depth_at(4 * ex + i, 4 * ey + j), expected, 1e-11);
        }
}

TEST(Mesh, LayersRunFromFloorToSurface) {
  MeshCase c = mesh_case({1, 1, 3}, 4);
  c.interfaces = {0, 0.5, 0.9, 1};
  const Mesh mesh = make_mesh(c, {1000, 1000}, make_partition({1, 1, 3}, {1, 1, 1}, 0), Sloping());
  EXPECT_EQ(mesh.sigma_floor(0), 1);
  EXPECT_NEAR(mesh.sigma_top(0), 0.5, 1e-16);
  EXPECT_NEAR(mesh.sigma_floor(2), 0.1, 1e-15);
  EXPECT_EQ(mesh.sigma_top(2), 0);
}

TEST(Mesh, CountsBeyondThirtyTwoBits) {
  Mesh mesh;  // counts need no arrays
  mesh.elements = {3000, 2000, 100};
  EXPECT_EQ(mesh.global_nodes(), 12001LL * 8001 * 401);
  EXPECT_EQ(mesh.global_dofs(), 192LL * 600000000 + 12001LL * 8001 * 401);
  EXPECT_GT(mesh.global_dofs(), 150000000000LL);
  mesh.part = make_partition(mesh.elements, {20, 10, 1}, 199);
  EXPECT_EQ(mesh.part.first[0], 2850);
  EXPECT_EQ(mesh.NE(), 150LL * 200 * 100);
  EXPECT_EQ(mesh.nodes(), 601LL * 801 * 401);
  mesh.part = make_partition(mesh.elements, {1, 1, 1}, 0);
  EXPECT_EQ(mesh.NE(), 600000000LL);
  EXPECT_EQ(mesh.nodes(), 12001LL * 8001 * 401);
}

}  // namespace
}  // namespace agwave
