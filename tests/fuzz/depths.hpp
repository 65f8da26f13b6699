// SPDX-License-Identifier: Apache-2.0
// A grid of depths, from its header to the depths at the columns of a mesh: what is taken must be finite and below water.
#pragma once
#include <array>

#include "fuzz.hpp"
#include "io/case_file.hpp"
#include "io/inputs.hpp"

namespace agwave::fuzz {

inline void take_depths(const std::string& grid) {
  const Case c = parse_case("case.yaml",
                            "domain: {size: [8000, 6000], bathymetry: {type: grid, min_depth: 50, " + grid +
                                "}}\nmesh: {elements: [2, 2, 1]}\ntime: {end: 1}\n",
                            {});
  const auto domain = make_domain(c);
  const std::array<double, 3> x{0, 4000, 8000}, y{0, 3000, 6000};
  for (const double depth : make_bathymetry(c, *domain)->depths(x, y, 0, 0))
    if (!(depth >= 50 && depth < 1e300)) std::abort();
}

}  // namespace agwave::fuzz
