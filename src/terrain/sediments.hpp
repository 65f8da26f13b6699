// SPDX-License-Identifier: Apache-2.0
// What the sea floor is made of, by place: a netCDF grid of types, whole numbers that boundary.floor.types lists. A type is no quantity, so it is not
// interpolated: a place has that of the nearest node.
#pragma once
#include <string>
#include <vector>

#include "terrain/domain.hpp"
#include "terrain/grid.hpp"

namespace agwave {

class Sediments {
 public:
  Sediments(const Case& c, const Domain& domain);  // the domain must outlive it; throws Error(input) on anything that is not a grid fit for it

  std::size_t entry(double x, double y) const;  // of FloorCase::types [m]; throws Error(input) where there is none
  std::string fingerprint() const;              // the same for the same grid

 private:
  std::vector<double> types_;
  Mark mark_;
  const Domain& domain_;
  Grid grid_;
};

// What of the file the domain needs. From a prepared file where the bathymetry is one that has it.
Grid read_sediments(const Case& c, const Domain& domain);

}  // namespace agwave
