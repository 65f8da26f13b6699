// SPDX-License-Identifier: Apache-2.0
// Counts beyond 2^31 without the memory they stand for: dofs of the mesh, bytes of a rank, places in the arrays of a rank.
#include <gtest/gtest.h>

#include <set>

#include "fem/forcing.hpp"
#include "fem/spaces.hpp"
#include "io/checkpoint.hpp"
#include "mesh/partition.hpp"
#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/two_sweep/cpu/sweep.hpp"
#include "timestep/variants.hpp"

namespace agwave {
namespace {

using two_sweep::CpuPatches;

constexpr std::int64_t two31 = std::int64_t{1} << 31;

Mesh counts(const Counts& elements, std::array<int, 3> grid) {  // no depths, no faces
  Mesh m;
  m.elements = elements;
  m.part = make_partition(elements, grid, 0, CpuPatches::unit(elements));
  return m;
}

TEST(LargeCounts, DofsOfTheMesh) {
  const Mesh m = counts({1000000, 1000000, 1000}, {1000, 1000, 1});
  EXPECT_EQ(m.global_nodes(), 4000001LL * 4000001LL * 4001LL);
  EXPECT_EQ(m.global_dofs(), 4000001LL * 4000001LL * 4001LL + 192LL * 1000000LL * 1000000LL * 1000LL);
  EXPECT_EQ(m.part.count[0], 1000);
}

TEST(LargeCounts, ArraysOfARank) {
  const Mesh m = counts({1000, 1000, 24}, {1, 1, 1});  // as many nodes as most variants count, nearly
  ASSERT_GT(m.nodes(), two31 / 2);
  ASSERT_LT(m.nodes(), two31);
  EXPECT_GT(3 * L3D * m.NE(), two31);
  EXPECT_EQ(checkpoint_bytes({pressure_array, velocity_array}, m), 8.0 * (4001.0 * 4001 * 97 + 192.0 * 24e6 + 3 * 4001.0 * 4001));
  for (const Variant& variant : variants()) EXPECT_GT(variant.bytes(m, 4), 8.0 * static_cast<double>(two31)) << variant.name;

  NodeView v{};
  v.NX = m.NX();
  v.NY = m.NY();
  v.NZ = m.NZ();
  v.pitch = v.NX + 31;
  EXPECT_EQ(v.size(), m.nodes());
  EXPECT_EQ(v.at(v.NX - 1, v.NY - 1, v.NZ - 1), (96LL * 4001 + 4000) * v.pitch + 4000);
}

// The fused leapfrog takes more, in ten bytes per dof.
TEST(LargeCounts, NodesOfARank) {
  for (const Counts& elements : {Counts{512, 256, 32}, Counts{2048, 512, 32}}) {
    const Mesh m = counts(elements, {1, 1, 1});
    for (const Variant& v : variants())
      if (v.name == "leapfrog-sweep") {
        const double per_dof = v.bytes(m, 4) / static_cast<double>(m.global_dofs());
        std::printf("    %s on %s, %lldx%lldx%lld: %.2f bytes per dof\n", v.name.c_str(), to_string(v.device), static_cast<long long>(elements[0]),
                    static_cast<long long>(elements[1]), static_cast<long long>(elements[2]), per_dof);
        EXPECT_LT(per_dof, 10);
        EXPECT_GT(v.most_nodes, static_cast<double>(m.nodes()));
      }
  }
  const Mesh m = counts({2048, 512, 32}, {1, 1, 1});
  ASSERT_GT(m.nodes(), two31);
  const InElement last{{2047, 511, 31}, {0.9, 0.9, 0.9}};
  PointWeights point = weights_of(m, last);
  EXPECT_EQ(point.node.back(), m.nodes() - 1);
  EXPECT_EQ(nodes_of_points(m, {point}, Comm(MPI_COMM_SELF)), point.node);
  const NodalForcing forcing{.list = point.node, .weights = point.weight};
  EXPECT_EQ(forcing.node(124), m.nodes() - 1);

  const leapfrog4::Places<CpuPatches> places(m);
  EXPECT_GT(places.state_size(), two31);
  std::set<std::int64_t> seen;
  for (const int k : {0, 64, 128})
    for (const int j : {0, 1, 1024, 2048})
      for (const int i : {0, 31, 32, 8191, 8192}) {
        const std::int64_t at = places.place_in_sums(i, j, k);
        EXPECT_LT(at, places.sums_size());
        EXPECT_GE(at, 0);
        EXPECT_TRUE(seen.insert(at).second);
      }
  EXPECT_GT(*seen.rbegin(), two31);
}

// Cuts along z: as tall as leaves work enough, and never so tall that the 64 layers of the papers' Table VII cannot go to four ranks.
TEST(LargeCounts, ChunksOfLayers) {
  const auto layers = [](std::int64_t nx, std::int64_t ny, std::int64_t nz) { return CpuPatches::unit({nx, ny, nz})[2]; };
  EXPECT_EQ(layers(512, 256, 32), 32);  // 4096 items
  EXPECT_EQ(layers(504, 256, 32), 16);
  EXPECT_EQ(layers(1920, 4608, 64), 16);
  EXPECT_EQ(layers(256, 128, 16), 16);  // 1024 items
  EXPECT_EQ(layers(128, 128, 128), 16);
  EXPECT_EQ(layers(128, 128, 16), 8);
  EXPECT_EQ(layers(64, 64, 32), 8);  // 512 items
  EXPECT_EQ(layers(64, 64, 16), 4);
  EXPECT_EQ(layers(1, 1, 1), 4);
}

// The last points of the last patches, there and back; all places differ and lie within the array.
TEST(LargeCounts, PlacesOfTheFlux) {
  const Mesh m = counts({1000, 1000, 24}, {1, 1, 1});
  const CpuPatches patches(m);
  EXPECT_GT(patches.flux_size(), two31);
  EXPECT_GT(patches.sums_at(patches.px, patches.py), two31 / 4);
  EXPECT_EQ(patches.sums_at(patches.px, patches.py) + patches.patch_sums(), patches.sums_size());
  std::set<std::int64_t> seen;
  for (const int ey : {0, 500, 999})
    for (const int ex : {0, 7, 993, 999})
      for (const int ez : {0, 23})
        for (int l = 0; l < L3D; ++l) {
          const std::int64_t at = patches.flux_at(ex, ey, ez, l);
          ASSERT_GE(at, 0);
          ASSERT_LT(at + 2 * CpuPatches::bar, patches.flux_size());
          EXPECT_TRUE(seen.insert(at).second);
          int x, y, z, point;
          const std::int64_t n = at / (3 * CpuPatches::bar) * CpuPatches::bar + at % (3 * CpuPatches::bar);
          ASSERT_TRUE(patches.locate(n, x, y, z, point));
          EXPECT_EQ((std::array{x, y, z, point}), (std::array{ex, ey, ez, l}));
        }
  EXPECT_GT(*seen.rbegin(), two31);
}

}  // namespace
}  // namespace agwave
