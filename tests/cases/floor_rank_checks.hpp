// SPDX-License-Identifier: Apache-2.0
// What rank_checks.hpp asks of a run, over a floor that gives way.
#pragma once
#include "rank_checks.hpp"

namespace agwave {

inline Case grounded(const Variant& v) {
  Case c = parse_case("floor.yaml", rank_case,
                      {"boundary.floor={depth: [3000, 5000], density: [2600, 1500], sound_speed: [4500, 1550]}", "sources[0].ramp.start=0.613",
                       "sources[1].ramp.start=0.711"});  // within steps, after others in which nothing moves
  c.solver.device = to_string(v.device);
  c.solver.variant = v.name;
  return c;
}
// For a variant that splits in blocks: so many of them.
inline Case in_blocks(Case c, const Variant& v, Counts blocks, std::int64_t more = 0) {
  const Counts unit = v.unit(c.mesh.elements);
  for (int d = 0; d < 3; ++d) blocks[d] = blocks[d] * unit[d] + more;
  set_elements(c, blocks);
  return c;
}

// To the bit where it splits in blocks, of which some touch no other rank.
inline void expect_same_over_floor(const Variant& v, const std::vector<std::string>& transports) {
  const Comm world, self(MPI_COMM_SELF);
  const bool blocks = static_cast<bool>(v.unit);
  const Case c = blocks ? in_blocks(grounded(v), v, {3, 3, 1}, 1) : grounded(v);
  const RankResult whole = world.root() ? run_case(c, self) : RankResult{};
  const double dt = world.broadcast(whole.dt);
  for (int px = 1; px <= world.size(); ++px)
    for (int py = 1; py <= world.size() / px; ++py) {
      const std::array<int, 3> grid{px, py, world.size() / px / py};
      if (px * py * grid[2] == world.size() && grid_fits(v, c.mesh.elements, grid))
        expect_same_on_grid(c, grid, whole, dt, transports, blocks, world);
    }
}

}  // namespace agwave
