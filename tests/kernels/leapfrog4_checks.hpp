// SPDX-License-Identifier: Apache-2.0
// What the tests of the leapfrog's variants share: what is asked of a state, runs with forcing that comes and goes, sponges and sources, levels at random.
#pragma once
#include <memory>
#include <random>

#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/local_steps/levels.hpp"
#include "variant_checks.hpp"

namespace agwave {

struct Answers {
  std::vector<double> p, u, sampled, height, powers;
  double energy = 0, largest = 0, damped = 0;
};

inline Answers ask(Stepper& stepper, bool energies = true) {
  Answers a;
  StateView& view = stepper.view();
  view.record_sample();
  a.sampled = view.take_samples();
  view.record_powers(std::array{0, 1});
  a.powers = view.take_powers();
  std::vector<double> unused[2];
  view.surface(a.height, unused[0], unused[1]);
  if (energies) a.energy = view.energies().total();
  a.largest = view.max_pressure();
  a.damped = stepper.damped_energy();
  stepper.get_state(a.p, a.u);
  return a;
}

inline double step_of(const Stage& stage, int quadrature) { return 0.9 * stable_step(stage.setup(quadrature), leapfrog4_integrator, stage.self).dt; }

// From random pressures of up to `largest`, in water at rest.
inline std::unique_ptr<Stepper> begun(const Variant& variant, const Stage& stage, double largest = 1e6, int quadrature = 4) {
  auto stepper = variant.make_stepper(stage.setup(quadrature));
  stepper->set_state(random_values(static_cast<std::size_t>(stage.mesh.nodes()), 5, largest),
                     std::vector<double>(static_cast<std::size_t>(stage.mesh.NE()) * 3 * L3D));
  return stepper;
}

// longer: the state is filtered for steps so many times as long, at two of three steps; 0: never.
inline Answers after(const Variant& variant, const Stage& stage, int quadrature, int steps, bool watched, double dt, double longer = 0) {
  const auto stepper = begun(variant, stage, stage.ocean.density * stage.ocean.sound_speed, quadrature);
  for (int n = 0; n < steps; ++n) {
    const double t = n;
    std::vector<ForcingSample> rates;  // both terms, one, the other, none: in turn
    if (n % 4 < 2) rates.push_back({0, {std::sin(t), std::sin(t + 0.3), std::sin(t + 0.5), std::sin(t + 1)}});
    if (n % 4 == 0 || n % 4 == 2) rates.push_back({1, {std::cos(t), std::cos(t + 0.3), std::cos(t + 0.5), std::cos(t + 1)}});
    for (int term = 2; term < static_cast<int>(stage.forcing.size()); ++term)
      if ((n + term) % 3 > 0) rates.push_back({term, {std::sin(t + term), std::sin(t + 0.3), std::sin(t + 0.5), std::sin(t + 1)}});
    if (longer > 0 && n % 3 > 0) stepper->filter(dt, longer, rates);
    stepper->step(dt, rates);
    if (watched) ask(*stepper);
    if (stage.sponge.any() && n % 4 == 2) {
      stepper->damp();
      if (watched) ask(*stepper);
    }
  }
  return ask(*stepper);
}

inline Answers after(const Variant& variant, const Stage& stage, int quadrature, int steps, bool watched) {
  return after(variant, stage, quadrature, steps, watched, step_of(stage, quadrature));
}

// Sponges at three walls, sources in the water, one of them on a corner of elements, one on the floor.
inline Stage with_sponges_and_sources(const Mesh& mesh) {
  Stage stage(mesh);
  const double lx = mesh.size[0], ly = mesh.size[1];
  stage.sponge.speed = 100;
  stage.sponge.reflection = 0.1;
  stage.sponge.interval = 1;
  stage.sponge.width = {0.3 * lx, 0.4 * lx, 0, 0.45 * ly};
  stage.sponge.rate = {0.3, 0.1, 0, 0.2};
  std::vector<PointTerm> points(3);
  const std::array<std::array<double, 3>, 3> at{
      {{0.6 * lx, 0.3 * ly, -150}, {mesh.x_faces[mesh.x_faces.size() / 2], mesh.y_faces[1], -250}, {0.1 * lx, 0.9 * ly, -20}}};
  for (std::size_t n = 0; n < points.size(); ++n) {
    points[n].x = at[n][0];
    points[n].y = at[n][1];
    points[n].z = at[n][2];
    points[n].volume = 1e3;
  }
  for (NodalForcing& f : point_forcing(mesh, points, stage.self)) stage.forcing.push_back(std::move(f));
  return stage;
}

// The same with strips that are matched, which damp by less at once.
inline Stage with_matched_strips(const Mesh& mesh) {
  Stage stage = with_sponges_and_sources(mesh);
  stage.sponge.matched = true;
  stage.sponge.rate = {0.1, 0.05, 0, 0.08};
  return stage;
}

inline void expect_like(const Answers& found, const Answers& expected) {
  EXPECT_LT(relative_difference(found.p, expected.p), 1e-12);
  EXPECT_LT(relative_difference(found.u, expected.u), 1e-12);
  EXPECT_LT(relative_difference(found.sampled, expected.sampled), 1e-12);
  EXPECT_LT(relative_difference(found.height, expected.height), 1e-12);
  EXPECT_LT(relative_difference(found.powers, expected.powers), 1e-12);
  EXPECT_NEAR(found.energy, expected.energy, 1e-12 * expected.energy);
  EXPECT_NEAR(found.largest, expected.largest, 1e-12 * expected.largest);
  EXPECT_NEAR(found.damped, expected.damped, 1e-12 * (expected.energy + expected.damped));
}

template <class Check>
void for_each_variant(Check&& check) {
  const CudaDevice device = find_cuda_device(0);
  const char* only = std::getenv("AGWAVE_TEST_DEVICE");
  for (const Variant& v : variants())
    if (v.integrator == &leapfrog4_integrator && why_unavailable(v, device).empty() && (!only || to_string(v.device) == std::string(only))) {
      SCOPED_TRACE(v.name + " on " + to_string(v.device));
      check(v);
    }
}

// Halvings of patches at random, between two and none of them apart from the start. wide: the same for patches that make one of so many columns.
inline LocalLevels random_levels(const Mesh& mesh, double step, const std::vector<int>& halvings, unsigned seed, std::int64_t wide = 8) {
  LocalLevels levels = same_step_for_all({mesh.elements[0], mesh.elements[1]}, step);
  levels.levels.clear();
  for (const int h : halvings) levels.levels.push_back({h, 0});
  std::mt19937 random(seed);
  for (std::size_t patch = 0; patch < levels.number.size(); ++patch) {
    const std::size_t x = patch % static_cast<std::size_t>(levels.patches.px()), together = static_cast<std::size_t>(wide / levels.patches.wide);
    levels.number[patch] = x % together == 0 ? static_cast<std::uint8_t>(random() % halvings.size()) : levels.number[patch - 1];
    levels.levels[levels.number[patch]].columns += levels.patches.columns(static_cast<std::int64_t>(patch));
  }
  return levels;
}
// The same, by patches so wide.
inline LocalLevels by_patches(const LocalLevels& levels, std::int64_t wide) {
  LocalLevels by = levels;
  by.patches.wide = wide;
  by.number.clear();
  for (std::int64_t y = 0; y < by.patches.py(); ++y)
    for (std::int64_t x = 0; x < by.patches.px(); ++x) by.number.push_back(static_cast<std::uint8_t>(levels.of(x * wide, y * ColumnPatches::deep)));
  return by;
}

}  // namespace agwave
