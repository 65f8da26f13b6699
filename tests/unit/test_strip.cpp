// SPDX-License-Identifier: Apache-2.0
// What a wall behind a sponge sends back, against formulas: no sponge, normal incidence, and a strip of one damping rate.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "boundary/strip.hpp"

namespace agwave {
namespace {

constexpr double c = 1500;
const double v = std::sqrt(9.81 * 4000);

Sponge sponge(double width) {
  Sponge s;
  s.speed = v;
  s.reflection = 0.01;
  return width > 0 ? with_strip(s, 1, width, 0.01) : s;
}

TEST(Strip, WithoutASpongeIsTheWallAlone) {
  for (const double angle : {0.0, 0.5, 1.2}) {
    const double cosine = std::cos(angle);
    EXPECT_NEAR(strip_reflection(sponge(0), 1, v, c, angle, 300), std::abs((cosine - v / c) / (cosine + v / c)), 1e-14);
    EXPECT_NEAR(strip_reflection(sponge(0), 1, c, c, angle, 3), (1 - cosine) / (1 + cosine), 1e-14);
  }
}

TEST(Strip, AtNormalIncidenceChangesNoImpedance) {
  for (const double width : {10e3, 60e3})
    for (const double period : {100.0, 1000.0}) {
      const Sponge s = sponge(width);
      EXPECT_NEAR(strip_reflection(s, 1, v, c, 0, period), (c - v) / (c + v) * s.left(1, v), 1e-6);
    }
}

// At an angle long waves come back from the strip itself, the more the longer and the flatter; short ones hardly.
TEST(Strip, AtAnAngleSendsLongWavesBack) {
  const auto back = [](double width, double degrees, double period) {
    return strip_reflection(sponge(width), 1, v, c, degrees * std::numbers::pi / 180, period);
  };
  EXPECT_LT(back(60e3, 30, 200), 0.02);
  EXPECT_GT(back(30e3, 45, 600), 0.15);
  EXPECT_GT(back(30e3, 60, 600), back(30e3, 45, 600));
  EXPECT_LT(back(120e3, 45, 600), back(60e3, 45, 600));
  for (const double angle : {10.0, 40.0, 70.0, 85.0})
    for (const double period : {20.0, 200.0, 2000.0}) EXPECT_LE(back(40e3, angle, period), 1 + 1e-9);
}

}  // namespace
}  // namespace agwave
