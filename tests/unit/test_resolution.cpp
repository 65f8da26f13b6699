// SPDX-License-Identifier: Apache-2.0
// The shortest periods that a mesh carries: by its widest elements and its shallowest water, the same on every processor grid; and the notes of a plan
// that come of them. What the constants are worth is measured by cases.dispersion.
// ranks: 1 2
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "case/case_file.hpp"
#include "expect_error.hpp"
#include "run/plan.hpp"
#include "timestep/resolution.hpp"

namespace agwave {
namespace {

const Comm& world() {
  static const Comm comm;
  return comm;
}

Plan plan_of(const std::string& more, const std::string& mesh = "{elements: [8, 6, 4]}",
             const std::string& bathymetry = "{type: flat, depth: 4000}") {
  return make_plan(
      parse_case("c.yaml", "domain:\n  size: [80e3, 60e3]\n  bathymetry: " + bathymetry + "\nmesh: " + mesh + "\nsolver: {device: cpu}\n" + more, {}),
      world());
}
std::string notes(const Plan& plan) {
  std::string all;
  for (const std::string& note : plan.notes) all += note + "\n";
  return all;
}

TEST(Resolution, OfAFlatMeshIsThatOfItsElements) {
  const Resolution r = plan_of("time: {end: 1}\n").resolution;
  EXPECT_NEAR(r.sound.period, elements_per_sound_wave * 10e3 / 1500, 1e-12);
  const double k = 2 * std::numbers::pi / (elements_per_surface_wave * 10e3);
  EXPECT_NEAR(r.surface.period, 2 * std::numbers::pi / std::sqrt(9.81 * k * std::tanh(k * 4000)), 1e-9);
  EXPECT_NEAR(r.step_period,
              2 * std::numbers::pi * plan_of("time: {end: 1}\n").choice.dt / plan_of("time: {end: 1}\n").variant->integrator->phase_limit, 1e-12);
  EXPECT_EQ(plan_of("time: {end: 1}\nboundary: {surface: rigid}\n").resolution.surface.period, 0);
  // One layer of 4 km in elements of 2 km: the layer is the widest.
  EXPECT_NEAR(plan_of("time: {end: 1}\n", "{elements: [40, 30, 1]}").resolution.sound.period, elements_per_sound_wave * 4e3 / 1500, 1e-12);
}

TEST(Resolution, IsWorstInShallowWater) {
  const Resolution r =
      plan_of("time: {end: 1}\n", "{elements: [8, 6, 1]}", "{type: gaussian, depth: 4000, height: 3900, center: [35e3, 45e3], radius: [9e3, 9e3]}")
          .resolution;
  EXPECT_EQ(r.surface.x, 35e3);
  EXPECT_EQ(r.surface.y, 45e3);
  EXPECT_LT(r.surface.depth, 120);
  EXPECT_EQ(r.surface.width, 10e3);
}

TEST(PeriodNotes, ComeWhereASourceIsQuickerThanTheMesh) {
  const auto with = [](const std::string& ramp, const std::string& more = "") {
    return notes(
        plan_of("sources: [{shape: {type: gaussian, center: [40e3, 30e3], radius: [9e3, 9e3]}, ramp: " + ramp + "}]\ntime: {end: 100}\n" + more,
                "{elements: [40, 30, 2]}"));
  };
  const std::string quick = with("{type: linear, duration: 15}");  // elements of 2 km carry 1.9 s
  expect_words(quick, {"warning: sources[0] excites periods down to 0.4", "sound is carried from 1.87 s", "a ramp", "times as long, or smoother",
                       "elements at most", "m wide in place of 2000 m"});
  EXPECT_LT(quick.find("a ramp"), quick.find("elements at most"));
  EXPECT_EQ(with("{type: smoothstep, duration: 15}").find("excites"), std::string::npos);
  expect_words(with("{type: smoothstep, duration: 15}", "sensors: {interval: 4, surface: [{name: A, x: 1e4, y: 1e4}]}\n"),
               {"samples every 4 s carry none below 8 s", "sensors.interval of at most"});
  EXPECT_EQ(with("{type: smoothstep, duration: 15}", "sensors: {interval: 1, surface: [{name: A, x: 1e4, y: 1e4}]}\n").find("samples every"),
            std::string::npos);
}

TEST(StepNotes, ComeWhereTheStepWasRounded) {
  const std::string more = "time: {end: 1, step: 0.0416667}\nsensors: {interval: 1, surface: [{name: A, x: 1e4, y: 1e4}]}\n";
  const Plan plan = plan_of(more);
  EXPECT_EQ(plan.choice.per_interval, 24);
  EXPECT_EQ(plan.choice.dt, 1.0 / 24);
  expect_words(notes(plan), {"time.step", "0.0416667 s is taken as 0.0416666", "divides the sampling interval"});
  EXPECT_EQ(notes(plan_of("time: {end: 1, step: 0.05}\n")).find("is taken as"), std::string::npos);
  expect_words(message_of(ExitCode::usage, [&] { plan_of("time: {end: 1, step: 0.0417}\n"); }), {"time.step", "does not divide"});
}

}  // namespace
}  // namespace agwave
