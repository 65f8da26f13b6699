// SPDX-License-Identifier: Apache-2.0
// The domain in metres and the depth of its sea floor, from the case and its files.
#pragma once
#include <array>
#include <memory>
#include <string>

#include "case/case.hpp"
#include "mesh/bathymetry.hpp"

namespace agwave {

// The domain rectangle in metres and the map between lon/lat [degrees] and x, y [m from the south-west corner].
class Domain {
 public:
  virtual ~Domain() = default;
  std::array<double, 2> size{};                                           // [m]
  virtual std::array<double, 2> to_xy(double lon, double lat) const = 0;  // throws Error(usage) when there is no projection
  virtual std::array<double, 2> to_lonlat(double x, double y) const = 0;
  bool geographic() const { return !projection_.empty(); }
  const std::string& projection() const { return projection_; }  // PROJ string, empty for a plain size

 protected:
  std::string projection_;
};
std::unique_ptr<Domain> make_domain(const Case& c);
// The domain must outlive the bathymetry.
std::unique_ptr<Bathymetry> make_bathymetry(const Case& c, const Domain& domain);

// What they choose among, besides prepared files (terrain/prepared.hpp) and formulas (mesh/bathymetry.hpp).
std::unique_ptr<Domain> make_plain_domain(std::array<double, 2> size);
// Rectangle about the projected centre of a lon/lat box, seen through a transverse Mercator projection about it (scale 1 there, 1 + x^2/2R^2 at x metres
// from the central meridian); its sides are the projected lengths (straight, end to end) of the mid-parallel and the mid-meridian. Throws Error(usage) for
// a box that the projection cannot hold, or in a build without PROJ.
std::unique_ptr<Domain> make_projected_domain(const LonLat& box, const Mark& mark);
// Depth from an elevation grid (GEBCO, ETOPO): smoothed and clamped on the grid once, then interpolated at any node, so that the depth of a node does not
// depend on which rank asks for it. Throws Error(input): unreadable, wrong, not covering, gaps, land without min_depth.
std::unique_ptr<Bathymetry> make_grid_bathymetry(const GridBathymetry& grid, const Domain& domain);

}  // namespace agwave
