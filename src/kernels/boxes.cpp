// SPDX-License-Identifier: Apache-2.0
// Peeling the shared slabs off the block, one face after the other.
#include "kernels/boxes.hpp"

namespace agwave {

std::vector<ElementBox> part_boxes(const Mesh& mesh, Part part) {
  ElementBox inner{{0, 0, 0}, {mesh.nx(), mesh.ny(), mesh.nz()}};
  if (part == Part::all) return {inner};
  std::vector<ElementBox> shared;
  for (int d = 2; d >= 0; --d) {
    if (!mesh.part.at_low(d) && !inner.empty()) {
      ElementBox slab = inner;
      slab.high[d] = ++inner.low[d];
      shared.push_back(slab);
    }
    if (!mesh.part.at_high(d) && !inner.empty()) {
      ElementBox slab = inner;
      slab.low[d] = --inner.high[d];
      shared.push_back(slab);
    }
  }
  if (part == Part::shared) return shared;
  return inner.empty() ? std::vector<ElementBox>{} : std::vector<ElementBox>{inner};
}

}  // namespace agwave
