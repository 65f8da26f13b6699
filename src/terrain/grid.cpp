// SPDX-License-Identifier: Apache-2.0
// Windows of gridded data: where the domain lies in them, cell search, missing values.
#include "terrain/grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "error/error.hpp"

namespace agwave {

Extent domain_extent(const Domain& domain, bool geographic) {
  const auto [lx, ly] = domain.size;
  if (!geographic) return {{0, lx}, {0, ly}};
  // Extremes of lon and lat over the rectangle lie on its boundary: at corners or, for symmetry, at mid-sides.
  constexpr int samples = 256;
  Extent e{{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
  for (int s = 0; s <= samples; ++s) {
    const double x = lx * s / samples, y = ly * s / samples;
    const std::array<std::array<double, 2>, 4> boundary{{{x, 0}, {x, ly}, {0, y}, {lx, y}}};
    for (const auto& point : boundary) {
      const auto [lon, lat] = domain.to_lonlat(point[0], point[1]);
      e.x = {std::min(e.x.min, lon), std::max(e.x.max, lon)};
      e.y = {std::min(e.y.min, lat), std::max(e.y.max, lat)};
    }
  }
  return e;
}

std::array<double, 2> to_grid(const Grid& grid, const Domain& domain, double x, double y) {
  if (grid.geographic) return domain.to_lonlat(x, y);
  return {x, y};
}

std::array<double, 2> node_xy(const Grid& grid, const Domain& domain, std::size_t i, std::size_t j) {
  if (grid.geographic) return domain.to_xy(grid.x[i], grid.y[j]);
  return {grid.x[i], grid.y[j]};
}

std::string place_text(const Domain& domain, double x, double y) {
  std::string metres = text("x = ", rounded(x, 9), " m, y = ", rounded(y, 9), " m");
  if (!domain.geographic()) return metres;
  const auto [lon, lat] = domain.to_lonlat(x, y);
  return text("lon ", rounded(lon, 9), ", lat ", rounded(lat, 9), " (", metres, ")");
}

std::string extent_text(const Extent& e, bool geographic) {
  return text(geographic ? "lon " : "x ", rounded(e.x.min, 9), " to ", rounded(e.x.max, 9), geographic ? ", lat " : ", y ", rounded(e.y.min, 9),
              " to ", rounded(e.y.max, 9), geographic ? " degrees" : " m");
}

Cell locate(std::span<const double> axis, double v) {
  const double slack = 1e-9 * (axis.back() - axis.front());
  if (!(v >= axis.front() - slack && v <= axis.back() + slack)) return {0, 0, false};
  v = std::clamp(v, axis.front(), axis.back());
  const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, v);
  const auto k = static_cast<std::size_t>(above - axis.begin()) - 1;
  return {k, (v - axis[k]) / (axis[k + 1] - axis[k]), true};
}

std::array<double, 4> cubic_weights(std::span<const double> axis, const Cell& cell) {
  const std::size_t k = cell.k;
  const double t = cell.t, h = axis[k + 1] - axis[k];
  std::array<double, 4> w{0, (1 + 2 * t) * (1 - t) * (1 - t), t * t * (3 - 2 * t), 0};
  const double left = h * t * (1 - t) * (1 - t), right = -h * t * t * (1 - t);  // on the slopes at k and k+1
  if (k > 0) {
    const double b = axis[k] - axis[k - 1], c = b + h;
    w[0] += left * -h / (b * c), w[1] += left * (h - b) / (b * h), w[2] += left * b / (h * c);
  } else {
    w[1] -= left / h, w[2] += left / h;
  }
  if (k + 2 < axis.size()) {
    const double a = axis[k + 2] - axis[k + 1], c = a + h;
    w[1] += right * -a / (h * c), w[2] += right * (a - h) / (a * h), w[3] += right * h / (a * c);
  } else {
    w[1] -= right / h, w[2] += right / h;
  }
  return w;
}

void refuse_uneven(const Grid& grid, const Mark& mark) {
  constexpr double most = 5;  // ratio of neighbouring cells
  const auto refuse = [&](const std::vector<double>& axis, const char* name, const char* unit) {
    for (std::size_t k = 1; k + 1 < axis.size(); ++k) {
      const double before = axis[k] - axis[k - 1], after = axis[k + 1] - axis[k];
      if (std::max(before, after) <= most * std::min(before, after)) continue;
      throw Error(ExitCode::input,
                  text(to_string(mark), ": ", grid.name, ": along ", name, " the distance to the next node changes from ", before, " to ", after,
                       unit, " at ", axis[k], unit, "; a factor of ", most, " at most between neighbours can be interpolated; resample the grid"));
    }
  };
  refuse(grid.x, grid.geographic ? "longitude" : "x", grid.geographic ? " degrees" : " m");
  refuse(grid.y, grid.geographic ? "latitude" : "y", grid.geographic ? " degrees" : " m");
  if (grid.deep) refuse(grid.times, "depth", " m");
}

void require_complete(const Grid& grid, const Domain& domain, const Mark& mark) {
  const std::size_t nx = grid.x.size(), ny = grid.y.size();
  const auto spacing = [](const std::vector<double>& axis, std::size_t k) {  // the wider cell beside node k
    const double before = k > 0 ? axis[k] - axis[k - 1] : 0, after = k + 1 < axis.size() ? axis[k + 1] - axis[k] : 0;
    return std::max(before, after);
  };
  constexpr double metres_per_degree = 111.4e3;
  for (std::size_t n = 0; n < grid.values.size(); ++n) {
    if (std::isfinite(grid.values[n])) continue;
    const std::size_t i = n % nx, j = n / nx % ny;
    double dx = spacing(grid.x, i), dy = spacing(grid.y, j);
    if (grid.geographic) {
      dx *= metres_per_degree * std::cos(grid.y[j] * std::numbers::pi / 180);
      dy *= metres_per_degree;
    }
    const auto [x, y] = node_xy(grid, domain, i, j);
    if (x <= -dx || x >= domain.size[0] + dx || y <= -dy || y >= domain.size[1] + dy) continue;
    const std::string when = grid.times.empty() ? ""
                             : grid.deep        ? text(" at depth ", grid.times[n / nx / ny], " m")
                                                : text(" at time ", grid.times[n / nx / ny], " s");
    throw Error(ExitCode::input, text(to_string(mark), ": ", grid.name, " has no value (fill value or NaN) at ", place_text(domain, x, y), when,
                                      ", inside the domain; fill the gaps of the grid",
                                      grid.deep ? ", down to its deepest level as `scripts/sound_speed.py` does," : "", " or move the domain"));
  }
}

void fill_missing(Grid& grid) {
  const std::size_t nx = grid.x.size();
  const std::size_t rows = nx ? grid.values.size() / nx : 0;
  std::vector<bool> empty(rows, false);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = std::span(grid.values).subspan(r * nx, nx);
    std::vector<std::size_t> valid;
    for (std::size_t i = 0; i < nx; ++i) {
      if (std::isfinite(row[i])) valid.push_back(i);
    }
    empty[r] = valid.empty();
    if (valid.empty() || valid.size() == nx) continue;
    for (std::size_t i = 0, v = 0; i < nx; ++i) {
      while (v + 1 < valid.size() && valid[v + 1] + valid[v] < 2 * i) ++v;
      if (!std::isfinite(row[i])) row[i] = row[valid[v]];
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    if (!empty[r]) continue;
    const std::size_t first = r - r % grid.y.size(), end = first + grid.y.size();  // rows of the same time or depth
    for (std::size_t d = 1; d < grid.y.size(); ++d) {
      const bool below = r >= first + d && !empty[r - d], above = r + d < end && !empty[r + d];
      if (!below && !above) continue;
      const std::size_t from = below ? r - d : r + d;
      std::copy_n(grid.values.begin() + static_cast<std::ptrdiff_t>(from * nx), nx, grid.values.begin() + static_cast<std::ptrdiff_t>(r * nx));
      break;
    }
  }
}

}  // namespace agwave
