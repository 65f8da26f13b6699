// SPDX-License-Identifier: Apache-2.0
// Uplift grids, b(x, y, t) = amplitude sum_k a_k(t) S_k(x, y): the slices S_k, read from a grid or from a prepared file,
// and the terms they make, hat functions a_k of linear interpolation in time or the ramp of a static slice.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "source/uplift.hpp"

namespace agwave {

struct UpliftSlices {
  std::string name;                                               // for messages
  std::string variable;                                           // in the file
  std::vector<double> times;                                      // [s]; empty: one static slice
  std::vector<std::function<double(double x, double y)>> shapes;  // [m]
  std::vector<bool> zero;                                         // slices without any uplift
};

// Bilinear between the grid's nodes, 0 outside the grid. The domain must outlive the result. Throws Error(input).
UpliftSlices read_uplift_grid(const GridShape& shape, const Domain& domain);

// The term of one shape [m] under a ramp.
UpliftTerm ramp_term(const Ramp& ramp, std::function<double(double x, double y)> shape, Motion motion);

// Throws Error(usage) for a static grid without ramp or a timed one with, Error(input) for uplift that is there at t = 0.
std::vector<UpliftTerm> slice_terms(const UpliftSlices& slices, const SourceCase& source);

}  // namespace agwave
