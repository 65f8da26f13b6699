// SPDX-License-Identifier: Apache-2.0
// Where ranks are cut when columns step in levels: between patches, along x and y, right across the mesh. They begin with those that leave the rank with the
// most work as little as they can (Nicol, J. Parallel Distrib. Comput. 23, 1994: cuts along one direction are found exactly for given ones along the other, in
// turns). But ranks meet after every pass, whose patches are those of some levels alone, so cuts then move one by one to where the passes of a step, each as
// long as the slowest rank's, take least. Ranks above one another have the same columns, and split them evenly.
#pragma once
#include <functional>
#include <span>

#include "mesh/partition.hpp"
#include "timestep/local_steps/levels.hpp"

namespace agwave {

struct Passes {
  std::function<double(double columns, std::int64_t patches)> time;  // what one over so many takes, in any unit; of none nothing
  std::int64_t at_once = 0;                                          // patches that a device passes, where some may go aside (asides.hpp); else 0
};
Passes passes_by_columns();  // of a CPU

struct LevelCuts {
  Cuts cuts;
  double busiest = 1, even = 1;  // visits of the rank that has the most over those of the mean rank; likewise with even cuts
  double waits = 0;              // of a step's time, the share that the mean rank waits for the slowest in each pass
};

// The best of several grids: of those whose step takes at most 2 % more than the least, the first. `even`: their cuts without regard to levels. A grid with
// more ranks along a direction than there are patches keeps them.
LevelCuts cut_by_work(const LocalLevels& levels, std::span<const Cuts> even, const Passes& passes);

// "the busiest of 4 ranks has 6 % more work than the mean (31 % with as many columns for each); ranks wait 9 % of the time for the slowest in each pass"
std::string to_text(const LevelCuts& cuts);

}  // namespace agwave
