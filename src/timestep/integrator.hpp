// SPDX-License-Identifier: Apache-2.0
// An integrator in time, apart from what applies its operators: where it is stable and what it wants of the forcing. Its implementations are
// variants (timestep/variants.hpp), each of which names its integrator.
#pragma once
#include <array>
#include <functional>
#include <string>

#include "source/uplift.hpp"

namespace agwave {

// A mode of  lambda^2 + sigma lambda + omega^2 = 0.
struct SpectrumPoint {
  double sigma, omega2;  // [1/s], [1/s^2]
};

// Forcing of one step: of term `term`, da/dt [1/s] as Integrator::sample gives it; what the integrator does not want is zero.
using Rates = std::array<double, 4>;
struct ForcingSample {
  int term;
  Rates rate;
  Rates before{};  // of the step before, for variants that recall it
};

struct Integrator {
  std::string name;
  double imaginary_limit = 0;  // largest dt omega of an undamped wave
  double phase_limit = 0;      // dt omega at which a wave is off by a thousandth of a period per period
  // Whether a step of dt damps, or keeps, the mode.
  std::function<bool(double dt, SpectrumPoint mode)> stable;
  // What a step from t to t + dt wants of a term that moves between t - reach dt and t + (1 + reach) dt.
  std::function<Rates(const TimeSeries& term, double t, double dt)> sample;
  double reach = 0;
  bool damps = false;      // by itself what a step hardly resolves
  bool from_rest = false;  // starts from a pressure, never from a velocity
  int operators = 4;       // gradients and divergences per step
  bool hears = false;      // its views answer StateView::hear
  double wobble = 1e-6;    // relative, of the energy while nothing moves: more is an instability
};

}  // namespace agwave
