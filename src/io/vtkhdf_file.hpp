// SPDX-License-Identifier: Apache-2.0
// VTKHDF files for ParaView (5.11 and later): unstructured grids in version 1.0 of the format, linear hexahedra or, on one level, quadrilaterals
// between the points of an OutputGrid. Linear cells rather than Lagrange ones of order 4: every filter of every ParaView takes them, without
// tessellating first, and the points of two per edge are those of surface.h5; with four per edge they are all the nodes there are.
// The mesh does not change, so it has a file of its own to which the snapshots link; keep them in one directory.
// https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace agwave {

struct VtkMesh {
  std::vector<double> x, y;   // [m], of the columns of points
  std::vector<double> sigma;  // of the levels: 1 on the floor, 0 on the surface
  std::vector<double> depth;  // [y][x] [m]
  std::array<std::int64_t, 3> counts() const {
    return {static_cast<std::int64_t>(x.size()), static_cast<std::int64_t>(y.size()), static_cast<std::int64_t>(sigma.size())};
  }
};

// The mesh with `depth` at its points. Throws Error(output), like all here.
void write_vtk_mesh(const std::string& path, const VtkMesh& mesh);

// One field [z][y][x] at one time; `mesh_file` is the name of the mesh's file in the same directory.
void write_vtk_snapshot(const std::string& path, const std::string& mesh_file, double time, const std::string& field, const std::string& unit,
                        std::span<const double> values);

// NAME.vtkhdf.series: what ParaView opens to play the snapshots at their times; those of `files` that are there.
void write_vtk_series(const std::string& path, const std::vector<std::string>& files, std::span<const double> times);

}  // namespace agwave
