// SPDX-License-Identifier: Apache-2.0
// The nodes that the fused leapfrog watches: those that are asked about at every step.
#pragma once
#include <cstdint>
#include <vector>

#include "timestep/stepper.hpp"

namespace agwave::leapfrog4 {

// Numbers of the terms that force nodes off the floor.
std::vector<int> terms_in_water(const std::vector<NodalForcing>& forcing, const NodeView& nodes);

// Ascending. Of points; where powers are asked for, of absorbing walls, of the floor where it is forced or gives way, of sources in the water; of the surface where
// that is asked for. Collective, as parts_of_watched: a node of a point is watched on every rank that holds it, or copies would differ in their last bits.
std::vector<std::int64_t> watched_nodes(const StepperSetup& setup, const NodeView& nodes);
// Of those, by their numbers among them: all that are asked about while nothing forces; those on walls that absorb.
struct WatchedParts {
  std::vector<std::int32_t> at_rest, on_walls;
};
WatchedParts parts_of_watched(const std::vector<std::int64_t>& watched, const StepperSetup& setup, const NodeView& nodes);

}  // namespace agwave::leapfrog4
