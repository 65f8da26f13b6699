// SPDX-License-Identifier: Apache-2.0
// Ramps: how a source grows in time, from 0 to 1.
#pragma once

namespace agwave {

struct Ramp {
  enum class Type { smoothstep, cosine, linear, gaussian } type = Type::smoothstep;
  double start = 0, duration = 0;  // [s]
  int order = 2;                   // smoothstep
  double center = 0, sigma = 0;    // gaussian [s]
};

// Value and rate [1/s] at time t [s]. Linear ramps: rate to the right of t.
double ramp_value(const Ramp& ramp, double t);
double ramp_rate(const Ramp& ramp, double t);

}  // namespace agwave
