// SPDX-License-Identifier: Apache-2.0
// The nodes that the fused leapfrog watches: those that are asked about at every step.
#pragma once
#include <cstdint>
#include <vector>

#include "timestep/stepper.hpp"

namespace agwave::leapfrog4 {

// Numbers of the terms that force nodes off the floor.
std::vector<int> terms_in_water(const std::vector<NodalForcing>& forcing, const NodeView& nodes);

struct WatchedNodes {
  std::vector<std::int64_t> nodes;  // ascending
  // By their numbers among them: all that are asked about while nothing forces; those on walls that absorb and on a floor that gives way; those in the
  // strips of sponges, of all and of `at_rest`.
  std::vector<std::int32_t> at_rest, damped, in_strips, at_rest_in_strips;
  // The surface's have the highest numbers, row by row, from this one on; or none. Those of a floor that does not give way, if it is watched, have the lowest
  // ones. Away from walls both are found patch by patch (LevelNodes), the others by their numbers: of all, and of `at_rest`, which has no such floor.
  std::int64_t surface = -1;
  bool floor = false;
  std::vector<std::int32_t> elsewhere, at_rest_elsewhere;
};
// Of points; where powers are asked for, of absorbing walls, of the floor where it is forced or gives way, of sources in the water; of the surface where
// that is asked for. strips: columns of nodes that strips of sponges touch, j NX + i, ascending. Collective: a node of a point is watched on every rank that
// holds it, or copies would differ in their last bits. Throws Error(usage) where numbers have no room for them.
WatchedNodes watched_nodes(const StepperSetup& setup, const NodeView& nodes, const std::vector<std::int32_t>& strips);

}  // namespace agwave::leapfrog4
