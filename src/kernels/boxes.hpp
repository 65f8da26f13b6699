// SPDX-License-Identifier: Apache-2.0
// The parts of a rank's block as boxes of elements, for kernels that march through columns: the elements that touch nodes
// shared with other ranks form slabs on the faces, the rest is one box.
#pragma once
#include <array>
#include <vector>

#include "kernels/operator.hpp"

namespace agwave {

struct ElementBox {
  std::array<int, 3> low{}, high{};  // element ranges [low, high)
  bool empty() const { return low[0] >= high[0] || low[1] >= high[1] || low[2] >= high[2]; }
};

// Disjoint boxes that cover the part.
std::vector<ElementBox> part_boxes(const Mesh& mesh, Part part);

}  // namespace agwave
