// SPDX-License-Identifier: Apache-2.0
// Finds the element that owns a point and the basis values there.
#include "fem/points.hpp"

#include <algorithm>
#include <limits>

#include "error/error.hpp"

namespace agwave {

namespace {

struct OnLine {
  std::int64_t element;
  double xi;  // in [-1, 1]
};

// Element of an ascending face list; a point on a face belongs to the element above it, on the last face to the last one.
OnLine find(const std::vector<double>& faces, double x) {
  auto e = std::upper_bound(faces.begin(), faces.end(), x) - faces.begin() - 1;
  e = std::clamp<std::ptrdiff_t>(e, 0, static_cast<std::ptrdiff_t>(faces.size()) - 2);
  return {e, std::clamp(2 * (x - faces[e]) / (faces[e + 1] - faces[e]) - 1, -1.0, 1.0)};
}

bool mine(const Mesh& mesh, int d, std::int64_t element) {
  return element >= mesh.part.first[d] && element < mesh.part.first[d] + mesh.part.count[d];
}

std::array<double, D1D> values(double xi) {
  std::array<double, D1D> phi{};
  for (int i = 0; i < D1D; ++i) phi[i] = detail::lagrange<D1D>(gll.x, i, xi);
  return phi;
}

struct InColumn {
  int ex, ey;
  double xi, eta;
  std::array<double, D1D> phi_x, phi_y;
  double depth;
};

bool find_column(const Mesh& mesh, double x, double y, InColumn& c) {
  const OnLine ox = find(mesh.x_faces, x), oy = find(mesh.y_faces, y);
  if (!mine(mesh, 0, ox.element) || !mine(mesh, 1, oy.element)) return false;
  c.ex = static_cast<int>(ox.element - mesh.part.first[0]);
  c.ey = static_cast<int>(oy.element - mesh.part.first[1]);
  c.xi = ox.xi;
  c.eta = oy.xi;
  c.phi_x = values(ox.xi);
  c.phi_y = values(oy.xi);
  c.depth = 0;
  for (int j = 0; j < D1D; ++j)
    for (int i = 0; i < D1D; ++i) c.depth += c.phi_y[j] * c.phi_x[i] * mesh.depth_at(4 * c.ex + i, 4 * c.ey + j);
  return true;
}

}  // namespace

ColumnPoint column_point(const Mesh& mesh, double x, double y) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  InColumn c;
  if (!find_column(mesh, x, y, c)) return {nan, nan, nan};
  double d_xi = 0, d_eta = 0;
  for (int j = 0; j < D1D; ++j)
    for (int i = 0; i < D1D; ++i) {
      const double h = mesh.depth_at(4 * c.ex + i, 4 * c.ey + j);
      d_xi += c.phi_y[j] * detail::lagrange_derivative<D1D>(gll.x, i, c.xi) * h;
      d_eta += detail::lagrange_derivative<D1D>(gll.x, j, c.eta) * c.phi_x[i] * h;
    }
  return {c.depth, d_xi / mesh.ax(c.ex), d_eta / mesh.ay(c.ey)};
}

std::optional<InElement> find_element(const Mesh& mesh, const PointAt& at, const std::string& name) {
  InColumn c;
  if (!find_column(mesh, at.x, at.y, c)) return {};
  double height = at.level == Level::floor ? 0.0 : 1.0;  // 1 - sigma
  if (at.level == Level::depth) {
    height = 1 + at.z / c.depth;
    if (height < -1e-12 || height > 1 + 1e-12)
      throw Error(ExitCode::usage, text(name, ": z = ", at.z, " m is outside the water column, which is ", c.depth, " m deep at (", at.x, ", ", at.y,
                                        ") m; give a z between ", -c.depth, " and 0"));
  }
  std::vector<double> faces_z;  // ascending
  for (const double s : mesh.sigma) faces_z.push_back(1 - s);
  const OnLine oz = find(faces_z, height);
  if (!mine(mesh, 2, oz.element)) return {};
  return InElement{{mesh.part.first[0] + c.ex, mesh.part.first[1] + c.ey, oz.element}, {c.phi_x, c.phi_y, values(oz.xi)}};
}

PointWeights weights_of(const Mesh& mesh, const InElement& point) {
  const std::array<int, 3> N{mesh.NX(), mesh.NY(), mesh.NZ()};
  std::array<std::int64_t, 3> first{};  // node of the element, counted from this rank's first
  for (int d = 0; d < 3; ++d) first[d] = 4 * (point.element[d] - mesh.part.first[d]);
  const auto here = [&](int d, int n) { return first[d] + n >= 0 && first[d] + n < N[d]; };
  const auto& [phi_x, phi_y, phi_z] = point.phi;
  PointWeights result;
  for (int k = 0; k < D1D; ++k)
    for (int j = 0; j < D1D; ++j)
      for (int i = 0; i < D1D; ++i) {
        const double weight = phi_z[k] * phi_y[j] * phi_x[i];
        if (weight == 0 || !here(0, i) || !here(1, j) || !here(2, k)) continue;
        result.node.push_back(static_cast<std::int32_t>(((first[2] + k) * N[1] + first[1] + j) * N[0] + first[0] + i));
        result.weight.push_back(weight);
      }
  return result;
}

PointSet locate_points(const Mesh& mesh, const std::vector<PointAt>& points, const std::vector<std::string>& names) {
  PointSet set;
  for (std::size_t n = 0; n < points.size(); ++n)
    if (const auto found = find_element(mesh, points[n], names[n])) {
      set.points.push_back(weights_of(mesh, *found));
      set.index.push_back(static_cast<std::int32_t>(n));
    }
  return set;
}

}  // namespace agwave
