// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "comm/neighbour.hpp"
#include "device/array.hpp"
#include "device/host_device.hpp"

namespace agwave {

// Where the values of a round are packed to: a buffer, or memory of those who receive them, each a range of the values.
struct Outgoing {
  double* to[most_neighbours];        // of value 0, whether or not it is one of the range
  std::int64_t end[most_neighbours];  // of the range
  AGWAVE_HD int range(std::int64_t value) const {
    int n = 0;
    while (value >= end[n]) ++n;
    return n;
  }
  AGWAVE_HD double* at(std::int64_t value) const { return to[range(value)] + value; }
};
inline Outgoing packed_to(Array<double>& buffer) {
  Outgoing outgoing{};
  outgoing.to[0] = buffer.data();
  outgoing.end[0] = static_cast<std::int64_t>(buffer.size());
  return outgoing;
}

struct Pack {
  const double* from;
  Outgoing to;
  AGWAVE_HD void operator()(std::int64_t n) const { *to.at(n) = from[n]; }
};
template <class Index, class Real>
struct PackListed {  // from places of a list, in double precision
  const Index* place;
  const Real* from;
  Outgoing to;
  AGWAVE_HD void operator()(std::int64_t n) const { *to.at(n) = from[place[n]]; }
};

}  // namespace agwave
