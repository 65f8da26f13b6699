// SPDX-License-Identifier: Apache-2.0
// netCDF grids: which variable, which axes, which units (CF conventions 1.11, sections 3 and 4), then one window of it.
// Axes are turned to ascend and longitudes unwrapped; a grid that goes round the globe is periodic, so a window may
// cross its seam and is then read in two pieces. Every status is checked; messages carry the library's own words.
#include "io/grid_file.hpp"

#include "error.hpp"

#if AGWAVE_NETCDF

#include <algorithm>
#include <cmath>

#include "io/netcdf_header.hpp"

namespace agwave {
namespace {

struct Axis {
  std::vector<double> nodes;  // ascending; one turn at most when periodic
  std::size_t size = 0;       // nodes in the file
  bool reversed = false, periodic = false;
  std::int64_t shift = 0;  // whole turns that bring the axis to the domain

  std::int64_t count() const { return static_cast<std::int64_t>(nodes.size()); }
  std::int64_t turn(std::int64_t i) const { return i >= 0 ? i / count() : -((count() - 1 - i) / count()); }
  double at(std::int64_t i) const {  // any i when periodic
    const std::int64_t n = periodic ? turn(i) : 0;
    return nodes[static_cast<std::size_t>(i - n * count())] + 360.0 * static_cast<double>(n + shift);
  }
  std::int64_t below(double v) const {  // the last node <= v; -1 or less when there is none
    v -= 360.0 * static_cast<double>(shift);
    const double turns = periodic ? std::floor((v - nodes[0]) / 360) : 0;
    const auto it = std::upper_bound(nodes.begin(), nodes.end(), v - 360 * turns);
    return (it - nodes.begin()) - 1 + static_cast<std::int64_t>(turns) * count();
  }
  Range range() const { return {at(0), periodic ? at(count()) : at(count() - 1)}; }
  bool covers(const Range& r) const {
    const auto [min, max] = range();
    const double slack = 1e-9 * (max - min);
    return periodic || (r.min >= min - slack && r.max <= max + slack);
  }
  std::array<std::int64_t, 2> window(const Range& r, double pad) const {  // first and last node
    const std::int64_t first = below(r.min - pad) - 1, last = below(r.max + pad) + 2;
    if (periodic) return {first, last};
    return {std::max<std::int64_t>(first, 0), std::min(last, count() - 1)};
  }
};

constexpr double max_points = 4e9;
constexpr std::size_t max_axis = 10'000'000;

}  // namespace

struct GridFile::Impl {
  NetcdfHeader file;
  std::string name;
  int variable = -1;
  bool single = false;             // stored as 32-bit floats
  std::vector<std::size_t> sizes;  // of every dimension of the variable
  int x_position = -1, y_position = -1, t_position = -1;
  Axis x, y;
  std::vector<double> times;
  bool geographic = false;
  double sign = 1, scale = 1, offset = 0;
  std::vector<double> fills;

  Impl(const std::string& path, const std::string& wanted, GridKind kind, const Domain& domain, const Mark& mark) : file(path, mark) {
    variable = file.find_variable(wanted, kind == GridKind::elevation);
    name = text(path, ": ", file.variable_name(variable));
    read_axes(kind, domain);
    read_packing(kind);
  }

  [[noreturn]] void fail(const std::string& message) const { file.fail(text("variable '", file.variable_name(variable), "': ", message)); }

  void read_axes(GridKind kind, const Domain& domain) {
    const std::vector<int> dims = file.dimensions(variable);
    double points = 1;
    for (const int d : dims) {
      sizes.push_back(file.dimension_size(d));
      points *= static_cast<double>(sizes.back());
      if (sizes.back() > max_axis || points > max_points) {
        fail(text("has more than ", max_points, " points, or ", max_axis, " along one axis; cut out the region of the domain first"));
      }
    }
    std::vector<double> x_values, y_values;
    AxisFrame x_frame = AxisFrame::unknown, y_frame = AxisFrame::unknown;
    for (int p = 0; p < static_cast<int>(dims.size()); ++p) {
      const AxisInfo axis = file.axis(dims[p]);
      if (axis.role == AxisRole::x && x_position < 0) {
        x_position = p, x_frame = axis.frame, x_values = file.axis_values(axis);
      } else if (axis.role == AxisRole::y && y_position < 0) {
        y_position = p, y_frame = axis.frame, y_values = file.axis_values(axis);
      } else if (axis.role == AxisRole::time && t_position < 0 && kind == GridKind::uplift) {
        t_position = p, times = file.axis_values(axis);
      } else if (sizes[p] != 1) {
        fail(text("dimension '", file.dimension_name(dims[p]), "' of size ", sizes[p], " is no axis that a ",
                  kind == GridKind::uplift ? "(time, y, x)" : "(lat, lon)",
                  " grid has; each axis needs a coordinate variable of its name, with units"));
      }
    }
    if (x_position < 0 || y_position < 0) {
      fail(
          "needs one axis of longitude (or x) and one of latitude (or y): "
          "coordinate variables named lon, lat, x or y, or with a standard_name or units");
    }
    geographic = is_geographic(x_frame, y_frame, x_values, y_values, domain);
    x = make_axis(std::move(x_values), geographic, "longitude or x");
    y = make_axis(std::move(y_values), false, "latitude or y");
    if (geographic) {
      if (y.nodes.front() < -90.0001 || y.nodes.back() > 90.0001) {
        fail(text("has latitudes from ", y.nodes.front(), " to ", y.nodes.back(), " degrees"));
      }
      const double middle = domain.to_lonlat(0.5 * domain.size[0], 0.5 * domain.size[1])[0];
      const double centre = 0.5 * (x.nodes.front() + x.nodes.back());
      x.shift = std::llround((middle - centre) / 360);
    }
    for (std::size_t k = 0; k < times.size(); ++k) {
      if (!std::isfinite(times[k]) || (k && times[k] <= times[k - 1])) fail(text("its times must increase; number ", k, " is ", times[k], " s"));
    }
  }

  // Axes called x and y without units are degrees when the domain is geographic and every value can be an angle.
  bool is_geographic(AxisFrame fx, AxisFrame fy, const std::vector<double>& xs, const std::vector<double>& ys, const Domain& domain) const {
    const auto within = [](const std::vector<double>& v, double lo, double hi) {
      return std::all_of(v.begin(), v.end(), [=](double a) { return a >= lo && a <= hi; });
    };
    const AxisFrame guess = domain.geographic() && within(xs, -360, 540) && within(ys, -90, 90) ? AxisFrame::degrees : AxisFrame::metres;
    if (fx == AxisFrame::unknown) fx = fy == AxisFrame::unknown ? guess : fy;
    if (fy == AxisFrame::unknown) fy = fx;
    if (fx != fy) fail("has one axis in degrees and one in metres");
    if (fx == AxisFrame::degrees && !domain.geographic()) {
      fail("is on longitudes and latitudes, but the domain is given in metres; give the domain as `lonlat` instead of `size`");
    }
    return fx == AxisFrame::degrees;
  }

  Axis make_axis(std::vector<double> v, bool longitude, const char* what) const {
    if (v.size() < 2) fail(text("its axis of ", what, " has ", v.size(), " node; interpolation needs two or more"));
    for (const double a : v) {
      if (!std::isfinite(a)) fail(text("its axis of ", what, " has a value that is not finite"));
    }
    Axis axis;
    axis.size = v.size();
    for (std::size_t i = 1; longitude && i < v.size(); ++i) {  // across the date line
      while (v[i] - v[i - 1] > 180) v[i] -= 360;
      while (v[i] - v[i - 1] < -180) v[i] += 360;
    }
    axis.reversed = v[1] < v[0];
    if (axis.reversed) std::reverse(v.begin(), v.end());
    for (std::size_t i = 1; i < v.size(); ++i) {
      if (v[i] <= v[i - 1]) fail(text("its axis of ", what, " is not monotonic: ", v[i - 1], " and ", v[i], " follow each other"));
    }
    const double spacing = (v.back() - v.front()) / static_cast<double>(v.size() - 1);
    if (longitude && v.back() - v.front() + spacing > 360 - 0.01 * spacing) {
      axis.periodic = true;
      while (v.back() > v.front() + 360 - 0.5 * spacing) v.pop_back();  // the same meridian again
    }
    axis.nodes = std::move(v);
    return axis;
  }

  void read_packing(GridKind kind) {
    single = file.is_single(variable);
    const std::string units = file.text_attribute(variable, "units").value_or("m");
    static const std::vector<std::string> metres{"m", "meter", "meters", "metre", "metres", ""};
    if (std::find(metres.begin(), metres.end(), lower(units)) == metres.end()) {
      fail(text("is in '", units, "'; it must be in metres (units = \"m\")"));
    }
    const std::string standard = file.text_attribute(variable, "standard_name").value_or("");
    const std::string positive = lower(file.text_attribute(variable, "positive").value_or(""));
    if (kind == GridKind::elevation && (positive == "down" || standard.starts_with("sea_floor_depth"))) sign = -1;
    scale = file.number_attribute(variable, "scale_factor").value_or(1);
    offset = file.number_attribute(variable, "add_offset").value_or(0);
    fills = file.fill_values(variable);
  }

  bool missing(double raw) const {
    if (!std::isfinite(raw)) return true;
    const auto same = [&](double fill) { return raw == fill || (single && static_cast<float>(raw) == static_cast<float>(fill)); };
    return std::any_of(fills.begin(), fills.end(), same);
  }

  // Reads the block [first, first + n) of virtual x nodes, which lies within one turn, into column `column` of the grid.
  void read_block(Grid& grid, std::int64_t first, std::size_t n, std::size_t column, std::int64_t y_first) const {
    const std::size_t ny = grid.y.size(), nt = std::max<std::size_t>(times.size(), 1);
    const auto x0 = static_cast<std::size_t>(first - (x.periodic ? x.turn(first) * x.count() : 0)), y0 = static_cast<std::size_t>(y_first);
    std::vector<std::size_t> start(sizes.size(), 0), count(sizes.size(), 1);
    start[x_position] = x.reversed ? x.size - x0 - n : x0, count[x_position] = n;
    start[y_position] = y.reversed ? y.size - y0 - ny : y0, count[y_position] = ny;
    std::vector<double> raw(n * ny);
    const bool x_fastest = x_position > y_position;
    for (std::size_t k = 0; k < nt; ++k) {
      if (t_position >= 0) start[t_position] = k;
      file.read(variable, start, count, raw);
      for (std::size_t j = 0; j < ny; ++j) {
        const std::size_t fj = y.reversed ? ny - 1 - j : j;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t fi = x.reversed ? n - 1 - i : i;
          const double r = raw[x_fastest ? fj * n + fi : fi * ny + fj];
          grid.values[(k * ny + j) * grid.x.size() + column + i] = missing(r) ? NAN : sign * (r * scale + offset);
        }
      }
    }
  }
};

GridFile::GridFile(const std::string& path, const std::string& variable, GridKind kind, const Domain& domain, const Mark& mark)
    : impl_(std::make_unique<Impl>(path, variable, kind, domain, mark)) {}
GridFile::~GridFile() = default;
GridFile::GridFile(GridFile&&) noexcept = default;

bool GridFile::geographic() const { return impl_->geographic; }
Extent GridFile::extent() const { return {impl_->x.range(), impl_->y.range()}; }
bool GridFile::covers(const Extent& w) const { return impl_->x.covers(w.x) && impl_->y.covers(w.y); }

Grid GridFile::read(const Extent& window, std::array<double, 2> pad) const {
  const Axis &x = impl_->x, &y = impl_->y;
  const auto [x0, x1] = x.window(window.x, pad[0]);
  const auto [y0, y1] = y.window(window.y, pad[1]);
  Grid grid{impl_->name, impl_->geographic, {}, {}, impl_->times, {}};
  for (std::int64_t i = x0; i <= x1; ++i) grid.x.push_back(x.at(i));
  for (std::int64_t j = y0; j <= y1; ++j) grid.y.push_back(y.at(j));
  grid.values.resize(grid.x.size() * grid.y.size() * std::max<std::size_t>(grid.times.size(), 1));
  for (std::int64_t i = x0; i <= x1;) {
    const std::int64_t end = x.periodic ? std::min(x1 + 1, (x.turn(i) + 1) * x.count()) : x1 + 1;
    impl_->read_block(grid, i, static_cast<std::size_t>(end - i), static_cast<std::size_t>(i - x0), y0);
    i = end;
  }
  return grid;
}

}  // namespace agwave

#else

namespace agwave {

struct GridFile::Impl {};

GridFile::GridFile(const std::string& path, const std::string&, GridKind, const Domain&, const Mark& mark) {
  throw Error(ExitCode::input, text(to_string(mark), ": cannot read ", path,
                                    ": this build has the option AGWAVE_NETCDF off; run `agwave prepare` with a build that has it and give "
                                    "`bathymetry: {type: prepared, file: ...}`, which holds the uplift grids too"));
}
GridFile::~GridFile() = default;
GridFile::GridFile(GridFile&&) noexcept = default;
bool GridFile::geographic() const { return false; }
Extent GridFile::extent() const { return {}; }
bool GridFile::covers(const Extent&) const { return false; }
Grid GridFile::read(const Extent&, std::array<double, 2>) const { return {}; }

}  // namespace agwave

#endif
