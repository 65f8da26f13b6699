// SPDX-License-Identifier: Apache-2.0
// The energy of the discrete system: a free mode loses (omega dt)^6 / 72 of it per step, which is RK4 and nothing else, and
// with sources and absorbing walls  E = work - loss  up to the error of the time integration, at order 4.
#include "exact_modal.hpp"
#include "harness.hpp"
#include "schemes.hpp"

namespace agwave::cases {
namespace {

TEST(Energy, FreeModeLosesWhatRk4Loses) {
  const double Lx = 8000, Ly = 6000, H = 4000, kx = pi / Lx, ky = pi / Ly;
  const ExactModal exact(OceanCase{}, H, std::hypot(kx, ky), gaussian_ramp(1));
  std::printf("    mode   omega dt   loss per step   / (omega dt)^6/72\n");
  for (const std::size_t mode : {1u, 2u}) {
    for (const int per : {8, 10, 14}) {
      const double omega = exact.omega()[mode], interval = 0.4;
      Case c = rk4_case({Lx, Ly}, H, {5, 4, 3});
      set_time(c, 40, interval, per);
      Model model(c, world());
      set_state(model, [&](double x, double y, double z) { return 1e5 * exact.shape(mode, z) * std::cos(kx * x) * std::cos(ky * y); });
      const double before = model.budget().final;
      for (std::int64_t step = 0; step < model.plan().steps; ++step) model.advance();
      const double w = omega * model.dt();
      const double loss = -std::log(model.budget().final / before) / static_cast<double>(model.plan().steps);
      std::printf("    %4zu   %8.4f   %.4e      %.4f\n", mode, w, loss, loss / (std::pow(w, 6) / 72));
      EXPECT_NEAR(loss / (std::pow(w, 6) / 72), 1, 0.1);
    }
  }
}

// `finest`: largest residual with the smallest step.
void budget_study(const Ramp& ramp, double end, const char* scheme, double finest) {
  std::printf("    %s\n    dt [s]    work [J]     loss [J]     energy [J]   residual/work   order\n", scheme);
  double before = 0;
  for (const int per : {8, 16, 32, 64}) {
    Case c = box_case({12e3, 9e3}, 4000, {3, 3, 2}, Wall::absorbing);
    if (c.solver.variant == "auto") c.solver.scheme = scheme;
    c.domain.bathymetry = GaussianBathymetry{4000, 1200, {5000, 5000}, {2500, 3000}};
    set_time(c, end, 0.5, per);
    source(c, gaussian({6500, 4000}, {2500, 2000}), ramp, 1, Motion::normal);
    const auto budget = run(c).budget;
    const double residual = std::abs(budget.residual) / budget.source_work;
    std::printf("    %.5f   %.5e  %.5e  %.5e  %.2e        %5.2f\n", 0.5 / per, budget.source_work, budget.boundary_loss, budget.final, residual,
                before > 0 ? std::log2(before / residual) : 0.0);
    EXPECT_GT(budget.boundary_loss, 0.05 * budget.source_work);  // else nothing has been tested
    EXPECT_NEAR(budget.residual, budget.final - budget.source_work + budget.boundary_loss, 1e-12 * budget.source_work);
    if (before > 0) {
      EXPECT_GT(std::log2(before / residual), 3.7);
    }
    before = residual;
  }
  EXPECT_LT(before, finest);
}
void budget_studies(const Ramp& ramp, double end) {
  const std::string named = box_case({1, 1}, 1, {1, 1, 1}).solver.variant;  // by who runs the tests: its own scheme
  const bool leapfrogs = named.starts_with("leapfrog");
  if (!leapfrogs) budget_study(ramp, end, "rk4", 1e-8);
  if (leapfrogs || named == "auto") budget_study(ramp, end, "leapfrog4", 2e-9);
}

TEST(Energy, BudgetClosesAtOrderFourGaussianRamp) { budget_studies(gaussian_ramp(0.9), 20); }
TEST(Energy, BudgetClosesAtOrderFourSmoothstep) { budget_studies(smoothstep_ramp(1, 8, 4), 16); }
TEST(Energy, BudgetClosesWhileTheSourceStillMoves) { budget_studies(gaussian_ramp(1.2), 11); }

// A linear ramp forces each step with the exact difference: its work is (b_n+1 - b_n) times the mean pressure, to second order.
TEST(Energy, LinearRampBudgetCloses) {
  double before = 0;
  std::printf("    dt [s]    residual/work, linear ramp   order\n");
  for (const int per : {16, 32, 64}) {
    Case c = box_case({12e3, 9e3}, 4000, {3, 3, 2}, Wall::absorbing);
    set_time(c, 12, 0.5, per);
    Ramp ramp = smoothstep_ramp(0.5, 5, 2);
    ramp.type = Ramp::Type::linear;
    source(c, gaussian({6500, 4000}, {2500, 2000}), ramp);
    const auto budget = run(c).budget;
    const double residual = std::abs(budget.residual) / budget.source_work;
    std::printf("    %.5f   %.2e   %5.2f\n", 0.5 / per, residual, before > 0 ? std::log2(before / residual) : 0.0);
    before = residual;
  }
  EXPECT_LT(before, 1e-3);
}

// At the automatic step it is filtered: what the filter takes leaves the water.
TEST(Energy, FilteredBudgetClosesAsItDoesUnfiltered) {
  std::printf("    filter   work [J]     taken [J]    energy [J]   residual/work\n");
  double unfiltered = 0;
  for (const bool filter : {false, true}) {
    Case c = stepped_by("leapfrog4", box_case({12e3, 9e3}, 4000, {3, 3, 2}, Wall::absorbing));
    c.time.filter = filter;
    set_time(c, 12, 0.5);
    Ramp ramp = smoothstep_ramp(0.5, 5, 2);
    ramp.type = Ramp::Type::linear;
    source(c, gaussian({6500, 4000}, {2500, 2000}), ramp);
    const auto budget = run(c).budget;
    const double residual = std::abs(budget.residual) / budget.source_work;
    std::printf("    %-6s   %.5e  %.5e  %.5e  %.2e\n", filter ? "on" : "off", budget.source_work, budget.sponge_loss, budget.final, residual);
    if (filter) {
      EXPECT_GT(budget.sponge_loss, 0.02 * budget.source_work);
      EXPECT_LT(residual, 1.6 * unfiltered);
    } else {
      EXPECT_EQ(budget.sponge_loss, 0);
    }
    unfiltered = residual;
  }
}

// What a floor that gives way takes in half a step goes by the pressure after the filter, as the work of the sources does.
TEST(Energy, FilteredBudgetClosesOverAFloorThatGivesWay) {
  std::printf("    dt [s]    residual/work: unfiltered   filtered   taken/work\n");
  for (const int per : {20, 30}) {
    double residual[2] = {}, taken = 0;
    for (const bool filter : {false, true}) {
      Case c = stepped_by("leapfrog4", box_case({32e3, 16e3}, 2000, {16, 8, 2}));
      c.domain.bathymetry = CosineBathymetry{2000, 0.3, {0.5, 0}};
      c.boundary.floor = FloorCase{.density = {1900}, .sound_speed = {1700}};
      c.time.filter = filter;
      set_time(c, 12, 1.0 / per);  // samples ask for the step, so that it is filtered as much as the longest one
      Ramp ramp = smoothstep_ramp(0.7, 3, 2);
      ramp.type = Ramp::Type::linear;
      source(c, gaussian({13e3, 8e3}, {4000, 4000}), ramp);
      const auto budget = run(c).budget;
      residual[filter] = budget.residual / budget.source_work;
      taken = budget.sponge_loss / budget.source_work;
    }
    std::printf("    %.5f   %12.2e   %20.2e   %.2e\n", 1.0 / per, residual[0], residual[1], taken);
    EXPECT_GT(taken, 1e-3);
    EXPECT_NEAR(residual[1], residual[0], 1.5e-3);
  }
}

}  // namespace
}  // namespace agwave::cases
