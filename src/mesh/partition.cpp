// SPDX-License-Identifier: Apache-2.0
// Splitting the elements over the processor grid.
#include "mesh/partition.hpp"

#include <algorithm>

#include "error/error.hpp"

namespace agwave {

std::array<std::int64_t, 2> split(std::int64_t n, int parts, int c) {
  const std::int64_t base = n / parts, extra = n % parts;
  return {c * base + std::min<std::int64_t>(c, extra), base + (c < extra ? 1 : 0)};
}

namespace {
Counts blocks_of(const Counts& elements, const Counts& unit) {
  Counts blocks{};
  for (int d = 0; d < 3; ++d) blocks[d] = (elements[d] + unit[d] - 1) / unit[d];
  return blocks;
}
}  // namespace

std::vector<std::array<int, 3>> fitting_grids(const Counts& elements, int ranks, const Counts& unit) {
  const Counts blocks = blocks_of(elements, unit);
  const double nodes[3] = {4.0 * elements[0] + 1, 4.0 * elements[1] + 1, 4.0 * elements[2] + 1};
  const auto shared = [&](const std::array<int, 3>& g) {
    return (g[0] - 1) * nodes[1] * nodes[2] + (g[1] - 1) * nodes[0] * nodes[2] + (g[2] - 1) * nodes[0] * nodes[1];
  };
  std::vector<std::array<int, 3>> grids;
  for (int px = 1; px <= ranks; ++px) {
    if (ranks % px || px > blocks[0]) continue;
    for (int py = 1; py <= ranks / px; ++py) {
      const int pz = ranks / px / py;
      if ((ranks / px) % py || py > blocks[1] || pz > blocks[2]) continue;
      grids.push_back({px, py, pz});
    }
  }
  std::stable_sort(grids.begin(), grids.end(), [&](const auto& a, const auto& b) { return shared(a) < shared(b); });
  return grids;
}

std::array<int, 3> choose_grid(const Counts& elements, int ranks, const std::optional<std::array<int, 3>>& wanted, const std::string& where,
                               const Counts& unit) {
  const Counts blocks = blocks_of(elements, unit);
  const bool single = blocks == elements;
  const std::string shape = text(elements[0], " x ", elements[1], " x ", elements[2], " elements"),
                    block = single ? "an element" : text("a block of ", unit[0], " x ", unit[1], " x ", unit[2], " elements");
  if (wanted) {
    const auto& g = *wanted;
    const std::int64_t product = static_cast<std::int64_t>(g[0]) * g[1] * g[2];
    if (product != ranks)
      throw Error(ExitCode::usage, text(where, ": [", g[0], ", ", g[1], ", ", g[2], "] needs ", product, " ranks, but ", ranks,
                                        " were started; start that many or give `grid: auto`"));
    for (int d = 0; d < 3; ++d)
      if (g[d] > blocks[d])
        throw Error(ExitCode::usage, text(where, ": ", g[d], " ranks along ", "xyz"[d], " for ", elements[d], " elements; at most one rank per ",
                                          single ? "element" : text("block of ", unit[d])));
    return g;
  }
  const std::vector<std::array<int, 3>> all = fitting_grids(elements, ranks, unit);
  if (all.empty())
    throw Error(ExitCode::usage, text("no processor grid of ", ranks, " ranks gives every rank ", block, " of ", shape, "; use fewer ranks"));
  return all.front();
}

Cuts even_cuts(const Counts& elements, std::array<int, 3> grid, const Counts& unit) {
  const Counts blocks = blocks_of(elements, unit);
  Cuts cuts;
  for (int d = 0; d < 3; ++d) {
    for (int c = 0; c < grid[d]; ++c) cuts[d].push_back(split(blocks[d], grid[d], c)[0] * unit[d]);
    cuts[d].push_back(elements[d]);
  }
  return cuts;
}

Partition make_partition(const Cuts& cuts, int rank) {
  Partition part;
  for (int d = 0; d < 3; ++d) part.grid[d] = static_cast<int>(cuts[d].size()) - 1;
  part.coords = {rank % part.grid[0], rank / part.grid[0] % part.grid[1], rank / part.grid[0] / part.grid[1]};
  for (int d = 0; d < 3; ++d) {
    const auto c = static_cast<std::size_t>(part.coords[d]);
    part.first[d] = cuts[d][c];
    part.count[d] = cuts[d][c + 1] - cuts[d][c];
  }
  return part;
}

Partition make_partition(const Counts& elements, std::array<int, 3> grid, int rank, const Counts& unit) {
  return make_partition(even_cuts(elements, grid, unit), rank);
}

double interior_share(const Partition& part, const Counts& unit) {
  const Counts blocks = blocks_of(part.count, unit);
  double share = 1;
  for (int d = 0; d < 3; ++d) {
    const int sides = !part.at_low(d) + !part.at_high(d);
    share *= static_cast<double>(std::max<std::int64_t>(0, blocks[d] - sides)) / static_cast<double>(blocks[d]);
  }
  return share;
}

}  // namespace agwave
