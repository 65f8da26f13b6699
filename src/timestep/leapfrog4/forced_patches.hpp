// SPDX-License-Identifier: Apache-2.0
// The patches in whose water something forces, by which BodyLoad finds its values.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fem/forcing.hpp"
#include "timestep/leapfrog4/fused_layout.hpp"

namespace agwave::leapfrog4 {

template <class Patches>
class ForcedPatches {
 public:
  explicit ForcedPatches(const Places<Patches>& places) : places_(places), at_(static_cast<std::size_t>(places.count()), -1) {}

  void add(std::int64_t column) {  // of nodes, j NX + i
    places_.each(static_cast<int>(column % places_.NX), static_cast<int>(column / places_.NX), 0, [&](int x, int y, int, int) {
      std::int64_t& at = at_[static_cast<std::size_t>(y) * places_.px + x];
      if (at >= 0) return;
      at = size_;
      size_ += places_.patch_sums();
    });
  }
  void add(const NodalForcing& f) {
    const std::int64_t level = static_cast<std::int64_t>(places_.NX) * places_.NY;
    for (std::int64_t n = 0; n < f.count(); ++n) add(f.node(n) % level);
  }
  const std::vector<std::int64_t>& at() const { return at_; }  // [patch] where its values begin, or -1
  std::int64_t size() const { return size_; }                  // of all values

 private:
  const Places<Patches>& places_;
  std::vector<std::int64_t> at_;
  std::int64_t size_ = 0;
};

}  // namespace agwave::leapfrog4
