// SPDX-License-Identifier: Apache-2.0
// One rank's block of the structured, terrain-following hexahedral mesh. Element (ex, ey, ez) counts x fastest and z from
// the floor up; pressure nodes are the tensor product of the GLL nodes, shared between elements, (i, j, k) likewise.
//   z = -h(x, y) sigma,  sigma = 1 on the floor, 0 on the surface
// The depth is kept at the GLL nodes of the columns for both geometry orders; for order 1 it is bilinear in each column.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "case/case.hpp"
#include "mesh/basis.hpp"
#include "mesh/bathymetry.hpp"
#include "mesh/partition.hpp"

namespace agwave {

struct Mesh {
  std::array<std::int64_t, 3> elements{};  // of the whole mesh
  Partition part;
  int order = 4;
  std::array<double, 2> size{};          // [m]
  std::vector<double> x_faces, y_faces;  // of the whole mesh: elements[d] + 1 [m]
  std::vector<double> sigma;             // of the whole mesh: elements[2] + 1, from 1 down to 0
  std::vector<double> depth;             // [NY][NX] at this rank's column nodes [m]
  std::int64_t deepened = 0;  // depths deepened to min_depth among this rank's own, of those below: their sum over ranks is that of the mesh

  int nx() const { return static_cast<int>(part.count[0]); }
  int ny() const { return static_cast<int>(part.count[1]); }
  int nz() const { return static_cast<int>(part.count[2]); }
  int NX() const { return P1D * nx() + 1; }
  int NY() const { return P1D * ny() + 1; }
  int NZ() const { return P1D * nz() + 1; }
  std::int64_t NE() const { return part.count[0] * part.count[1] * part.count[2]; }
  std::int64_t nodes() const { return static_cast<std::int64_t>(NX()) * NY() * NZ(); }
  std::int64_t global_nodes() const { return (P1D * elements[0] + 1) * (P1D * elements[1] + 1) * (P1D * elements[2] + 1); }
  // Depths given to the whole mesh: at GLL nodes, or with order 1 at vertices.
  std::int64_t global_columns() const {
    return order == 1 ? (elements[0] + 1) * (elements[1] + 1) : (P1D * elements[0] + 1) * (P1D * elements[1] + 1);
  }
  std::int64_t global_dofs() const { return 3 * L3D * elements[0] * elements[1] * elements[2] + global_nodes(); }

  // Half sizes of local element columns and layers, and coordinates of local node lines.
  double ax(int ex) const { return 0.5 * (x_faces[part.first[0] + ex + 1] - x_faces[part.first[0] + ex]); }
  double ay(int ey) const { return 0.5 * (y_faces[part.first[1] + ey + 1] - y_faces[part.first[1] + ey]); }
  double sigma_floor(int ez) const { return sigma[part.first[2] + ez]; }
  double sigma_top(int ez) const { return sigma[part.first[2] + ez + 1]; }
  std::vector<double> x_nodes() const;      // NX
  std::vector<double> y_nodes() const;      // NY
  std::vector<double> sigma_nodes() const;  // NZ
  // Nodes on block faces shared with a lower neighbour belong to that neighbour, so that every node is owned once.
  bool owned(int i, int j, int k) const { return (i > 0 || part.at_low(0)) && (j > 0 || part.at_low(1)) && (k > 0 || part.at_low(2)); }
  double depth_at(int i, int j) const { return depth[static_cast<std::size_t>(j) * NX() + i]; }
};

// Faces in x and y by the case's spacing, layers at its interfaces. Throws what the bathymetry throws.
Mesh make_mesh(const MeshCase& mesh, std::array<double, 2> size, const Partition& part, const Bathymetry& bathymetry);

// Node coordinates of a face list restricted to elements [first, first + count).
std::vector<double> gll_nodes(const std::vector<double>& faces, std::int64_t first, std::int64_t count);

}  // namespace agwave
