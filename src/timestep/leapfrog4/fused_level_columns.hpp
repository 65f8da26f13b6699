// SPDX-License-Identifier: Apache-2.0
// Where patches that step differently meet, on one rank or between ranks: found once, on the host, from the levels of the whole mesh, so that neighbours agree
// without a word. A node belongs to the coarsest patches that have it. Where these are other ranks', its column is borrowed (fused_layout.hpp).
#pragma once
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "timestep/leapfrog4/fused_levels_pointwise.hpp"
#include "timestep/local_steps/levels.hpp"

namespace agwave::leapfrog4 {

// Places::halvings of a rank's patches and of those around them.
template <class Patches>
std::vector<std::uint8_t> ring_of_halvings(const LocalLevels& levels, const Mesh& mesh, const Places<Patches>& places) {
  static_assert(Patches::EY == ColumnPatches::deep);
  if (levels.patches.wide != Patches::EX) throw std::logic_error("levels go by other patches than those of the variant");
  const std::int64_t west = mesh.part.first[0] / Patches::EX, south = mesh.part.first[1] / Patches::EY;
  std::vector<std::uint8_t> ring;
  for (std::int64_t y = south - 1; y <= south + places.py; ++y)
    for (std::int64_t x = west - 1; x <= west + places.px; ++x) {
      const bool there = 0 <= x && x < levels.patches.px() && 0 <= y && y < levels.patches.py();
      ring.push_back(there ? static_cast<std::uint8_t>(levels.levels[levels.number[static_cast<std::size_t>(y * levels.patches.px() + x)]].halvings)
                           : Places<Patches>::nobody);
    }
  return ring;
}

struct LevelColumns {
  std::vector<SharedColumn> shared;  // once for every patch of this rank that has them without being one of the coarsest
  std::vector<BorrowedColumn> borrowed;
  std::vector<std::int64_t> finer_at{
      0};  // of each patch, those of borrowed columns behind this rank's, where it begins in what is carried, and the end
  std::vector<std::int64_t> others_at;  // [patch] where its nodes of coarser patches begin in SweepArgs::others, or -1
  std::int64_t patches_with_others = 0;
  std::vector<bool> late;   // [patch] it waits for neighbours, or for a coarser patch that does
  std::vector<bool> inner;  // [patch] it does not, and all around it step as it does
  std::int64_t patches() const { return static_cast<std::int64_t>(finer_at.size()) - 1; }
};

// places.halvings: on the host. Below and above other ranks every patch waits for them.
template <class Patches>
class FindLevelColumns {
 public:
  FindLevelColumns(const Places<Patches>& places, const Partition& part) : p_(places), part_(part) {
    const auto count = static_cast<std::size_t>(p_.count());
    for (std::size_t patch = 0; patch < count; ++patch) add_patch(halvings(static_cast<int>(patch)));
    found_.others_at.assign(count, -1);
    for (int j = 0; j < p_.NY; ++j)
      for (int i = 0; i < p_.NX; ++i)
        if (i % p_.wide == 0 || j % p_.deep == 0) add_column(i, j);
    find_late();
    find_inner();
  }
  LevelColumns take() { return std::move(found_); }

 private:
  int halvings(int patch) const { return p_.halvings_of(patch % p_.px, patch / p_.px); }
  Place place(int patch, int column, int halvings) const {
    return {patch * p_.patch_sums() + column, found_.finer_at[static_cast<std::size_t>(patch)] + column,
            static_cast<std::int64_t>(patch) * Patches::level_size + column, patch, halvings};
  }
  Place place_in(int x, int y, int column) const { return place(y * p_.px + x, column, p_.halvings_of(x, y)); }
  int add_patch(int halvings) {
    found_.finer_at.push_back(found_.finer_at.back() + halvings * p_.patch_sums());
    return static_cast<int>(found_.patches()) - 1;
  }

  void add_column(int i, int j) {
    const int coarsest = p_.halvings_at(i, j);
    bool finer = false;
    p_.each(i, j, 0, [&](int x, int y, int, int) { finer = finer || p_.halvings_of(x, y) > coarsest; });
    if (!finer) return;
    const auto h = p_.holder(i, j);
    const Place here = place_in(h.x, h.y, Patches::column(i - p_.wide * h.x, j - p_.deep * h.y));
    const Place from = here.halvings == coarsest ? here : borrow(here, coarsest, i, j);
    p_.each(i, j, 0, [&](int x, int y, int, int column) {
      const Place to = place_in(x, y, column);
      if (to.halvings == coarsest) return;
      std::int64_t& at = found_.others_at[static_cast<std::size_t>(to.patch)];
      if (at < 0) at = found_.patches_with_others++ * p_.patch_sums();
      found_.shared.push_back({to, from, p_.sums_at(x, y) + column, at + column, i, j});
    });
  }
  Place borrow(const Place& here, int halvings, int i, int j) {
    if (open_.size() <= static_cast<std::size_t>(halvings)) open_.resize(static_cast<std::size_t>(halvings) + 1);
    Open& open = open_[static_cast<std::size_t>(halvings)];
    if (open.columns == Patches::level_size) open = {add_patch(halvings), 0};
    const Place to = place(open.patch, open.columns++, halvings);
    found_.borrowed.push_back({to, here, i, j});
    return to;
  }

  void find_late() {
    const auto at = [&](int patch) { return std::vector<bool>::reference(found_.late[static_cast<std::size_t>(patch)]); };
    for (int patch = 0; patch < p_.count(); ++patch) {
      const int x = patch % p_.px, y = patch / p_.px;
      found_.late.push_back(!part_.at_low(2) || !part_.at_high(2) || (x == 0 && !part_.at_low(0)) || (x == p_.px - 1 && !part_.at_high(0)) ||
                            (y == 0 && !part_.at_low(1)) || (y == p_.py - 1 && !part_.at_high(1)));
    }
    for (bool more = true; more;) {
      more = false;
      for (const SharedColumn& c : found_.shared) {
        if (c.from.patch < p_.count() && !at(c.from.patch)) continue;
        more = more || !at(c.to.patch);
        at(c.to.patch) = true;
      }
    }
  }

  void find_inner() {
    for (int patch = 0; patch < p_.count(); ++patch) {
      const int x = patch % p_.px, y = patch / p_.px, own = halvings(patch);
      bool alike = !found_.late[static_cast<std::size_t>(patch)];
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int around = p_.halvings_of(x + dx, y + dy);
          alike = alike && (around == own || around == Places<Patches>::nobody);
        }
      found_.inner.push_back(alike);
    }
  }

  struct Open {  // a place for borrowed columns that may have room
    int patch = -1, columns = Patches::level_size;
  };
  const Places<Patches>& p_;
  const Partition& part_;
  std::vector<Open> open_;  // [halvings]
  LevelColumns found_;
};

}  // namespace agwave::leapfrog4
