// SPDX-License-Identifier: Apache-2.0
#include "timestep/local_steps/level_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "error/error.hpp"
#include "timestep/local_steps/asides.hpp"

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

// The time that a step of the coarsest level takes for given cuts, in the unit of Passes.
class StepTime {
 public:
  StepTime(const LocalLevels& levels, const Passes& passes)
      : levels_(levels), passes_(passes), count_(levels.levels.size()), wide_(static_cast<std::size_t>(levels.patches.px()) + 1) {
    const ColumnPatches& patches = levels.patches;
    up_to_.assign(count_, std::vector<Count>(wide_ * (static_cast<std::size_t>(patches.py()) + 1)));
    for (std::size_t l = 0; l < count_; ++l)
      for (std::int64_t y = 0; y < patches.py(); ++y)
        for (std::int64_t x = 0; x < patches.px(); ++x) {
          const std::int64_t patch = y * patches.px() + x;
          const bool of_level = levels.number[static_cast<std::size_t>(patch)] == l;
          const Count own{of_level ? static_cast<double>(patches.columns(patch)) : 0.0, of_level};
          up_to_[l][place(x + 1, y + 1)] = own + up_to_[l][place(x, y + 1)] + up_to_[l][place(x + 1, y)] - up_to_[l][place(x, y)];
        }
  }
  struct Time {
    double all = 0, own = 0;  // of all ranks, who meet after every pass; of the mean rank alone
  };
  Time of(const std::array<Ends, 2>& ends) const {
    std::vector<Count> ranks;  // [rank][level]
    for (std::size_t y = 0; y + 1 < ends[1].size(); ++y)
      for (std::size_t x = 0; x + 1 < ends[0].size(); ++x)
        for (std::size_t l = 0; l < count_; ++l) ranks.push_back(between(l, ends, x, y));
    if (passes_.at_once > 0) leave_out_asides(ranks);
    std::vector<double> slowest(2 * count_, 0.0);
    Time time;
    for (std::size_t rank = 0; rank < ranks.size(); rank += count_) {
      Count begin{};
      double end = 0;
      for (std::size_t l = count_; l-- > 0;) {  // steps of this level and of finer ones begin, or end, together
        begin = begin + ranks[rank + l];
        end += pass(ranks[rank + l]);
        const double both[2] = {pass(begin), end};
        for (std::size_t n = 0; n < 2; ++n) {
          slowest[2 * l + n] = std::max(slowest[2 * l + n], both[n]);
          time.own += often(l) * both[n];
        }
      }
    }
    const std::size_t each = ranks.size() / count_;
    time.own /= static_cast<double>(each);
    for (std::size_t l = 0; l < count_; ++l) time.all += often(l) * (slowest[2 * l] + slowest[2 * l + 1]);
    return time;
  }

 private:
  struct Count {
    double columns = 0;
    std::int64_t patches = 0;
    Count operator+(const Count& o) const { return {columns + o.columns, patches + o.patches}; }
    Count operator-(const Count& o) const { return {columns - o.columns, patches - o.patches}; }
  };
  std::size_t place(std::int64_t x, std::int64_t y) const { return static_cast<std::size_t>(y) * wide_ + static_cast<std::size_t>(x); }
  Count between(std::size_t level, const std::array<Ends, 2>& ends, std::size_t x, std::size_t y) const {
    const std::int64_t x0 = ends[0][x], x1 = ends[0][x + 1], y0 = ends[1][y], y1 = ends[1][y + 1];
    const std::vector<Count>& up_to = up_to_[level];
    return up_to[place(x1, y1)] - up_to[place(x0, y1)] - up_to[place(x1, y0)] + up_to[place(x0, y0)];
  }
  double pass(const Count& n) const { return n.patches > 0 ? passes_.time(n.columns, n.patches) : 0; }
  double steps(std::size_t level) const { return std::ldexp(1.0, levels_.levels[level].halvings); }
  double often(std::size_t level) const {  // in a coarsest step, that steps of this level are the coarsest that begin at a time
    return level == 0 ? 1 : steps(level) - steps(level - 1);
  }

  // As find_asides() takes them, but for how portions come out.
  void leave_out_asides(std::vector<Count>& ranks) const {
    constexpr double inner = 0.9;  // of the patches of a level that has many
    std::vector<std::int64_t> most(2 * count_, 0);
    for (std::size_t rank = 0; rank < ranks.size(); rank += count_)
      for (std::size_t l = 0; l < count_; ++l)
        for (std::size_t n = 0; n < 2; ++n) most[2 * l + n] = std::max(most[2 * l + n], passed(&ranks[rank], l, n == 0));
    for (std::size_t rank = 0; rank < ranks.size(); rank += count_) {
      double all = 0, saves = 0, aside = 0;
      std::size_t of = 0;
      for (std::size_t l = 0; l < count_; ++l) all += steps(l) * static_cast<double>(ranks[rank + l].patches);
      for (std::size_t h = 0; h + 1 < count_; ++h) {
        double room = 0;
        for (std::size_t l = h + 1; l < count_; ++l)
          for (std::size_t n = 0; n < 2; ++n)
            room += (n == 0 ? steps(l) - steps(l - 1) : steps(l) - steps(h)) / steps(h) *
                    static_cast<double>(local_steps::room_beside(passed(&ranks[rank], l, n == 0), most[2 * l + n], passes_.at_once));
        const double found = std::min(inner * static_cast<double>(ranks[rank + h].patches), 0.5 * room), saved = steps(h) * found;
        if (saved <= saves || saved < 0.1 * all) continue;
        saves = saved;
        aside = found;
        of = h;
      }
      Count& count = ranks[rank + of];
      if (aside > 0) count = {count.columns * (1 - aside / static_cast<double>(count.patches)), count.patches - static_cast<std::int64_t>(aside)};
    }
  }
  std::int64_t passed(const Count* rank, std::size_t level, bool begins) const {
    std::int64_t patches = rank[level].patches;
    for (std::size_t l = level + 1; l < count_ && begins; ++l) patches += rank[l].patches;
    return patches;
  }

  const LocalLevels& levels_;
  const Passes& passes_;
  std::size_t count_, wide_;
  std::vector<std::vector<Count>> up_to_;  // [level][y][x] of the patches below and left of there
};

// Moves one cut after the other to where a step takes least, as long as one gains; of many ranks not far, for every place costs a look at all of them.
void move_cuts(std::array<Ends, 2>& ends, const StepTime& time) {
  constexpr double looks = 4e6;
  constexpr int turns = 4;
  const auto parts = [&](int d) { return static_cast<double>(ends[static_cast<std::size_t>(d)].size()) - 1; };
  const auto reach = static_cast<std::int64_t>(std::max(1.0, looks / (2 * parts(0) * parts(1) * (parts(0) + parts(1)))));
  double least = time.of(ends).all;
  bool better = true;
  for (int turn = 0; turn < turns && better; ++turn) {
    better = false;
    for (Ends& along : ends)
      for (std::size_t c = 1; c + 1 < along.size(); ++c) {
        const std::int64_t before = along[c], first = std::max(along[c - 1] + 1, before - reach), last = std::min(along[c + 1] - 1, before + reach);
        std::int64_t best = before;
        for (along[c] = first; along[c] <= last; ++along[c])
          if (const double now = time.of(ends).all; now < least * (1 - 1e-12)) {
            least = now;
            best = along[c];
          }
        along[c] = best;
        better = better || best != before;
      }
  }
}

LevelCuts cut(const LocalLevels& levels, const Cuts& even, const StepTime& time, double& least) {
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
  move_cuts(ends, time);
  result.busiest = busiest(stretches(work, ends[1], along_x), ends[0]) / mean;
  const StepTime::Time taken = time.of(ends);
  least = taken.all;
  result.waits = 1 - taken.own / taken.all;
  result.cuts[0] = in_elements(ends[0], levels.patches.wide, levels.patches.nx);
  result.cuts[1] = in_elements(ends[1], ColumnPatches::deep, levels.patches.ny);
  return result;
}

}  // namespace

Passes passes_by_columns() {
  return {[](double columns, std::int64_t) { return columns; }};
}

LevelCuts cut_by_work(const LocalLevels& levels, std::span<const Cuts> even, const Passes& passes) {
  const StepTime of_step(levels, passes);
  std::vector<LevelCuts> all;
  std::vector<double> takes;
  for (const Cuts& cuts : even) {
    takes.push_back(std::numeric_limits<double>::infinity());
    all.push_back(cut(levels, cuts, of_step, takes.back()));
  }
  const double least = *std::min_element(takes.begin(), takes.end());
  return all[static_cast<std::size_t>(std::find_if(takes.begin(), takes.end(), [&](double t) { return t <= 1.02 * least; }) - takes.begin())];
}

std::string to_text(const LevelCuts& cuts) {
  const std::size_t ranks = (cuts.cuts[0].size() - 1) * (cuts.cuts[1].size() - 1) * (cuts.cuts[2].size() - 1);
  return text("the busiest of ", ranks, " ranks has ", rounded(100 * (cuts.busiest - 1), 2), " % more work than the mean (",
              rounded(100 * (cuts.even - 1), 2), " % with as many columns for each); ranks wait ", rounded(100 * cuts.waits, 2),
              " % of the time for the slowest in each pass");
}

}  // namespace agwave
