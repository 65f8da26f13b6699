// SPDX-License-Identifier: Apache-2.0
// Who shares which nodes; the exchange on the CPU.
#include "fem/exchange.hpp"

#include <algorithm>
#include <array>

#include "backend.hpp"
#include "fem/exchange_impl.hpp"

namespace agwave {

SharedNodes find_shared_nodes(const Partition& part, int NX, int NY, int NZ) {
  struct Box {
    int rank;
    std::array<int, 3> low, high;  // node ranges, inclusive
  };
  const std::array<int, 3> N{NX, NY, NZ};
  std::vector<Box> boxes;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const std::array<int, 3> d{dx, dy, dz};
        std::array<int, 3> coords{};
        Box box{0, {}, {}};
        bool inside = dx || dy || dz;
        for (int a = 0; a < 3; ++a) {
          coords[a] = part.coords[a] + d[a];
          inside = inside && coords[a] >= 0 && coords[a] < part.grid[a];
          box.low[a] = d[a] > 0 ? N[a] - 1 : 0;
          box.high[a] = d[a] < 0 ? 0 : N[a] - 1;
        }
        if (!inside) continue;
        box.rank = part.rank_of(coords);
        boxes.push_back(box);
      }
  std::sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.rank < b.rank; });

  SharedNodes lists;
  struct Entry {
    std::int32_t node;
    int rank;
    std::int32_t place;
  };
  std::vector<Entry> entries;
  for (const Box& box : boxes) {
    const auto first = static_cast<std::int64_t>(lists.send.size());
    for (int k = box.low[2]; k <= box.high[2]; ++k)
      for (int j = box.low[1]; j <= box.high[1]; ++j)
        for (int i = box.low[0]; i <= box.high[0]; ++i) {
          const auto node = static_cast<std::int32_t>((static_cast<std::int64_t>(k) * NY + j) * NX + i);
          entries.push_back({node, box.rank, static_cast<std::int32_t>(lists.send.size())});
          lists.send.push_back(node);
        }
    lists.neighbours.push_back({box.rank, first, static_cast<std::int64_t>(lists.send.size()) - first});
  }
  lists.own = lists.send;
  std::sort(lists.own.begin(), lists.own.end());
  lists.own.erase(std::unique(lists.own.begin(), lists.own.end()), lists.own.end());
  const auto own_count = static_cast<std::int32_t>(lists.own.size());
  for (Entry& entry : entries) entry.place += own_count;
  const int me = part.rank_of(part.coords);
  for (std::int32_t n = 0; n < own_count; ++n) entries.push_back({lists.own[n], me, n});
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.node != b.node ? a.node < b.node : a.rank < b.rank; });
  for (std::size_t n = 0; n < entries.size(); ++n) {
    if (n == 0 || entries[n].node != entries[n - 1].node) lists.offset.push_back(static_cast<std::int32_t>(n));
    lists.source.push_back(entries[n].place);
  }
  lists.offset.push_back(static_cast<std::int32_t>(entries.size()));
  return lists;
}

template class Exchange<Cpu>;

}  // namespace agwave
