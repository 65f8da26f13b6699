// SPDX-License-Identifier: Apache-2.0
// One axis of a gridded file, turned to ascend and its longitudes unwrapped; a grid that goes round the globe is periodic.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "case/case.hpp"

namespace agwave {

enum class AxisFrame { unknown, degrees, metres };

struct Axis {
  std::vector<double> nodes;  // ascending; one turn at most when periodic
  std::size_t size = 0;       // nodes in the file
  bool reversed = false, periodic = false;
  std::int64_t shift = 0;  // whole turns that bring the axis to the domain

  std::int64_t count() const { return static_cast<std::int64_t>(nodes.size()); }
  std::int64_t turn(std::int64_t i) const { return i >= 0 ? i / count() : -((count() - 1 - i) / count()); }
  double at(std::int64_t i) const {  // any i when periodic
    const std::int64_t n = periodic ? turn(i) : 0;
    return nodes[static_cast<std::size_t>(i - n * count())] + 360.0 * static_cast<double>(n + shift);
  }
  std::int64_t below(double v) const {  // the last node <= v; -1 or less when there is none
    v -= 360.0 * static_cast<double>(shift);
    const double turns = periodic ? std::floor((v - nodes[0]) / 360) : 0;
    const auto it = std::upper_bound(nodes.begin(), nodes.end(), v - 360 * turns);
    return (it - nodes.begin()) - 1 + static_cast<std::int64_t>(turns) * count();
  }
  Range range() const { return {at(0), periodic ? at(count()) : at(count() - 1)}; }
  bool covers(const Range& r) const {
    const auto [min, max] = range();
    const double slack = 1e-9 * (max - min);
    return periodic || (r.min >= min - slack && r.max <= max + slack);
  }
  std::array<std::int64_t, 2> window(const Range& r, double pad) const {  // first and last node
    const std::int64_t first = below(r.min - pad) - 1, last = below(r.max + pad) + 2;
    if (periodic) return {first, last};
    return {std::max<std::int64_t>(first, 0), std::min(last, count() - 1)};
  }
};

}  // namespace agwave
