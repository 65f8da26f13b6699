// SPDX-License-Identifier: Apache-2.0
// Uplift grids, b(x, y, t) = amplitude sum_k a_k(t) S_k(x, y): the slices S_k, read from a grid or from a prepared file,
// and the terms they make, hat functions a_k of linear interpolation in time or the ramp of a static slice.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "source/uplift.hpp"
#include "terrain/grid.hpp"

namespace agwave {

struct UpliftFile {
  std::string file, variable;  // variable: "" to find it by its attributes
  Mark mark;
  std::string format = "auto";
};

struct UpliftSlices {
  std::string file{};                                             // where they are from, if from a file of their own
  std::shared_ptr<const Grid> grid;                               // which they interpolate; its times [s]: none for one static slice
  std::vector<std::function<double(double x, double y)>> shapes;  // [m]
  std::vector<bool> zero;                                         // slices without any uplift
};

// Bilinear between the grid's nodes, 0 outside the grid. The domain must outlive the result.
UpliftSlices slices_of(Grid grid, const Domain& domain);
// Of a file. Throws Error(input).
UpliftSlices read_uplift_grid(const UpliftFile& from, const Domain& domain);

// The part of the uplift, of all times, that is in the domain; of the grid's area where there is none, or where the file is too large to look at all of it.
double uplift_inside(const UpliftFile& from, const Domain& domain);

// Throws Error(usage) for a static grid without ramp or a timed one with, Error(input) for uplift that is there at t = 0.
std::vector<UpliftTerm> slice_terms(const UpliftSlices& slices, const SourceCase& source);

}  // namespace agwave
