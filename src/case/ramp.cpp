// SPDX-License-Identifier: Apache-2.0
// The smoothstep of order n is the polynomial of degree 2n+1 from 0 to 1 with n zero derivatives at both ends, i.e. the regularised
// incomplete beta function of r:
//   S_n(r) = r^(n+1) sum_{k=0..n} C(n+k, k) (1-r)^k,   S_n'(r) = (2n+1)!/(n!)^2 r^n (1-r)^n
#include "case/ramp.hpp"

#include <cmath>
#include <numbers>

namespace agwave {
namespace {

constexpr double pi = std::numbers::pi;

double smoothstep(int n, double r) {
  double sum = 0, term = 1;  // C(n+k, k) (1-r)^k
  for (int k = 0; k <= n; ++k) {
    sum += term;
    term *= (1 - r) * (n + k + 1) / (k + 1);
  }
  return std::pow(r, n + 1) * sum;
}

double smoothstep_slope(int n, double r) {
  double factor = 1;  // (2n+1)!/(n!)^2
  for (int k = 1; k <= n; ++k) factor *= static_cast<double>(n + k) / k;
  return factor * (2 * n + 1) * std::pow(r * (1 - r), n);
}

}  // namespace

double ramp_value(const Ramp& ramp, double t) {
  if (ramp.type == Ramp::Type::gaussian) return 0.5 * std::erfc((ramp.center - t) / (std::numbers::sqrt2 * ramp.sigma));
  if (t <= ramp.start) return 0;
  if (t >= ramp.start + ramp.duration) return 1;
  const double r = (t - ramp.start) / ramp.duration;
  if (ramp.type == Ramp::Type::smoothstep) return smoothstep(ramp.order, r);
  return ramp.type == Ramp::Type::cosine ? 0.5 * (1 - std::cos(pi * r)) : r;
}

double ramp_rate(const Ramp& ramp, double t) {
  if (ramp.type == Ramp::Type::gaussian) {
    const double z = (t - ramp.center) / ramp.sigma;
    return std::exp(-0.5 * z * z) / (std::sqrt(2 * pi) * ramp.sigma);
  }
  if (t < ramp.start || t >= ramp.start + ramp.duration) return 0;
  const double r = (t - ramp.start) / ramp.duration;
  const double slope = ramp.type == Ramp::Type::smoothstep ? smoothstep_slope(ramp.order, r)
                       : ramp.type == Ramp::Type::cosine   ? 0.5 * pi * std::sin(pi * r)
                                                           : 1;
  return slope / ramp.duration;
}

}  // namespace agwave
