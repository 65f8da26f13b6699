// SPDX-License-Identifier: Apache-2.0
#include "timestep/local_steps/level_boxes.hpp"

#include <algorithm>

namespace agwave {

std::vector<ElementBox> level_boxes(const LocalLevels& levels, const Mesh& mesh, Part part, int first, int last) {
  const std::int64_t west = mesh.part.first[0], south = mesh.part.first[1];
  std::vector<ElementBox> boxes;
  for (const ElementBox& whole : part_boxes(mesh, part))
    for (int y = whole.low[1]; y < whole.high[1];) {  // rows of a patch have the same levels
      const int end = std::min(whole.high[1], static_cast<int>(((south + y) / ColumnPatches::deep + 1) * ColumnPatches::deep - south));
      const auto has = [&](int x) { return first <= levels.of(west + x, south + y) && levels.of(west + x, south + y) <= last; };
      for (int x = whole.low[0]; x < whole.high[0]; ++x) {  // runs of columns along x, each as wide as its level allows
        if (!has(x)) continue;
        const int begin = x;
        while (x < whole.high[0] && has(x)) ++x;
        boxes.push_back({{begin, y, whole.low[2]}, {x, end, whole.high[2]}});
      }
      y = end;
    }
  return boxes;
}

std::vector<std::uint8_t> node_halvings(const LocalLevels& levels, const Mesh& mesh) {
  const auto elements_of = [&](int d, int node) {  // that have a line of nodes, of the whole mesh
    const std::int64_t e = mesh.part.first[d] + node / P1D;
    return std::pair{node % P1D == 0 ? std::max<std::int64_t>(0, e - 1) : e, std::min(e, mesh.elements[d] - 1)};
  };
  std::vector<std::uint8_t> halvings;
  for (int j = 0; j < mesh.NY(); ++j)
    for (int i = 0; i < mesh.NX(); ++i) {
      const auto [west, east] = elements_of(0, i);
      const auto [south, north] = elements_of(1, j);
      int coarsest = levels.of(west, south);
      for (std::int64_t ey = south; ey <= north; ++ey)
        for (std::int64_t ex = west; ex <= east; ++ex) coarsest = std::min(coarsest, levels.of(ex, ey));
      halvings.push_back(static_cast<std::uint8_t>(levels.levels[static_cast<std::size_t>(coarsest)].halvings));
    }
  return halvings;
}

}  // namespace agwave
