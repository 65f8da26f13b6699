// SPDX-License-Identifier: Apache-2.0
// What a case's input files turn into: the domain in metres, the depth and the uplift grids, the projected sensors.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  virtual bool geographic() const = 0;
  virtual std::string projection() const = 0;  // PROJ string, empty for a plain size
};
std::unique_ptr<Domain> make_domain(const Case& c);
// The domain must outlive the bathymetry and the uplift made with it.
std::unique_ptr<Bathymetry> make_bathymetry(const Case& c, const Domain& domain);

// A seafloor uplift as terms b(x, y, t) = sum_k  a_k(t) S_k(x, y). Analytic sources have one term; a grid of N
// times has N, whose a_k are the hat functions of linear interpolation in time.
struct UpliftTerm {
  std::function<double(double x, double y)> shape;  // [m]
  std::function<double(double t)> value;            // a(t)
  std::function<double(double t)> rate;             // da/dt [1/s]; for piecewise-linear terms the rate to the right of t
  bool piecewise_linear = false;                    // forced by (a(t+dt) - a(t))/dt in all stages, so that the displaced volume is exact
  Motion motion = Motion::vertical;
  double begin = 0, end = 0;  // a is constant outside [begin, end] [s] (to round-off for gaussian ramps)
  // Of the floor, east, north and up [m], where its horizontal motion counts as well; `shape` is the up component.
  std::function<std::array<double, 3>(double x, double y)> displacement{};
};
std::vector<UpliftTerm> make_uplift(const Case& c, const Domain& domain);
// The sum of the terms at time t on a tensor grid: [y][x] [m].
std::vector<double> uplift_at(const std::vector<UpliftTerm>& terms, double t, const std::vector<double>& x, const std::vector<double>& y);

// Ramp value and rate at time t [s], from 0 to 1. Linear ramps: rate to the right of t.
double ramp_value(const Ramp& ramp, double t);
double ramp_rate(const Ramp& ramp, double t);

// Sensors with metres, checked to lie inside the domain, names unique and non-empty (all errors at once, Error(usage)).
struct Sensor {
  std::string name;
  double x = 0, y = 0, z = 0;
  Mark mark;
  double lon = 0, lat = 0;  // [degrees], in a geographic domain
};                          // z of seafloor sensors: filled in once the mesh exists
struct Sensors {
  std::vector<Sensor> seafloor, hydrophones, surface;
};
Sensors resolve_sensors(const Case& c, const Domain& domain);

// `agwave prepare`: writes depths on the column nodes of the case's mesh (and its uplift grids, and every lon/lat of
// the case with its x, y) to an HDF5 file that `bathymetry: {type: prepared}` reads with neither netCDF nor PROJ.
void write_prepared(const Case& c, const std::string& path);

}  // namespace agwave
