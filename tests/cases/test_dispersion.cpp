// SPDX-License-Identifier: Apache-2.0
// What a mesh carries: the frequency of standing waves of ever fewer elements per wavelength, on three meshes, against the exact one. At the limits that
// `check` states (timestep/resolution.hpp) the phase is off by a thousandth of a period per wavelength at most, and a little beyond by more.
// label: slow
#include "exact_modal.hpp"
#include "harness.hpp"
#include "timestep/resolution.hpp"

namespace agwave::cases {
namespace {

struct Waves {
  int elements, modes;  // 2 elements / modes of them per wavelength
};

// 30 periods of a mode along x, fitted at the surface or, below a lid, at the floor.
double frequency_error(const Waves& w, double width, double depth, bool gravity) {
  const double Lx = w.elements * width, k = w.modes * pi / Lx;
  const OceanCase o;
  const ExactModal exact(o, depth, k, gaussian_ramp(1), 1);
  const double omega = gravity ? exact.omega()[0] : o.sound_speed * k, interval = 2 * pi / omega / 12;
  Case c = box_case({Lx, width}, depth, {w.elements, 1, 1});
  if (!gravity) c.boundary.surface = Surface::rigid;
  set_time(c, 360 * interval, interval, gravity ? 0 : 12);
  hydrophone(c, 0, 0.5 * width, -0.01 * depth);
  const auto traces = run(c, [&](Model& model) {
    set_state(model, [&](double x, double, double z) { return (gravity ? exact.shape(0, z) / exact.shape(0, 0) : 1.0) * std::cos(k * x); });
  });
  return fit_tones(traces.time, traces.value[0], {omega}).omega[0] / omega - 1;
}

void expect_limit(bool gravity, const std::vector<Waves>& waves, double limit) {
  std::printf("    elements per wavelength   width [m]  depth [m]   phase error per wavelength\n");
  for (const double width : {10e3, 5e3, 2.5e3})
    for (const Waves& w : waves) {
      const double depth = width, per_wave = 2.0 * w.elements / w.modes, error = std::abs(frequency_error(w, width, depth, gravity));
      std::printf("    %10.3f               %8.0f   %8.0f     %.1e\n", per_wave, width, depth, error);
      if (per_wave >= limit)
        EXPECT_LE(error, phase_error * 1.02) << per_wave;
      else if (per_wave < 0.93 * limit)
        EXPECT_GT(error, phase_error) << per_wave;  // the limit is no more careful than it says
    }
}

TEST(Dispersion, OfSound) { expect_limit(false, {{21, 10}, {21, 14}, {21, 24}, {21, 30}, {20, 32}}, elements_per_sound_wave); }
TEST(Dispersion, OfSurfaceWaves) { expect_limit(true, {{19, 10}, {19, 13}, {19, 17}, {19, 20}, {19, 23}}, elements_per_surface_wave); }

}  // namespace
}  // namespace agwave::cases
