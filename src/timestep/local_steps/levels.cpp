// SPDX-License-Identifier: Apache-2.0
#include "timestep/local_steps/levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "error/error.hpp"

namespace agwave {
namespace {

constexpr int most_halvings = 12;
constexpr double rounding = 1e-9;  // relative: a step that is the limit but for its last bits is stable

// How often `step` has to be halved to be at most `limit`.
int halvings_to(double limit, double step) { return std::max(0, static_cast<int>(std::ceil(std::log2(step / limit) - rounding))); }

// Columns, and patches, by the halvings that they ask for.
struct Histogram {
  std::vector<std::int64_t> columns, patches;
  void resize(std::size_t size) {
    columns.resize(size, 0);
    patches.resize(size, 0);
  }
};

// Which halvings are levels, as bits. Columns go to the next level that is fine enough.
using Kept = std::uint32_t;
int next_kept(Kept kept, int halvings) { return halvings + std::countr_zero(kept >> halvings); }

// What so many patches take at once, in the time that one takes: two on a multiprocessor share what one has to itself, or in single precision three, which
// wait for each other less. Measured on an H100 and an H200 with two and three layers; these stand for all, or levels would depend on the device.
double at_once(std::int64_t patches, bool single, std::int64_t alone) {
  const auto rounds = [&](std::int64_t of) {
    const std::int64_t whole = (patches + of - 1) / of;
    return static_cast<double>(whole);
  };
  if (patches <= alone) return rounds(alone);
  if (!single) return 2 * rounds(2 * alone);
  return patches <= 2 * alone ? 1.4 : patches <= 3 * alone ? 1.8 : 0.7 + 1.1 * rounds(3 * alone);
}

struct Prediction {  // of one step of the coarsest level
  double visits = 0, cost = std::numeric_limits<double>::infinity();
};
Prediction predict(const Histogram& asked, Kept kept, const LevelWishes& wishes) {
  Prediction p{0, 0};
  std::vector<std::int64_t> patches(asked.patches.size(), 0);
  std::int64_t rest = 0;  // that step so finely at least
  for (std::size_t h = 0; h < asked.columns.size(); ++h) {
    const int level = next_kept(kept, static_cast<int>(h));
    p.visits += 2 * std::ldexp(static_cast<double>(asked.columns[h] * wishes.layers), level);
    patches[static_cast<std::size_t>(level)] += asked.patches[h];
    rest += asked.patches[h];
  }
  if (wishes.least_work) return {p.visits, p.visits};
  double begun = 0;  // passes that begin steps of coarser levels and finer ones at once
  for (std::size_t h = 0; h < patches.size(); ++h) {
    if (!(kept >> h & 1)) continue;
    const double steps = std::ldexp(1.0, static_cast<int>(h));
    p.cost += (steps - begun) * pass_time(rest, wishes) + steps * pass_time(patches[h], wishes);
    begun = steps;
    rest -= patches[h];
  }
  return p;
}

// The cheapest levels among those that have a coarsest and a finest one, and one that is fine enough, and not too fine, for patches that are held.
Kept cheapest(const Histogram& asked, int held, const LevelWishes& wishes, Prediction& least) {
  const int finest = static_cast<int>(asked.columns.size()) - 1;
  const Kept ends = Kept{1} | Kept{1} << finest;
  Kept best = 0;
  least = {};
  for (Kept between = 0; between < (Kept{1} << std::max(0, finest - 1)); ++between) {
    const Kept kept = ends | between << 1;
    if (std::popcount(kept) > wishes.most || (held > 0 && next_kept(kept, held) > wishes.most_held)) continue;
    const Prediction p = predict(asked, kept, wishes);
    if (p.cost < least.cost) {
      least = p;
      best = kept;
    }
  }
  return best;
}

}  // namespace

std::int64_t patches_at_once(const LevelWishes& wishes, int multiprocessors) { return (wishes.single ? 3 : 2) * multiprocessors / wishes.chunks(); }
// A patch that comes costs a layer more, a pass that begins and ends, with what its seams need, three.
double pass_time(std::int64_t patches, const LevelWishes& wishes, int multiprocessors) {
  const std::int64_t chunks = wishes.chunks();
  return 3 + at_once(patches * chunks, wishes.single, multiprocessors) * (1 + static_cast<double>(wishes.layers) / static_cast<double>(chunks));
}

std::int64_t ColumnPatches::columns(std::int64_t patch) const {
  return std::min<std::int64_t>(wide, nx - patch % px() * wide) * std::min<std::int64_t>(deep, ny - patch / px() * deep);
}

std::vector<double> patch_limits(const Mesh& mesh, const ColumnBounds& columns, const Integrator& integrator, const Comm& comm, std::int64_t wide_) {
  const ColumnPatches patches{mesh.elements[0], mesh.elements[1], wide_};
  const int wide = static_cast<int>(wide_);
  std::vector<double> omega2(static_cast<std::size_t>(patches.nx * patches.ny), 0.0);
  for (int ey = 0; ey < columns.ny && mesh.part.at_low(2); ++ey)  // ranks above one another have the same columns
    for (int ex = 0; ex < columns.nx; ++ex)
      omega2[static_cast<std::size_t>((mesh.part.first[1] + ey) * patches.nx + mesh.part.first[0] + ex)] = columns.patch(ex, ey, 1, 1);
  comm.sum(omega2);
  const ColumnBounds all{static_cast<int>(patches.nx), static_cast<int>(patches.ny), std::move(omega2)};
  std::vector<double> limits;
  for (int y = 0; y < all.ny; y += ColumnPatches::deep)
    for (int x = 0; x < all.nx; x += wide) {
      const int west = std::max(0, x - 1), south = std::max(0, y - 1);
      limits.push_back(integrator.imaginary_limit / std::sqrt(all.patch(west, south, x + wide + 1 - west, y + ColumnPatches::deep + 1 - south)));
    }
  return limits;
}

double LocalLevels::step_of(std::size_t level) const { return std::ldexp(step, -levels[level].halvings); }

namespace {
double visits_of(const LocalLevels::Level& l) { return std::ldexp(static_cast<double>(l.columns), l.halvings); }
}  // namespace

double LocalLevels::work() const {
  double all = 0;
  for (const Level& l : levels) all += visits_of(l);
  return all / static_cast<double>(patches.nx * patches.ny);
}
double LocalLevels::share(std::size_t level) const { return visits_of(levels[level]) / (work() * static_cast<double>(patches.nx * patches.ny)); }

std::string to_text(const LocalLevels& levels) {
  std::string all;
  for (std::size_t l = 0; l < levels.levels.size(); ++l)
    all += text(l == 0 ? "" : ", ", rounded(levels.step_of(l)), " s in ", levels.levels[l].columns, " columns (", rounded(100 * levels.share(l), 2),
                " % of the work)");
  return text(all, ", predicted to gain a factor of ", rounded(levels.gain, 3));
}

LocalLevels same_step_for_all(const ColumnPatches& patches, double step) {
  LocalLevels one{.patches = patches, .step = step, .levels = {{0, patches.nx * patches.ny}}};
  one.number.assign(static_cast<std::size_t>(patches.count()), 0);
  return one;
}

LocalLevels choose_levels(const ColumnPatches& patches, std::span<const double> limits, std::span<const double> steps, double alone,
                          const LevelWishes& wishes) {
  Prediction least;  // per second
  Kept best = 0;
  LocalLevels result{.patches = patches};
  for (const double step : steps) {
    Histogram asked;
    asked.resize(1);
    bool fits = true;
    int held = 0;  // halvings that patches which are held ask for
    for (std::size_t patch = 0; patch < limits.size() && fits; ++patch) {
      const auto h = static_cast<std::size_t>(halvings_to(limits[patch], step));
      if (!wishes.held.empty() && wishes.held[patch]) held = std::max(held, static_cast<int>(h));
      fits = h <= most_halvings && held <= wishes.most_held;
      if (!fits) break;
      if (h >= asked.columns.size()) asked.resize(h + 1);
      asked.columns[h] += patches.columns(static_cast<std::int64_t>(patch));
      ++asked.patches[h];
    }
    if (!fits || (wishes.most < 2 && asked.columns.size() > 1)) continue;
    Prediction p;
    const Kept kept = cheapest(asked, held, wishes, p);
    if (p.cost / step >= least.cost) continue;
    least = {p.visits / step, p.cost / step};
    best = kept;
    result.step = step;
  }
  if (best == 0)
    throw Error(ExitCode::usage,
                text("local steps: a coarsest step of ", steps.empty() ? 0.0 : steps.front(), " s would have to be halved more than ", most_halvings,
                     " times", wishes.held.empty() ? "" : text(", or in matched strips more than ", wishes.most_held),
                     "; give a smaller time.step, or `step: auto`"));
  for (Kept rest = best; rest != 0; rest &= rest - 1) result.levels.push_back({std::countr_zero(rest), 0});
  for (std::size_t patch = 0; patch < limits.size(); ++patch) {
    const int least = halvings_to(limits[patch], result.step);
    const auto level = std::ranges::find_if(result.levels, [least](const LocalLevels::Level& l) { return l.halvings >= least; });
    result.number.push_back(static_cast<std::uint8_t>(level - result.levels.begin()));
    level->columns += patches.columns(static_cast<std::int64_t>(patch));
  }
  const Prediction one = predict({{patches.nx * patches.ny}, {patches.count()}}, 1, wishes);
  result.gain = one.cost / alone / least.cost;
  result.fewer = one.visits / alone / least.visits;
  return result;
}

std::vector<double> steps_on_offer(double interval, double longest, double shortest) {
  constexpr double apart = 1.01;  // where there are many
  std::vector<double> steps;
  const auto parts = [interval](double step) { return static_cast<std::int64_t>(std::ceil(interval / step * (1 - rounding))); };
  const auto step = [interval](std::int64_t n) { return interval / static_cast<double>(n); };
  const std::int64_t last = parts(shortest);
  for (std::int64_t n = parts(longest); n < last; n = std::max(n + 1, static_cast<std::int64_t>(static_cast<double>(n) * apart)))
    steps.push_back(step(n));
  steps.push_back(step(last));
  return steps;
}

}  // namespace agwave
