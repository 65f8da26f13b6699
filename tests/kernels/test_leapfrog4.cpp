// SPDX-License-Identifier: Apache-2.0
// Every variant of the leapfrog against the plain one around the reference stiffness: all remainders of the mesh against its patches, sponges, sources,
// levels, the same bits run after run; and the memory it is said to take.
#include "comm/threads.hpp"
#include "leapfrog4_checks.hpp"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace {

TEST(Leapfrog, AgreesWithThePlainOneOnEveryRemainder) {
  const std::vector<std::array<std::int64_t, 3>> shapes{{1, 1, 1}, {9, 1, 1}, {8, 4, 4}, {3, 5, 2}, {17, 9, 5}, {7, 3, 9}, {16, 8, 1}};
  for_each_variant([&](const Variant& v) {
    for (const auto& shape : shapes)
      for (const int order : {1, 4})
        for (const int quadrature : v.quadratures) {
          SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", order " << order);
          const Mesh mesh = ridged_mesh(shape, order);
          const Stage stage(mesh);
          for (const int steps : {1, 10})
            expect_like(after(v, stage, quadrature, steps, false), after(reference_of(leapfrog4_integrator), stage, quadrature, steps, false));
        }
  });
}

TEST(Leapfrog, AgreesInSpongesAndWithSourcesInTheWater) {
  for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{5, 4, 2}, {17, 9, 5}, {16, 8, 1}})
    for (const int order : {1, 4}) {
      SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", order " << order);
      const Mesh mesh = ridged_mesh(shape, order);
      const Stage stage = with_sponges_and_sources(mesh);
      for_each_variant([&](const Variant& v) {
        const Answers expected = after(reference_of(leapfrog4_integrator), stage, 4, 9, false);
        expect_like(after(v, stage, 4, 9, false), expected);
        expect_like(after(v, stage, 4, 9, true), expected);
      });
    }
}

TEST(Leapfrog, AgreesInMatchedStrips) {
  unsigned seed = 0;
  for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{5, 4, 2}, {17, 9, 5}, {16, 8, 1}})
    for (const bool local : {false, true}) {
      SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", in levels " << local);
      const Mesh mesh = ridged_mesh(shape, local ? 4 : 1);
      Stage stage = with_matched_strips(mesh);
      const double dt = stage.sponge.interval = step_of(stage, 4);
      const LocalLevels levels = random_levels(mesh, dt, {0, 1, 2}, ++seed);
      if (local)
        stage.levels = &levels;
      else
        stage.on_soft_ground();
      const Variant& reference = reference_of(leapfrog4_integrator);
      const Answers expected = after(reference, stage, 4, 9, false, dt);
      for_each_variant([&](const Variant& v) {
        if (local && v.ranks_with_levels == 0) return;
        if (&v != &reference) expect_like(after(v, stage, 4, 9, false, dt), expected);
        expect_like(after(v, stage, 4, 9, true, dt), expected);
      });
    }
}

TEST(Leapfrog, AgreesWhereItIsFiltered) {
  unsigned seed = 0;
  for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {5, 4, 2}, {17, 9, 5}, {16, 8, 1}})
    for (const bool strips : {false, true})
      for (const bool local : {false, true}) {
        SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", strips " << strips << ", in levels " << local);
        const Mesh mesh = ridged_mesh(shape, strips ? 1 : 4);
        Stage stage = strips ? with_sponges_and_sources(mesh) : Stage(mesh);
        const double dt = step_of(stage, 4), longer = strips ? 1.05 : 1;
        const LocalLevels levels = random_levels(mesh, dt, {0, 1, 2}, ++seed);
        if (local) stage.levels = &levels;
        if (!local && !strips) stage.on_soft_ground();
        const Variant& reference = reference_of(leapfrog4_integrator);
        const Answers expected = after(reference, stage, 4, 9, false, dt, longer), without = after(reference, stage, 4, 9, false, dt);
        EXPECT_GT(relative_difference(expected.p, without.p), 3e-4);
        EXPECT_GT(expected.damped, without.damped);
        for_each_variant([&](const Variant& v) {
          ASSERT_TRUE(v.filters);
          if (local && v.ranks_with_levels == 0) return;
          if (&v != &reference) expect_like(after(v, stage, 4, 9, false, dt, longer), expected);
          expect_like(after(v, stage, 4, 9, true, dt, longer), expected);
        });
      }
}

// Under walls, in sponges and channels, and where nothing moves the floor but the water.
TEST(Leapfrog, AgreesOnSoftGround) {
  const std::vector<std::array<std::int64_t, 3>> shapes{{1, 1, 1}, {9, 1, 1}, {8, 4, 4}, {3, 5, 2}, {17, 9, 5}, {7, 3, 9}, {16, 8, 1}};
  unsigned turn = 0;
  for (const auto& shape : shapes)
    for (const int order : {1, 4})
      for (const bool more : {false, true}) {
        SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", order " << order << ", more " << more);
        const Mesh mesh = ridged_mesh(shape, order);
        Stage stage = more && shape[0] > 3 ? with_sponges_and_sources(mesh) : Stage(mesh);
        stage.on_soft_ground();
        if (turn++ % 3 == 2) stage.in_a_channel();
        const Variant& reference = reference_of(leapfrog4_integrator);
        for (const int steps : {1, 9}) {
          const Answers expected = after(reference, stage, 4, steps, false);
          for_each_variant([&](const Variant& v) {
            if (v.takes_floors && &v != &reference) expect_like(after(v, stage, 4, steps, more), expected);
          });
        }
      }
}
TEST(Leapfrog, SoftGroundMovesWithoutSources) {
  const Mesh mesh = ridged_mesh({9, 5, 2}, 4);
  Stage stage(mesh);
  stage.on_soft_ground();
  stage.forcing.clear();
  const double dt = step_of(stage, 4);
  const auto at_rest = [&](const Variant& v) {
    const auto stepper = begun(v, stage);
    for (int n = 0; n < 7; ++n) stepper->step(dt, {});
    stepper->view().record_powers({});
    std::vector<double> found = stepper->view().take_powers();
    const Energies e = stepper->view().energies();
    found.insert(found.end(), {dt * e.floor, dt * e.total()});
    return found;
  };
  const std::vector<double> expected = at_rest(reference_of(leapfrog4_integrator));
  for_each_variant([&](const Variant& v) {
    if (!v.takes_floors) return;
    const std::vector<double> found = at_rest(v);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-12 * std::abs(expected[n])) << n;
    EXPECT_GT(found[found.size() - 2], 0);
  });
}

TEST(Leapfrog, AgreesWhereColumnsStepInLevels) {
  const std::vector<std::array<std::int64_t, 3>> shapes{{17, 9, 1}, {24, 12, 1}, {9, 10, 5}, {33, 4, 2}};
  const std::vector<std::vector<int>> halvings{{0, 1}, {0, 2}, {0, 1, 2, 3}, {0, 1, 4}, {0, 1}};
  unsigned seed = 0;
  for (std::size_t s = 0; s < shapes.size(); ++s)
    for (const bool more : {false, true}) {
      const auto& shape = shapes[s];
      for (const auto& levels_of : {halvings[s], halvings[s + 1]}) {
        SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", finest halvings " << levels_of.back());
        const Mesh mesh = ridged_mesh(shape, 4);
        Stage stage = more ? with_sponges_and_sources(mesh) : Stage(mesh);
        const double dt = step_of(stage, 4);
        const LocalLevels levels = random_levels(mesh, dt, levels_of, ++seed);
        stage.levels = &levels;
        const Variant& reference = reference_of(leapfrog4_integrator);
        const Answers expected = after(reference, stage, 4, 4, false, dt);
        for_each_variant([&](const Variant& v) {
          if (v.ranks_with_levels == 0 || &v == &reference) return;
          expect_like(after(v, stage, 4, 4, more, dt), expected);
        });
      }
    }
}

// Speeds by node: in the sweeps, at walls, which are no longer the same along a column, in sponges and levels.
TEST(Leapfrog, AgreesInASoundChannel) {
  const std::vector<std::array<std::int64_t, 3>> shapes{{1, 1, 1}, {3, 5, 2}, {17, 9, 5}, {16, 8, 1}};
  unsigned seed = 0;
  for (const auto& shape : shapes)
    for (const bool lid : {false, true})
      for (const std::vector<int>& halvings : {std::vector<int>{}, {0, 1}, {0, 1, 3}}) {
        SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", lid " << lid << ", levels " << halvings.size());
        const Mesh mesh = ridged_mesh(shape, 4);
        Stage stage = shape[0] > 16 ? with_sponges_and_sources(mesh) : Stage(mesh);
        stage.in_a_channel();
        stage.boundary.surface = lid ? Surface::rigid : Surface::gravity;
        const double dt = step_of(stage, 4);
        const LocalLevels levels = random_levels(mesh, dt, halvings.empty() ? std::vector<int>{0} : halvings, ++seed);
        if (!halvings.empty()) stage.levels = &levels;
        const Variant& reference = reference_of(leapfrog4_integrator);
        const Answers expected = after(reference, stage, 4, 4, false, dt);
        for_each_variant([&](const Variant& v) {
          if (&v == &reference || (!halvings.empty() && v.ranks_with_levels == 0)) return;
          expect_like(after(v, stage, 4, 4, lid, dt), expected);
        });
      }
}

// Relative to the speed that all else is kept relative to: to the bit.
TEST(Leapfrog, AProfileOfOneSpeedIsThatSpeed) {
  const Mesh mesh = ridged_mesh({9, 5, 3}, 4);
  const Stage constant(mesh);
  Stage profile(mesh);
  profile.ocean.sound = SoundProfile{{0, 9000}, {1500, 1500}, {}};
  for_each_variant([&](const Variant& v) {
    const Answers expected = after(v, constant, 4, 6, false), found = after(v, profile, 4, 6, false);
    expect_like(found, expected);
  });
}

// More patches and chunks than a GPU has places for at a time: each works on several, one after the other.
TEST(Leapfrog, GoesFromOneChunkToTheNext) {
  const Mesh mesh = ridged_mesh({96, 40, 12}, 1);
  const Stage stage(mesh);
  const Answers expected = after(reference_of(leapfrog4_integrator), stage, 4, 2, false);
  for_each_variant([&](const Variant& v) {
    if (&v != &reference_of(leapfrog4_integrator)) expect_like(after(v, stage, 4, 2, false), expected);
  });
}

// What `auto` takes on each device, with one to four threads; with questions in between in every third run.
TEST(Leapfrog, HundredRunsAreTheSameBits) {
  const Mesh mesh = ridged_mesh({11, 6, 5}, 4);
  const Stage plain(mesh);
  Stage full = with_sponges_and_sources(mesh);
  full.on_soft_ground();
  const int before = threads();
  int checked = 0;
  for_each_variant([&](const Variant& v) {
    if (std::any_of(variants().begin(), variants().end(), [&](const Variant& other) {
          return other.device == v.device && other.integrator == v.integrator && other.preference > v.preference;
        }))
      return;
    ++checked;
    for (const Stage* stage : std::array<const Stage*, 2>{&plain, &full}) {
      const double dt = step_of(*stage, 4);
      std::optional<Answers> first;
      for (int run = 0; run < 100; ++run) {
        set_threads(run % 5 == 1 ? 2 + run / 5 % 3 : 1);  // few: threads without cores of their own wait for each other
        const Answers found = after(v, *stage, 4, 6, run % 3 == 2, dt);
        if (!first) first = found;
        EXPECT_EQ(found.p, first->p) << "run " << run;
        EXPECT_EQ(found.u, first->u) << "run " << run;
        EXPECT_EQ(found.sampled, first->sampled) << "run " << run;
        EXPECT_EQ(found.height, first->height) << "run " << run;
        if (testing::Test::HasFailure()) break;
      }
    }
  });
  set_threads(before);
  EXPECT_GE(checked, 1);
}

// What check prints before a run is what a run takes, levels included, but for uplift terms and points.
TEST(Leapfrog, TakesThePredictedMemory) {
  const Mesh mesh = ridged_mesh({64, 32, 4}, 4);
  Stage stage(mesh);
  const LocalLevels levels = random_levels(mesh, step_of(stage, 4), {0, 1, 3}, 3);
  for (const bool local : {false, true})
    for (const bool channel : {false, true}) {
      stage.levels = local ? &levels : nullptr;
      stage.ocean.sound = std::monostate();
      if (channel) stage.in_a_channel();
      for_each_variant([&](const Variant& v) {
        if (!v.level_bytes) return;
        const double before = static_cast<double>(memory_use().now);
        const auto stepper = v.make_stepper(stage.setup(4));
        const double taken = static_cast<double>(memory_use().now) - before;
        const double by_place = channel ? v.medium_bytes(mesh, {true, true, true, true}) + Spaces::excess_bytes(mesh) : 0;
        const double predicted = v.bytes(mesh, 4) + by_place + (local ? v.level_bytes(levels, mesh) : 0),
                     columns = static_cast<double>(mesh.NX()) * mesh.NY();
        EXPECT_NEAR(taken, predicted + 8 * 2 * columns, (channel && local ? 0.04 : 0.02) * predicted);  // levels have no tables of walls then
      });
    }
}

TEST(Leapfrog, RefusesWaterThatMoves) {
  const Mesh mesh = ridged_mesh({1, 1, 1}, 4);
  const Stage stage(mesh);
  for_each_variant([&](const Variant& v) {
    const auto stepper = v.make_stepper(stage.setup(4));
    const std::vector<double> p(static_cast<std::size_t>(mesh.nodes())), u(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 1.0);
    EXPECT_THROW(stepper->set_state(p, u), Error);
  });
}

// K kappa's sum over modes against the matrix it stands for.
TEST(Leapfrog, KappaIsTheCornerOfTheInverse) {
  constexpr Basis<4> t{};
  const auto gl = gauss_rule<4>();
  for (const double damping : {0.1, 1.0, 2.5, 4.0}) {
    double m[D1D][D1D + 1] = {};  // 1 - damping^2 w_0^2 / 12 W^-1 K, and the unit vector
    for (int i = 0; i < D1D; ++i)
      for (int j = 0; j < D1D; ++j) {
        double K = 0;
        for (int q = 0; q < 4; ++q) K += gl.w[q] * t.dB[q][i] * t.dB[q][j];
        m[i][j] = (i == j ? 1.0 : 0.0) - damping * damping * gll.w[0] * gll.w[0] / 12 * K / gll.w[i];
      }
    m[0][D1D] = 1;
    for (int i = D1D - 1; i >= 0; --i)  // from the far end, so that the corner is solved last
      for (int j = 0; j < i; ++j) {
        const double factor = m[j][i] / m[i][i];
        for (int k = 0; k <= D1D; ++k) m[j][k] -= factor * m[i][k];
      }
    const double kappa = m[0][D1D] / m[0][0];
    EXPECT_NEAR(leapfrog4::kappa(damping), kappa, 1e-7);
    const leapfrog4::WallAt wall(damping);
    EXPECT_NEAR(wall.lag, damping / 12 * kappa / (1 + wall.rest * kappa), 1e-8);
    EXPECT_NEAR(2 * wall.rest * (1 + wall.rest * kappa), kappa / 12 * damping * damping, 1e-6);
  }
}

}  // namespace
}  // namespace agwave
