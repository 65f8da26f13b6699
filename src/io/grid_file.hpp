// SPDX-License-Identifier: Apache-2.0
// Gridded netCDF files (GEBCO, ETOPO, GMT, uplift models) by CF conventions: finds the variable and its axes, in either
// order and direction, longitudes 0 to 360 or -180 to 180 and across the seam, packed values, fill values. Reads only
// the window that is asked for. In a build without netCDF (AGWAVE_NETCDF 0) the constructor throws Error(input).
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "io/grid.hpp"

namespace agwave {

enum class GridKind { elevation, uplift };

class GridFile {
 public:
  // `variable` may be empty: found by standard_name, then by common names, then as the only one on two axes.
  // Throws Error(input), as read() does, on anything that is not a grid fit for the domain.
  GridFile(const std::string& path, const std::string& variable, GridKind kind, const Domain& domain, const Mark& mark);
  ~GridFile();
  GridFile(GridFile&&) noexcept;

  bool geographic() const;  // degrees; otherwise metres from the south-west corner of the domain
  Extent extent() const;    // of the whole file; longitudes shifted by whole turns towards the domain
  bool covers(const Extent& window) const;
  // The nodes of every cell that touches `window`, those within `pad` [units of each axis] around it and one more on
  // each side, as far as the file has them. Elevation is positive up, however the file has it.
  Grid read(const Extent& window, std::array<double, 2> pad) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace agwave
