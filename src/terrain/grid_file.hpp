// SPDX-License-Identifier: Apache-2.0
// Gridded files, whatever their format: axes in either order and direction, longitudes 0 to 360 or -180 to 180 and across the
// seam, in degrees or in metres from the south-west corner of the domain. Only the window that is asked for is handed out.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "terrain/grid.hpp"
#include "terrain/grid_axis.hpp"

namespace agwave {

enum class GridKind { elevation, uplift, sound_speed, sediments };

class GridFile {
 public:
  virtual ~GridFile() = default;

  bool geographic() const { return geographic_; }             // degrees; otherwise metres from the south-west corner of the domain
  Extent extent() const { return {x_.range(), y_.range()}; }  // of the whole file; longitudes shifted by whole turns towards the domain
  bool round_the_globe() const { return x_.periodic; }        // no edge in the east and west
  double values() const {
    return static_cast<double>(x_.size) * static_cast<double>(y_.size) * static_cast<double>(std::max<std::size_t>(times_.size(), 1));
  }
  bool covers(const Extent& window) const { return x_.covers(window.x) && y_.covers(window.y); }
  // The nodes of every cell that touches `window`, those within `pad` [units of each axis] around it and one more on
  // each side, as far as the file has them. Elevation is positive up, however the file has it. Throws Error(input).
  Grid read(const Extent& window, std::array<double, 2> pad) const;

 protected:
  // Checks and keeps the axes; frames that the file does not tell are guessed from the values and the domain.
  void set_axes(std::vector<double> x, AxisFrame x_frame, std::vector<double> y, AxisFrame y_frame, std::vector<double> times, const Domain& domain);
  [[noreturn]] virtual void fail(const std::string& message) const = 0;
  // Reads the x nodes [x0, x0 + n) of the axis into column `column` of the grid, at all of the grid's y nodes, which are those from y0 on.
  virtual void read_block(Grid& grid, std::size_t x0, std::size_t n, std::size_t column, std::size_t y0) const = 0;

  std::string name_;  // "file: variable"
  bool geographic_ = false;
  Axis x_, y_;
  std::vector<double> times_;
  bool deep_ = false;  // Grid::deep

 private:
  Axis make_axis(std::vector<double> v, bool longitude, const char* what) const;
  bool is_geographic(AxisFrame fx, AxisFrame fy, const std::vector<double>& xs, const std::vector<double>& ys, const Domain& domain) const;
};

// `format`: netcdf; of elevations topo2, topo3; of uplifts dtopo1, dtopo3; auto: by the ending of the name (grid_file.cpp).
// Throws Error(input), as read() does, on anything that is not a grid fit for the domain. One of `several` files may have no variables.
std::unique_ptr<GridFile> open_grid(const std::string& path, const std::string& format, const std::string& variable, GridKind kind,
                                    const Domain& domain, const Mark& mark, bool several = false);

// The formats. netCDF (GEBCO, ETOPO, GMT, uplift models, sound speeds with a depth in place of time) by CF conventions: `variable` may be empty, found by standard_name, then by
// common names, then as the only one on two axes. In a build without netCDF (AGWAVE_NETCDF 0) it throws Error(input).
std::unique_ptr<GridFile> open_netcdf_grid(const std::string& path, const std::string& variable, GridKind kind, const Domain& domain,
                                           const Mark& mark);
std::unique_ptr<GridFile> open_geoclaw_grid(const std::string& path, const std::string& format, const Domain& domain, const Mark& mark);

}  // namespace agwave
