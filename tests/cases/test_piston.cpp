// SPDX-License-Identifier: Apache-2.0
// A one-dimensional piston: the whole floor of a rigid box rises by b = 1 m. Until the echo from the surface is back the
// floor feels rho c b_t; then the column rings at tan(kappa H) = -c^2 kappa / g, 0.7 % below 4H/c at 4 km, about the mean
// height b / (1 + gH/c^2): the water below 1 m of lifted sea is compressed by its weight.
#include "exact_modal.hpp"
#include "harness.hpp"

namespace agwave::cases {
namespace {

class Piston : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Case c = box_case({3000, 3000}, H, {1, 1, 6});
    set_time(c, 80, 0.05, 10);
    source(c, modal(0, 0), ramp());
    seafloor(c, 1700, 400);
    gauge(c, 1700, 400);
    traces = new Traces(run(c));
  }
  static void TearDownTestSuite() {
    delete traces;
    traces = nullptr;
  }
  static Ramp ramp() { return gaussian_ramp(0.45); }
  static constexpr double H = 4000;
  static inline const OceanCase ocean{};
  static inline Traces* traces = nullptr;
};

TEST_F(Piston, FloorPressureIsRhoCTimesVelocityUntilTheEcho) {
  const double Z = ocean.density * ocean.sound_speed, echo = 2 * H / ocean.sound_speed;
  double most = 0, error = 0;
  for (std::size_t s = 0; s < traces->time.size() && traces->time[s] < echo; ++s) {
    const double expected = Z * ramp_rate(ramp(), traces->time[s]);
    most = std::max(most, expected);
    error = std::max(error, std::abs(traces->value[0][s] - expected));
  }
  std::printf("    largest rho c b_t %.4e Pa, error %.1e of it until t = 2H/c = %.2f s\n", most, error / most, echo);
  EXPECT_LT(error / most, 1e-3);
}

TEST_F(Piston, RingsAtTheModesOfTheColumnAboutTheCompressedMean) {
  const ExactModal exact(ocean, H, 0, ramp(), 9);
  std::vector<double> time, floor, height;
  for (std::size_t s = 0; s < traces->time.size(); ++s) {
    if (traces->time[s] < 2 * ramp().center) continue;  // the ramp is over
    time.push_back(traces->time[s]);
    floor.push_back(traces->value[0][s]);
    height.push_back(traces->value[1][s] / (ocean.density * ocean.gravity));
  }
  const std::vector<double> guess(exact.omega().begin() + 1, exact.omega().end());
  const Tones tones = fit_tones(time, floor, guess);
  std::printf("    mode   period [s]   measured/exact - 1   amplitude [Pa]   measured/exact - 1\n");
  for (std::size_t n = 1; n <= 5; ++n) {
    const double period = 2 * pi / exact.omega()[n], amplitude = std::abs(exact.weight(n, -H)) * exact.ringing(n);
    const double measured = 2 * pi / tones.omega[n - 1];
    std::printf("    %4zu   %9.5f    %+.1e             %.4e       %+.1e\n", n, period, measured / period - 1, amplitude,
                tones.amplitude[n - 1] / amplitude - 1);
    EXPECT_NEAR(measured / period, 1, 1e-3);
    EXPECT_NEAR(tones.amplitude[n - 1] / amplitude, 1, 1e-3);
  }
  const double first = 2 * pi / tones.omega[0] / (4 * H / ocean.sound_speed);
  const double mean = 1 / (1 + ocean.gravity * H / (ocean.sound_speed * ocean.sound_speed)), measured = fit_tones(time, height, guess).mean;
  std::printf("    first period / (4H/c) - 1 = %+.4f;  mean height %.6f m, exact %.6f m;  mean floor pressure / (rho g) %.6f m\n", first - 1,
              measured, mean, tones.mean / (ocean.density * ocean.gravity));
  EXPECT_NEAR(first, 0.993, 5e-4);
  EXPECT_NEAR(measured / mean, 1, 1e-3);
  EXPECT_NEAR(tones.mean / (ocean.density * ocean.gravity) / mean, 1, 1e-3);
}

}  // namespace
}  // namespace agwave::cases
