// SPDX-License-Identifier: Apache-2.0
// Splitting the elements over the processor grid.
#include "mesh/partition.hpp"

#include <algorithm>

#include "error.hpp"

namespace agwave {

std::array<std::int64_t, 2> split(std::int64_t n, int parts, int c) {
  const std::int64_t base = n / parts, extra = n % parts;
  return {c * base + std::min<std::int64_t>(c, extra), base + (c < extra ? 1 : 0)};
}

std::array<int, 3> choose_grid(std::array<std::int64_t, 3> elements, int ranks, const std::optional<std::array<int, 3>>& wanted,
                               const std::string& where) {
  const auto shape = text(elements[0], " x ", elements[1], " x ", elements[2], " elements");
  if (wanted) {
    const auto& g = *wanted;
    const std::int64_t product = static_cast<std::int64_t>(g[0]) * g[1] * g[2];
    if (product != ranks)
      throw Error(ExitCode::usage, text(where, ": [", g[0], ", ", g[1], ", ", g[2], "] needs ", product, " ranks, but ", ranks,
                                        " were started; start that many or give `grid: auto`"));
    for (int d = 0; d < 3; ++d)
      if (g[d] > elements[d])
        throw Error(ExitCode::usage,
                    text(where, ": ", g[d], " ranks along ", "xyz"[d], " for ", elements[d], " elements; at most one rank per element"));
    return g;
  }
  std::array<int, 3> best{0, 0, 0};
  double fewest = 0;
  for (int px = 1; px <= ranks; ++px) {
    if (ranks % px || px > elements[0]) continue;
    for (int py = 1; py <= ranks / px; ++py) {
      const int pz = ranks / px / py;
      if ((ranks / px) % py || py > elements[1] || pz > elements[2]) continue;
      const double nodes[3] = {4.0 * elements[0] + 1, 4.0 * elements[1] + 1, 4.0 * elements[2] + 1};
      const double shared = (px - 1) * nodes[1] * nodes[2] + (py - 1) * nodes[0] * nodes[2] + (pz - 1) * nodes[0] * nodes[1];
      if (best[0] == 0 || shared < fewest) {
        best = {px, py, pz};
        fewest = shared;
      }
    }
  }
  if (best[0] == 0)
    throw Error(ExitCode::usage, text("no processor grid of ", ranks, " ranks gives every rank an element of ", shape, "; use fewer ranks"));
  return best;
}

Partition make_partition(std::array<std::int64_t, 3> elements, std::array<int, 3> grid, int rank) {
  Partition part;
  part.grid = grid;
  part.coords = {rank % grid[0], rank / grid[0] % grid[1], rank / grid[0] / grid[1]};
  for (int d = 0; d < 3; ++d) {
    const auto block = split(elements[d], grid[d], part.coords[d]);
    part.first[d] = block[0];
    part.count[d] = block[1];
  }
  return part;
}

}  // namespace agwave
