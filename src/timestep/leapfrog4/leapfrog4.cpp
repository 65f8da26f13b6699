// SPDX-License-Identifier: Apache-2.0
// Where the leapfrog of order 4 is stable and what it wants of the forcing.
#include "timestep/leapfrog4/leapfrog4.hpp"

#include <algorithm>
#include <limits>

#include "mesh/basis.hpp"
#include "timestep/variants.hpp"

namespace agwave {
namespace {

// Walls never set the step: what would not be stable with the waves' own limit is damped implicitly.
bool stable(double dt, SpectrumPoint mode) { return dt * dt * mode.omega2 <= 12 * (1 + 1e-12); }

double value(const TimeSeries& term, double t) { return term.value(std::max(t, 0.0)); }  // at rest before the run

// f at t; of piecewise-linear terms its mean over a step, so that no jump is met.
double rate(const TimeSeries& term, double t, double dt) {
  if (term.piecewise_linear) return (value(term, t + 0.5 * dt) - value(term, t - 0.5 * dt)) / dt;
  return t < 0 ? 0 : term.rate(t);
}

double integral(const TimeSeries& term, double t, double dt) {  // of a(t) over [t, t + dt]
  constexpr auto rule = gauss_rule<5>();
  double sum = 0;
  for (std::size_t q = 0; q < std::size(rule.x); ++q) sum += 0.5 * rule.w[q] * value(term, t + 0.5 * dt * (1 + rule.x[q]));
  return dt * sum;
}

// 1/dt int_-dt^dt (1 - |s|/dt) f(t + s) ds. Added up over all steps the integrals cancel, whatever the ramp: the displaced volume is exact.
double hat_mean(const TimeSeries& term, double t, double dt) { return (integral(term, t, dt) - integral(term, t - dt, dt)) / (dt * dt); }

// The load after the step differs from that before by what makes p, taken from P by the difference of both, hold the displaced volume a(t) at the
// time in between: for smooth terms f(t + 3/2 dt) - f(t + dt/2) but for dt^3.
Rates sample(const TimeSeries& term, double t, double dt) {
  const double load = rate(term, t + 0.5 * dt, dt);
  const double mean = integral(term, t + 0.5 * dt, dt) / dt;
  return {load, hat_mean(term, t + 0.5 * dt, dt), load + 24 / dt * (mean - value(term, t + dt)), hat_mean(term, t - 0.5 * dt, dt)};
}

}  // namespace

const Integrator leapfrog4_integrator{"leapfrog4", 3.4641016151377544, 0.9211, stable, sample, 1, false, true, 2, true,
                                      0.01};  // 2 sqrt(3); (dt omega)^4 / 720 = 1e-3

void leapfrog4::offer(Variant& v) {
  v.integrator = &leapfrog4_integrator;
  v.arrays = state_arrays;
  v.forces_anywhere = true;
  v.takes_sponges = true;
  v.takes_matched = true;
  v.takes_floors = true;
  v.filters = true;
  v.repeats = true;
  v.ranks_with_levels = std::numeric_limits<int>::max();
}

}  // namespace agwave
