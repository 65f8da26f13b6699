// SPDX-License-Identifier: Apache-2.0
// Okada (1985) in Chinnery's notation: the field of a rectangle is that of a function of four corners,
//   f(xi, eta)|| = f(x, p) - f(x, p - W) - f(x - L, p) + f(x - L, p - W),   p = y cos d + depth sin d,  q = y sin d - depth cos d
// Differences that cancel are written without them: R + eta = (xi^2 + q^2) / (R - eta) where eta < 0, and R + xi likewise.
#include "source/okada.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace agwave {
namespace {

// Terms divided by cos(dip) lose about 1e-16 / cos(dip)^2 of their value, the forms for cos(dip) = 0 err by about cos(dip).
constexpr double vertical = 1e-5;
constexpr double nearest = 1e-9;  // to an edge, of the fault's size

struct Corner {
  const Rectangle& f;
  double xi, eta, q, tiny;

  // a + R for R >= |a|, rest = R^2 - a^2.
  static double sum(double R, double a, double rest) { return a < 0 ? rest / (R - a) : R + a; }

  // Coefficients of strike slip and dip slip: the brackets of equations 25 and 26.
  void brackets(std::array<double, 3>& strike, std::array<double, 3>& dip) const {
    const double s = f.sin_dip, c = f.cos_dip, a = 1 - 2 * f.poisson;  // mu / (lambda + mu)
    const double y = eta * c + q * s, d = eta * s - q * c;
    const double R = std::max(std::sqrt(xi * xi + eta * eta + q * q), tiny), X2 = xi * xi + q * q;
    const double R_eta = std::max(sum(R, eta, X2), tiny * tiny / R), R_xi = std::max(sum(R, xi, eta * eta + q * q), tiny * tiny / R);
    const double R_d = std::max(R + d, tiny), log_eta = std::log(R_eta);
    const double angle = q != 0 ? std::atan(xi * eta / (q * R)) : 0;

    double I1, I2, I3, I4, I5;
    if (std::abs(c) < vertical) {  // equation 29
      I1 = -0.5 * a * xi * q / (R_d * R_d);
      I3 = 0.5 * a * (eta / R_d + y * q / (R_d * R_d) - log_eta);
      I4 = -a * q / R_d;
      I5 = -a * xi * s / R_d;
    } else {  // equation 28
      const double X = std::sqrt(X2);
      const bool middle = std::abs(xi) <= tiny;
      I5 = middle ? 0 : 2 * a / c * std::atan((eta * (X + q * c) + X * (R + X) * s) / (xi * (R + X) * c));
      I4 = a / c * (std::log(R_d) - s * log_eta);
      I3 = a * (y / (c * R_d) - log_eta) + s / c * I4;
      I1 = -a * xi / (c * R_d) - s / c * I5;
    }
    I2 = -a * log_eta - I3;

    strike = {xi * q / (R * R_eta) + angle + I1 * s, y * q / (R * R_eta) + q * c / R_eta + I2 * s, d * q / (R * R_eta) + q * s / R_eta + I4 * s};
    dip = {q / R - I3 * s * c, y * q / (R * R_xi) + c * angle - I1 * s * c, d * q / (R * R_xi) + s * angle - I5 * s * c};
  }
};

}  // namespace

std::array<double, 3> okada(const Rectangle& f, double x, double y) {
  const double p = y * f.cos_dip + f.depth * f.sin_dip, q = y * f.sin_dip - f.depth * f.cos_dip;
  const double tiny = nearest * (f.length + f.width);
  if (std::abs(q) < tiny && f.sin_dip != 0) {  // in the plane of the fault, where it may break the surface
    const double aside = 2 * tiny / f.sin_dip;
    const auto a = okada(f, x, y - aside), b = okada(f, x, y + aside);
    return {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])};
  }
  std::array<double, 3> u{};
  for (const int along : {0, 1}) {
    for (const int up : {0, 1}) {
      std::array<double, 3> strike{}, dip{};
      Corner{f, x - along * f.length, p - up * f.width, q, tiny}.brackets(strike, dip);
      const double sign = along == up ? 1 : -1;
      for (int n = 0; n < 3; ++n) u[n] -= sign * (f.strike_slip * strike[n] + f.dip_slip * dip[n]);
    }
  }
  for (double& component : u) component /= 2 * std::numbers::pi;
  return u;
}

}  // namespace agwave
