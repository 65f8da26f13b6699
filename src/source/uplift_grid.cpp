// SPDX-License-Identifier: Apache-2.0
// Uplift grids and their time functions. The ocean starts at rest over an undisplaced floor, so b(., 0) must be 0: if
// the first time is later than 0 the uplift grows linearly from 0 at t = 0 to the first slice; a slice at t = 0 (or
// times before it) must leave nothing there. After the last time its slice stays.
#include "source/uplift_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "error/error.hpp"
#include "terrain/grid_file.hpp"

namespace agwave {
namespace {

// Linear interpolation in time: 1 at `middle`, 0 at `left` and `right`. An infinite side: 1 all the way.
struct Hat {
  double left, middle, right;

  double value(double t) const {
    if (t < middle) return std::isinf(left) ? 1 : std::max(0.0, (t - left) / (middle - left));
    return std::isinf(right) ? 1 : std::max(0.0, (right - t) / (right - middle));
  }
  double rate(double t) const {  // to the right of t
    if (t >= left && t < middle && !std::isinf(left)) return 1 / (middle - left);
    if (t >= middle && t < right && !std::isinf(right)) return -1 / (right - middle);
    return 0;
  }
};

Hat hat(const std::vector<double>& times, std::size_t k) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double before = times[0] > 0 ? 0 : -inf;  // grows from 0 at t = 0, or holds
  return {k > 0 ? times[k - 1] : before, times[k], k + 1 < times.size() ? times[k + 1] : inf};
}

constexpr double most_looked_at = 3e7;  // values of a file: a quarter of a gigabyte

double area(const Extent& e) { return std::max(0.0, e.x.max - e.x.min) * std::max(0.0, e.y.max - e.y.min); }

}  // namespace

double uplift_inside(const UpliftFile& from, const Domain& domain) {
  const auto file = open_grid(from.file, from.format, from.variable, GridKind::uplift, domain, from.mark);
  const Extent need = domain_extent(domain, file->geographic()), have = file->extent(), both = overlap(need, have);
  const double whole = area(have);
  if (!(whole > area(both)) || file->values() > most_looked_at) return whole > 0 ? area(both) / whole : 1;
  const Grid grid = file->read(have, {0, 0});
  const std::size_t nx = grid.x.size(), ny = grid.y.size();
  std::vector<double> moved(nx * ny, 0.0);
  for (std::size_t n = 0; n < grid.values.size(); ++n)
    if (std::isfinite(grid.values[n])) moved[n % moved.size()] += std::abs(grid.values[n]);
  double all = 0, inside = 0;
  for (std::size_t j = 0; j + 1 < ny; ++j)
    for (std::size_t i = 0; i + 1 < nx; ++i) {
      const Extent cell{{grid.x[i], grid.x[i + 1]}, {grid.y[j], grid.y[j + 1]}};
      const double* const corner = &moved[j * nx + i];
      const double here = corner[0] + corner[1] + corner[nx] + corner[nx + 1];
      all += here * area(cell);
      inside += here * area(overlap(cell, need));
    }
  return all > 0 ? inside / all : area(both) / whole;
}

UpliftSlices read_uplift_grid(const UpliftFile& from, const Domain& domain) {
  const auto opened = open_grid(from.file, from.format, from.variable, GridKind::uplift, domain, from.mark);
  const GridFile& file = *opened;
  const Extent need = domain_extent(domain, file.geographic()), have = file.extent();
  const Extent window = file.covers(need) ? need : overlap(need, have);
  if (!(window.x.min <= window.x.max) || !(window.y.min <= window.y.max)) {
    throw Error(ExitCode::input, text(to_string(from.mark), ": ", from.file, " does not touch the domain: the grid has ",
                                      extent_text(have, file.geographic()), ", the domain is ", extent_text(need, file.geographic())));
  }
  Grid grid = file.read(window, {0, 0});
  require_complete(grid, domain, from.mark);
  fill_missing(grid);
  constexpr double most = 10e3;  // [m]
  for (const double v : grid.values) {
    if (std::abs(v) > most)
      throw Error(ExitCode::input, text(to_string(from.mark), ": ", grid.name, " has an uplift of ", v, " m; up to ", most,
                                        " m can be; is it a mark for no value, or another unit?"));
  }
  UpliftSlices slices = slices_of(std::move(grid), domain);
  slices.file = from.file;
  return slices;
}

UpliftSlices slices_of(Grid read, const Domain& domain) {
  const auto grid = std::make_shared<const Grid>(std::move(read));
  UpliftSlices slices{.grid = grid, .shapes = {}, .zero = {}};
  const std::size_t size = grid->x.size() * grid->y.size();
  for (std::size_t k = 0; k < std::max<std::size_t>(grid->times.size(), 1); ++k) {
    const double* slice = grid->values.data() + k * size;
    slices.zero.push_back(std::all_of(slice, slice + size, [](double v) { return v == 0; }));
    slices.shapes.push_back([grid, slice, &domain](double x, double y) {
      const auto [gx, gy] = to_grid(*grid, domain, x, y);
      const Cell cx = locate(grid->x, gx), cy = locate(grid->y, gy);
      if (!cx.inside || !cy.inside) return 0.0;
      const double* v = slice + cy.k * grid->x.size() + cx.k;
      const auto row = [&](const double* r) { return (1 - cx.t) * r[0] + cx.t * r[1]; };
      return (1 - cy.t) * row(v) + cy.t * row(v + grid->x.size());
    });
  }
  return slices;
}

std::vector<UpliftTerm> slice_terms(const UpliftSlices& slices, const SourceCase& source) {
  const auto scaled = [&](std::size_t k) { return [shape = slices.shapes[k], a = source.amplitude](double x, double y) { return a * shape(x, y); }; };
  const std::vector<double>& times = slices.grid->times;
  const std::string& name = slices.grid->name;
  if (times.empty()) {
    if (!source.ramp) {
      throw Error(ExitCode::usage, text(to_string(source.mark), ": ", name, " has no time axis, so this source needs a `ramp`"));
    }
    return {ramp_term(*source.ramp, scaled(0), source.motion)};
  }
  if (source.ramp) {
    throw Error(ExitCode::usage, text(to_string(source.mark), ": ", name, " has a time axis; remove the `ramp` of this source"));
  }
  std::vector<UpliftTerm> terms;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (slices.zero[k]) continue;
    const Hat a = hat(times, k);
    if (a.value(0) != 0) {
      throw Error(ExitCode::input, text(to_string(source.mark), ": ", name, " has uplift at t = 0 (its slice at ", times[k],
                                        " s is not zero), but the sea starts at rest over an undisplaced floor; make the uplift zero at "
                                        "t = 0, or shift the times so that the first is later, and it grows linearly from 0 at t = 0"));
    }
    UpliftTerm term;
    term.shape = scaled(k);
    term.value = [a](double t) { return a.value(t); };
    term.rate = [a](double t) { return a.rate(t); };
    term.piecewise_linear = true;
    term.motion = source.motion;
    term.begin = std::isinf(a.left) ? a.middle : a.left;
    term.end = std::isinf(a.right) ? a.middle : a.right;
    terms.push_back(std::move(term));
  }
  return terms;
}

}  // namespace agwave
