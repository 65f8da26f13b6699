// SPDX-License-Identifier: Apache-2.0
// Energy over many steps: a closed box loses what RK4 is known to lose and no more, and nothing with the leapfrog; nothing grows at 0.99 of the
// largest stable step, and a step above it is refused. AGWAVE_LONG=1 in the environment makes it 100 000 steps instead of 2 000, and for the leapfrog
// 1 000 000 of a closed box instead of 200 000 (docs/reliability.md).
#include "error/error.hpp"
#include "exact_modal.hpp"
#include "schemes.hpp"

namespace agwave::cases {
namespace {

std::int64_t many() { return std::getenv("AGWAVE_LONG") ? 100000 : 2000; }

void set_steps(Model& model, std::int64_t steps, const std::function<void(double energy, double before)>& look) {
  double before = model.budget().final;
  for (std::int64_t step = 1; step <= steps; ++step) {
    model.advance();
    if (step % 100 != 0) continue;
    const double energy = model.budget().final;
    look(energy, before);
    before = energy;
  }
}

// Of a mode of frequency w / dt, RK4 keeps |1 + iw - w^2/2 - iw^3/6 + w^4/24|^2 = 1 - w^6/72 + w^8/576 of the energy in a step.
TEST(LongEnergy, ClosedBoxLosesWhatRk4Loses) {
  const double Lx = 8000, Ly = 6000, H = 4000, kx = pi / Lx, ky = pi / Ly;
  const ExactModal exact(OceanCase{}, H, std::hypot(kx, ky), gaussian_ramp(1));
  for (const char* variant : {"pa", "two-sweep"}) {
    Case c = box_case({Lx, Ly}, H, {4, 3, 3});
    c.solver.variant = variant;
    const double interval = 0.4;
    set_time(c, static_cast<double>(many()) / 10 * interval, interval, 10);
    Model model(c, world());
    set_state(model, [&](double x, double y, double z) { return 1e5 * exact.shape(1, z) * std::cos(kx * x) * std::cos(ky * y); });
    const double first = model.budget().final, w = exact.omega()[1] * model.dt();
    double last = first;
    set_steps(model, many(), [&](double energy, double before) {
      EXPECT_LE(energy, before * (1 + 1e-13));
      last = energy;
    });
    const double predicted = -static_cast<double>(many()) * std::log1p(-std::pow(w, 6) / 72 + std::pow(w, 8) / 576), lost = -std::log(last / first);
    std::printf("    %-9s %lld steps, omega dt %.4f: ln(E0/E) %.6e, RK4's %.6e, ratio %.5f\n", variant, static_cast<long long>(many()), w, lost,
                predicted, lost / predicted);
    EXPECT_NEAR(lost / predicted, 1, 0.02);
  }
}

// Of water that the pressure stores [m3], and what its absolute value would.
std::pair<double, double> stored(Model& model, const NodeView& nodes) {
  std::vector<double> p, u;
  model.stepper().get_state(p, u);
  double sum = 0, all = 0;
  for (std::size_t n = 0; n < p.size(); ++n) {
    const auto [i, j, k] = nodes.locate(static_cast<std::int64_t>(n));
    sum += nodes.mass(i, j, k) * p[n];
    all += nodes.mass(i, j, k) * std::abs(p[n]);
  }
  return {sum, all};
}

// The leapfrog keeps an energy of its own; the physical one of a mode wavers about its mean by (omega dt)^4, at twice the mode's frequency. A step
// rounds by 12 eps, (dt omega)^2 being up to 12: a mean that walks at random is off by 1.3e-12 after 10^6 steps. Where the box is lifted by 1 m, psi grows
// by the lift times dt a step, and what is rounded grows with it.
TEST(LongEnergy, ClosedBoxKeepsItsEnergyWithTheLeapfrog) {
  const std::int64_t steps = std::getenv("AGWAVE_LONG") ? 1000000 : 200000;
  const double Lx = 8000, Ly = 6000, H = 4000, kx = pi / Lx, ky = pi / Ly, eps = std::numeric_limits<double>::epsilon() / 2;
  const ExactModal exact(OceanCase{}, H, std::hypot(kx, ky), gaussian_ramp(1));
  const OceanCase ocean;
  for (const double lift : {0.0, ocean.density * ocean.gravity}) {
    Case c = stepped_by("leapfrog4", box_case({Lx, Ly}, H, {3, 2, 1}));
    set_time(c, 1, 0.5);
    Model model(c, world());
    const double amplitude = 1e5, dt = model.dt();
    set_state(model, [&](double x, double y, double z) { return lift + amplitude * exact.shape(1, z) * std::cos(kx * x) * std::cos(ky * y); });
    const Spaces spaces({model.mesh(), ocean, c.boundary, 4}, Space::host);
    const auto [first_volume, all] = stored(model, spaces.nodes());
    std::int64_t step = 0;
    const auto mean_energy = [&] {
      std::vector<double> time, energy;
      for (const double begin = static_cast<double>(step) * dt; time.size() < 1000; ++step) {
        model.stepper().step(dt, {});
        time.push_back(static_cast<double>(step) * dt - begin);
        energy.push_back(model.view().energies().total());
      }
      return fit_tones(time, energy, {2 * exact.omega()[1]}).mean;
    };
    const double first = mean_energy();
    for (; step < steps; ++step) model.stepper().step(dt, {});
    const double drift = mean_energy() / first - 1, moved = (stored(model, spaces.nodes()).first - first_volume) / all;
    const double N = static_cast<double>(steps), rounding = 12 * eps * (std::sqrt(N) + lift / amplitude * std::pow(N, 1.5) / std::sqrt(3.0));
    std::printf("    lifted by %.0f m, %lld steps of %.3f s: E/E0 - 1 = %+.1e, rounding up to %.1e; volume %+.1e\n",
                lift / ocean.density / ocean.gravity, static_cast<long long>(steps), dt, drift, rounding, moved);
    EXPECT_LT(std::abs(drift), rounding);
    EXPECT_LT(std::abs(drift), 1e-10);
    EXPECT_LT(std::abs(moved), 1e-13);
  }
}

void stays_at(double fraction, Wall walls) {
  Case c = box_case({8000, 6000}, 4000, {3, 3, 2}, walls);
  c.domain.bathymetry = CosineBathymetry{3000, 0.3, {1, 1}};
  c.solver.variant = "two-sweep";
  set_time(c, 10, 0.5);
  Plan plan = make_plan(c, world());
  plan.choice.dt = fraction * plan.limit.dt;
  Model model(c, world(), std::move(plan));
  std::uint64_t seed = 7;  // random data hold every mode, the fastest included
  set_state(model, [&](double, double, double) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed >> 11) * 0x1p-53 - 0.5;
  });
  const double first = model.budget().final;
  double last = first;
  set_steps(model, many(), [&](double energy, double before) {
    EXPECT_LE(energy, before * (1 + 1e-12));
    last = energy;
  });
  std::printf("    %.3f of the largest step, %s walls: E/E0 %.4f after %lld steps\n", fraction, walls == Wall::rigid ? "rigid" : "absorbing",
              last / first, static_cast<long long>(many()));
  EXPECT_LT(last, first);
}

TEST(LongEnergy, NothingGrowsBelowTheLargestStep) {
  stays_at(0.99, Wall::rigid);
  stays_at(0.99, Wall::absorbing);
}

TEST(LongEnergy, AboveTheLargestStepIsRefused) {
  Case c = box_case({8000, 6000}, 4000, {3, 3, 2});
  set_time(c, 10, 0.5);
  const double limit = make_plan(c, world()).limit.dt;
  c.time.step = 1.01 * limit;
  c.sensors.interval = 10 * *c.time.step;
  c.time.end = 100 * *c.time.step;
  try {
    make_plan(c, world());
    FAIL() << "a step 1 % too large was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("unstable"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace agwave::cases
