// SPDX-License-Identifier: Apache-2.0
// Columns that step in levels give the same answer on every processor grid: around a stiffness to rounding, in the fused sweeps to the bit.
// ranks: 2 3 4 8
// label: slow
#include "level_rank_checks.hpp"

namespace agwave {
namespace {

const Variant& variant(const std::string& name) {
  return *std::find_if(variants().begin(), variants().end(), [&](const Variant& v) { return v.device == Device::cpu && v.name == name; });
}

TEST(LocalStepsRanks, AgreeWithOneRankOnEveryGrid) {
  const Comm world;
  const Comm self(MPI_COMM_SELF);
  Case c = parse_case("ranks.yaml", rank_case,
                      {"mesh.elements=[17, 5, 2]", "mesh.layers=[0, 0.5, 1]", "time.end=0.5", "time.local_steps=8",
                       "domain.bathymetry={type: margin, shelf_depth: 300, abyssal_depth: 4000, trench_depth: 4000, "
                       "shelf_edge: 18000, slope_width: 16000, trench_width: 5000}"});
  c.solver.device = "cpu";
  c.solver.variant = "leapfrog-reference";
  const RankResult whole = world.root() ? run_case(c, self) : RankResult{};
  if (world.root()) {
    EXPECT_GE(make_plan(c, self).levels.levels.size(), 2u);
  }
  const double dt = world.broadcast(whole.dt);
  each_grid(variant(c.solver.variant), c.mesh.elements, world.size(),
            [&](const std::array<int, 3>& grid) { expect_same_on_grid(c, grid, whole, dt, {"auto"}, false, world); });
}

TEST(LocalStepsRanks, FusedSweepsAreTheSameToTheBit) { expect_same_in_levels(variant("leapfrog-sweep"), true); }
TEST(LocalStepsRanks, FusedSweepsAreTheSameToTheBitInSinglePrecision) { expect_same_in_levels(*variant("leapfrog-sweep").in_single, true); }

}  // namespace
}  // namespace agwave
