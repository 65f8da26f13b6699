// SPDX-License-Identifier: Apache-2.0
// A floor that gives way is the same on every processor grid, and so is a run that goes on from a checkpoint of another one.
// ranks: 1 2 4
#include "floor_rank_checks.hpp"
#include "run/simulation.hpp"
#include "run_directory.hpp"
#include "timestep/floor_layer.hpp"

namespace agwave {
namespace {

TEST(FloorRanks, AgreeWithOneRankOnEveryGrid) {
  const int ranks = Comm().size();
  for (const Variant& v : variants()) {
    if (v.device != Device::cpu || !v.takes_floors) continue;
    // The floor is the integrators' own, and of those that split in blocks.
    if (ranks <= 2 || v.unit || v.name == "pa" || v.name == "leapfrog-reference") expect_same_over_floor(v, {"auto"});
  }
}

class FloorCheckpoint : public cases::RunDirectory {};

// Half a run stacked along z, so that a rank has no floor; the rest along x, with either integrator.
TEST_F(FloorCheckpoint, GoesOnOnAnotherGrid) {
  const Comm world;
  const auto to = [&](const std::string& variant, const char* directory, double end, std::array<int, 3> grid) {
    const Variant& v = *std::ranges::find_if(variants(), [&](const Variant& of) { return of.device == Device::cpu && of.name == variant; });
    Case c = v.unit ? in_blocks(grounded(v), v, {4, 2, 2}) : grounded(v);
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
