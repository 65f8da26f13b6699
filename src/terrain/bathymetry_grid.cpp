// SPDX-License-Identifier: Apache-2.0
// Elevation grid to water depth, h = -elevation. On the grid: clamp to min_depth, Gaussian smoothing, clamp again; the
// clamp comes first so that coasts do not bleed positive elevation into the sea. Then C1 bicubic interpolation (cubic
// Hermite whose slopes are the parabola's through three nodes; Catmull-Rom on even spacing), third order and smooth
// enough for order-4 columns. Its overshoot is cut at min_depth, or, without one, at half the shallowest corner of the
// cell. `smoothing` is the standard deviation of the Gaussian [m], cut at four of them, renormalised at edges.
// Of several grids the finest that reaches a place counts there; over a band inside its edge it takes over from the next, twice
// continuously differentiable, because a step in the floor would be a wall to the waves.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "error/error.hpp"
#include "terrain/grid_file.hpp"

namespace agwave {
namespace {

constexpr double earth_radius = 6371008.8;  // mean [m]
constexpr double cutoff = 4;                // standard deviations
constexpr double highest = 20e3;            // [m] no land or sea floor is farther from sea level: a mark for no value, or another unit

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

// Normalised Gaussian weights between the nodes of an axis, whose distances in metres are axis * scale; nodes count by
// the width of their cells, so uneven axes are fine.
struct Kernel {
  std::vector<std::size_t> first;
  std::vector<std::vector<double>> weights;

  Kernel(const std::vector<double>& axis, double scale, double sigma) {
    const std::size_t n = axis.size();
    const double reach = cutoff * sigma / scale;
    for (std::size_t i = 0; i < n; ++i) {
      const auto lo = static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), axis[i] - reach) - axis.begin());
      const auto hi = static_cast<std::size_t>(std::upper_bound(axis.begin(), axis.end(), axis[i] + reach) - axis.begin());
      std::vector<double> w;
      double sum = 0;
      for (std::size_t m = lo; m < hi; ++m) {
        const double d = (axis[m] - axis[i]) * scale / sigma;
        w.push_back((axis[std::min(m + 1, n - 1)] - axis[m ? m - 1 : 0]) * std::exp(-0.5 * d * d));
        sum += w.back();
      }
      for (double& a : w) a /= sum;
      first.push_back(lo);
      weights.push_back(std::move(w));
    }
  }

  // A line of values `stride` apart. Written as v + mean of differences, which keeps constants to the bit.
  void apply(double* values, std::size_t stride, std::vector<double>& line) const {
    line.resize(first.size());
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = values[i * stride];
    for (std::size_t i = 0; i < line.size(); ++i) {
      double sum = 0;
      for (std::size_t m = 0; m < weights[i].size(); ++m) sum += weights[i][m] * (line[first[i] + m] - line[i]);
      values[i * stride] = line[i] + sum;
    }
  }
};

void smooth(Grid& depth, double sigma) {
  const std::size_t nx = depth.x.size(), ny = depth.y.size();
  const double metres = depth.geographic ? radians(1) * earth_radius : 1;  // per unit of the y axis
  std::vector<double> line;
  for (std::size_t j = 0; j < ny; ++j) {
    const double parallel = depth.geographic ? std::max(std::cos(radians(depth.y[j])), 1e-3) : 1;
    Kernel(depth.x, metres * parallel, sigma).apply(&depth.values[j * nx], 1, line);
  }
  const Kernel kernel(depth.y, metres, sigma);
  for (std::size_t i = 0; i < nx; ++i) kernel.apply(&depth.values[i], nx, line);
}

std::array<double, 2> smoothing_pad(const Extent& window, bool geographic, double sigma) {
  const double reach = cutoff * sigma;
  if (!geographic) return {reach, reach};
  const double lat = reach / (radians(1) * earth_radius);
  const double widest = std::min(std::max(std::abs(window.y.min), std::abs(window.y.max)) + lat, 89.0);
  return {lat / std::cos(radians(widest)), lat};
}

// One grid; `all`: it must cover the domain.
class DepthGrid {
 public:
  DepthGrid(const GridBathymetry& bathymetry, const std::string& path, bool all, const Domain& domain)
      : case_(bathymetry), domain_(domain), all_(all) {
    const auto opened = open_grid(path, case_.format, case_.variable, GridKind::elevation, domain, case_.mark, !case_.coarser.empty());
    const GridFile& file = *opened;
    const Extent need = domain_extent(domain, file.geographic());
    extent_ = file.extent();
    if (all && !file.covers(need)) {
      throw Error(ExitCode::input,
                  text(to_string(case_.mark), ": ", path, " does not cover the domain: the grid has ", extent_text(extent_, file.geographic()),
                       ", the domain needs ", extent_text(need, file.geographic()),
                       file.geographic() ? " (the corners of the projected rectangle included)" : "", "; give a larger grid or a smaller domain"));
    }
    if (file.round_the_globe()) extent_.x = {-INFINITY, INFINITY};
    const Extent window = file.covers(need) ? need : overlap(need, extent_);
    if (!(window.x.min < window.x.max) || !(window.y.min < window.y.max)) {
      throw Error(ExitCode::input,
                  text(to_string(case_.mark), ": ", path, " does not touch the domain: the grid has ", extent_text(file.extent(), file.geographic()),
                       ", the domain is ", extent_text(need, file.geographic()), "; remove it from the list"));
    }
    depth_ = file.read(window, smoothing_pad(window, file.geographic(), case_.smoothing));
    for (double& v : depth_.values) v = -v;
    require_complete(depth_, domain, case_.mark);
    fill_missing(depth_);
    refuse_uneven(depth_, case_.mark);
    refuse_impossible();
    if (case_.min_depth) {
      raw_ = depth_;
      clamp();
    } else {
      refuse_land();
    }
    if (case_.smoothing > 0) {
      smooth(depth_, case_.smoothing);
      if (case_.min_depth) clamp();
    }
  }

  double depth_at(double x, double y, bool& deepened) const {
    const auto [gx, gy] = to_grid(depth_, domain_, x, y);
    const Cell cx = locate(depth_.x, gx), cy = locate(depth_.y, gy);
    if (!cx.inside || !cy.inside) {
      throw Error(ExitCode::input, text(to_string(case_.mark), ": ", depth_.name, " does not cover ", place_text(domain_, x, y)));
    }
    const double reference = depth_.at(cy.k, cx.k);
    const auto wx = cubic_weights(depth_.x, cx), wy = cubic_weights(depth_.y, cy);
    double h = reference, corner = INFINITY;
    for (std::size_t b = 0; b < 4; ++b) {
      if (wy[b] == 0) continue;
      double row = 0;
      for (std::size_t a = 0; a < 4; ++a) {
        if (wx[a] != 0) row += wx[a] * (depth_.at(cy.k + b - 1, cx.k + a - 1) - reference);
      }
      h += wy[b] * row;
    }
    for (const std::size_t n : {0, 1, 2, 3}) corner = std::min(corner, depth_.at(cy.k + n / 2, cx.k + n % 2));
    h = std::max(h, case_.min_depth ? *case_.min_depth : 0.5 * corner);
    deepened = case_.min_depth && raw_depth(cx, cy) < *case_.min_depth;
    if (!(h > 0)) {
      throw Error(ExitCode::input, text(to_string(case_.mark), ": ", depth_.name, ": the depth is ", h, " m at ", place_text(domain_, x, y),
                                        "; give `min_depth` [m] to keep water over land and coasts"));
    }
    return h;
  }

  // How much this grid counts at a place: 0 outside it, 1 well inside.
  double weight(double x, double y) const {
    if (all_) return 1;
    const auto [gx, gy] = to_grid(depth_, domain_, x, y);
    const double metres = depth_.geographic ? radians(1) * earth_radius : 1, parallel = depth_.geographic ? std::cos(radians(gy)) : 1;
    const double inside =
        metres * std::min(parallel * std::min(gx - extent_.x.min, extent_.x.max - gx), std::min(gy - extent_.y.min, extent_.y.max - gy));
    if (inside < 0) return 0;
    const double r = inside >= case_.blend ? 1 : inside / case_.blend;
    return r * r * r * (10 + r * (6 * r - 15));
  }

  std::optional<double> land(double x, double y) const {
    if (!case_.min_depth) return std::nullopt;  // refused as a whole
    const auto [gx, gy] = to_grid(depth_, domain_, x, y);
    const Cell cx = locate(depth_.x, gx), cy = locate(depth_.y, gy);
    const double height = cx.inside && cy.inside ? -raw_depth(cx, cy) : -1;
    return height >= 0 ? std::optional(height) : std::nullopt;
  }

 private:
  void clamp() {
    for (double& v : depth_.values) v = std::max(v, *case_.min_depth);
  }

  void refuse_impossible() const {
    const auto at = std::find_if(depth_.values.begin(), depth_.values.end(), [](double h) { return std::abs(h) > highest; });
    if (at == depth_.values.end()) return;
    const auto n = static_cast<std::size_t>(at - depth_.values.begin());
    const auto [x, y] = node_xy(depth_, domain_, n % depth_.x.size(), n / depth_.x.size());
    throw Error(ExitCode::input, text(to_string(case_.mark), ": ", depth_.name, " has the elevation ", -*at, " m at ", place_text(domain_, x, y),
                                      ", and nothing on Earth is ", highest,
                                      " m from sea level; is it the grid's mark for no value (netCDF: "
                                      "_FillValue), or another unit?"));
  }

  void refuse_land() const {
    std::size_t count = 0, i_top = 0, j_top = 0;
    for (std::size_t j = 0; j < depth_.y.size(); ++j) {
      for (std::size_t i = 0; i < depth_.x.size(); ++i) {
        if (depth_.at(j, i) > 0) continue;
        const auto [x, y] = node_xy(depth_, domain_, i, j);
        if (x < 0 || x > domain_.size[0] || y < 0 || y > domain_.size[1]) continue;
        if (count++ == 0 || depth_.at(j, i) < depth_.at(j_top, i_top)) i_top = i, j_top = j;
      }
    }
    if (count == 0) return;
    const auto [x, y] = node_xy(depth_, domain_, i_top, j_top);
    const bool all = std::none_of(depth_.values.begin(), depth_.values.end(), [](double h) { return h > 0; });
    throw Error(ExitCode::input, text(to_string(case_.mark), ": ", depth_.name, " has land (elevation >= 0) at ", count,
                                      " of its nodes inside the domain, the highest at ", place_text(domain_, x, y), ", elevation ",
                                      -depth_.at(j_top, i_top), " m; give `min_depth` [m] to put water of that depth over it, or move the domain",
                                      all ? ". There is no sea at all: if the grid holds depths, its variable must carry the attribute "
                                            "positive = \"down\""
                                          : ""));
  }

  // What the file itself has there, bilinear: decides what counts as deepened.
  double raw_depth(const Cell& cx, const Cell& cy) const {
    const auto row = [&](std::size_t j) { return (1 - cx.t) * raw_.at(j, cx.k) + cx.t * raw_.at(j, cx.k + 1); };
    return (1 - cy.t) * row(cy.k) + cy.t * row(cy.k + 1);
  }

  const GridBathymetry& case_;
  const Domain& domain_;
  bool all_;
  Extent extent_;     // of the file; a grid round the globe has no edge in x
  Grid depth_, raw_;  // positive down [m]
};

class GridDepth final : public Bathymetry {
 public:
  GridDepth(const GridBathymetry& bathymetry, const Domain& domain) : case_(bathymetry) {
    grids_.emplace_back(case_, case_.file, case_.coarser.empty(), domain);
    for (std::size_t n = 0; n < case_.coarser.size(); ++n) grids_.emplace_back(case_, case_.coarser[n], n + 1 == case_.coarser.size(), domain);
  }

  std::vector<double> depths(std::span<const double> x, std::span<const double> y, std::int64_t first_i, std::int64_t first_j) const override {
    std::vector<double> result;
    result.reserve(x.size() * y.size());
    deepened_ = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        bool deepened = false;
        result.push_back(depth_at(x[i], y[j], deepened));
        // the first nodes of a block belong to the block before it, if there is one: each counts once over all blocks
        if (deepened && (i > 0 || first_i == 0) && (j > 0 || first_j == 0)) ++deepened_;
      }
    }
    return result;
  }

  std::int64_t deepened() const override { return deepened_; }
  std::optional<double> land(double x, double y) const override {  // as the grid that counts most there has it
    double rest = 1;
    for (const DepthGrid& grid : grids_) {
      const double part = rest * grid.weight(x, y);
      if (part >= 0.5) return grid.land(x, y);
      rest -= part;
    }
    return std::nullopt;
  }

 private:
  double depth_at(double x, double y, bool& deepened) const {
    double depth = 0, rest = 1;
    for (const DepthGrid& grid : grids_) {
      const double part = rest * grid.weight(x, y);
      if (part == 0) continue;
      bool here = false;
      depth += part * grid.depth_at(x, y, here);
      deepened = deepened || (here && part >= 0.5);
      rest -= part;
      if (rest <= 0) break;
    }
    return depth;
  }

  const GridBathymetry case_;
  std::vector<DepthGrid> grids_;  // the finest first
  mutable std::int64_t deepened_ = 0;
};

}  // namespace

std::unique_ptr<Bathymetry> make_grid_bathymetry(const GridBathymetry& grid, const Domain& domain) {
  return std::make_unique<GridDepth>(grid, domain);
}

}  // namespace agwave
