// SPDX-License-Identifier: Apache-2.0
// What a user gets who leaves the step to agwave: the error of each integrator at its own automatic step, in a flat box and in a piston against their
// exact solutions, over a seamount and over a cosine floor against a finer mesh. The table of docs/verification.md.
#include "modal_experiment.hpp"
#include "schemes.hpp"

namespace agwave::cases {
namespace {

struct Errors {
  double pressure, surface;
};

// Of both integrators, at the steps that they choose; `exact` has the traces of the case.
void compare(const char* name, const Case& c, const std::vector<std::vector<double>>& exact) {
  std::array<Errors, 2> error{};
  std::array<double, 2> dt{};
  for (std::size_t n = 0; n < schemes.size(); ++n) {
    const Traces traces = run(stepped_by(schemes[n], c));
    const Differences d = differences(c, traces.value, exact);
    error[n] = {d.pressure(), d.surface};
    dt[n] = traces.dt;
  }
  const double pressure = error[1].pressure / error[0].pressure, surface = error[1].surface / error[0].surface;
  std::printf("    %-26s  %.4f  %.4f   %.1e  %.1e  %6.3f   %.1e  %.1e  %6.3f\n", name, dt[0], dt[1], error[0].pressure, error[1].pressure, pressure,
              error[0].surface, error[1].surface, surface);
  EXPECT_LT(pressure, 1.0 / 3) << name;
  EXPECT_LT(surface, 1.2) << name;
}
void head() { std::printf("    case                        dt rk4  leapf.   pressure rk4, leapf., ratio   surface rk4, leapf., ratio\n"); }

TEST(AutomaticStep, ModalBox) {
  head();
  Experiment s;
  compare("flat box 12x8x4", s.make({12, 8, 4}), s.exact());
}

// In one dimension the pressure is A(t - (z + H) / c) + B(t + z / c), the velocity (A - B) / (rho c): A = rho c b_t + B at the floor; p = rho g eta
// at the surface. The surface's equation is integrated by the trapezoidal rule with steps of H / c / `per`. Floor and surface, every `interval`.
std::vector<std::vector<double>> characteristics(const OceanCase& o, double H, const Ramp& ramp, double interval, std::size_t samples) {
  const double travel = H / o.sound_speed, Z = o.density * o.sound_speed;
  const int per = 4000;
  const double step = travel / per, a = 0.5 * step * o.gravity / o.sound_speed;
  const auto count = static_cast<std::size_t>(interval * static_cast<double>(samples - 1) / step) + 2;
  std::vector<double> A(count), B(count);
  const auto late = [&](const std::vector<double>& f, std::size_t n) { return n >= per ? f[n - per] : 0.0; };
  for (std::size_t n = 0; n < count; ++n) {
    A[n] = Z * ramp_rate(ramp, static_cast<double>(n) * step) + late(B, n);
    if (n == 0) continue;
    const double here = late(A, n), before = late(A, n - 1);
    B[n] = (B[n - 1] * (1 - a) - (here - before) + a * (here + before)) / (1 + a);
  }
  std::vector<std::vector<double>> traces(2, std::vector<double>(samples));
  for (std::size_t s = 0; s < samples; ++s) {
    const double at = static_cast<double>(s) * interval / step;
    const auto n = static_cast<std::size_t>(at);
    const double f = at - static_cast<double>(n);
    const auto between = [&](const auto& value) { return (1 - f) * value(n) + f * value(n + 1); };
    traces[0][s] = between([&](std::size_t m) { return A[m] + late(B, m); });
    traces[1][s] = between([&](std::size_t m) { return late(A, m) + B[m]; });
  }
  return traces;
}

TEST(AutomaticStep, Piston) {
  head();
  const double H = 4000, interval = 0.5, end = 60;
  const Ramp ramp = gaussian_ramp(0.6);
  Case c = box_case({2000, 2000}, H, {1, 1, 12});
  set_time(c, end, interval);
  source(c, modal(0, 0), ramp);
  seafloor(c, 1700, 400);
  gauge(c, 1700, 400);
  compare("piston 1x1x12", c, characteristics(c.ocean, H, ramp, interval, static_cast<std::size_t>(end / interval) + 1));
}

// Over 40 km; the finer mesh has twice the elements each way, and RK4 steps of 12.5 ms.
void over(const char* name, const BathymetryCase& floor, std::int64_t columns, Motion motion, Wall walls) {
  const auto make = [&](int finer) {
    Case c = box_case({40e3, 2e3}, 4000, {finer * columns, 1, 4 * finer});
    c.domain.bathymetry = floor;
    c.boundary.west = c.boundary.east = walls;
    source(c, gaussian({18e3, 0}, {5e3, inf}), gaussian_ramp(1.5), 1, motion);
    for (const double x : {2e3, 14e3, 20e3, 27e3, 38e3}) {
      seafloor(c, x, 700);
      gauge(c, x, 700);
      hydrophone(c, x, 700, -1200);
    }
    set_time(c, 40, 0.5);
    return c;
  };
  Case fine = stepped_by("rk4", make(2));
  set_time(fine, 40, 0.5, 40);
  compare(name, make(1), run(fine).value);
}

TEST(AutomaticStep, Seamount) {
  head();
  const GaussianBathymetry seamount{4000, 1500, {20e3, 0}, {5e3, inf}};
  over("seamount 40x1x4, rigid", seamount, 40, Motion::normal, Wall::rigid);
  over("seamount 40x1x4, absorbing", seamount, 40, Motion::normal, Wall::absorbing);
}

TEST(AutomaticStep, CosineFloor) {
  head();
  const CosineBathymetry floor{4000, 0.12, {1, 0}};
  over("cosine floor 24x1x4", floor, 24, Motion::vertical, Wall::rigid);
  over("the same, absorbing", floor, 24, Motion::vertical, Wall::absorbing);
}

}  // namespace
}  // namespace agwave::cases
