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
  virtual bool geographic() const = 0;
  virtual std::string projection() const = 0;  // PROJ string, empty for a plain size
};
std::unique_ptr<Domain> make_domain(const Case& c);
// The domain must outlive the bathymetry.
std::unique_ptr<Bathymetry> make_bathymetry(const Case& c, const Domain& domain);

}  // namespace agwave
