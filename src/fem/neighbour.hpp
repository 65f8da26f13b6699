// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace agwave {

struct Neighbour {
  int rank;
  std::int64_t first, count;  // range of its values, alike in what is sent and in what is received
};

}  // namespace agwave
