// SPDX-License-Identifier: Apache-2.0
// The order of a rank's work in a sweep. An item is a patch and a chunk, numbered as the sweep likes best. Where there are neighbours, those
// come last whose sums a neighbour reads, which are those that read ghosts: what the sweep before sent is on its way while the others are
// worked on (two_sweep_exchange.hpp). No bit depends on the order.
#pragma once
#include <algorithm>
#include <functional>
#include <limits>
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

// item(n): the patch and chunk of number n. From the inside outwards, so that the next sweep, which needs an item's neighbours as well, can follow
// closely: what lies beside the boundary would otherwise hold it up from the beginning.
template <class Patches, class Number>
WorkOrder boundary_last(const Patches& p, const Partition& part, const Number& item) {
  WorkOrder order;
  if (part.grid == std::array<int, 3>{1, 1, 1}) return order;
  const auto distance = [&](int n) {  // from the nearest item that a neighbour needs
    const auto [patch, chunk] = item(n);
    const std::array<int, 3> at{patch % p.px, patch / p.px, chunk}, count{p.px, p.py, p.chunks};
    int nearest = std::numeric_limits<int>::max();
    for (int d = 0; d < 3; ++d) {
      if (!part.at_low(d)) nearest = std::min(nearest, at[d]);
      if (!part.at_high(d)) nearest = std::min(nearest, count[d] - 1 - at[d]);
    }
    return nearest;
  };
  order.items.resize(static_cast<std::size_t>(p.items()));
  std::iota(order.items.begin(), order.items.end(), 0);
  std::stable_sort(order.items.begin(), order.items.end(), [&](int m, int n) { return distance(m) > distance(n); });
  order.boundary = static_cast<int>(std::count_if(order.items.begin(), order.items.end(), [&](int n) { return distance(n) == 0; }));
  return order;
}

// What a sweep leaves to an exchange that goes on beside it.
struct Beside {
  int multiprocessors = 0;         // of a GPU, where packing, sending and unpacking run
  std::function<void()> progress;  // what a CPU calls now and then: MPI moves large messages only while it is called
};

}  // namespace agwave::two_sweep
