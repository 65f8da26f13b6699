// SPDX-License-Identifier: Apache-2.0
// Who shares which nodes; the exchange on the CPU.
#include "comm/exchange.hpp"

#include <algorithm>
#include <array>

#include "comm/exchange_impl.hpp"
#include "device/backend.hpp"

namespace agwave {

SharedNodes find_shared_nodes(const Partition& part, int NX, int NY, int NZ) {
  SharedNodes lists;
  struct Entry {
    std::int32_t node;
    int rank;
    std::int32_t place;
  };
  std::vector<Entry> entries;
  const std::array<int, 3> N{NX, NY, NZ};
  for_neighbours(part, [&](int rank, const std::array<int, 3>& d) {
    std::array<int, 3> low{}, high{};  // node ranges, inclusive
    for (int a = 0; a < 3; ++a) {
      low[a] = d[a] > 0 ? N[a] - 1 : 0;
      high[a] = d[a] < 0 ? 0 : N[a] - 1;
    }
    const auto first = static_cast<std::int64_t>(lists.send.size());
    for (int k = low[2]; k <= high[2]; ++k)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int i = low[0]; i <= high[0]; ++i) {
          const auto node = static_cast<std::int32_t>((static_cast<std::int64_t>(k) * NY + j) * NX + i);
          entries.push_back({node, rank, static_cast<std::int32_t>(lists.send.size())});
          lists.send.push_back(node);
        }
    lists.neighbours.push_back({rank, first, static_cast<std::int64_t>(lists.send.size()) - first});
  });
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
