// SPDX-License-Identifier: Apache-2.0
// The energy budget  E(t) = work of the seafloor - loss at the walls  from powers at completed steps.
// Smooth powers are integrated by Gregory's rule of order 4 (weights 3/8, 7/6, 23/24, 1, ..., mirrored at the end);
// piecewise-linear uplift has a constant rate in each step, so its work is rate * (p_n + p_n+1) / 2 * dt, step by step.
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace agwave {

class PowerIntegral {
 public:
  void add(double power) {  // at the next completed step, the start of the run included
    if (count_ < 3) first_[count_] = power;
    last_ = {power, last_[0], last_[1]};
    sum_ += power;
    ++count_;
  }
  double integral(double dt) const {  // over the steps so far; the trapezoid rule below 6 samples
    if (count_ < 6) return count_ < 2 ? 0 : dt * (sum_ - 0.5 * (first_[0] + last_[0]));
    const double ends = 5.0 / 8 * (first_[0] + last_[0]) - 1.0 / 6 * (first_[1] + last_[1]) + 1.0 / 24 * (first_[2] + last_[2]);
    return dt * (sum_ - ends);
  }
  // What it has added up, to go on from later. Linear in the powers: the sum over ranks is that of the sum of their powers.
  std::array<double, 7> ledger() const { return {sum_, first_[0], first_[1], first_[2], last_[0], last_[1], last_[2]}; }
  void resume(std::span<const double, 7> from, std::int64_t count) {
    sum_ = from[0];
    first_ = {from[1], from[2], from[3]};
    last_ = {from[4], from[5], from[6]};
    count_ = count;
  }

 private:
  double sum_ = 0;
  std::array<double, 3> first_{}, last_{};
  std::int64_t count_ = 0;
};

}  // namespace agwave
