// SPDX-License-Identifier: Apache-2.0
// With s = i omega + sigma(x), (d/dt + sigma) on p and on u along the normal, and a sigma in place of sigma on u across it, of which a matched strip turns the
// rest (timestep/leapfrog4/matched.hpp) and which fades with all else in the other kind, a = 1:
//   dy/d(x/v) = s y^2 - s - (omega sin angle)^2 (i omega + (1 - a) sigma) / (i omega (i omega + a sigma)),   y = rho v u_x / p,   v/c at the wall
//   R = (cos angle - y) / (cos angle + y) at the inner edge
// With a = 0 that is solved by y = cos angle, so a strip sends nothing back itself.
#include "boundary/strip.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace agwave {

double strip_reflection(const Sponge& sponge, int wall, double speed, double sound_speed, double angle, double period) {
  using Complex = std::complex<double>;
  const double omega = 2 * std::numbers::pi / period, along = omega * std::sin(angle), width = sponge.width[wall];
  Complex y = speed / sound_speed;
  if (sponge.at(wall)) {
    const double across = width / speed, a = sponge.matched ? sponge.across : 1;  // across: in time
    const int steps = static_cast<int>(std::clamp(20 * (omega + sponge.rate[wall]) * across, 200.0, 20000.0));
    const double h = across / steps;
    const auto slope = [&](double depth, Complex at) {  // inwards from the wall; depth: 1 there, 0 at the inner edge
      const double sigma = sponge.rate[wall] * depth * depth;
      const Complex s(sigma, omega), turned((1 - a) * sigma, omega), slow(a * sigma, omega);
      return -(s * at * at - s - along * along * turned / (Complex(0, omega) * slow));
    };
    for (int n = 0; n < steps; ++n) {
      const double d0 = 1 - static_cast<double>(n) / steps, d1 = d0 - 1.0 / steps, middle = 0.5 * (d0 + d1);
      const Complex a = slope(d0, y), b = slope(middle, y + 0.5 * h * a), c = slope(middle, y + 0.5 * h * b), d = slope(d1, y + h * c);
      y += h / 6 * (a + 2.0 * b + 2.0 * c + d);
    }
  }
  const double cosine = std::cos(angle);
  return std::abs((cosine - y) / (cosine + y));
}

}  // namespace agwave
