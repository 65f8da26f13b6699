// SPDX-License-Identifier: Apache-2.0
// Columns that step in levels give the same answer on every processor grid.
// ranks: 1 2 3 4
#include "rank_checks.hpp"

namespace agwave {
namespace {

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
  for (int px = 1; px <= world.size(); ++px)
    for (int py = 1; py <= world.size() / px; ++py) {
      const std::array<int, 3> grid{px, py, world.size() / px / py};
      if (px * py * grid[2] == world.size() && grid[2] <= 2) expect_same_on_grid(c, grid, whole, dt, {"auto"}, false, world);
    }
}

}  // namespace
}  // namespace agwave
