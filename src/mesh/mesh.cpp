// SPDX-License-Identifier: Apache-2.0
// Building a rank's block of the mesh.
#include "mesh/mesh.hpp"

#include <algorithm>

#include "mesh/spacing.hpp"

namespace agwave {

std::vector<double> gll_nodes(const std::vector<double>& faces, std::int64_t first, std::int64_t count) {
  std::vector<double> nodes(static_cast<std::size_t>(P1D * count + 1));
  for (std::int64_t e = 0; e < count; ++e) {
    const double low = faces[first + e], high = faces[first + e + 1];
    for (int i = 0; i < P1D; ++i) nodes[P1D * e + i] = i == 0 ? low : 0.5 * (low + high) + 0.5 * (high - low) * gll.x[i];
  }
  nodes.back() = faces[first + count];
  return nodes;
}

std::vector<double> Mesh::x_nodes() const { return gll_nodes(x_faces, part.first[0], part.count[0]); }
std::vector<double> Mesh::y_nodes() const { return gll_nodes(y_faces, part.first[1], part.count[1]); }
std::vector<double> Mesh::sigma_nodes() const { return gll_nodes(sigma, part.first[2], part.count[2]); }

namespace {

// Bilinear extension of vertex depths [ny+1][nx+1] to the GLL nodes of every column.
std::vector<double> bilinear(const std::vector<double>& vertex, int nx, int ny) {
  const int NX = P1D * nx + 1, NY = P1D * ny + 1;
  std::vector<double> depth(static_cast<std::size_t>(NX) * NY);
  const auto at = [&](int i, int j) { return vertex[static_cast<std::size_t>(j) * (nx + 1) + i]; };
  for (int j = 0; j < NY; ++j)
    for (int i = 0; i < NX; ++i) {
      const int ex = std::min(i / 4, nx - 1), ey = std::min(j / 4, ny - 1);
      const double r = 0.5 * (1 + gll.x[i - P1D * ex]), s = 0.5 * (1 + gll.x[j - P1D * ey]);
      depth[static_cast<std::size_t>(j) * NX + i] =
          (1 - s) * ((1 - r) * at(ex, ey) + r * at(ex + 1, ey)) + s * ((1 - r) * at(ex, ey + 1) + r * at(ex + 1, ey + 1));
    }
  return depth;
}

}  // namespace

Mesh make_mesh(const MeshCase& c, std::array<double, 2> size, const Partition& part, const Bathymetry& bathymetry) {
  Mesh mesh;
  mesh.elements = c.elements;
  mesh.part = part;
  mesh.order = c.order;
  mesh.size = size;
  mesh.x_faces = spaced_faces(c.spacing[0], size[0], c.elements[0]);
  mesh.y_faces = spaced_faces(c.spacing[1], size[1], c.elements[1]);
  for (const double interface : layer_interfaces(c)) mesh.sigma.push_back(1 - interface);
  if (c.order == 1) {
    const std::vector<double> x(mesh.x_faces.begin() + part.first[0], mesh.x_faces.begin() + part.first[0] + part.count[0] + 1);
    const std::vector<double> y(mesh.y_faces.begin() + part.first[1], mesh.y_faces.begin() + part.first[1] + part.count[1] + 1);
    mesh.depth = bilinear(bathymetry.depths(x, y, part.first[0], part.first[1]), mesh.nx(), mesh.ny());
  } else {
    mesh.depth = bathymetry.depths(mesh.x_nodes(), mesh.y_nodes(), P1D * part.first[0], P1D * part.first[1]);
  }
  if (part.at_low(2)) mesh.deepened = bathymetry.deepened();  // ranks above one another have the same columns
  return mesh;
}

}  // namespace agwave
