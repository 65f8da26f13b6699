// SPDX-License-Identifier: Apache-2.0
// Exact response of a flat, closed box to the floor motion b(t) cos(m pi x / Lx) cos(n pi y / Ly) with a gaussian ramp.
//
// p = P(z,t) cos cos, k^2 = (m pi/Lx)^2 + (n pi/Ly)^2. Eliminating the velocity, for all v(z) on [-H, 0],
//   m(P_tt, v) + a(P, v) = b''(t) v(-H),   m(p,v) = 1/K int p v dz + 1/(rho g) p(0) v(0),
//                                          a(p,v) = 1/rho int (p_z v_z + k^2 p v) dz.
// Eigenfunctions of a = omega^2 m, orthogonal in m, the surface term included:
//   gravity    Z_0 = cosh q(z+H),      omega^2 = g q tanh qH,            q^2 = k^2 - omega^2/c^2, q in (0, k)
//   acoustic   Z_n = cos kappa_n(z+H), omega^2 = -g kappa tan kappa H,   kappa^2 = omega^2/c^2 - k^2, kappa H in ((n-1/2) pi, n pi)
// P = sum_n w_n(z) y_n(t), w_n = Z_n(-H) Z_n(z) / m(Z_n,Z_n),  y'' + omega^2 y = b'',  y = Re int e^{i omega (t-s)} b'(s) ds.
// The series converges like 1/omega^2 only: mode n follows b quasi-statically, y = b''/omega^2 - b''''/omega^4 + O(omega^-6).
// These two terms are summed in closed form, through the Green functions of a,
//   a(G1, v) = v(-H):      G1 = A cosh kz, A = rho / (k sinh kH)                              = sum_n w_n / omega_n^2
//   a(G2, v) = m(G1, v):   G2 = -A/(2 k c^2) z sinh kz + B cosh kz + A/(g k) sinh kz          = sum_n w_n / omega_n^4
// (B from G2_z(-H) = 0), and the remainder converges like omega^-6: 160 modes leave 1e-10 of the maximum. Needs kH > 0.3 or
// so: for longer waves the two terms of the gravity mode cancel.
#pragma once
#include <cmath>
#include <complex>
#include <vector>

#include "case/case.hpp"

namespace agwave::cases {

class ExactModal {
 public:
  // k [1/m], ramp gaussian with nothing before t = 0. k = 0 (piston): omega_0 = 0, Z_0 = 1; modes only, no pressure().
  ExactModal(const OceanCase& ocean, double depth, double k, const Ramp& ramp, int acoustic_modes = 160)
      : rho_(ocean.density), c_(ocean.sound_speed), g_(ocean.gravity), H_(depth), k_(k), ramp_(ramp) {
    const double gravity = k == 0 ? 0 : bisect([&](double q) { return c_ * c_ * (k * k - q * q) - g_ * q * std::tanh(q * H_); }, 0, k);
    kappa_.push_back(gravity);
    omega_.push_back(std::sqrt(g_ * gravity * std::tanh(gravity * H_)));
    for (int n = 1; n <= acoustic_modes; ++n) {
      const double kappa = bisect([&](double x) { return c_ * c_ * (k * k + x * x) * std::cos(x * H_) + g_ * x * std::sin(x * H_); },
                                  (n - 0.5) * M_PI / H_, n * M_PI / H_);
      kappa_.push_back(kappa);
      omega_.push_back(c_ * std::sqrt(k * k + kappa * kappa));
    }
  }

  const std::vector<double>& omega() const { return omega_; }
  double shape(std::size_t n, double z) const { return n == 0 ? std::cosh(kappa_[0] * (z + H_)) : std::cos(kappa_[n] * (z + H_)); }
  double slope(std::size_t n, double z) const {
    return n == 0 ? kappa_[0] * std::sinh(kappa_[0] * (z + H_)) : -kappa_[n] * std::sin(kappa_[n] * (z + H_));
  }
  double weight(std::size_t n, double z) const {  // w_n(z)
    const double x = 2 * kappa_[n] * H_, half = n > 0 ? 1 + std::sin(x) / x : x > 0 ? 1 + std::sinh(x) / x : 2;
    const double top = shape(n, 0), mass = 0.5 * H_ * half / (rho_ * c_ * c_) + top * top / (rho_ * g_);
    return shape(n, z) / mass;
  }
  // What is left of mode n once the ramp is over: |y_n| = |b'^(omega)|.
  double ringing(std::size_t n) const { return std::exp(-0.5 * std::pow(omega_[n] * ramp_.sigma, 2)); }

  // P at depths z [m], [depth][sample], samples at 0, interval, ... (the amplitude of the uplift is 1 m).
  std::vector<std::vector<double>> pressure(const std::vector<double>& z, double interval, std::size_t samples) const {
    std::vector<std::vector<double>> P(z.size(), std::vector<double>(samples, 0.0));
    for (std::size_t d = 0; d < z.size(); ++d)
      for (std::size_t s = 0; s < samples; ++s)
        P[d][s] = b2(static_cast<double>(s) * interval) * green1(z[d]) - b4(static_cast<double>(s) * interval) * green2(z[d]);
    for (std::size_t n = 0; n < omega_.size(); ++n) {
      const double w = omega_[n], w2 = w * w;
      std::complex<double> I = 0;
      for (std::size_t s = 0; s < samples; ++s) {
        const double t = static_cast<double>(s) * interval;
        if (s > 0) I = I * std::polar(1.0, w * interval) + duhamel(w, t - interval, t);
        const double rest = I.real() - b2(t) / w2 + b4(t) / (w2 * w2);
        for (std::size_t d = 0; d < z.size(); ++d) P[d][s] += weight(n, z[d]) * rest;
      }
    }
    return P;
  }

 private:
  template <class F>
  static double bisect(F f, double low, double high) {
    const bool rising = f(low) < 0;
    for (int step = 0; step < 200; ++step) {
      const double x = 0.5 * (low + high);
      ((f(x) < 0) == rising ? low : high) = x;
    }
    return 0.5 * (low + high);
  }

  double r(double t) const { return (t - ramp_.center) / ramp_.sigma; }
  double b1(double t) const { return std::exp(-0.5 * r(t) * r(t)) / (std::sqrt(2 * M_PI) * ramp_.sigma); }
  double b2(double t) const { return -r(t) / ramp_.sigma * b1(t); }
  double b4(double t) const { return r(t) * (3 - r(t) * r(t)) / std::pow(ramp_.sigma, 3) * b1(t); }

  // int_from^to e^{i w (to - s)} b'(s) ds by composite 8-point Gauss-Legendre, pieces short against 1/w and sigma.
  std::complex<double> duhamel(double w, double from, double to) const {
    static constexpr double x[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
    static constexpr double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
    const int pieces = 1 + static_cast<int>((to - from) * std::max(0.6 * w, 3 / ramp_.sigma));
    const double half = 0.5 * (to - from) / pieces;
    std::complex<double> sum = 0;
    for (int piece = 0; piece < pieces; ++piece) {
      const double middle = from + (2 * piece + 1) * half;
      for (int q = 0; q < 4; ++q)
        for (const double sign : {-1.0, 1.0}) {
          const double s = middle + sign * x[q] * half;
          sum += weight[q] * half * b1(s) * std::polar(1.0, w * (to - s));
        }
    }
    return sum;
  }

  double A() const { return rho_ / (k_ * std::sinh(k_ * H_)); }
  double green1(double z) const { return A() * std::cosh(k_ * z); }
  double green2(double z) const {
    const double S = std::sinh(k_ * H_), C = std::cosh(k_ * H_);
    const double B = A() * ((S + k_ * H_ * C) / (2 * k_ * c_ * c_) + C / g_) / (k_ * S);
    return -A() / (2 * k_ * c_ * c_) * z * std::sinh(k_ * z) + B * std::cosh(k_ * z) + A() / (g_ * k_) * std::sinh(k_ * z);
  }

  double rho_, c_, g_, H_, k_;
  Ramp ramp_;
  std::vector<double> kappa_, omega_;  // gravity, then acoustic
};

}  // namespace agwave::cases
