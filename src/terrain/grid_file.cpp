// SPDX-License-Identifier: Apache-2.0
// What all grids share: their axes, windows of them, and which format a file has.
#include "terrain/grid_file.hpp"

#include <filesystem>

#include "error/error.hpp"
#include "files/text_file.hpp"

namespace agwave {
namespace {

std::string format_of(const std::string& path, GridKind kind) {
  const std::string ending = lower(std::filesystem::path(path).extension().string());
  const bool uplift = kind == GridKind::uplift;
  if (uplift && (ending == ".tt1" || ending == ".dtt1" || ending == ".dtopo1")) return "dtopo1";
  if (uplift && (ending == ".tt3" || ending == ".dtt3" || ending == ".dtopo3")) return "dtopo3";
  if (!uplift && (ending == ".tt2" || ending == ".topotype2")) return "topo2";
  if (!uplift && (ending == ".tt3" || ending == ".topotype3" || ending == ".asc")) return "topo3";
  return "netcdf";
}

}  // namespace

std::unique_ptr<GridFile> open_grid(const std::string& path, const std::string& format, const std::string& variable, GridKind kind,
                                    const Domain& domain, const Mark& mark, bool several) {
  const std::string found = format == "auto" ? format_of(path, kind) : format;
  if (found == "netcdf") return open_netcdf_grid(path, variable, kind, domain, mark);
  if (!variable.empty() && !several)
    throw Error(ExitCode::usage, text(to_string(mark), ": variable: ", path, " is a ", found, " file, which has no variables; remove the key"));
  return open_geoclaw_grid(path, found, domain, mark);
}

void GridFile::set_axes(std::vector<double> x, AxisFrame x_frame, std::vector<double> y, AxisFrame y_frame, std::vector<double> times,
                        const Domain& domain) {
  geographic_ = is_geographic(x_frame, y_frame, x, y, domain);
  const double limit = geographic_ ? 720 : 1e9;  // beyond any place; sums and differences stay exact enough within
  for (const auto* axis : {&x, &y})
    for (const double v : *axis)
      if (std::abs(v) > limit)
        fail(text("has ", v, geographic_ ? " degrees among its longitudes or latitudes" : " m on an axis", "; values up to ", limit, " can be"));
  x_ = make_axis(std::move(x), geographic_, "longitude or x");
  y_ = make_axis(std::move(y), false, "latitude or y");
  if (geographic_) {
    if (y_.nodes.front() < -90.0001 || y_.nodes.back() > 90.0001)
      fail(text("has latitudes from ", y_.nodes.front(), " to ", y_.nodes.back(), " degrees"));
    const double middle = domain.to_lonlat(0.5 * domain.size[0], 0.5 * domain.size[1])[0];
    const double centre = 0.5 * (x_.nodes.front() + x_.nodes.back());
    x_.shift = std::llround((middle - centre) / 360);
  }
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!std::isfinite(times[k]) || (k && times[k] <= times[k - 1]))
      fail(text("its ", deep_ ? "depths" : "times", " must increase; number ", k, " is ", times[k], deep_ ? " m" : " s"));
  }
  times_ = std::move(times);
}

// Axes called x and y without units are degrees when the domain is geographic and every value can be an angle.
bool GridFile::is_geographic(AxisFrame fx, AxisFrame fy, const std::vector<double>& xs, const std::vector<double>& ys, const Domain& domain) const {
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

Axis GridFile::make_axis(std::vector<double> v, bool longitude, const char* what) const {
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
  for (std::size_t i = 1; i < v.size(); ++i) {  // slopes between them are differences over distances
    if (v[i] - v[i - 1] < 1e-9 * spacing) fail(text("its axis of ", what, " has nodes that all but coincide, at ", v[i]));
  }
  if (longitude && v.back() - v.front() + spacing > 360 - 0.01 * spacing) {
    axis.periodic = true;
    while (v.back() > v.front() + 360 - 0.5 * spacing) v.pop_back();  // the same meridian again
  }
  axis.nodes = std::move(v);
  return axis;
}

Grid GridFile::read(const Extent& window, std::array<double, 2> pad) const {
  const auto [x0, x1] = x_.window(window.x, pad[0]);
  const auto [y0, y1] = y_.window(window.y, pad[1]);
  Grid grid{name_, geographic_, {}, {}, times_, {}, deep_};
  for (std::int64_t i = x0; i <= x1; ++i) grid.x.push_back(x_.at(i));
  for (std::int64_t j = y0; j <= y1; ++j) grid.y.push_back(y_.at(j));
  grid.values.resize(grid.x.size() * grid.y.size() * std::max<std::size_t>(grid.times.size(), 1));
  for (std::int64_t i = x0; i <= x1;) {
    const std::int64_t end = x_.periodic ? std::min(x1 + 1, (x_.turn(i) + 1) * x_.count()) : x1 + 1;
    const std::int64_t first = i - (x_.periodic ? x_.turn(i) * x_.count() : 0);  // within one turn
    read_block(grid, static_cast<std::size_t>(first), static_cast<std::size_t>(end - i), static_cast<std::size_t>(i - x0),
               static_cast<std::size_t>(y0));
    i = end;
  }
  return grid;
}

}  // namespace agwave
