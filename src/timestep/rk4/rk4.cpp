// SPDX-License-Identifier: Apache-2.0
// Where RK4 is stable and what it wants of the forcing.
#include "timestep/rk4/rk4.hpp"

#include <cmath>
#include <complex>

namespace agwave {
namespace {

bool stable(double dt, SpectrumPoint mode) {
  const std::complex<double> root = std::sqrt(std::complex<double>(0.25 * mode.sigma * mode.sigma - mode.omega2, 0));
  for (const double sign : {1.0, -1.0}) {
    const std::complex<double> z = dt * (-0.5 * mode.sigma + sign * root);
    const std::complex<double> R = 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)));
    if (std::abs(R) > 1 + 1e-12) return false;
  }
  return true;
}

// At the start, the middle and the end of the step; of piecewise-linear terms the mean, so that the displaced volume is exact.
Rates sample(const TimeSeries& term, double t, double dt) {
  if (term.piecewise_linear) {
    const double mean = (term.value(t + dt) - term.value(t)) / dt;
    return {mean, mean, mean};
  }
  return {term.rate(t), term.rate(t + 0.5 * dt), term.rate(t + dt)};
}

}  // namespace

const Integrator rk4_integrator{"rk4", 2.8284271247461903, 0.5886, stable, sample, 0, true};  // 2 sqrt(2); (dt omega)^4 / 120 = 1e-3

}  // namespace agwave
