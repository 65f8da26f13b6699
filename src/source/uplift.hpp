// SPDX-License-Identifier: Apache-2.0
// A seafloor uplift as terms b(x, y, t) = sum_k  a_k(t) S_k(x, y). Analytic sources have one term; a grid of N times has N, whose a_k are
// the hat functions of linear interpolation in time.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "case/case.hpp"
#include "terrain/domain.hpp"

namespace agwave {

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
// The domain must outlive the terms.
std::vector<UpliftTerm> make_uplift(const Case& c, const Domain& domain);
// The sum of the terms at time t on a tensor grid: [y][x] [m].
std::vector<double> uplift_at(const std::vector<UpliftTerm>& terms, double t, const std::vector<double>& x, const std::vector<double>& y);

// Ramp value and rate at time t [s], from 0 to 1. Linear ramps: rate to the right of t.
double ramp_value(const Ramp& ramp, double t);
double ramp_rate(const Ramp& ramp, double t);

}  // namespace agwave
