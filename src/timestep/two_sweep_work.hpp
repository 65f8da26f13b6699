// SPDX-License-Identifier: Apache-2.0
// The order of a rank's work in a sweep. An item is a patch and a chunk, numbered as the sweep likes best. Where there are neighbours, those
// come last whose sums a neighbour reads, which are those that read ghosts: what the sweep before sent is on its way while the others are
// worked on (two_sweep_exchange.hpp). No bit depends on the order.
#pragma once
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "timestep/two_sweep_layout.hpp"

namespace agwave::two_sweep {

struct Item {
  int patch, chunk;
};

struct WorkOrder {
  std::vector<std::int32_t> items;  // empty without neighbours: as numbered
  int boundary = 0;                 // how many of them a neighbour needs: the last
};

// item(n): the patch and chunk of number n.
template <class Patches, class Number>
WorkOrder boundary_last(const Patches& p, const Partition& part, const Number& item) {
  WorkOrder order;
  if (part.grid == std::array<int, 3>{1, 1, 1}) return order;
  const auto inside = [&](int n) {
    const auto [patch, chunk] = item(n);
    const std::array<int, 3> at{patch % p.px, patch / p.px, chunk}, count{p.px, p.py, p.chunks};
    for (int d = 0; d < 3; ++d)
      if ((at[d] == 0 && !part.at_low(d)) || (at[d] == count[d] - 1 && !part.at_high(d))) return false;
    return true;
  };
  order.items.resize(static_cast<std::size_t>(p.items()));
  std::iota(order.items.begin(), order.items.end(), 0);
  order.boundary = static_cast<int>(order.items.end() - std::stable_partition(order.items.begin(), order.items.end(), inside));
  return order;
}

// What a sweep leaves to an exchange that goes on beside it.
struct Beside {
  int multiprocessors = 0;         // of a GPU, where packing, sending and unpacking run
  std::function<void()> progress;  // what a CPU calls now and then: MPI moves large messages only while it is called
};

}  // namespace agwave::two_sweep
