// SPDX-License-Identifier: Apache-2.0
// The CPU variants give the same answer on every processor grid.
// ranks: 1 2 3 4 8
// label: slow
#include "rank_checks.hpp"

namespace agwave {
namespace {

TEST(Ranks, AgreeWithOneRankOnEveryGrid) { expect_same_on_all_grids(Device::cpu); }

// More ranks than a grid can use, or a grid for another number of ranks: the same error on every rank.
TEST(Ranks, GridErrorsAreAgreed) {
  const Comm world;
  Case c = parse_case("ranks.yaml", rank_case, {});
  c.parallel.grid = {world.size() + 1, 1, 1};
  EXPECT_THROW(make_plan(c, world), AgreedError);
  c.parallel.grid.reset();
  c.mesh.elements = {1, 1, 1};
  c.mesh.interfaces = {0, 1};
  if (world.size() == 1) return;
  EXPECT_THROW(make_plan(c, world), AgreedError);
}

// One rank alone finds the land, all leave with its message.
TEST(Ranks, AnErrorOnOneRankIsEveryones) {
  const Comm world;
  Case c = parse_case("ranks.yaml", rank_case, {});
  GaussianBathymetry hill;
  hill.depth = 1000;
  hill.height = 1500;  // the case file refuses this; the mesh finds it only near (19000, 13000)
  hill.center = {19000, 13000};
  hill.radius = {800, 800};
  c.domain.bathymetry = hill;
  try {
    make_plan(c, world);
    ADD_FAILURE() << "no error";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::input) << error.what();
    EXPECT_NE(std::string(error.what()).find("deeper than 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace agwave
