// SPDX-License-Identifier: Apache-2.0
// The energy budget  E(t) = work of the seafloor - loss at the walls and in the floor  from powers at completed steps.
// Smooth powers are integrated by Gregory's rule of order 4 (weights 3/8, 7/6, 23/24, 1, ..., mirrored at the end);
// piecewise-linear uplift has a constant rate in each step, so its work is rate * (p_n + p_n+1) / 2 * dt, step by step.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
  static constexpr std::size_t values = 7;
  void pack(std::vector<double>& to) const {
    for (const double value : {sum_, first_[0], first_[1], first_[2], last_[0], last_[1], last_[2]}) to.push_back(value);
  }
  PowerIntegral() = default;
  PowerIntegral(std::span<const double, values> packed, std::int64_t count)
      : sum_(packed[0]), first_{packed[1], packed[2], packed[3]}, last_{packed[4], packed[5], packed[6]}, count_(count) {}

 private:
  double sum_ = 0;
  std::array<double, 3> first_{}, last_{};
  std::int64_t count_ = 0;
};

// What the budget of a rank has added up.
struct Ledger {
  PowerIntegral source, walls;  // smooth powers
  PowerIntegral floor{};        // likewise, taken by a floor that gives way
  double piecewise_work = 0;    // of piecewise-linear terms [J]
  std::vector<double> product;  // [term] <S_k, p> at the last settled step, for piecewise-linear terms [W s]
  double damped = 0;            // taken by sponges and the filter [J]

  // For a checkpoint. Packed ledgers of several ranks may be added; those of the others are then zero.
  std::vector<double> pack() const {
    std::vector<double> all;
    source.pack(all);
    walls.pack(all);
    all.push_back(piecewise_work);
    all.insert(all.end(), product.begin(), product.end());
    all.push_back(damped);
    floor.pack(all);
    return all;
  }
  // `steps`: how many are completed.
  static Ledger unpack(std::span<const double> all, std::size_t terms, std::int64_t steps) {
    constexpr std::size_t n = PowerIntegral::values;
    Ledger ledger{PowerIntegral(all.first<n>(), steps + 1), PowerIntegral(all.subspan<n, n>(), steps + 1), {}, all[2 * n], {}, 0};
    const std::span<const double> rest = all.subspan(2 * n + 1);
    ledger.product.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(terms));
    if (rest.size() > terms) ledger.damped = rest[terms];  // earlier versions leave it out without a sponge
    ledger.floor = rest.size() > terms + n ? PowerIntegral(rest.subspan(terms + 1).first<n>(), steps + 1)  // likewise
                                           : PowerIntegral(std::array<double, n>{}, steps + 1);
    return ledger;
  }
};

}  // namespace agwave
