// SPDX-License-Identifier: Apache-2.0
// First arrivals over a map: |grad T| = 1 / speed, by the fast marching method of first order (J. A. Sethian, Proc. Natl. Acad. Sci. 93,
// 1996) on a rectilinear grid. Times come out late by a part of the order of spacing over distance, a few per cent close to a point.
#pragma once
#include <cstddef>
#include <vector>

namespace agwave {

struct TravelMap {
  std::vector<double> x, y;   // ascending, two or more [m]
  std::vector<double> speed;  // [y][x], above 0 [m/s]

  std::size_t at(std::size_t i, std::size_t j) const { return j * x.size() + i; }
};

struct Front {
  std::vector<double> time;         // [y][x] [s]
  std::vector<std::size_t> origin;  // the point of the start from which it came
};

// `start`: times at which the front leaves points of the map, infinite where it does not start.
Front first_arrivals(const TravelMap& map, const std::vector<double>& start);

}  // namespace agwave
