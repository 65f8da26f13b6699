// SPDX-License-Identifier: Apache-2.0
#include "timestep/local_steps/level_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "error/error.hpp"

namespace agwave {
namespace {

using Work = std::vector<std::vector<double>>;  // [row of patches][patch]
using Ends = std::vector<std::int64_t>;         // beginnings and the end, in patches
constexpr int along_x = 0, along_y = 1;

Work work_of(const LocalLevels& levels) {
  const ColumnPatches& patches = levels.patches;
  Work work(static_cast<std::size_t>(patches.py()));
  for (std::int64_t patch = 0; patch < patches.count(); ++patch) {
    const int halvings = levels.levels[levels.number[static_cast<std::size_t>(patch)]].halvings;
    work[static_cast<std::size_t>(patch / patches.px())].push_back(std::ldexp(static_cast<double>(patches.columns(patch)), halvings));
  }
  return work;
}

// What stands between cuts across the other direction, added up: [stretch][patch along d].
Work stretches(const Work& work, const Ends& across, int d) {
  const std::size_t along = d == along_x ? work.front().size() : work.size();
  Work sums(across.size() - 1, std::vector<double>(along, 0.0));
  for (std::size_t s = 0; s + 1 < across.size(); ++s)
    for (auto m = static_cast<std::size_t>(across[s]); m < static_cast<std::size_t>(across[s + 1]); ++m)
      for (std::size_t n = 0; n < along; ++n) sums[s][n] += d == along_x ? work[m][n] : work[n][m];
  return sums;
}

double most_between(const Work& sums, std::int64_t first, std::int64_t end) {
  double most = 0;
  for (const std::vector<double>& s : sums) {
    double all = 0;
    for (std::int64_t n = first; n < end; ++n) all += s[static_cast<std::size_t>(n)];
    most = std::max(most, all);
  }
  return most;
}
double busiest(const Work& sums, const Ends& cuts) {
  double most = 0;
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) most = std::max(most, most_between(sums, cuts[c], cuts[c + 1]));
  return most;
}

// So many parts, each as long as no stretch in it has more than `most`, but one patch at least; the last one has the rest.
Ends fill(const Work& sums, std::size_t parts, double most) {
  const auto count = static_cast<std::int64_t>(sums.front().size());
  Ends cuts{0};
  while (cuts.size() < parts) {
    const std::int64_t last = count - static_cast<std::int64_t>(parts - cuts.size());  // as many patches are left as parts
    std::vector<double> held(sums.size(), 0.0);
    std::int64_t end = cuts.back();
    const auto fits = [&] {
      for (std::size_t s = 0; s < sums.size(); ++s)
        if (held[s] + sums[s][static_cast<std::size_t>(end)] > most) return false;
      return true;
    };
    while (end < last && (end == cuts.back() || fits())) {
      for (std::size_t s = 0; s < sums.size(); ++s) held[s] += sums[s][static_cast<std::size_t>(end)];
      ++end;
    }
    cuts.push_back(end);
  }
  cuts.push_back(count);
  return cuts;
}
Ends best_along(const Work& sums, std::size_t parts) {
  double low = 0, high = most_between(sums, 0, static_cast<std::int64_t>(sums.front().size()));
  for (int n = 0; n < 50; ++n) {
    const double middle = 0.5 * (low + high);
    (busiest(sums, fill(sums, parts, middle)) <= middle ? high : low) = middle;
  }
  return fill(sums, parts, high);
}

Ends in_patches(const std::vector<std::int64_t>& elements, std::int64_t size) {
  Ends ends;
  for (const std::int64_t e : elements) ends.push_back((e + size - 1) / size);
  return ends;
}
std::vector<std::int64_t> in_elements(const Ends& ends, std::int64_t size, std::int64_t last) {
  std::vector<std::int64_t> elements;
  for (const std::int64_t e : ends) elements.push_back(std::min(e * size, last));
  return elements;
}

}  // namespace

LevelCuts cut_by_work(const LocalLevels& levels, const Cuts& even) {
  const Work work = work_of(levels);
  const std::size_t parts[2] = {even[0].size() - 1, even[1].size() - 1};
  LevelCuts result{even};
  if (parts[0] > work.front().size() || parts[1] > work.size()) return result;
  const double mean = most_between(stretches(work, {0, static_cast<std::int64_t>(work.size())}, along_x), 0, levels.patches.px()) /
                      static_cast<double>(parts[0] * parts[1]);
  std::array<Ends, 2> ends{in_patches(even[0], levels.patches.wide), in_patches(even[1], ColumnPatches::deep)};
  double most = busiest(stretches(work, ends[1], along_x), ends[0]);
  result.even = most / mean;
  for (bool better = true; better;) {
    better = false;
    for (const int d : {along_x, along_y}) {
      const Work sums = stretches(work, ends[1 - d], d);
      Ends found = best_along(sums, parts[d]);
      const double now = busiest(sums, found);
      if (now >= most) continue;
      most = now;
      ends[d] = std::move(found);
      better = true;
    }
  }
  result.busiest = most / mean;
  result.cuts[0] = in_elements(ends[0], levels.patches.wide, levels.patches.nx);
  result.cuts[1] = in_elements(ends[1], ColumnPatches::deep, levels.patches.ny);
  return result;
}

LevelCuts cut_by_work(const LocalLevels& levels, std::span<const Cuts> even) {
  std::vector<LevelCuts> all;
  double least = std::numeric_limits<double>::infinity();
  for (const Cuts& cuts : even) {
    all.push_back(cut_by_work(levels, cuts));
    least = std::min(least, all.back().busiest);
  }
  return *std::find_if(all.begin(), all.end(), [&](const LevelCuts& c) { return c.busiest <= 1.02 * least; });
}

std::string to_text(const LevelCuts& cuts) {
  const std::size_t ranks = (cuts.cuts[0].size() - 1) * (cuts.cuts[1].size() - 1) * (cuts.cuts[2].size() - 1);
  return text("the busiest of ", ranks, " ranks has ", rounded(100 * (cuts.busiest - 1), 2), " % more work than the mean (",
              rounded(100 * (cuts.even - 1), 2), " % with as many columns for each)");
}

}  // namespace agwave
