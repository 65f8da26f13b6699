// SPDX-License-Identifier: Apache-2.0
// Columns that step in levels (timestep/local_steps/): order 4 in the coarsest step over a smooth slope, walls at every level,
// forced runs at many steps, none worse than its neighbours, energy that stays, restarts.
#include "error/error.hpp"
#include "harness.hpp"

namespace agwave::cases {
namespace {

Case in_levels(Case c, int most = 16) {
  c.time.local_steps = most;
  return c;
}

// From 4 km of water in the west to 250 m, smooth, 2 km wide elements.
Case slope(Wall walls, std::array<std::int64_t, 3> elements = {24, 4, 1}) {
  Case c = box_case({2e3 * static_cast<double>(elements[0]), 2e3 * static_cast<double>(elements[1])}, 4000, elements, walls);
  c.domain.bathymetry = MarginBathymetry{250, 4000, 4000, 46e3, 40e3, 10e3, 500, 16e3};
  source(c, gaussian({18e3, 4e3}, {5e3, 6e3}), smoothstep_ramp(0, 8, 4));
  source(c, gaussian({35e3, 3e3}, {4e3, 5e3}), smoothstep_ramp(2, 6, 4), 0.3);
  seafloor(c, 10100, 1800);
  seafloor(c, 29900, 6100);
  hydrophone(c, 35100, 4900, -150);
  seafloor(c, 45100, 2500);
  gauge(c, 43000, 4000);
  set_time(c, 10, 1);
  return c;
}

// With one small step for all.
Traces exactly(Case c) {
  c.solver.variant = "auto";
  c.solver.scheme = "leapfrog4";
  c.time.local_steps = 1;
  c.time.safety = 0.3;
  return cases::run(c);
}

Traces run(const Case& c, const LocalLevels& levels) {  // these levels at the case's step
  Plan plan = make_plan(c, world());
  const double step = plan.choice.dt;
  plan.levels = levels;
  plan.levels.step = step;
  Model model(c, world(), std::move(plan));
  Traces traces;
  traces.value.resize(model.point_count());
  for (;; model.advance()) {
    if (model.step() % model.plan().choice.per_interval == 0) {
      const auto values = model.sample_all();
      traces.time.push_back(model.time());
      for (std::size_t n = 0; n < values.size(); ++n) traces.value[n].push_back(values[n]);
    }
    if (model.finished()) break;
  }
  traces.budget = model.budget();
  return traces;
}

void print(const LocalLevels& levels) { std::printf("    %s\n", to_text(levels).c_str()); }

TEST(LocalSteps, AreOfOrderFour) {
  Case c = in_levels(slope(Wall::rigid));
  const LocalLevels levels = make_plan(c, world()).levels;
  print(levels);
  ASSERT_GE(levels.levels.size(), 3u);
  const Traces truth = exactly(c);
  const double steps = std::round(1 / levels.step);
  double before = 0;
  for (const int part : {1, 2}) {
    c.time.step = 1 / (steps * part);
    c.time.safety = 1;
    const Traces found = run(c, levels);
    const double error = max_difference(found.value, truth.value);
    std::printf("    coarsest step %.4f s: %.2e of the largest pressure, falls by %.1f\n", *c.time.step, error, before > 0 ? before / error : 0);
    EXPECT_TRUE(before == 0 || before > 13 * error);
    before = error;
  }
}

// Were fine columns driven with what they resonate with, some steps would stand out from order 4.
TEST(LocalSteps, AreRightAtEveryStep) {
  Case c = in_levels(slope(Wall::rigid));
  set_time(c, 6, 6);
  for (SourceCase& s : c.sources) s.ramp = smoothstep_ramp(0, 3, 4);
  const Traces truth = exactly(c);
  std::printf("    coarsest step   error      / step^4\n");
  double least = inf, most = 0;
  for (int steps = 42; steps <= 63; steps += 3) {
    c.time.step = c.time.end / steps;
    const double error = max_difference(cases::run(c).value, truth.value), of_order_four = error / std::pow(*c.time.step, 4);
    std::printf("    %.4f s        %.1e    %.2f\n", *c.time.step, error, of_order_four);
    EXPECT_LT(error, 2e-3);
    least = std::min(least, of_order_four);
    most = std::max(most, of_order_four);
  }
  EXPECT_LT(most, 1.2 * least);
}

// Walls damp once a coarsest step, in second order: against small steps for all, along walls of every level.
TEST(LocalSteps, WallsAbsorbAtEveryLevel) {
  Case c = in_levels(slope(Wall::absorbing));
  c.time.end = 8;
  const Traces truth = exactly(c);
  double before = 0;
  for (const int steps : {8, 16}) {
    c.time.step = 1.0 / steps;
    const Traces found = cases::run(c);
    const double error = max_difference(found.value, truth.value);
    std::printf("    coarsest step %.4f s: %.1e of the largest pressure; energy budget off by %.1e\n", found.dt, error,
                std::abs(found.budget.residual / found.budget.final));
    EXPECT_LT(error, 4e-3);
    EXPECT_TRUE(before == 0 || error < before / 3);
    before = error;
  }
}

// What sources do is found in the energy, finest columns included: their own waves are not magnified where the completed state is formed.
TEST(LocalSteps, CloseTheEnergyBudget) {
  Case c = in_levels(slope(Wall::rigid));
  c.domain.bathymetry = MarginBathymetry{60, 4000, 4000, 46e3, 40e3, 10e3, 500, 16e3};
  for (SourceCase& s : c.sources) s.ramp = smoothstep_ramp(0, 8, 2);
  c.time.end = 5;  // in the middle of the rise
  const LocalLevels levels = make_plan(c, world()).levels;
  print(levels);
  ASSERT_GE(levels.levels.back().halvings, 4);
  const Traces found = cases::run(c);
  const double off = std::abs(found.budget.residual / found.budget.final);
  std::printf("    energy budget off by %.1e\n", off);
  EXPECT_LT(off, 5e-3);
}

// A closed box keeps its energy, whatever exchanges levels.
TEST(LocalSteps, KeepEnergy) {
  Case c = in_levels(slope(Wall::rigid));
  c.sources.clear();
  set_time(c, 60, 1);
  Model model(c, world());
  set_state(model, [](double x, double y, double) { return 1e3 * std::exp(-(std::pow(x - 30e3, 2) + std::pow(y - 3e3, 2)) / std::pow(5e3, 2)); });
  const double start = model.view().energies().total();
  double least = inf, most = 0;
  while (!model.finished()) {
    model.advance();
    if (model.step() % model.plan().choice.per_interval != 0) continue;
    const double energy = model.view().energies().total() / start;
    least = std::min(least, energy);
    most = std::max(most, energy);
  }
  std::printf("    energy within 60 s: %.6f to %.6f of what it was\n", least, most);
  EXPECT_GT(least, 1 - 1e-4);
  EXPECT_LT(most, 1 + 1e-4);
}

// Stopped and continued from its arrays at any coarsest step: the same bits.
TEST(LocalSteps, GoOnFromTheirArrays) {
  Case c = in_levels(slope(Wall::absorbing));
  c.boundary.sponge.width = {8000, 0, 0, 0};
  const auto state = [](Model& model) {
    std::vector<double> p, u;
    model.stepper().get_state(p, u);
    p.insert(p.end(), u.begin(), u.end());
    return p;
  };
  Model whole(c, world());
  const int half = 2 * std::max(1, static_cast<int>(whole.plan().sponge.every)) + 1;
  for (int n = 0; n < half; ++n) whole.advance();
  Model later(c, world());
  later.resume(half, whole.ledger());
  for (const StateArray& array : whole.stepper().arrays()) {
    const Mesh& m = whole.mesh();
    std::vector<double> values(static_cast<std::size_t>(array.items == StateArray::Items::elements ? m.NE() * 3 * L3D : m.nodes()));
    whole.stepper().get(array, 0, values);
    later.stepper().set(array, 0, values);
  }
  EXPECT_EQ(state(later), state(whole));
  for (int n = 0; n < half; ++n) {
    whole.advance();
    later.advance();
  }
  EXPECT_EQ(state(later), state(whole));
}

// The levels of the case, which one may choose by number, and one step where they would not pay.
TEST(LocalSteps, AreWhatTheCaseAsksFor) {
  Case c = in_levels(slope(Wall::rigid));
  const Plan plan = make_plan(c, world());
  EXPECT_EQ(plan.choice.dt, plan.levels.step);
  EXPECT_GE(plan.levels.levels.size(), 3u);
  EXPECT_LE(plan.levels.step_of(plan.levels.levels.size() - 1), 0.9 * plan.limit.dt * (1 + 1e-9));
  c.time.local_steps = 2;
  EXPECT_EQ(make_plan(c, world()).levels.levels.size(), 2u);
  c.time.local_steps.reset();  // auto: so small a mesh is not worth the launches
  EXPECT_FALSE(make_plan(c, world()).levels.local());
  EXPECT_LE(make_plan(c, world()).choice.dt, 0.9 * plan.limit.dt * (1 + 1e-9));
  c.time.local_steps = 4;
  c.time.step = 1;  // longer than any column takes
  EXPECT_THROW(make_plan(c, world()), Error);
  c.time.step.reset();
  c.solver.variant = "reference";
  EXPECT_THROW(make_plan(c, world()), Error);
}

}  // namespace
}  // namespace agwave::cases
