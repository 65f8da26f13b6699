// SPDX-License-Identifier: Apache-2.0
// What rank_checks.hpp asks of a run, where columns step in levels: those that a case chooses over a margin, and levels at random, which have jumps on every
// side of a rank and at its corners. Sources on the floor and in the water, absorbing walls, sponges; in single precision walls in their place.
#pragma once
#include "levels_of_tests.hpp"
#include "rank_checks.hpp"

namespace agwave {

inline const std::string level_case = R"(
domain:
  size: [40000, 28000]
  bathymetry: {type: margin, shelf_depth: 80, abyssal_depth: 4000, trench_depth: 4000, shelf_edge: 32000, slope_width: 24000, trench_width: 9000}
mesh: {elements: [5, 4, 3], layers: [0, 0.5, 0.75, 1]}
boundary: {east: absorbing, south: absorbing, sponge: {west: 8000, north: 8000, reflection: 0.1}}
sources:
  - shape: {type: gaussian, center: [19000, 13000], radius: [4000, 3000]}
    ramp: {type: smoothstep, duration: 2}
    motion: normal
  - shape: {type: point, center: [21000, 15000], z: -140, volume: 1e8}
    ramp: {type: smoothstep, start: 0.02, duration: 1}
time: {end: 1, local_steps: 8}
sensors:
  interval: 0.5
  seafloor:
    - {name: corner, x: 0, y: 0}
    - {name: wall, x: 40000, y: 7000}
    - grid: {counts: [9, 8], margin: 0}
  hydrophones:
    - {name: near_the_source, x: 20111, y: 15333, z: -110}
  surface:
    - grid: {counts: [6, 5], margin: 0}
)";

inline Case case_in_levels(const Variant& v, const Counts& elements) {
  Case c = parse_case("levels.yaml", level_case, {});
  set_elements(c, elements);
  c.time.end = 1;
  c.solver.device = to_string(v.device);
  c.solver.variant = v.name;
  c.solver.single = v.single;
  if (!v.takes_sponges) c.boundary.sponge.width = {};
  return c;
}

// On every grid of so many ranks that the variant's blocks allow; f(grid).
template <class F>
void each_grid(const Variant& v, const Counts& elements, int ranks, F&& f) {
  for (int px = 1; px <= ranks; ++px)
    for (int py = 1; py <= ranks / px; ++py) {
      const std::array<int, 3> grid{px, py, ranks / px / py};
      if (px * py * grid[2] == ranks && grid_fits(v, elements, grid)) f(grid);
    }
}

// The variant's levels over a margin, and three of the random ones. Ranks may be stacked where the mesh is two chunks tall.
inline void expect_same_in_levels(const Variant& v, bool to_the_bit) {
  const Comm world;
  const Comm self(MPI_COMM_SELF);
  const CudaDevice present = v.device == Device::cuda ? find_cuda_device(world.local_rank()) : CudaDevice{};
  const std::vector<std::string> transports = transports_here(present, world);
  const auto expect_same = [&](const Case& c, const GiveLevels& levels) {
    const RankResult whole = world.root() ? run_case(c, self, levels) : RankResult{};
    const double dt = world.broadcast(whole.dt);
    EXPECT_TRUE(!world.root() || whole.steps >= 3);
    each_grid(v, c.mesh.elements, world.size(),
              [&](const std::array<int, 3>& grid) { expect_same_on_grid(c, grid, whole, dt, transports, to_the_bit, world, levels); });
  };
  const Case chosen = case_in_levels(v, {33, 17, 1});
  if (world.root()) {
    EXPECT_GE(make_plan(chosen, self).levels.levels.size(), 2u);
  }
  expect_same(chosen, {});
  for (const unsigned seed : {1u, 2u, 3u}) {
    Case c = case_in_levels(v, seed == 1 ? Counts{33, 17, 5} : Counts{33, 17, 1});
    c.time.local_steps = 1;  // a step that all columns take
    if (seed != 2) c.ocean.sound = channel();
    c.time.end = seed == 1 ? 0.1 : 0.5;  // thin elements take small steps
    c.sensors.interval = 0.5 * c.time.end;
    expect_same(c, [&](const Plan& plan) {
      return cases::random_levels({plan.mesh.elements[0], plan.mesh.elements[1], v.unit(plan.mesh.elements)[0]}, 3, seed);
    });
  }
}

}  // namespace agwave
