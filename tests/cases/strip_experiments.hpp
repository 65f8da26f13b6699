// SPDX-License-Identifier: Apache-2.0
// What comes back from the east wall and the strip before it, of sound at an angle and of a long gravity wave.
#pragma once
#include "boundary/strip.hpp"
#include "harness.hpp"

namespace agwave::cases {

// A packet around the rigid west wall at rest, which mirrors what of it runs west: all of it runs east at this angle, as the lowest mode between rigid
// south and north walls, below a lid. The square root of the energy left when it has been to the east wall and is back is the amplitude that came back.
// The case gets its strip and integrator from `with`; its energy budget has to close to `residual` of the energy. estimated: what `check` expects, or null.
template <class With>
double sound_back(double degrees, double residual, With&& with, double* estimated = nullptr) {
  constexpr double L = 56e3, H = 4000, wavelength = 4e3, c0 = 1500;
  const double k = 2 * pi / wavelength, angle = degrees * pi / 180, kx = k * std::cos(angle), ky = k * std::sin(angle);
  const double Ly = ky > 0 ? pi / ky : 2e3, sigma = 8e3;
  Case c = with(box_case({L, Ly}, H, {40, 1, 1}));
  c.boundary.east = Wall::absorbing;
  c.boundary.surface = Surface::rigid;
  set_time(c, std::ceil(2 * L / (c0 * std::cos(angle))), 0.5, 4);
  Model model(c, world());
  set_state(model, [=](double x, double y, double) { return std::exp(-0.5 * std::pow(x / sigma, 2)) * std::cos(kx * x) * std::cos(ky * y); });
  const double before = model.budget().final;
  for (std::int64_t step = 0; step < model.plan().steps; ++step) model.advance();
  const EnergyBudget after = model.budget();
  if (estimated) *estimated = strip_reflection(model.plan().sponge, 1, c0, c0, angle, wavelength / c0);
  EXPECT_LT(std::abs(after.final + after.boundary_loss + after.sponge_loss - before), residual * before);
  return std::sqrt(after.final / before);
}

// As in test_absorbing: half a Gaussian of standard deviation 40 km, in water of 4 km. A hundredth of it is still to come when what comes back is looked for.
template <class With>
double gravity_back(std::int64_t elements, EnergyBudget& budget, With&& with) {
  constexpr double rho = 1025, g = 9.81, H = 4000, c0 = 1500;
  const double s = std::sqrt(g * H / (1 + g * H / (c0 * c0))), sigma = 40e3, length = 6 * sigma, interval = 0.05 * sigma / s;
  Case c = with(box_case({length, 2 * H}, H, {elements, 1, 1}));
  c.boundary.east = Wall::absorbing;
  set_time(c, 230 * interval, interval);
  gauge(c, length - 3 * sigma, H);
  const auto traces =
      run(c, [&](Model& model) { set_state(model, [=](double x, double, double) { return rho * g * std::exp(-0.5 * std::pow(x / sigma, 2)); }); });
  double in = 0, out = 0;
  for (std::size_t n = 0; n < traces.time.size(); ++n) {
    double& largest = traces.time[n] < 6 * sigma / s ? in : out;
    largest = std::max(largest, std::abs(traces.value[0][n]));
  }
  budget = traces.budget;
  return out / in;
}

}  // namespace agwave::cases
