// SPDX-License-Identifier: Apache-2.0
// Parameters of a floor motion: values at the points of a rectangular grid, between which it is bilinear and beyond which the floor rests,
//   m(x, y) = sum_i m_i phi_i(x, y)    i = iy nx + ix
// and the averages <phi_i, p> [Pa m2] of a pressure on the floor, by the quadrature of the load <phi_i, v> (fem/load.hpp), so that one is the
// transpose of the other to rounding.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "case/case.hpp"
#include "fem/weighted_rows.hpp"
#include "mesh/mesh.hpp"

namespace agwave {

struct ParameterGrid {
  std::vector<double> x, y;  // ascending, two of each at least [m]
  double spacing = 0;        // 0: nodes of the mesh

  std::int64_t nx() const { return static_cast<std::int64_t>(x.size()); }
  std::int64_t ny() const { return static_cast<std::int64_t>(y.size()); }
  std::int64_t size() const { return nx() * ny(); }
  double value(std::span<const double> m, double x, double y) const;  // m: [ny][nx]
};

// The grid that the case asks for. Throws Error(usage) where its region or spacing does not fit the mesh.
ParameterGrid make_parameter_grid(const P2oCase& given, const Mesh& mesh);

// The floor of the whole mesh as one rank has it; depth: of all column nodes.
Mesh whole_floor(const Mesh& mesh, std::vector<double> depth);

class FloorAverages {
 public:
  FloorAverages(const ParameterGrid& grid, Motion motion, const Mesh& whole_floor);

  const std::vector<double>& areas() const { return areas_; }  // <phi_i, 1> [m2]
  // Every pressure counts by the factors of its place, along x and along y of the whole mesh, besides; areas stay as they are.
  void scale(std::span<const double> factors_x, std::span<const double> factors_y);
  const WeightedRows& rows() const { return rows_; }  // [parameter] of the pressures of floor nodes
  // `count` pressures [floor node][count] to averages [parameter][count] of parameters [first, last).
  void apply(std::span<const double> pressures, std::size_t count, std::size_t first, std::size_t last, std::span<double> averages) const;

 private:
  WeightedRows rows_;
  std::vector<double> areas_;
};

}  // namespace agwave
