// SPDX-License-Identifier: Apache-2.0
// Evaluation of the pressure at given points: nodes and weights of the H1(4) basis there. A point on the boundary between
// ranks belongs to exactly one of them (the element found from global faces decides).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "mesh/mesh.hpp"

namespace agwave {

struct PointWeights {
  std::vector<std::int64_t> node;  // of this rank, (k NY + j) NX + i
  std::vector<double> weight;
};

enum class PointOn { floor, surface, depth };  // the seafloor, the sea surface, or the depth -z

struct PointSet {
  std::vector<PointWeights> points;  // of this rank
  std::vector<std::int32_t> index;   // their place in the whole list
};

struct PointAt {
  double x, y, z;  // [m]; z is ignored on floor and surface
  PointOn on;
};

// The element that a point belongs to, numbered over the whole mesh, and where it is there, -1 to 1 along each direction.
struct InElement {
  std::array<std::int64_t, 3> element;
  std::array<double, 3> xi;
};
// What is wrong with a point `name` at height z in water of that depth [m].
std::string outside_the_water(const std::string& name, double x, double y, double z, double depth);
// Absent on ranks that do not own the element. Throws Error(usage), beginning with `name`, for a point outside the water column.
std::optional<InElement> find_element(const Mesh& mesh, const PointAt& at, const std::string& name);
// This rank's nodes, ascending, of those that the value at a point is read from; the element may be another rank's. Nodes of zero weight are left out.
PointWeights weights_of(const Mesh& mesh, const InElement& point);
// Likewise, of what velocities see there: the part of degree 3 along each direction, near a face of both elements alike. Water that is added by these weights
// excites next to nothing of the patterns that pressures alone have (docs/theory.md).
PointWeights sound_weights_of(const Mesh& mesh, const InElement& point);

// Throws as find_element does.
PointSet locate_points(const Mesh& mesh, const std::vector<PointAt>& points, const std::vector<std::string>& names);

// This rank's nodes among those of the points of all ranks, each at least once. Collective.
std::vector<std::int64_t> nodes_of_points(const Mesh& mesh, const std::vector<PointWeights>& points, const Comm& comm);

struct ColumnPoint {
  double depth, h_x, h_y;  // [m], slopes; all NaN where this rank has no column
};
ColumnPoint column_point(const Mesh& mesh, double x, double y);

}  // namespace agwave
