// SPDX-License-Identifier: Apache-2.0
// A floor that gives way is the same on every processor grid, and so is a run that goes on from a checkpoint of another one.
// ranks: 1 2 4
#include "rank_checks.hpp"
#include "run/simulation.hpp"
#include "run_directory.hpp"
#include "timestep/floor_layer.hpp"

namespace agwave {
namespace {

Case grounded(const std::string& variant) {
  Case c = parse_case("floor.yaml", rank_case, {"boundary.floor={depth: [3000, 5000], density: [2600, 1500], sound_speed: [4500, 1550]}"});
  c.solver.device = "cpu";
  c.solver.variant = variant;
  return c;
}

// So that ranks of a variant that splits in blocks have blocks that touch no other rank, and some that do.
Case in_blocks(Case c, const Variant& v, Counts blocks, std::int64_t more = 0) {
  const Counts unit = v.unit(c.mesh.elements);
  for (int d = 0; d < 3; ++d) blocks[d] = blocks[d] * unit[d] + more;
  set_elements(c, blocks);
  return c;
}

TEST(FloorRanks, AgreeWithOneRankOnEveryGrid) {
  const Comm world, self(MPI_COMM_SELF);
  for (const Variant& v : variants()) {
    if (v.device != Device::cpu || !v.takes_floors) continue;
    const bool blocks = static_cast<bool>(v.unit);
    if (world.size() > 2 && v.name != "pa" && v.name != "leapfrog-reference" && !blocks) continue;  // the floor is the integrators' own
    const Case c = blocks ? in_blocks(grounded(v.name), v, {3, 3, 1}, 1) : grounded(v.name);
    const RankResult whole = world.root() ? run_case(c, self) : RankResult{};
    const double dt = world.broadcast(whole.dt);
    for (int px = 1; px <= world.size(); ++px)
      for (int py = 1; py <= world.size() / px; ++py) {
        const std::array<int, 3> grid{px, py, world.size() / px / py};
        if (px * py * grid[2] == world.size() && grid_fits(v, c.mesh.elements, grid))
          expect_same_on_grid(c, grid, whole, dt, {"auto"}, blocks, world);
      }
  }
}

class FloorCheckpoint : public cases::RunDirectory {};

// Half a run stacked along z, so that a rank has no floor; the rest along x, with either integrator.
TEST_F(FloorCheckpoint, GoesOnOnAnotherGrid) {
  const Comm world;
  const auto to = [&](const std::string& variant, const char* directory, double end, std::array<int, 3> grid) {
    Case c = grounded(variant);
    const Variant& v = *std::ranges::find_if(variants(), [&](const Variant& of) { return of.device == Device::cpu && of.name == variant; });
    if (v.unit) c = in_blocks(c, v, {4, 2, 2});
    c.output.directory = path(directory);
    c.output.checkpoint_interval = 1;
    c.time.end = end;
    c.parallel.grid = grid;
    return c;
  };
  const int ranks = world.size(), up = std::min(ranks, 2);
  for (const char* variant : {"pa", "leapfrog-reference", "leapfrog-sweep"}) {
    const std::array<int, 3> stacked{1, ranks / up, up}, in_a_row{ranks, 1, 1};
    const Summary whole = Simulation(to(variant, "whole", 4, in_a_row), world, {true}).run();
    Simulation(to(variant, "parts", 2, stacked), world, {true}).run();
    RunOptions options{true};
    options.restart = open_restart(path("parts"), to(variant, "parts", 4, in_a_row), world);
    const Summary parts = Simulation(to(variant, "parts", 4, in_a_row), world, options).run();
    EXPECT_NEAR(parts.energy.final, whole.energy.final, 1e-12 * whole.energy.source_work) << variant;
    EXPECT_NEAR(parts.energy.floor_loss, whole.energy.floor_loss, 1e-12 * whole.energy.source_work) << variant;
    EXPECT_NEAR(parts.energy.floor_energy, whole.energy.floor_energy, 1e-12 * whole.energy.source_work) << variant;
    EXPECT_GT(whole.energy.floor_energy, 0);
    if (world.root()) expect_near(read("parts/sensors.h5", "pressure"), read("whole/sensors.h5", "pressure"), "pressure");
    world.barrier();
    if (world.root())
      for (const char* directory : {"whole", "parts"}) std::filesystem::remove_all(path(directory));
    world.barrier();
  }
}

}  // namespace
}  // namespace agwave
