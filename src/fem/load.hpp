// SPDX-License-Identifier: Apache-2.0
// The seafloor load <S, v> of an uplift shape S(x, y) [m], by 4 x 4 Gauss-Legendre points per column.
//   vertical motion:  int S v dx dy                            (flux per horizontal area)
//   normal motion:    int S v sqrt(1 + |grad h|^2) dx dy       (flux per area of the sloping floor)
//   displacement u:   int (u_z + u_x h_x + u_y h_y) v dx dy    (the same flux, of a motion in any direction)
#pragma once
#include <array>
#include <span>
#include <vector>

#include "comm/comm.hpp"
#include "mesh/mesh.hpp"
#include "source/uplift.hpp"

namespace agwave {

// The 4 x 4 points of a column of this rank, qx fastest.
struct FloorPoint {
  int qx, qy;
  double x, y;          // [m]
  double plane, floor;  // what the point stands for, of the plane and of the sloping floor [m2]
  double h_x, h_y;      // slope of the depth
  double area(Motion motion) const { return motion == Motion::normal ? floor : plane; }
};
std::array<FloorPoint, 16> floor_points(const Mesh& mesh, int ex, int ey);

// Of each term [NY][NX] on ranks with the floor, assembled over ranks; empty elsewhere. Collective.
std::vector<std::vector<double>> floor_loads(const Mesh& mesh, std::span<const UpliftTerm> terms, const Comm& comm);
inline std::vector<double> floor_load(const Mesh& mesh, const UpliftTerm& term, const Comm& comm) { return floor_loads(mesh, {&term, 1}, comm)[0]; }

// Vertical part of a unit displacement along the inward normal at (x, y), 1 / sqrt(1 + |grad h|^2); NaN where this rank has no column there.
double vertical_part(const Mesh& mesh, double x, double y);

}  // namespace agwave
