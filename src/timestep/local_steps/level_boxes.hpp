// SPDX-License-Identifier: Apache-2.0
// The elements of levels on one rank, as boxes for its operators, and the nodes they touch.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/boxes.hpp"
#include "timestep/local_steps/levels.hpp"

namespace agwave {

// Disjoint boxes of the elements of `part` whose level is first, ..., last.
std::vector<ElementBox> level_boxes(const LocalLevels& levels, const Mesh& mesh, Part part, int first, int last);

// [NY][NX] of this rank's columns of nodes: the halvings of the coarsest of the elements that have it, those of other ranks included.
std::vector<std::uint8_t> node_halvings(const LocalLevels& levels, const Mesh& mesh);

}  // namespace agwave
