// SPDX-License-Identifier: Apache-2.0
// Reading prepared input (layout in prepared.hpp): depths by node index, uplift by node position, and the projection by
// its table of places and its Chebyshev interpolant. Every reader first checks that the file fits the case's mesh.
#include "terrain/prepared.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "error/error.hpp"
#include "mesh/mesh.hpp"
#include "mesh/spacing.hpp"
#include "terrain/prepared_reader.hpp"

namespace agwave {
namespace {

// Lagrange weights at v of Chebyshev points, barycentric form.
std::array<double, chebyshev_points> chebyshev_weights(const std::vector<double>& nodes, double v) {
  std::array<double, chebyshev_points> w{};
  double sum = 0;
  for (int i = 0; i < chebyshev_points; ++i) {
    if (v == nodes[i]) {
      w.fill(0);
      w[i] = 1;
      return w;
    }
    w[i] = (i % 2 ? -1.0 : 1.0) * (i == 0 || i == chebyshev_points - 1 ? 0.5 : 1.0) / (v - nodes[i]);
    sum += w[i];
  }
  for (double& a : w) a /= sum;
  return w;
}

class PreparedDomain final : public Domain {
 public:
  PreparedDomain(const Case& c, const PreparedBathymetry& prepared) : file_(prepared.file) {
    const PreparedReader reader(c, prepared);
    size = reader.size;
    x_ = chebyshev_nodes(size[0]), y_ = chebyshev_nodes(size[1]);
    projection_ = reader.words(reader.root(), "projection");
    std::vector<hsize_t> shape;
    places_ = reader.array(reader.root(), "places", shape);
    shape = {chebyshev_points, chebyshev_points};
    lon_ = reader.array(reader.root(), "lon", shape, {0, 0});
    lat_ = reader.array(reader.root(), "lat", shape, {0, 0});
  }

  // The places of the case to the bit; others by Newton's method on to_lonlat, to about 1e-6 m.
  std::array<double, 2> to_xy(double lon, double lat) const override {
    for (std::size_t n = 0; n + 3 < places_.size(); n += 4) {
      if (std::abs(std::remainder(places_[n] - lon, 360)) < 1e-9 && std::abs(places_[n + 1] - lat) < 1e-9) return {places_[n + 2], places_[n + 3]};
    }
    double x = 0.5 * size[0], y = 0.5 * size[1];
    for (int step = 0; step < 30; ++step) {
      const double d = 1e-3 * std::min(size[0], size[1]);
      const auto here = to_lonlat(x, y), east = to_lonlat(x + d, y), north = to_lonlat(x, y + d);
      const double r = std::remainder(lon - here[0], 360), s = lat - here[1];
      const double a = (east[0] - here[0]) / d, b = (north[0] - here[0]) / d, e = (east[1] - here[1]) / d, f = (north[1] - here[1]) / d;
      const double dx = (r * f - s * b) / (a * f - b * e), dy = (s * a - r * e) / (a * f - b * e);
      x += dx, y += dy;
      if (!(std::abs(x) < 4 * size[0] && std::abs(y) < 4 * size[1])) break;  // the interpolant means nothing out there
      if (std::hypot(dx, dy) < 1e-9 * (size[0] + size[1])) return {x, y};
    }
    throw Error(ExitCode::usage, text("lon ", lon, ", lat ", lat, " is far outside the domain, or not among the places in ", file_,
                                      "; run `agwave prepare` again with the case that has it"));
  }

  std::array<double, 2> to_lonlat(double x, double y) const override {
    const auto wx = chebyshev_weights(x_, x), wy = chebyshev_weights(y_, y);
    double lon = 0, lat = 0;
    for (int j = 0; j < chebyshev_points; ++j) {
      for (int i = 0; i < chebyshev_points; ++i) {
        lon += wy[j] * wx[i] * lon_[j * chebyshev_points + i];
        lat += wy[j] * wx[i] * lat_[j * chebyshev_points + i];
      }
    }
    return {lon, lat};
  }

 private:
  std::string file_;
  std::vector<double> places_, x_, y_, lon_, lat_;  // x_, y_: Chebyshev points
};

class PreparedDepth final : public Bathymetry {
 public:
  PreparedDepth(const Case& c, const PreparedBathymetry& prepared, const Domain& domain) : reader_(c, prepared) {
    for (const int d : {0, 1}) {
      if (!(std::abs(reader_.size[d] - domain.size[d]) <= 1e-9 * domain.size[d])) {
        reader_.fail(text("was prepared for a domain of ", reader_.size[0], " x ", reader_.size[1], " m, the case has ", domain.size[0], " x ",
                          domain.size[1], " m"));
      }
      nodes_[d] = column_nodes(reader_.size[d], reader_.elements[d], c.mesh.order, c.mesh.spacing[d]);
      check_faces(spaced_faces(c.mesh.spacing[d], reader_.size[d], reader_.elements[d]), d);
    }
    total_deepened_ = reader_.integer(reader_.root(), "clamped");
  }

  std::vector<double> depths(std::span<const double> x, std::span<const double> y, std::int64_t first_i, std::int64_t first_j) const override {
    check_nodes(x, 0, first_i);
    check_nodes(y, 1, first_j);
    std::vector<hsize_t> shape{y.size(), x.size()};
    auto h = reader_.array(reader_.root(), "depth", shape, {static_cast<hsize_t>(first_j), static_cast<hsize_t>(first_i)});
    for (std::size_t n = 0; n < h.size(); ++n) {
      if (!std::isfinite(h[n]) || h[n] <= 0) {
        reader_.fail(text("has a depth of ", h[n], " m at x = ", x[n % x.size()], " m, y = ", y[n / x.size()], " m"));
      }
    }
    deepened_ = first_i == 0 && first_j == 0 ? total_deepened_ : 0;
    return h;
  }

  // The number of the whole mesh goes to whoever asks for its first node, so that a sum over ranks is right.
  std::int64_t deepened() const override { return deepened_; }

 private:
  void check_faces(const std::vector<double>& faces, int d) const {
    const std::string name = d == 0 ? "x_faces" : "y_faces";
    std::vector<hsize_t> shape;
    const auto stored = reader_.has(name) ? reader_.array(reader_.root(), name, shape) : spaced_faces({}, reader_.size[d], reader_.elements[d]);
    bool same = stored.size() == faces.size();
    for (std::size_t i = 0; same && i < faces.size(); ++i) same = std::abs(stored[i] - faces[i]) <= 1e-9 * reader_.size[d];
    if (!same) reader_.fail(text("was prepared for another mesh.spacing.", d == 0 ? "x" : "y", "; run `agwave prepare` again for this mesh"));
  }

  void check_nodes(std::span<const double> v, int d, std::int64_t first) const {
    const auto& nodes = nodes_[d];
    const double slack = 1e-6 * reader_.size[d] / static_cast<double>(reader_.elements[d]);
    bool fits = first >= 0 && first + static_cast<std::int64_t>(v.size()) <= static_cast<std::int64_t>(nodes.size());
    for (std::size_t i = 0; fits && i < v.size(); ++i) fits = std::abs(v[i] - nodes[static_cast<std::size_t>(first) + i]) <= slack;
    if (!fits) reader_.fail(text("has no depths at the mesh's nodes along ", d == 0 ? "x" : "y", "; run `agwave prepare` again"));
  }

  PreparedReader reader_;
  std::array<std::vector<double>, 2> nodes_;
  std::int64_t total_deepened_ = 0;
  mutable std::int64_t deepened_ = 0;
};

}  // namespace

std::vector<double> column_nodes(double length, std::int64_t elements, int order, const Spacing& spacing) {
  const std::vector<double> faces = spaced_faces(spacing, length, elements);
  return order == 1 ? faces : gll_nodes(faces, 0, elements);
}

std::vector<double> chebyshev_nodes(double length) {
  std::vector<double> nodes;
  for (int i = 0; i < chebyshev_points; ++i) nodes.push_back(0.5 * length * (1 - std::cos(std::numbers::pi * i / (chebyshev_points - 1))));
  return nodes;
}

std::unique_ptr<Domain> make_prepared_domain(const Case& c, const PreparedBathymetry& prepared) {
  return std::make_unique<PreparedDomain>(c, prepared);
}

std::unique_ptr<Bathymetry> make_prepared_bathymetry(const Case& c, const PreparedBathymetry& prepared, const Domain& domain) {
  return std::make_unique<PreparedDepth>(c, prepared, domain);
}

}  // namespace agwave
