// SPDX-License-Identifier: Apache-2.0
// Where ranks are cut when columns step in levels: between patches, along x and y, so that the rank with the most work has as little as cuts right across
// the mesh allow (Nicol, J. Parallel Distrib. Comput. 23, 1994: cuts along one direction are found exactly for given ones along the other, in turns). Ranks
// above one another have the same columns, and split them evenly.
#pragma once
#include <array>
#include <span>

#include "mesh/partition.hpp"
#include "timestep/local_steps/levels.hpp"

namespace agwave {

struct LevelCuts {
  Cuts cuts;
  double busiest = 1, even = 1;  // visits of the rank that has the most over those of the mean rank; likewise with even cuts
};

// `even`: cuts without regard to levels, of this grid. A grid with more ranks along a direction than there are patches keeps them.
LevelCuts cut_by_work(const LocalLevels& levels, const Cuts& even);

// The best of these grids: of those with a busiest rank at most 2 % above the least, the first.
LevelCuts cut_by_work(const LocalLevels& levels, std::span<const Cuts> even);

// "the busiest of 4 ranks has 6 % more work than the mean (31 % with as many columns for each)"
std::string to_text(const LevelCuts& cuts);

}  // namespace agwave
