// SPDX-License-Identifier: Apache-2.0
// What a two-sweep variant must show beyond what every variant must pass, on either device: agreement with classical RK4 on every
// remainder of the mesh against its patches, and over a thousand steps; the same bits run after run.
#pragma once
#include "timestep/rk4/rk4.hpp"
#include "variant_checks.hpp"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

inline const Variant& variant_named(const char* name, Device device) {
  for (const Variant& v : variants())
    if (v.device == device && v.name == name) return v;
  throw std::logic_error(name);
}

inline double nine_tenths_of_the_limit(const Stage& stage) { return 0.9 * stable_step(stage.setup(4), rk4_integrator, stage.self).dt; }

// Ten steps on this mesh: to 1e-13 of the largest value.
inline void expect_like(const Variant& reference, const Variant& variant, const std::array<std::int64_t, 3>& shape, int order) {
  SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", order " << order);
  const Mesh mesh = ridged_mesh(shape, order);
  const Stage stage(mesh);
  const double dt = nine_tenths_of_the_limit(stage);
  const Outcome expected = run_ten_steps(reference, stage, 4, dt, false), found = run_ten_steps(variant, stage, 4, dt, false);
  EXPECT_LT(relative_difference(found.p, expected.p), 1e-13);
  EXPECT_LT(relative_difference(found.u, expected.u), 1e-13);
}
inline void expect_like_reference(const Variant& variant, const std::array<std::int64_t, 3>& shape, int order) {
  expect_like(reference_variant(), variant, shape, order);
}

// A thousand steps under a moving source: to 1e-10 of classical RK4 with `pa`.
inline void expect_together_for_a_thousand_steps(const Variant& variant) {
  const Mesh mesh = ridged_mesh({9, 5, 5}, 4);
  const Stage stage(mesh);
  const double dt = nine_tenths_of_the_limit(stage), Z = stage.ocean.density * stage.ocean.sound_speed;
  const auto run = [&](const Variant& v, std::vector<double>& p, std::vector<double>& u) {
    const auto stepper = v.make_stepper(stage.setup(4));
    stepper->set_state(random_values(static_cast<std::size_t>(mesh.nodes()), 5, Z), random_values(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 6));
    for (int n = 0; n < 1000; ++n) {
      const double t = 1e-2 * n;
      const std::vector<ForcingSample> rates{{0, std::sin(t), std::sin(t + 0.005), std::sin(t + 0.01)}};
      stepper->step(dt, rates);
    }
    stepper->get_state(p, u);
  };
  std::vector<double> p_expected, u_expected, p, u;
  run(variant_named("pa", Device::cpu), p_expected, u_expected);
  run(variant, p, u);
  EXPECT_LT(relative_difference(p, p_expected), 1e-10);
  EXPECT_LT(relative_difference(u, u_expected), 1e-10);
}

inline void expect_same_bits(const Variant& variant, int runs) {
  const Mesh mesh = ridged_mesh({19, 9, 9}, 4);
  const Stage stage(mesh);
  const double dt = nine_tenths_of_the_limit(stage);
  const Outcome first = run_ten_steps(variant, stage, 4, dt, false);
  for (int n = 1; n < runs; ++n) {
    const Outcome again = run_ten_steps(variant, stage, 4, dt, false);
    ASSERT_TRUE(again.p == first.p && again.u == first.u && again.sampled == first.sampled && again.height == first.height) << "run " << n;
  }
}

}  // namespace agwave
