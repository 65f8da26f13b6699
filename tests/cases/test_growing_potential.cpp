// SPDX-License-Identifier: Apache-2.0
// Under lifted water the potential psi of the leapfrog grows by rho g eta a second, without bound, and the pressure does not. What traces of 25 minutes
// lose to it: psi and psi + const are the same water, so a run goes on from both, the constant being what 1 m of lifted sea gives in 25 minutes; and
// the equations are linear, so waves over lifted water are the waves and the lifted water, which RK4 keeps to its own rounding.
#include "schemes.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"

namespace agwave::cases {
namespace {

constexpr double end = 1500;

Case sea(Wall walls, bool lifted, bool waves) {
  Case c = box_case({24e3, 20e3}, 4000, {5, 4, 1}, walls);
  c.domain.bathymetry = GaussianBathymetry{4000, 1500, {11e3, 9e3}, {5e3, 4e3}};
  if (lifted) source(c, modal(0, 0), gaussian_ramp(2));  // the whole floor by 1 m
  if (waves) source(c, gaussian({14e3, 8e3}, {5e3, 4e3}), gaussian_ramp(2));
  for (const double x : {3e3, 11e3, 21e3}) {
    seafloor(c, x, 7e3);
    hydrophone(c, x, 9e3, -800);
    gauge(c, x, 12e3);
  }
  set_time(c, end, 1);
  return c;
}

void print(const char* what, const Case& c, const Traces& traces, const Differences& d) {
  const double height = max_abs(part(traces.value, c.sensors.seafloor.size() + c.sensors.hydrophones.size(), 1)[0]);
  std::printf("    %-20s  %ld steps, floor %.1e of %.1e Pa, water %.1e, surface %.1e of %.2f m\n", what, std::lround(end / traces.dt), d.floor,
              max_abs(traces.value[0]), d.water, d.surface, height / (c.ocean.density * c.ocean.gravity));
  for (const double difference : {d.floor, d.water, d.surface}) EXPECT_LT(difference, 1e-10) << what;
}

// `offset` [Pa s] is added to psi a second after the beginning; without one the same arrays are put back.
Traces with_offset(const Case& c, double offset) {
  bool done = false;
  return run(c, {}, [&](Model& model) {
    if (model.time() < 1 || done) return;
    done = true;
    std::vector<double> values(static_cast<std::size_t>(model.mesh().nodes()));
    for (const StateArray& array : leapfrog4::state_arrays) {
      model.stepper().get(array, 0, values);
      if (array == leapfrog4::ahead_array || array == leapfrog4::potential_array)
        for (double& psi : values) psi += offset;
      model.stepper().set(array, 0, values);
    }
  });
}

TEST(GrowingPotential, AConstantLeavesTheTracesAsTheyAre) {
  const OceanCase ocean;
  for (const char* walls : {"rigid", "absorbing", "sponges"}) {
    Case c = stepped_by("leapfrog4", sea(walls == std::string("rigid") ? Wall::rigid : Wall::absorbing, false, true));
    if (walls == std::string("sponges")) c.boundary.sponge = {{9.6e3, 0, 0, 10e3}, 0.05, {}};
    const Traces expected = with_offset(c, 0), found = with_offset(c, ocean.density * ocean.gravity * end);
    print(walls, c, expected, differences(c, found.value, expected.value));
  }
}

TEST(GrowingPotential, WavesOverLiftedWaterAddUp) {
  for (const char* scheme : schemes) {
    const Case c = stepped_by(scheme, sea(Wall::rigid, true, true));
    const Traces both = run(c), lifted = run(stepped_by(scheme, sea(Wall::rigid, true, false)));
    Traces sum = run(stepped_by(scheme, sea(Wall::rigid, false, true)));
    for (std::size_t n = 0; n < sum.value.size(); ++n)
      for (std::size_t s = 0; s < sum.time.size(); ++s) sum.value[n][s] += lifted.value[n][s];
    print(scheme, c, both, differences(c, both.value, sum.value));
  }
}

}  // namespace
}  // namespace agwave::cases
