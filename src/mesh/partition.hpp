// SPDX-License-Identifier: Apache-2.0
// The processor grid: which block of the structured nx * ny * nz elements a rank owns. Even cuts that do not come out give the first
// ranks of a direction one block more. Ranks count x fastest.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agwave {

struct Partition {
  std::array<int, 3> grid{1, 1, 1}, coords{0, 0, 0};
  std::array<std::int64_t, 3> first{}, count{};  // element block of this rank
  int stand_in = -1;                             // the rank that stands for all neighbours (agwave bench --within), -1: none does

  int rank_of(std::array<int, 3> c) const { return (c[2] * grid[1] + c[1]) * grid[0] + c[0]; }
  bool at_low(int d) const { return coords[d] == 0; }
  bool at_high(int d) const { return coords[d] == grid[d] - 1; }
};

using Counts = std::array<std::int64_t, 3>;

// First element and count of part `c` of `parts` along a direction of n elements.
std::array<std::int64_t, 2> split(std::int64_t n, int parts, int c);

// The grid px * py * pz = ranks with the fewest shared nodes that leaves each rank a block of `unit` elements in every direction, the last
// one perhaps cut short; ranks are split between blocks. `wanted` is taken as it is. Throws Error(usage) when there is none; `where` the
// wish came from begins the message.
std::array<int, 3> choose_grid(const Counts& elements, int ranks, const std::optional<std::array<int, 3>>& wanted,
                               const std::string& where = "parallel.grid", const Counts& unit = {1, 1, 1});
// All grids that leave every rank a block, fewest shared nodes first.
std::vector<std::array<int, 3>> fitting_grids(const Counts& elements, int ranks, const Counts& unit = {1, 1, 1});

// Calls visit(rank, direction) for the up to 26 neighbours, ranks ascending; each component of the direction is -1, 0 or 1.
template <class Visit>
void for_neighbours(const Partition& part, Visit&& visit) {
  for (int n = 0; n < 27; ++n) {
    const std::array<int, 3> d{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    std::array<int, 3> coords{};
    bool inside = n != 13;  // not itself
    for (int a = 0; a < 3; ++a) {
      coords[a] = part.coords[a] + d[a];
      inside = inside && coords[a] >= 0 && coords[a] < part.grid[a];
    }
    if (inside) visit(part.stand_in < 0 ? part.rank_of(coords) : part.stand_in, d);
  }
}

// Where a processor grid cuts the elements: along each direction its ranks' beginnings, ascending, and the end.
using Cuts = std::array<std::vector<std::int64_t>, 3>;
Cuts even_cuts(const Counts& elements, std::array<int, 3> grid, const Counts& unit = {1, 1, 1});

Partition make_partition(const Cuts& cuts, int rank);
Partition make_partition(const Counts& elements, std::array<int, 3> grid, int rank, const Counts& unit = {1, 1, 1});

// Share of this rank's blocks of `unit` elements that touch no other rank: what an exchange can hide behind.
double interior_share(const Partition& part, const Counts& unit);

}  // namespace agwave
