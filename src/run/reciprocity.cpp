// SPDX-License-Identifier: Apache-2.0
#include "run/reciprocity.hpp"

#include <algorithm>
#include <random>

namespace agwave {

Reciprocity::Reciprocity(const P2oPlan& p2o) : p2o_(p2o) {
  constexpr std::int64_t moving = 4;  // intervals, or as many as there are
  std::mt19937_64 random(20130406);
  for (std::int64_t l = 0; l < std::min(moving, p2o.intervals.count); ++l) {
    std::vector<double>& m = moved_.emplace_back();
    for (std::int64_t i = 0; i < p2o.grid.size(); ++i) m.push_back(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  }
}

std::vector<UpliftTerm> Reciprocity::terms() const {
  std::vector<UpliftTerm> all;
  for (const std::vector<double>& m : moved_) {
    UpliftTerm term;
    term.begin = INFINITY, term.end = -INFINITY;  // moved by pulses alone
    term.shape = [&grid = p2o_.grid, &m](double x, double y) { return grid.value(m, x, y); };
    term.motion = p2o_.c.p2o->motion;
    all.push_back(std::move(term));
  }
  return all;
}

std::vector<Pulse> Reciprocity::pulses(int first_term) const {
  std::vector<Pulse> all;
  for (std::size_t l = 0; l < moved_.size(); ++l) all.push_back({first_term + static_cast<int>(l), static_cast<std::int64_t>(l)});
  return all;
}

std::vector<double> Reciprocity::product(std::span<const double> row) const {
  const auto count = static_cast<std::size_t>(p2o_.intervals.count);
  std::vector<double> data(count, 0.0);
  for (std::size_t l = 0; l < moved_.size(); ++l)
    for (std::size_t i = 0; i < moved_[l].size(); ++i)
      for (std::size_t k = l; k < count; ++k) data[k] += row[i * count + k - l] * moved_[l][i];
  return data;
}

}  // namespace agwave
