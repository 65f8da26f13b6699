// SPDX-License-Identifier: Apache-2.0
// P(z,t) of a flat, closed box whose floor moves by one horizontal mode, in water whose sound speed differs by depth: on one Legendre-Gauss-Lobatto element of
// degree N on [-H, 0], and by RK4 in time, M P'' + A P = b'' e_floor. Independent of the solver: another basis, other nodes, another integrator.
#pragma once
#include "harness.hpp"

namespace agwave::cases {

class SpectralColumn {
 public:
  SpectralColumn(const OceanCase& o, double H, double k, int N, const std::function<double(double depth)>& speed)
      : H_(H), n_(N + 1), x_(n_), mass_(n_), A_(n_ * n_), dP_(n_) {
    std::vector<double> w(n_), L(n_);
    for (int i = 0; i <= N; ++i) {
      double x = -std::cos(pi * i / N);
      for (int step = 0; step < 100; ++step) {
        double a = 1, b = x;
        for (int m = 1; m < N; ++m) {
          const double next = ((2 * m + 1) * x * b - m * a) / (m + 1);
          a = b;
          b = next;
        }
        L[i] = b;
        x -= (x * b - a) / ((N + 1) * b);
      }
      x_[i] = x;
      w[i] = 2 / (N * (N + 1) * L[i] * L[i]);
    }
    std::vector<double> D(n_ * n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        D[i * n_ + j] = i != j ? L[i] / L[j] / (x_[i] - x_[j]) : i == 0 ? -0.25 * N * (N + 1) : i + 1 == n_ ? 0.25 * N * (N + 1) : 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double c = speed(0.5 * H * (1 - x_[i]));
      mass_[i] = 0.5 * H * w[i] / (o.density * c * c) + (i + 1 == n_ ? 1 / (o.density * o.gravity) : 0);
      for (std::size_t j = 0; j < n_; ++j) {
        for (std::size_t q = 0; q < n_; ++q) A_[i * n_ + j] += 2 / H * w[q] * D[q * n_ + i] * D[q * n_ + j] / o.density;
        if (i == j) A_[i * n_ + j] += 0.5 * H * w[i] * k * k / o.density;
      }
    }
    P_.assign(n_, 0);
  }
  double at(double z) const {  // on [-H, 0]
    const double x = 1 + 2 * z / H_;
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      double weight = 1;
      for (std::size_t j = 0; j < n_; ++j)
        if (j != i) weight *= (x - x_[j]) / (x_[i] - x_[j]);
      sum += weight * P_[i];
    }
    return sum;
  }
  double floor() const { return P_.front(); }
  double surface() const { return P_.back(); }

  // One RK4 step of P' = V, V' = M^-1 (b'' e - A P).
  void step(double t, double dt, const std::function<double(double)>& b2) {
    const auto p0 = P_, v0 = dP_;
    auto p = p0, v = v0, p_sum = p0, v_sum = v0;
    constexpr double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, c[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; ++s) {
      std::vector<double> a(n_);
      for (std::size_t i = 0; i < n_; ++i) {
        double sum = i == 0 ? b2(t + c[s] * dt) : 0;
        for (std::size_t j = 0; j < n_; ++j) sum -= A_[i * n_ + j] * p[j];
        a[i] = sum / mass_[i];
      }
      for (std::size_t i = 0; i < n_; ++i) {
        p_sum[i] += b[s] * dt * v[i];
        v_sum[i] += b[s] * dt * a[i];
        if (s == 3) continue;
        p[i] = p0[i] + c[s + 1] * dt * v[i];
        v[i] = v0[i] + c[s + 1] * dt * a[i];
      }
    }
    P_ = p_sum;
    dP_ = v_sum;
  }

 private:
  double H_;
  std::size_t n_;
  std::vector<double> x_, mass_, A_, P_, dP_;
};

// b'' of a gaussian ramp.
inline double second_derivative(const Ramp& ramp, double t) {
  const double r = (t - ramp.center) / ramp.sigma;
  return -r / ramp.sigma * std::exp(-0.5 * r * r) / (std::sqrt(2 * pi) * ramp.sigma);
}

}  // namespace agwave::cases
