// SPDX-License-Identifier: Apache-2.0
// A device takes the patches of a pass in rounds, of as many as it has at once, and part of it stands idle in the last one; all of it where other ranks, whose
// neighbours wait for them, take longer. There is work for it: patches amid others of their level touch nothing that steps more finely, so the two passes of
// their step may come at any time within it. Some of them go aside: the passes of finer patches between the beginning and the end of their step each take a
// portion along, as many as there is room for, until each patch has had its first pass, then its second.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "timestep/local_steps/schedule.hpp"

namespace agwave::local_steps {

// [halvings] patches that pass where steps of so many halvings and more begin, where those of so many alone end.
struct PassPatches {
  std::vector<std::int64_t> begin, end;
  explicit PassPatches(const std::vector<std::int64_t>& patches) : begin(patches), end(patches) {
    for (std::size_t h = begin.size() - 1; h-- > 0;) begin[h] += begin[h + 1];
  }
  std::int64_t of(const LevelSweep& s) const { return (s.kind == LevelSweep::Kind::begin ? begin : end)[static_cast<std::size_t>(s.from)]; }
};

// For so many patches beside those of a pass, which takes as long as that of the rank that has most. A pass of less than half a round is sooner done alone.
inline std::int64_t room_beside(std::int64_t patches, std::int64_t most, std::int64_t at_once) {
  return 2 * most < at_once ? 0 : (most + at_once - 1) / at_once * at_once - patches;
}

struct Asides {
  struct Portion {  // of the patches aside, for the pass that begins or ends their step
    bool ends;
    int first, last;
  };
  int halvings = -1;                // of the level they are of; -1: none goes aside
  int patches = 0;                  // how many
  std::vector<Portion> portions{};  // [pass of finer patches within a step of that level], in order
};

namespace aside_detail {
inline Asides of_level(int halvings, const std::vector<LevelSweep>& sweeps, const PassPatches& own, const PassPatches& most, std::int64_t inner,
                       std::int64_t at_once) {
  std::vector<std::int64_t> rooms;
  std::int64_t all = 0;
  for (const LevelSweep& s : sweeps) {
    if (s.kind == LevelSweep::Kind::end && s.from == halvings) break;
    if (s.from <= halvings) continue;
    rooms.push_back(room_beside(own.of(s), most.of(s), at_once));
    all += rooms.back();
  }
  const auto place = [&](std::int64_t count) {  // patches 0: there is no room for so many
    Asides asides{halvings, static_cast<int>(count)};
    std::int64_t given = 0;  // of both passes
    for (const std::int64_t room : rooms) {
      const bool ends = given >= count;
      const std::int64_t first = ends ? given - count : given, last = std::min(count, first + room);
      asides.portions.push_back({ends, static_cast<int>(first), static_cast<int>(last)});
      given += last - first;
    }
    if (given < 2 * count) asides.patches = 0;
    return asides;
  };
  std::int64_t least = 0, most_of_them = std::min(inner, all / 2);
  while (least < most_of_them) {  // no room is shared by first passes and second ones, so that half of all may be too many
    const std::int64_t middle = (least + most_of_them + 1) / 2;
    if (place(middle).patches > 0)
      least = middle;
    else
      most_of_them = middle - 1;
  }
  return least > 0 ? place(least) : Asides{};
}
}  // namespace aside_detail

// patches, inner: [halvings] of a rank; most: of a pass, of the rank that has most in it; at_once: how many the device passes at once. The level whose patches
// aside save the most, if that is a tenth of all work: their launches cost something.
inline Asides find_asides(const std::vector<LevelSweep>& sweeps, const std::vector<std::int64_t>& patches, const PassPatches& most,
                          const std::vector<std::int64_t>& inner, std::int64_t at_once) {
  const PassPatches own(patches);
  Asides best;
  double saves = 0, all = 0;
  for (std::size_t h = 0; h < patches.size(); ++h) all += std::ldexp(static_cast<double>(patches[h]), static_cast<int>(h));
  for (std::size_t h = 0; h + 1 < patches.size() && at_once > 0; ++h) {
    Asides found = aside_detail::of_level(static_cast<int>(h), sweeps, own, most, inner[h], at_once);
    const double saved = std::ldexp(static_cast<double>(found.patches), static_cast<int>(h));
    if (saved <= saves || saved < 0.1 * all) continue;
    saves = saved;
    best = std::move(found);
  }
  return best;
}

}  // namespace agwave::local_steps
