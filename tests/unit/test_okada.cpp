// SPDX-License-Identifier: Apache-2.0
// Okada's rectangle against the checklist of his paper (1985, table 2), against a sum of his point sources (equations 8
// and 9), and at the places where formulas divide by zero: dip 0 and 90, the trace and the edges of a fault at the surface.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "source/okada.hpp"

namespace agwave {
namespace {

constexpr double degree = std::numbers::pi / 180;

Rectangle rectangle(double depth, double dip, double length, double width, double strike_slip, double dip_slip) {
  return {depth, length, width, std::sin(dip * degree), std::cos(dip * degree), strike_slip, dip_slip, 0.25};
}

void expect_near(const std::array<double, 3>& u, const std::array<double, 3>& exact, double tolerance) {
  for (int n = 0; n < 3; ++n) EXPECT_NEAR(u[n], exact[n], tolerance) << "component " << n;
}

// Printed with four digits.
TEST(Okada, ChecklistOfThePaper) {
  expect_near(okada(rectangle(4, 70, 3, 2, 1, 0), 2, 3), {-8.689e-3, -4.298e-3, -2.747e-3}, 0.6e-6);
  expect_near(okada(rectangle(4, 70, 3, 2, 0, 1), 2, 3), {-4.682e-3, -3.527e-2, -3.564e-2}, 0.6e-5);
  expect_near(okada(rectangle(4, 90, 3, 2, 1, 0), 0, 0), {0, 5.253e-3, 0}, 0.6e-6);
  expect_near(okada(rectangle(4, 90, 3, 2, 0, 1), 0, 0), {0, 0, 0}, 1e-12);
  expect_near(okada(rectangle(4, -90, 3, 2, 1, 0), 0, 0), {0, -1.303e-3, 0}, 0.6e-6);
  expect_near(okada(rectangle(4, -90, 3, 2, 0, 1), 0, 0), {0, 0, 0}, 1e-12);
}

// A point dislocation of unit slip and area at (0, 0, -d): equations 8 and 9, written without I where the medium has lambda = mu.
std::array<double, 3> point(double x, double y, double d, double dip, double U1, double U2) {
  const double s = std::sin(dip), c = std::cos(dip), p = y * c + d * s, q = y * s - d * c, R = std::sqrt(x * x + y * y + d * d), a = 0.5;
  const double R3 = R * R * R, R5 = R3 * R * R, Rd = R + d, Rd2 = Rd * Rd, Rd3 = Rd2 * Rd;
  const double I1 = a * y * (1 / (R * Rd2) - x * x * (3 * R + d) / (R3 * Rd3)), I2 = a * x * (1 / (R * Rd2) - y * y * (3 * R + d) / (R3 * Rd3));
  const double I3 = a * x / R3 - I2, I4 = -a * x * y * (2 * R + d) / (R3 * Rd2), I5 = a * (1 / (R * Rd) - x * x * (2 * R + d) / (R3 * Rd2));
  const double k1 = -U1 / (2 * std::numbers::pi), k2 = -U2 / (2 * std::numbers::pi);
  return {k1 * (3 * x * x * q / R5 + I1 * s) + k2 * (3 * x * p * q / R5 - I3 * s * c),
          k1 * (3 * x * y * q / R5 + I2 * s) + k2 * (3 * y * p * q / R5 - I1 * s * c),
          k1 * (3 * x * d * q / R5 + I4 * s) + k2 * (3 * d * p * q / R5 - I5 * s * c)};
}

TEST(Okada, IsTheSumOfItsPointSources) {
  for (const double dip : {0.0, 12.0, 45.0, 70.0, 90.0}) {
    const Rectangle f = rectangle(9, dip, 6, 4, 0.7, -1.3);
    for (const auto& [x, y] : {std::array{1.0, 2.0}, std::array{-5.0, 7.0}, std::array{3.0, -11.0}, std::array{60.0, 35.0}}) {
      std::array<double, 3> sum{};
      constexpr int n = 60;  // midpoint rule
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const double along = f.length * (i + 0.5) / n, up = f.width * (j + 0.5) / n;
          const auto u = point(x - along, y - up * f.cos_dip, f.depth - up * f.sin_dip, dip * degree, 0.7, -1.3);
          for (int k = 0; k < 3; ++k) sum[k] += u[k] * f.length * f.width / (n * n);
        }
      }
      const auto u = okada(f, x, y);
      const double size = std::hypot(sum[0], sum[1], sum[2]);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(u[k], sum[k], 2e-4 * size) << "dip " << dip << ", x " << x << ", y " << y;
    }
  }
}

// The forms for a vertical fault continue those for any dip, and the change between them is not seen.
TEST(Okada, DipsNearVerticalAreContinuous) {
  for (const double away : {2e-3, 1e-3, 5.8e-4, 5.6e-4, 1e-5, 1e-9}) {  // degrees; the change is at 5.7e-4
    for (const double x : {-3.0, 1.0, 8.0}) {
      for (const double y : {-7.0, -0.1, 2.0, 40.0}) {
        const auto u = okada(rectangle(5, 90 - away, 6, 4, 1, 1), x, y), v = okada(rectangle(5, 90, 6, 4, 1, 1), x, y);
        expect_near(u, v, 1e-5 + 0.2 * away * degree * 10);
      }
    }
  }
}

// Thrust on a plane that dips 0: odd about its middle line; strike slip on a vertical one: uplift odd in both directions.
TEST(Okada, Symmetries) {
  const Rectangle flat = rectangle(5, 0, 6, 4, 0, 1), wall = rectangle(7, 90, 6, 4, 1, 0);
  for (const double x : {0.5, 4.0, 9.0}) {
    for (const double y : {0.3, 2.5, 11.0}) {
      const auto a = okada(flat, 3 + x, 2 + y), b = okada(flat, 3 - x, 2 + y), c = okada(flat, 3 + x, 2 - y);
      expect_near(b, {-a[0], a[1], a[2]}, 1e-14);
      expect_near(c, {-a[0], a[1], -a[2]}, 1e-14);
      const auto u = okada(wall, 3 + x, y), v = okada(wall, 3 - x, y), w = okada(wall, 3 + x, -y);
      expect_near(v, {u[0], -u[1], -u[2]}, 1e-14);
      expect_near(w, {-u[0], u[1], -u[2]}, 1e-14);
    }
  }
}

// A fault up to the surface: the hanging wall has moved by the slip against the foot wall across its trace, and nothing is infinite.
TEST(Okada, SurfaceBreakingFaults) {
  for (const double dip : {15.0, 50.0, 90.0}) {
    const double s = std::sin(dip * degree), c = std::cos(dip * degree);
    const Rectangle f = rectangle(4 * s, dip, 6, 4, 0.5, 1);
    const auto hanging = okada(f, 3, 4 * c - 1e-7), foot = okada(f, 3, 4 * c + 1e-7), trace = okada(f, 3, 4 * c);
    expect_near({hanging[0] - foot[0], hanging[1] - foot[1], hanging[2] - foot[2]}, {0.5, c, s}, 1e-5);
    for (int n = 0; n < 3; ++n) EXPECT_NEAR(trace[n], 0.5 * (hanging[n] + foot[n]), 1e-5);
    for (const double x : {0.0, 3.0, 6.0, -1.0, 7.0}) {
      for (const double y : {0.0, 4 * c, 4 * c + 1}) {
        for (const double value : okada(f, x, y)) EXPECT_LT(std::abs(value), 10) << dip << " " << x << " " << y;
      }
    }
  }
}

TEST(Okada, FarFieldFallsWithTheSquareOfDistance) {
  const Rectangle f = rectangle(9, 30, 6, 4, 0, 1);
  const auto near = okada(f, 3 + 600, 500), far = okada(f, 3 + 1200, 1000);
  EXPECT_NEAR(std::hypot(near[0], near[1]) / std::hypot(far[0], far[1]), 4, 0.1);
}

}  // namespace
}  // namespace agwave
