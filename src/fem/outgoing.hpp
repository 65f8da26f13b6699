// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "host_device.hpp"

namespace agwave {

// Where the values of a round are packed to: a buffer, or memory of those who receive them, each a range of the values.
struct Outgoing {
  static constexpr int most = 26;  // neighbours
  double* to[most];                // of value 0, whether or not it is one of the range
  std::int64_t end[most];          // of the range
  AGWAVE_HD double* at(std::int64_t value) const {
    int n = 0;
    while (value >= end[n]) ++n;
    return to[n] + value;
  }
};

struct Pack {
  const double* from;
  Outgoing to;
  AGWAVE_HD void operator()(std::int64_t n) const { *to.at(n) = from[n]; }
};

}  // namespace agwave
