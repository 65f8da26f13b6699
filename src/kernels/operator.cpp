// SPDX-License-Identifier: Apache-2.0
// Which elements touch nodes shared with other ranks.
#include "kernels/operator.hpp"

namespace agwave {

ElementParts split_parts(const Mesh& mesh) {
  ElementParts parts;
  const auto edge = [&](int d, int e, int n) { return (e == 0 && !mesh.part.at_low(d)) || (e == n - 1 && !mesh.part.at_high(d)); };
  for (int ez = 0; ez < mesh.nz(); ++ez)
    for (int ey = 0; ey < mesh.ny(); ++ey)
      for (int ex = 0; ex < mesh.nx(); ++ex) {
        const auto e = static_cast<std::int32_t>((static_cast<std::int64_t>(ez) * mesh.ny() + ey) * mesh.nx() + ex);
        const bool shared = edge(0, ex, mesh.nx()) || edge(1, ey, mesh.ny()) || edge(2, ez, mesh.nz());
        (shared ? parts.shared : parts.interior).push_back(e);
      }
  return parts;
}

}  // namespace agwave
