// SPDX-License-Identifier: Apache-2.0
// Evaluation of the pressure at given points: nodes and weights of the H1(4) basis there. A point on the boundary between
// ranks belongs to exactly one of them (the element found from global faces decides).
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"

namespace agwave {

struct PointWeights {
  std::vector<std::int32_t> node;  // local node index
  std::vector<double> weight;
};

enum class Level { floor, surface, depth };  // where z is measured: on the seafloor, on the sea surface, or given

struct PointSet {
  std::vector<PointWeights> points;  // of this rank
  std::vector<std::int32_t> index;   // their place in the whole list
};

struct PointAt {
  double x, y, z;  // [m]; z is ignored on floor and surface
  Level level;
};

// Throws Error(usage) naming the index of a point below the seafloor.
PointSet locate_points(const Mesh& mesh, const std::vector<PointAt>& points, const std::vector<std::string>& names);

struct ColumnPoint {
  double depth, h_x, h_y;  // [m], slopes; all NaN where this rank has no column
};
ColumnPoint column_point(const Mesh& mesh, double x, double y);

}  // namespace agwave
