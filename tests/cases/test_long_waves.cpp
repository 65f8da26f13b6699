// SPDX-License-Identifier: Apache-2.0
// A standing gravity wave 800 km long on 4 km of water: its period follows the exact dispersion relation, and the long-wave
// speed sqrt(gH / (1 + gH/c^2)), 0.9 % below that of an incompressible ocean, to what 1/6 (kH)^2 allows.
#include "exact_modal.hpp"
#include "harness.hpp"

namespace agwave::cases {
namespace {

TEST(LongWaves, StandingWavePeriod) {
  const OceanCase o;
  const double H = 4000;
  std::printf("    wavelength/H   period [s]   measured/exact - 1   / long wave - 1   / incompressible long wave - 1\n");
  for (const double Lx : {400e3, 40e3}) {
    const double k = pi / Lx, g = o.gravity;
    const ExactModal exact(o, H, k, gaussian_ramp(1), 1);
    const double omega = exact.omega()[0], period = 2 * pi / omega;
    Case c = box_case({Lx, 20e3}, H, {8, 1, 1});
    const double interval = std::floor(period / 100);
    set_time(c, 120 * interval, interval);
    gauge(c, 0, 0);
    hydrophone(c, 0.3 * Lx, 11e3, -3000);
    const auto traces = run(c, [&](Model& model) {
      set_state(model, [&](double x, double, double z) { return 1e4 * exact.shape(0, z) / exact.shape(0, 0) * std::cos(k * x); });
    });
    const Tones fit = fit_tones(traces.time, traces.value[1], {omega});
    const double measured = fit.omega[0], slow = k * std::sqrt(g * H / (1 + g * H / (o.sound_speed * o.sound_speed))), fast = k * std::sqrt(g * H);
    std::printf("    %8.0f       %9.3f    %+.1e             %+.5f          %+.5f   (%ld steps)\n", 2 * Lx / H, period, omega / measured - 1,
                slow / measured - 1, fast / measured - 1, std::lround(traces.time.back() / traces.dt));
    EXPECT_NEAR(measured / omega, 1, 1e-5);
    EXPECT_NEAR(fit.amplitude[0], 1e4, 10);
    if (Lx > 100e3) {
      EXPECT_NEAR(measured / slow, 1, 1e-3);
    }
  }
}

}  // namespace
}  // namespace agwave::cases
