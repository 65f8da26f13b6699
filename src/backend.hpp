// SPDX-License-Identifier: Apache-2.0
// Backends: where loops run. Algorithms (time stepping, exchange, sampling, reductions) are written once as functors and
// run by a backend; Cpu here, Cuda in backend_cuda.cuh. Reductions combine in a fixed order, so they repeat bit for bit.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "array.hpp"

namespace agwave {

struct Cpu {
  static constexpr Space space = Space::host;
  static constexpr Space staging = Space::host;

  template <class F>
  void for_each(std::int64_t n, F f) const {
    for (std::int64_t i = 0; i < n; ++i) f(i);
  }
  // Sums in blocks of 4096, so that rounding grows with the square root of the count at most.
  template <class F>
  double sum(std::int64_t n, F f) const {
    double total = 0;
    for (std::int64_t first = 0; first < n; first += 4096) {
      double block = 0;
      for (std::int64_t i = first; i < std::min(first + 4096, n); ++i) block += f(i);
      total += block;
    }
    return total;
  }
  template <class F>
  double max(std::int64_t n, F f) const {  // NaN wins, so that it cannot hide
    double largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = f(i);
      if (!(value <= largest)) largest = value;
      if (value != value) return value;
    }
    return largest;
  }
  void synchronize() const {}
};

}  // namespace agwave
