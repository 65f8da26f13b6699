// SPDX-License-Identifier: Apache-2.0
// netCDF grids: which variable, which axes, which units (CF conventions 1.11, sections 3 and 4). A window across the seam of a
// grid round the globe is read in two pieces. Every status is checked; messages carry the library's own words.
#include "error/error.hpp"
#include "terrain/grid_file.hpp"

#if AGWAVE_NETCDF

#include <algorithm>

#include "files/text_file.hpp"
#include "terrain/netcdf_header.hpp"

namespace agwave {
namespace {

constexpr double max_points = 4e9;
constexpr std::size_t max_axis = 10'000'000;

class NetcdfGrid final : public GridFile {
 public:
  NetcdfGrid(const std::string& path, const std::string& wanted, GridKind kind, const Domain& domain, const Mark& mark) : file_(path, mark) {
    variable_ = file_.find_variable(wanted, kind);
    deep_ = kind == GridKind::sound_speed;
    name_ = text(path, ": ", file_.variable_name(variable_));
    read_axes(kind, domain);
    read_packing(kind);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const override {
    file_.fail(text("variable '", file_.variable_name(variable_), "': ", message));
  }

  void read_axes(GridKind kind, const Domain& domain) {
    const std::vector<int> dims = file_.dimensions(variable_);
    double points = 1;
    for (const int d : dims) {
      sizes_.push_back(file_.dimension_size(d));
      points *= static_cast<double>(sizes_.back());
      if (sizes_.back() > max_axis || points > max_points) {
        fail(text("has more than ", max_points, " points, or ", max_axis, " along one axis; cut out the region of the domain first"));
      }
    }
    std::vector<double> x_values, y_values, times;
    AxisFrame x_frame = AxisFrame::unknown, y_frame = AxisFrame::unknown;
    for (int p = 0; p < static_cast<int>(dims.size()); ++p) {
      const AxisInfo axis = file_.axis(dims[p]);
      if (axis.role == AxisRole::x && x_position_ < 0) {
        x_position_ = p, x_frame = axis.frame, x_values = file_.axis_values(axis);
      } else if (axis.role == AxisRole::y && y_position_ < 0) {
        y_position_ = p, y_frame = axis.frame, y_values = file_.axis_values(axis);
      } else if (axis.role == AxisRole::time && t_position_ < 0 && kind == GridKind::uplift) {
        t_position_ = p, times = file_.axis_values(axis);
      } else if (axis.role == AxisRole::depth && t_position_ < 0 && deep_) {
        t_position_ = p, times = depths(axis);
      } else if (sizes_[p] != 1) {
        fail(text("dimension '", file_.dimension_name(dims[p]), "' of size ", sizes_[p], " is no axis that a ",
                  kind == GridKind::uplift ? "(time, y, x)"
                  : deep_                  ? "(depth, lat, lon)"
                                           : "(lat, lon)",
                  " grid has; each axis needs a coordinate variable of its name, with units"));
      }
    }
    if (deep_ && t_position_ < 0)
      fail("needs an axis of depth: a coordinate variable named depth, or with positive = \"down\", standard_name = \"depth\" or axis = \"Z\"");
    if (deep_ && x_position_ < 0 && y_position_ < 0) {  // the same everywhere
      x_values = {0, domain.size[0]}, y_values = {0, domain.size[1]};
      x_frame = y_frame = AxisFrame::metres;
    } else if (x_position_ < 0 || y_position_ < 0) {
      fail(
          "needs one axis of longitude (or x) and one of latitude (or y): "
          "coordinate variables named lon, lat, x or y, or with a standard_name or units");
    }
    set_axes(std::move(x_values), x_frame, std::move(y_values), y_frame, std::move(times), domain);
  }

  // Below the surface, positive down, as read_block hands them out.
  std::vector<double> depths(const AxisInfo& axis) {
    const std::string units = lower(file_.text_attribute(axis.variable, "units").value_or("m")), name = file_.variable_name(axis.variable);
    if (units != "m" && !units.starts_with("met")) fail(text("axis '", name, "' is in '", units, "'; depth must be in metres"));
    std::vector<double> values = file_.axis_values(axis);
    for (double& d : values) {
      if (axis.up) d = 0 - d;
      if (d >= 0) continue;
      fail(text("axis '", name, "' has the depth ", d, " m, above the surface: it is upside down; give it positive = \"", axis.up ? "down" : "up",
                "\" (ncatted -a positive,", name, ",o,c,", axis.up ? "down" : "up", " FILE), or change the signs"));
    }
    falls_ = values.size() > 1 && values[1] < values[0];
    if (falls_) std::reverse(values.begin(), values.end());
    return values;
  }

  void require_speed(const std::string& units) const {
    const std::string name = lower(units), standard = file_.text_attribute(variable_, "standard_name").value_or("");
    static const std::vector<std::string> per_second{"m/s",   "m s-1",    "m s^-1",        "m.s-1",          "m s**-1",           "meter/second",
                                                     "m/sec", "meters/s", "meters/second", "meter second-1", "meters per second", ""};
    if (standard.find("temperature") != std::string::npos || name.find("deg") == 0 || name == "celsius" || name == "k" || name == "kelvin")
      fail("holds a temperature, not a speed of sound; scripts/sound_speed.py makes that of temperature and salinity");
    if (std::find(per_second.begin(), per_second.end(), name) == per_second.end())
      fail(text("is in '", units, "'; it must be in metres per second (units = \"m s-1\")", name.starts_with("km") ? ": multiply by 1000" : ""));
  }

  void read_packing(GridKind kind) {
    single_ = file_.is_single(variable_);
    scale_ = file_.number_attribute(variable_, "scale_factor").value_or(1);
    offset_ = file_.number_attribute(variable_, "add_offset").value_or(0);
    fills_ = file_.fill_values(variable_);
    if (deep_) return require_speed(file_.text_attribute(variable_, "units").value_or(""));
    if (kind == GridKind::sediments) return;  // types have no unit
    const std::string units = file_.text_attribute(variable_, "units").value_or("m");
    static const std::vector<std::string> metres{"m", "meter", "meters", "metre", "metres", ""};
    if (std::find(metres.begin(), metres.end(), lower(units)) == metres.end()) {
      fail(text("is in '", units, "'; it must be in metres (units = \"m\")"));
    }
    const std::string standard = file_.text_attribute(variable_, "standard_name").value_or("");
    const std::string positive = lower(file_.text_attribute(variable_, "positive").value_or(""));
    if (kind == GridKind::elevation && (positive == "down" || standard.starts_with("sea_floor_depth"))) sign_ = -1;
  }

  bool missing(double raw) const {
    if (!std::isfinite(raw)) return true;
    const auto same = [&](double fill) { return raw == fill || (single_ && static_cast<float>(raw) == static_cast<float>(fill)); };
    return std::any_of(fills_.begin(), fills_.end(), same);
  }

  void read_block(Grid& grid, std::size_t x0, std::size_t n, std::size_t column, std::size_t y0) const override {
    const std::size_t ny = grid.y.size(), nt = std::max<std::size_t>(times_.size(), 1);
    std::vector<std::size_t> start(sizes_.size(), 0), count(sizes_.size(), 1);
    const bool flat = x_position_ < 0;  // by depth alone
    if (!flat) {
      start[x_position_] = x_.reversed ? x_.size - x0 - n : x0, count[x_position_] = n;
      start[y_position_] = y_.reversed ? y_.size - y0 - ny : y0, count[y_position_] = ny;
    }
    std::vector<double> raw(flat ? 1 : n * ny);
    const bool x_fastest = x_position_ > y_position_;
    for (std::size_t k = 0; k < nt; ++k) {
      if (t_position_ >= 0) start[t_position_] = falls_ ? nt - 1 - k : k;
      file_.read(variable_, start, count, raw);
      for (std::size_t j = 0; j < ny; ++j) {
        const std::size_t fj = y_.reversed ? ny - 1 - j : j;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t fi = x_.reversed ? n - 1 - i : i;
          const double r = raw[flat ? 0 : x_fastest ? fj * n + fi : fi * ny + fj];
          grid.values[(k * ny + j) * grid.x.size() + column + i] = missing(r) ? NAN : sign_ * (r * scale_ + offset_);
        }
      }
    }
  }

  NetcdfHeader file_;
  int variable_ = -1;
  bool single_ = false;             // stored as 32-bit floats
  std::vector<std::size_t> sizes_;  // of every dimension of the variable
  int x_position_ = -1, y_position_ = -1, t_position_ = -1;
  bool falls_ = false;  // its depths, which are handed out from the surface down
  double sign_ = 1, scale_ = 1, offset_ = 0;
  std::vector<double> fills_;
};

}  // namespace

std::unique_ptr<GridFile> open_netcdf_grid(const std::string& path, const std::string& variable, GridKind kind, const Domain& domain,
                                           const Mark& mark) {
  return std::make_unique<NetcdfGrid>(path, variable, kind, domain, mark);
}

}  // namespace agwave

#else

namespace agwave {

std::unique_ptr<GridFile> open_netcdf_grid(const std::string& path, const std::string&, GridKind, const Domain&, const Mark& mark) {
  throw Error(ExitCode::input,
              text(to_string(mark), ": cannot read ", path,
                   ": this build has the option AGWAVE_NETCDF off; run `agwave prepare` with a build that has it and give "
                   "`bathymetry: {type: prepared, file: ...}`, which holds the grids of uplift, sound speed and types of the sea floor too"));
}

}  // namespace agwave

#endif
