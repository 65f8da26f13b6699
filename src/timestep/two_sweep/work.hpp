// SPDX-License-Identifier: Apache-2.0
// The order of a rank's work in a sweep. An item is a patch and a chunk, numbered as the sweep likes best. Those whose sums a neighbour reads are those
// that read ghosts: the boundary. What the sweep before sent is on its way while the others are worked on (exchange.hpp). No bit depends on
// the order.
#pragma once
#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "timestep/two_sweep/layout.hpp"

namespace agwave::two_sweep {

struct Item {
  int patch, chunk;
};

struct WorkOrder {
  std::vector<std::int32_t> items;  // empty without neighbours: as numbered. Those of the boundary have boundary_mark
  int boundary = 0;                 // how many of them a neighbour needs
};
inline constexpr std::int32_t boundary_mark = 1 << 30, item_mask = boundary_mark - 1;

// item(n): the patch and chunk of number n. Rows of patches from the inside outwards, so that the next sweep, which needs an item's neighbours as well,
// can follow closely: what lies beside the boundary would otherwise hold it up from the beginning. In a row as numbered, since patches beside each other
// share lines of memory. `last`: the boundary comes after all others; else only its rows along y and z do, and what it has along x waits for its ghosts
// where it is.
template <class Patches, class Number>
WorkOrder order_of_work(const Patches& p, const Partition& part, const Number& item, bool last) {
  WorkOrder order;
  if (part.grid == std::array<int, 3>{1, 1, 1}) return order;
  struct Ranked {
    std::int32_t number;
    int distance;  // from the nearest neighbour along y and z
    bool boundary;
  };
  std::vector<Ranked> ranked;
  for (std::int32_t n = 0; n < p.items(); ++n) {
    const auto [patch, chunk] = item(n);
    const std::array<int, 3> at{patch % p.px, patch / p.px, chunk}, count{p.px, p.py, p.chunks};
    constexpr int none = std::numeric_limits<int>::max();
    std::array<int, 3> nearest{};
    for (int d = 0; d < 3; ++d) nearest[d] = std::min(part.at_low(d) ? none : at[d], part.at_high(d) ? none : count[d] - 1 - at[d]);
    const int distance = std::min(nearest[1], nearest[2]);
    ranked.push_back({n, distance, std::min(distance, nearest[0]) == 0});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const Ranked& a, const Ranked& b) { return last && a.boundary != b.boundary ? b.boundary : a.distance > b.distance; });
  for (const Ranked& r : ranked) {
    order.items.push_back(r.number | (r.boundary ? boundary_mark : 0));
    order.boundary += r.boundary;
  }
  return order;
}

// Where a GPU's boundary waits for ghosts, in the middle of a sweep: until `*opened` has come to `round`; null: they are in place.
struct Gate {
  const unsigned* opened = nullptr;
  unsigned round = 0;
  unsigned long long* waited = nullptr;  // [ns] that multiprocessors stood there, all together
};

// What a sweep leaves to an exchange that goes on beside it.
struct Beside {
  int multiprocessors = 0;         // of a GPU, where packing, sending and unpacking run
  bool all_along = false;          // they are left free until all is in place, else only until all is packed
  std::function<void()> progress;  // what a CPU calls now and then: MPI moves large messages only while it is called
  Gate gate;
  bool shares = true;  // the A that follows a B goes beside it
};

}  // namespace agwave::two_sweep
