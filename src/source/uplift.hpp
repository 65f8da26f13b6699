// SPDX-License-Identifier: Apache-2.0
// What the sources of a case do. A seafloor uplift is b(x, y, t) = sum_k a_k(t) S_k(x, y): analytic sources have one term; a grid of N times
// has N, whose a_k are the hat functions of linear interpolation in time. A point source adds the volume V a(t) of water at a place.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "case/shape.hpp"
#include "terrain/domain.hpp"

namespace agwave {

struct TimeSeries {
  std::function<double(double t)> value;  // a(t)
  std::function<double(double t)> rate;   // da/dt [1/s]; for piecewise-linear terms the rate to the right of t
  bool piecewise_linear = false;          // forced by (a(t+dt) - a(t))/dt in all stages, so that the displaced volume is exact
  double begin = 0, end = 0;              // a is constant outside [begin, end] [s] (to round-off for gaussian ramps)
  std::size_t source = 0;                 // of the case, whose term it is
};
TimeSeries ramp_series(const Ramp& ramp);
const Ramp& require_ramp(const SourceCase& source);  // throws Error(usage) without one

struct UpliftTerm : TimeSeries {
  std::function<double(double x, double y)> shape{};  // [m]
  Motion motion = Motion::vertical;
  // Of the floor, east, north and up [m], where its horizontal motion counts as well; `shape` is the up component.
  std::function<std::array<double, 3>(double x, double y)> displacement{};
};

// The term of one shape [m] under a ramp.
using Height = std::function<double(double x, double y)>;
UpliftTerm ramp_term(const Ramp& ramp, Height shape, Motion motion);

struct PointTerm : TimeSeries {
  double x = 0, y = 0, z = 0;  // [m]; z from the surface up
  double volume = 0;           // [m3]
  std::string name{};          // for messages
};

struct SourceTerms {
  std::vector<UpliftTerm> uplift;
  std::vector<PointTerm> points;
};
SourceTerms make_terms(const Case& c, const Domain& domain);  // the domain must outlive the terms
inline std::vector<UpliftTerm> make_uplift(const Case& c, const Domain& domain) { return make_terms(c, domain).uplift; }

// A shape that moves the floor by a height at rest, under the ramp of its source.
class FloorShape : public Shape {
 public:
  void add_terms(const Case& c, std::size_t n, const Domain& domain, SourceTerms& to) const final;
  virtual Height height(double amplitude, const Domain& domain) const = 0;  // times the amplitude [m]
};

// The sum of the terms at time t on a tensor grid: [y][x] [m].
std::vector<double> uplift_at(const std::vector<UpliftTerm>& terms, double t, const std::vector<double>& x, const std::vector<double>& y);

}  // namespace agwave
