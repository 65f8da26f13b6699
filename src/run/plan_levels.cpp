// SPDX-License-Identifier: Apache-2.0
#include "run/plan_levels.hpp"

#include <algorithm>

#include "error/error.hpp"
#include "timestep/two_sweep/layout.hpp"

namespace agwave {
namespace {

LevelWishes level_wishes(const Plan& plan) {
  return {.single = plan.variant->single,
          .layers = plan.mesh.elements[2],
          .chunk = two_sweep::PatchGrid<8, ColumnPatches::deep, void>::chunk_layers(plan.mesh.elements)};
}

Passes passes_of_gpu(const LevelWishes& wishes) {
  constexpr int multiprocessors = gpu_multiprocessors - 1;  // one is left to the exchange
  return {[=](double, std::int64_t patches) { return pass_time(patches, wishes, multiprocessors); }, patches_at_once(wishes, multiprocessors)};
}

// Matched strips damp at every coarsest step. In columns whose steps are halved more often than this that makes waves grow, from three halvings on at the rate
// that strips may have, from four on at a fifth of it (cases.matched): their waves turn by many circles from one damping to the next.
constexpr int most_halvings_in_strips = 2;

template <class F>
void each_column_of_strips(const Plan& plan, F&& visit) {  // visit(ex, ey)
  const StripReach x(plan.mesh, plan.sponge, 0), y(plan.mesh, plan.sponge, 1);
  for (std::int64_t ey = 0; ey < plan.mesh.elements[1]; ++ey)
    for (std::int64_t ex = 0; ex < plan.mesh.elements[0]; ++ex)
      if (x.in_mesh(ex) || y.in_mesh(ey)) visit(ex, ey);
}

void hold_strips(const Plan& plan, const ColumnPatches& patches, LevelWishes& wishes) {
  if (!plan.sponge.matched) return;
  wishes.held.assign(static_cast<std::size_t>(patches.count()), false);
  wishes.most_held = most_halvings_in_strips;
  each_column_of_strips(plan, [&](std::int64_t ex, std::int64_t ey) { wishes.held[static_cast<std::size_t>(patches.of(ex, ey))] = true; });
}

}  // namespace

LocalLevels plan_levels(const Case& c, const Plan& plan, const Comm& comm) {
  ColumnPatches patches{plan.mesh.elements[0], plan.mesh.elements[1]};
  patches.wide = std::max(patches.wide, plan.unit[0]);
  LocalLevels one = same_step_for_all(patches, plan.choice.dt);
  if (c.time.local_steps == 1 || plan.variant->ranks_with_levels < comm.size()) return one;
  std::vector<double> limits = patch_limits(plan.mesh, plan.limit.columns, *plan.variant->integrator, comm, patches.wide);
  const double longest = *std::max_element(limits.begin(), limits.end());
  for (double& limit : limits) limit *= c.time.safety;
  LevelWishes wishes = level_wishes(plan);
  if (c.time.local_steps) {  // whoever asks for levels gets those of the least work
    wishes.most = *c.time.local_steps;
    wishes.least_work = true;
  }
  hold_strips(plan, patches, wishes);
  const double least = *std::min_element(limits.begin(), limits.end()), alone = steps_on_offer(plan.interval, least, least).back();
  LocalLevels found;
  comm.agree([&] {
    StableStep coarsest = plan.limit;
    coarsest.dt = longest;
    const std::vector<double> steps = c.time.step ? std::vector<double>{choose_step(c.time, plan.interval, coarsest).dt}
                                                  : steps_on_offer(plan.interval, c.time.safety * longest, least);
    found = choose_levels(patches, limits, steps, alone, wishes);
  });
  return c.time.local_steps || found.gain > 1.1 ? found : one;
}

LevelCuts plan_cuts(const Case& c, const Plan& plan, int ranks) {
  std::vector<Cuts> even;
  for (const auto& grid : c.parallel.grid ? std::vector{plan.grid} : fitting_grids(c.mesh.elements, ranks, plan.unit))
    if (grid[2] == plan.grid[2]) even.push_back(even_cuts(c.mesh.elements, grid, plan.unit));
  return cut_by_work(plan.levels, even, plan.variant->device == Device::cuda ? passes_of_gpu(level_wishes(plan)) : passes_by_columns());
}

// A node of the floor answers a step of its own; those of finer levels would need one for each of theirs. Answering the coarsest step alone, it
// would hardly damp the sound of shallow columns (docs/theory.md).
void refuse_levels_over_floor(const Case& c) {
  if (c.boundary.floor && c.time.local_steps.value_or(1) > 1)
    throw Error(ExitCode::usage, text(to_string(c.time.local_steps_mark), ": columns step in levels over a rigid floor alone (boundary.floor); use ",
                                      "`local_steps: off`, or a rigid floor"));
}

std::string levels_note(const Case& c, const Plan& plan, const Comm& comm) {
  constexpr int levels = 8;
  constexpr double worth = 1.5;
  if (c.time.local_steps || c.boundary.floor || plan.levels.local() || plan.variant->device == Device::cuda) return "";
  Case asked = c;
  asked.time.local_steps = levels;
  const LocalLevels found = plan_levels(asked, plan, comm);
  if (found.fewer < worth) return "";
  return text(
      "note: time.local_steps: auto takes one step for all, as few columns fill no GPU and levels are the same on every device; on CPUs "
      "`local_steps: ",
      levels, "` takes ", rounded(found.fewer, 2), " times less work");
}

std::string unused_levels_note(const Case& c, const Plan& plan) {
  if (c.time.local_steps.value_or(1) == 1 || plan.levels.local()) return "";
  return text("note: ", to_string(c.time.local_steps_mark), ": ", *c.time.local_steps,
              ": all columns take the same step, as levels would take no less work; they go by patches of ", plan.levels.patches.wide, " x ",
              ColumnPatches::deep, " columns");
}

// Of matched strips the columns that take finer steps than the coarsest fade (timestep/leapfrog4/matched.hpp).
std::string finer_strips_note(const Plan& plan) {
  if (!plan.sponge.matched || !plan.levels.local()) return "";
  std::int64_t all = 0, finer = 0;
  each_column_of_strips(plan, [&](std::int64_t ex, std::int64_t ey) {
    ++all;
    finer += plan.levels.halvings_of(ex, ey) > 0;
  });
  if (finer == 0) return "";
  return text("note: boundary.sponge: ", finer, " of the matched strips' ", all, " columns take finer steps than the coarsest, at most ",
              1 << most_halvings_in_strips, " to a coarsest one, and fade as with type: fading; time.local_steps: off matches all");
}

}  // namespace agwave
