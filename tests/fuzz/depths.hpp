// SPDX-License-Identifier: Apache-2.0
// A grid of depths under a domain in metres and under one in degrees, from its header to the depths at the columns of a mesh: what is
// taken must be finite and below water.
#pragma once
#include <vector>

#include "case/case_file.hpp"
#include "fuzz.hpp"
#include "terrain/domain.hpp"

namespace agwave::fuzz {

inline void take_depths(const std::string& grid) {
  for (const char* domain : {"size: [8000, 6000]", "lonlat: {lon: [9.5, 10.5], lat: [39.5, 40.5]}"}) {
    refuse_or_take([&] {
      const Case c = parse_case("case.yaml",
                                std::string("domain: {") + domain + ", bathymetry: {type: grid, min_depth: 50, " + grid +
                                    "}}\nmesh: {elements: [2, 2, 1]}\ntime: {end: 1}\n",
                                {});
      const auto made = make_domain(c);
      const auto [lx, ly] = made->size;
      const std::vector<double> x{0, 0.5 * lx, lx}, y{0, 0.5 * ly, ly};
      for (const double depth : make_bathymetry(c, *made)->depths(x, y, 0, 0))
        if (!(depth >= 50 && depth < 1e5)) std::abort();
    });
  }
}

}  // namespace agwave::fuzz
