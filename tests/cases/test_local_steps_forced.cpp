// SPDX-License-Identifier: Apache-2.0
// Forced runs in levels at twenty steps between safety 0.7 and 0.95: were finer columns driven with what they resonate with, some steps would stand out.
// AGWAVE_LONG=1 in the environment makes it 44 safeties.
// label: slow
#include "levels_of_tests.hpp"

namespace agwave::cases {
namespace {

// Water of 2.4 km, a slope, a shelf of 200 m. Elements of 300 m carry shorter periods than the sources have.
Case shelf_and_slope(double ramp, std::int64_t columns, std::int64_t layers) {
  const double width = 19.2e3 / static_cast<double>(columns);
  Case c = box_case({19.2e3, width}, 2400, {columns, 1, layers});
  c.domain.bathymetry = MarginBathymetry{200, 2400, 2400, 16e3, 11e3, 2e3, 0, 20e3};
  c.time.local_steps = 8;
  source(c, gaussian({6e3, 0}, {1.5e3, 30e3}), smoothstep_ramp(0, ramp, 4));
  source(c, gaussian({14e3, 0}, {1e3, 30e3}), smoothstep_ramp(0.5, ramp, 4), 0.5);
  for (double at = 100; at < 19.2e3; at += 200) seafloor(c, at, width / 3);
  for (double at = 200; at < 19.2e3; at += 400) hydrophone(c, at, 2 * width / 3, -150);
  set_time(c, 4, 2);
  return c;
}

Traces exactly(Case c) {  // with small steps, the same for all
  c.solver.scheme = "leapfrog4";
  c.time.local_steps = 1;
  c.time.safety = 0.4;
  return run(c);
}

double median(Values values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

void expect_even(double ramp, std::int64_t columns, std::int64_t layers, double most) {
  const Case c = shelf_and_slope(ramp, columns, layers);
  const Traces truth = exactly(c);
  Values errors;
  std::printf("    ramp of %.1f s, %lld columns\n    safety   coarsest step   levels   error\n", ramp, static_cast<long long>(columns));
  const int runs = std::getenv("AGWAVE_LONG") ? 44 : 20;
  for (int n = 0; n < runs; ++n) {
    Case at = c;
    at.time.safety = 0.7 + 0.25 * n / (runs - 1);
    const Plan plan = make_plan(at, world());
    const Traces found = run(at);
    errors.push_back(max_difference(found.value, truth.value));
    std::printf("    %.3f    %.4f s        %zu        %.1e\n", at.time.safety, found.dt, plan.levels.levels.size(), errors.back());
    EXPECT_GE(plan.levels.levels.size(), 3u);
    EXPECT_LT(errors.back(), most) << "ramp " << ramp << " s, safety " << at.time.safety;
  }
  for (std::size_t n = 0; n < errors.size(); ++n) {
    Values around;
    for (std::size_t m = n < 2 ? 0 : n - 2; m <= std::min(n + 2, errors.size() - 1); ++m)
      if (m != n) around.push_back(errors[m]);
    EXPECT_LT(errors[n], 2 * median(around)) << "ramp " << ramp << " s, run " << n;
  }
}

TEST(LocalStepsForced, NoStepStandsOut) {
  for (const double ramp : {1.0, 1.5, 3.0}) expect_even(ramp, 64, 8, 5e-4);
}

// On elements of 800 m stable steps are too long for a ramp of 1 s, as evenly; one of 3 s they carry.
TEST(LocalStepsForced, NoStepStandsOutOnWideElements) {
  expect_even(1, 24, 3, 6e-2);
  expect_even(3, 24, 3, 5e-4);
}

}  // namespace
}  // namespace agwave::cases
