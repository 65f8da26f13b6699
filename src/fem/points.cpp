// SPDX-License-Identifier: Apache-2.0
// Finds the element that owns a point and the basis values there.
#include "fem/points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "error/error.hpp"
#include "fem/column.hpp"

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

struct BasisAt {  // values and derivatives along one direction
  double xi;
  std::array<double, D1D> phi{}, d{};
  explicit BasisAt(double at) : xi(at) {
    for (int i = 0; i < D1D; ++i) phi[i] = detail::lagrange<D1D>(gll.x, i, xi), d[i] = detail::lagrange_derivative<D1D>(gll.x, i, xi);
  }
};

struct InColumn {
  int ex, ey;
  BasisAt x, y;
  ColumnDepth depth;
};

std::optional<InColumn> find_column(const Mesh& mesh, double x, double y) {
  const OnLine ox = find(mesh.x_faces, x), oy = find(mesh.y_faces, y);
  if (!mine(mesh, 0, ox.element) || !mine(mesh, 1, oy.element)) return {};
  InColumn c{
      static_cast<int>(ox.element - mesh.part.first[0]), static_cast<int>(oy.element - mesh.part.first[1]), BasisAt(ox.xi), BasisAt(oy.xi), {}};
  c.depth = column_depth(mesh, c.ex, c.ey, c.x.phi.data(), c.x.d.data(), c.y.phi.data(), c.y.d.data());
  return c;
}

// Nodes as the whole mesh numbers them.
class WholeNumbers {
 public:
  explicit WholeNumbers(const Mesh& mesh) : here_{mesh.NX(), mesh.NY(), mesh.NZ()} {
    for (std::size_t d = 0; d < 3; ++d) {
      first_[d] = P1D * mesh.part.first[d];
      all_[d] = P1D * mesh.elements[d] + 1;
    }
  }
  bool shared(std::int64_t node) const {  // perhaps with other ranks
    const auto at = split(node, here_);
    for (std::size_t d = 0; d < 3; ++d)
      if ((at[d] == 0 && first_[d] > 0) || (at[d] == here_[d] - 1 && first_[d] + here_[d] < all_[d])) return true;
    return false;
  }
  std::int64_t of(std::int64_t node) const {
    const auto at = split(node, here_);
    return ((first_[2] + at[2]) * all_[1] + first_[1] + at[1]) * all_[0] + first_[0] + at[0];
  }
  std::optional<std::int64_t> here(std::int64_t whole) const {
    auto at = split(whole, all_);
    for (std::size_t d = 0; d < 3; ++d) {
      at[d] -= first_[d];
      if (at[d] < 0 || at[d] >= here_[d]) return {};
    }
    return (at[2] * here_[1] + at[1]) * here_[0] + at[0];
  }

 private:
  using Counts = std::array<std::int64_t, 3>;
  static Counts split(std::int64_t node, const Counts& counts) {
    return {node % counts[0], node / counts[0] % counts[1], node / counts[0] / counts[1]};
  }
  Counts here_, first_{}, all_{};
};

}  // namespace

ColumnPoint column_point(const Mesh& mesh, double x, double y) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto c = find_column(mesh, x, y);
  if (!c) return {nan, nan, nan};
  return {c->depth.h, c->depth.h_xi / mesh.ax(c->ex), c->depth.h_eta / mesh.ay(c->ey)};
}

std::string outside_the_water(const std::string& name, double x, double y, double z, double depth) {
  const double deepest = std::floor(100 * depth) / 100;  // so that it is in the water
  return text(name, ": z = ", z, " m is outside the water column, which is ", rounded(depth, 6), " m deep at (", rounded(x, 7), ", ", rounded(y, 7),
              ") m; give a z between ", -deepest, " and 0");
}

std::optional<InElement> find_element(const Mesh& mesh, const PointAt& at, const std::string& name) {
  const auto c = find_column(mesh, at.x, at.y);
  if (!c) return {};
  const double depth = c->depth.h;
  double height = at.on == PointOn::floor ? 0.0 : 1.0;  // 1 - sigma
  if (at.on == PointOn::depth) {
    height = 1 + at.z / depth;
    if (height < -1e-12 || height > 1 + 1e-12) throw Error(ExitCode::usage, outside_the_water(name, at.x, at.y, at.z, depth));
  }
  std::vector<double> faces_z;  // ascending
  for (const double s : mesh.sigma) faces_z.push_back(1 - s);
  const OnLine oz = find(faces_z, height);
  if (!mine(mesh, 2, oz.element)) return {};
  return InElement{{mesh.part.first[0] + c->ex, mesh.part.first[1] + c->ey, oz.element}, {c->x.xi, c->y.xi, oz.xi}};
}

namespace {

struct LineWeights {
  std::int64_t first;  // node, numbered over the whole mesh
  std::vector<double> of;
};

LineWeights of_element(std::int64_t element, double xi) {
  const BasisAt basis(xi);
  return {P1D * element, {basis.phi.begin(), basis.phi.end()}};
}

double P4(double xi) { return (35 * xi * xi * xi * xi - 30 * xi * xi + 3) / 8; }

// What reads of a polynomial its part of degree 3, that of velocities: without the share of Legendre's P4.
std::array<double, D1D> to_degree_3(double xi) {
  std::array<double, D1D> phi = BasisAt(xi).phi;
  for (int i = 0; i < D1D; ++i) {
    double share = 8.0 / 35;  // of P4 in the node's function: its leading coefficient over that of P4
    for (int j = 0; j < D1D; ++j)
      if (j != i) share /= gll.x[i] - gll.x[j];
    phi[static_cast<std::size_t>(i)] -= P4(xi) * share;
  }
  return phi;
}

// What patterns in P4 leave of degree 3 where their strength changes has opposite signs on the two sides of a face. So there both sides count alike, and from the
// last zero of P4 on the other one the more the nearer the face is.
LineWeights of_sound(std::int64_t elements, std::int64_t element, double xi) {
  constexpr double last_zero = gauss_rule<4>().x[3];
  LineWeights line{P1D * std::max<std::int64_t>(element - 1, 0), {}};
  line.of.assign(static_cast<std::size_t>(P1D * std::min(element + 2, elements) - line.first + 1), 0.0);
  const auto add = [&](std::int64_t e, double at, double times) {
    const std::array<double, D1D> phi = to_degree_3(at);
    for (int i = 0; i < D1D; ++i) line.of[static_cast<std::size_t>(P1D * e + i - line.first)] += times * phi[static_cast<std::size_t>(i)];
  };
  add(element, xi, 1);
  const int side = xi < 0 ? -1 : 1;
  const std::int64_t other = element + side;
  if (std::abs(xi) <= last_zero || other < 0 || other >= elements) return line;
  add(other, -side, 0.5 * P4(xi));
  add(element, side, -0.5 * P4(xi));
  return line;
}

PointWeights weights_of(const Mesh& mesh, const std::array<LineWeights, 3>& lines) {
  const std::array<int, 3> N{mesh.NX(), mesh.NY(), mesh.NZ()};
  const auto here = [&](std::size_t d, std::size_t n) {  // as this rank numbers it, or -1
    const std::int64_t node = lines[d].first + static_cast<std::int64_t>(n) - P1D * mesh.part.first[d];
    return node < N[d] ? std::max<std::int64_t>(node, -1) : -1;
  };
  const auto& [x, y, z] = lines;
  PointWeights result;
  for (std::size_t k = 0; k < z.of.size(); ++k)
    for (std::size_t j = 0; j < y.of.size(); ++j)
      for (std::size_t i = 0; i < x.of.size(); ++i) {
        const double weight = z.of[k] * y.of[j] * x.of[i];
        if (weight == 0 || here(0, i) < 0 || here(1, j) < 0 || here(2, k) < 0) continue;
        result.node.push_back((here(2, k) * N[1] + here(1, j)) * N[0] + here(0, i));
        result.weight.push_back(weight);
      }
  return result;
}

}  // namespace

PointWeights weights_of(const Mesh& mesh, const InElement& point) {
  std::array<LineWeights, 3> lines;
  for (std::size_t d = 0; d < 3; ++d) lines[d] = of_element(point.element[d], point.xi[d]);
  return weights_of(mesh, lines);
}

PointWeights sound_weights_of(const Mesh& mesh, const InElement& point) {
  std::array<LineWeights, 3> lines;
  for (std::size_t d = 0; d < 3; ++d) lines[d] = of_sound(mesh.elements[d], point.element[d], point.xi[d]);
  return weights_of(mesh, lines);
}

std::vector<std::int64_t> nodes_of_points(const Mesh& mesh, const std::vector<PointWeights>& points, const Comm& comm) {
  std::vector<std::int64_t> nodes, shared;
  const WholeNumbers numbers(mesh);
  comm.agree([&] {
    for (const PointWeights& point : points)
      for (const std::int64_t n : point.node) {
        nodes.push_back(n);
        if (numbers.shared(n)) shared.push_back(numbers.of(n));
      }
  });
  for (const std::int64_t n : comm.join(shared))
    if (const auto here = numbers.here(n)) nodes.push_back(*here);
  return nodes;
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
