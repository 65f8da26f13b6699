// SPDX-License-Identifier: Apache-2.0
// The grid of parameters, and the sparse matrix of its averages, column by column of the mesh.
#include "fem/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "error/error.hpp"
#include "fem/load.hpp"
#include "terrain/grid.hpp"

namespace agwave {

namespace {

struct Corner {
  std::int64_t parameter;
  double weight;
};
// The four hats at a point; none outside the grid.
std::vector<Corner> hats(const ParameterGrid& grid, double x, double y) {
  const Cell cx = locate(grid.x, x), cy = locate(grid.y, y);
  std::vector<Corner> corners;
  if (!cx.inside || !cy.inside) return corners;
  const std::int64_t first = static_cast<std::int64_t>(cy.k) * grid.nx() + static_cast<std::int64_t>(cx.k);
  for (const int j : {0, 1})
    for (const int i : {0, 1}) corners.push_back({first + j * grid.nx() + i, (j == 1 ? cy.t : 1 - cy.t) * (i == 1 ? cx.t : 1 - cx.t)});
  return corners;
}

Range region_along(const std::optional<Range>& given, const Mark& mark, int axis, const Mesh& mesh) {
  const double size = mesh.size[static_cast<std::size_t>(axis)], slack = 1e-9 * size;
  if (!given) return {0, size};
  if (given->min < -slack || given->max > size + slack)
    throw Error(ExitCode::usage, text(to_string(mark), ": reaches beyond the domain; found ", given->min, " to ", given->max, " m; allowed: 0 to ",
                                      size, " m; give limits within the domain"));
  return {std::max(given->min, 0.0), std::min(given->max, size)};
}

// The widest distance of nodes, on average over an element, in the region.
double node_distance(const std::vector<double>& faces, const Range& region) {
  double widest = 0;
  for (std::size_t e = 0; e + 1 < faces.size(); ++e)
    if (faces[e] < region.max && faces[e + 1] > region.min) widest = std::max(widest, (faces[e + 1] - faces[e]) / P1D);
  return widest;
}

std::vector<double> spaced(double spacing, const Range& region) {  // as many as fit, in the middle
  const double length = region.max - region.min;
  const auto cells = static_cast<std::size_t>(length / spacing * (1 + 1e-9));
  const double begin = region.min + std::max(0.0, 0.5 * (length - static_cast<double>(cells) * spacing));
  std::vector<double> at;
  for (std::size_t n = 0; n <= cells; ++n) at.push_back(begin + static_cast<double>(n) * spacing);
  at.back() = std::min(at.back(), region.max);
  return at;
}

std::vector<double> nodes_in(const std::vector<double>& faces, const Range& region) {
  std::vector<double> at;
  const double slack = 1e-9 * (faces.back() - faces.front());
  for (const double x : gll_nodes(faces, 0, static_cast<std::int64_t>(faces.size()) - 1))
    if (x >= region.min - slack && x <= region.max + slack) at.push_back(x);
  return at;
}

void check_spacing(const P2oCase& given, const Range& x, const Range& y, const Mesh& mesh) {
  const double shortest = std::min(x.max - x.min, y.max - y.min), spacing = *given.spacing;
  const double distance = std::max(node_distance(mesh.x_faces, x), node_distance(mesh.y_faces, y));
  if (spacing > shortest * (1 + 1e-9))
    throw Error(ExitCode::usage, text(to_string(given.spacing_mark), ": too coarse; found ", spacing, " m; allowed: at most ", shortest,
                                      " m, the shorter side of the region; give a smaller spacing, or a larger region"));
  if (spacing < distance * (1 - 1e-9))
    throw Error(ExitCode::usage, text(to_string(given.spacing_mark), ": finer than the mesh; found ", spacing, " m; allowed: at least ",
                                      rounded(distance, 6), " m, the distance of its nodes; give a larger spacing, or more elements"));
}

}  // namespace

double ParameterGrid::value(std::span<const double> m, double at_x, double at_y) const {
  double sum = 0;
  for (const Corner& c : hats(*this, at_x, at_y)) sum += c.weight * m[static_cast<std::size_t>(c.parameter)];
  return sum;
}

ParameterGrid make_parameter_grid(const P2oCase& given, const Mesh& mesh) {
  const Range x = region_along(given.x, given.x_mark, 0, mesh), y = region_along(given.y, given.y_mark, 1, mesh);
  ParameterGrid grid;
  if (given.spacing) {
    check_spacing(given, x, y, mesh);
    grid = {spaced(*given.spacing, x), spaced(*given.spacing, y), *given.spacing};
  } else {
    grid = {nodes_in(mesh.x_faces, x), nodes_in(mesh.y_faces, y), 0};
  }
  if (grid.nx() < 2 || grid.ny() < 2)
    throw Error(ExitCode::usage, text(to_string(given.mark), ".parameters.region: holds ", grid.nx(), " by ", grid.ny(),
                                      " parameters; allowed: two along each side at least; give a larger region, or a finer mesh"));
  if (grid.size() > std::numeric_limits<std::int32_t>::max())
    throw Error(ExitCode::usage,
                text(to_string(given.mark), ".parameters: ", grid.size(), " parameters; allowed: at most 2^31 - 1; give a larger spacing"));
  return grid;
}

Mesh whole_floor(const Mesh& mesh, std::vector<double> depth) {
  Mesh whole = mesh;
  whole.part = make_partition(mesh.elements, {1, 1, 1}, 0);
  whole.depth = std::move(depth);
  return whole;
}

FloorAverages::FloorAverages(const ParameterGrid& grid, Motion motion, const Mesh& mesh) : areas_(static_cast<std::size_t>(grid.size()), 0.0) {
  struct Entry {
    std::int32_t parameter, node;
    double weight;
  };
  std::vector<Entry> entries;
  constexpr auto& t = basis<4>;
  for (int ey = 0; ey < mesh.ny(); ++ey)
    for (int ex = 0; ex < mesh.nx(); ++ex) {
      const auto begin = static_cast<std::ptrdiff_t>(entries.size());
      for (const FloorPoint& point : floor_points(mesh, ex, ey))
        for (const Corner& c : hats(grid, point.x, point.y)) {
          const double share = point.area(motion) * c.weight;
          areas_[static_cast<std::size_t>(c.parameter)] += share;
          auto found = std::find_if(entries.begin() + begin, entries.end(), [&](const Entry& e) { return e.parameter == c.parameter; });
          if (found == entries.end()) {
            const auto place = entries.size();
            for (int j = 0; j < D1D; ++j)
              for (int i = 0; i < D1D; ++i)
                entries.push_back({static_cast<std::int32_t>(c.parameter), (P1D * ey + j) * mesh.NX() + P1D * ex + i, 0.0});
            found = entries.begin() + static_cast<std::ptrdiff_t>(place);
          }
          for (int j = 0; j < D1D; ++j)
            for (int i = 0; i < D1D; ++i) (found + D1D * j + i)->weight += t.B[point.qy][j] * t.B[point.qx][i] * share;
        }
    }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.parameter != b.parameter ? a.parameter < b.parameter : a.node < b.node; });
  rows_.first.assign(areas_.size() + 1, 0);
  for (std::size_t n = 0; n < entries.size(); ++n) {
    const Entry& e = entries[n];
    if (n > 0 && entries[n - 1].parameter == e.parameter && entries[n - 1].node == e.node) {
      rows_.weight.back() += e.weight;  // elements of a node, in the order of the mesh
      continue;
    }
    rows_.column.push_back(e.node);
    rows_.weight.push_back(e.weight);
    ++rows_.first[static_cast<std::size_t>(e.parameter) + 1];
  }
  for (std::size_t i = 0; i < areas_.size(); ++i) rows_.first[i + 1] += rows_.first[i];
}

void FloorAverages::scale(std::span<const double> factors_x, std::span<const double> factors_y) {
  for (std::size_t n = 0; n < rows_.weight.size(); ++n) {
    const auto node = static_cast<std::size_t>(rows_.column[n]);
    rows_.weight[n] *= factors_x[node % factors_x.size()] * factors_y[node / factors_x.size()];
  }
}

void FloorAverages::apply(std::span<const double> pressures, std::size_t count, std::size_t first, std::size_t last,
                          std::span<double> averages) const {
  std::vector<double> parts(WeightedRows::lanes * count);
  for (std::size_t i = first; i < last; ++i) {
    std::fill(parts.begin(), parts.end(), 0.0);
    for (std::int64_t e = rows_.first[i]; e < rows_.first[i + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const double* const p = pressures.data() + static_cast<std::size_t>(rows_.column[entry]) * count;
      double* const part = parts.data() + static_cast<std::size_t>((e - rows_.first[i]) % WeightedRows::lanes) * count;
      for (std::size_t s = 0; s < count; ++s) part[s] = std::fma(rows_.weight[entry], p[s], part[s]);
    }
    double* const sums = averages.data() + i * count;
    std::fill_n(sums, count, 0.0);
    for (std::size_t lane = 0; lane < WeightedRows::lanes; ++lane)
      for (std::size_t s = 0; s < count; ++s) sums[s] += parts[lane * count + s];
  }
}

}  // namespace agwave
