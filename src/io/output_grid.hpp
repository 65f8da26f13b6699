// SPDX-License-Identifier: Apache-2.0
// The points of maps, and how much there is of them.
#pragma once
#include "fem/node_grid.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

class OutputGrid : public NodeGrid {
 public:
  using NodeGrid::NodeGrid;
  Pick pick(Field field) const;  // this rank's own points; empty where it has none
};

// Of the kinds of maps; 0 for those that the case does not ask for.
struct PerMap {
  double surface = 0, seafloor = 0, volume = 0;
  double total() const { return surface + seafloor + volume; }
};
PerMap map_points(const OutputCase& output, const Counts& elements);             // of one map
PerMap map_bytes(const OutputCase& output, const Counts& elements, double end);  // of the files of a run

}  // namespace agwave
