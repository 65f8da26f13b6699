// SPDX-License-Identifier: Apache-2.0
// Every variant of the leapfrog against the plain one around the reference stiffness: all remainders of the mesh against its patches, questions in
// between, the same bits run after run and whether or not it is watched.
#include <random>

#include "comm/threads.hpp"
#include "timestep/conversion.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/local_steps/levels.hpp"
#include "variant_checks.hpp"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace {

struct Answers {
  std::vector<double> p, u, sampled, height, powers;
  double energy = 0, largest = 0;
};

Answers ask(Stepper& stepper) {
  Answers a;
  StateView& view = stepper.view();
  view.record_sample();
  a.sampled = view.take_samples();
  view.record_powers(std::array{0, 1});
  a.powers = view.take_powers();
  std::vector<double> unused[2];
  view.surface(a.height, unused[0], unused[1]);
  a.energy = view.energies().total();
  a.largest = view.max_pressure();
  stepper.get_state(a.p, a.u);
  return a;
}

double step_of(const Stage& stage, int quadrature) { return 0.9 * stable_step(stage.setup(quadrature), leapfrog4_integrator, stage.self).dt; }

Answers after(const Variant& variant, const Stage& stage, int quadrature, int steps, bool watched, double dt) {
  const auto stepper = variant.make_stepper(stage.setup(quadrature));
  const double Z = stage.ocean.density * stage.ocean.sound_speed;
  stepper->set_state(random_values(static_cast<std::size_t>(stage.mesh.nodes()), 5, Z),
                     std::vector<double>(static_cast<std::size_t>(stage.mesh.NE()) * 3 * L3D));
  for (int n = 0; n < steps; ++n) {
    const double t = n;
    std::vector<ForcingSample> rates;  // both terms, one, the other, none: in turn
    if (n % 4 < 2) rates.push_back({0, {std::sin(t), std::sin(t + 0.3), std::sin(t + 0.5), std::sin(t + 1)}});
    if (n % 4 == 0 || n % 4 == 2) rates.push_back({1, {std::cos(t), std::cos(t + 0.3), std::cos(t + 0.5), std::cos(t + 1)}});
    for (int term = 2; term < static_cast<int>(stage.forcing.size()); ++term)
      if ((n + term) % 3 > 0) rates.push_back({term, {std::sin(t + term), std::sin(t + 0.3), std::sin(t + 0.5), std::sin(t + 1)}});
    stepper->step(dt, rates);
    if (watched) ask(*stepper);
    if (stage.sponge.any() && n % 4 == 2) {
      stepper->damp();
      if (watched) ask(*stepper);
    }
  }
  return ask(*stepper);
}

Answers after(const Variant& variant, const Stage& stage, int quadrature, int steps, bool watched) {
  return after(variant, stage, quadrature, steps, watched, step_of(stage, quadrature));
}

// Sponges at three walls, sources in the water, one of them on a corner of elements, one on the floor.
Stage with_sponges_and_sources(const Mesh& mesh) {
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

void expect_like(const Answers& found, const Answers& expected) {
  EXPECT_LT(relative_difference(found.p, expected.p), 1e-12);
  EXPECT_LT(relative_difference(found.u, expected.u), 1e-12);
  EXPECT_LT(relative_difference(found.sampled, expected.sampled), 1e-12);
  EXPECT_LT(relative_difference(found.height, expected.height), 1e-12);
  EXPECT_LT(relative_difference(found.powers, expected.powers), 1e-12);
  EXPECT_NEAR(found.energy, expected.energy, 1e-12 * expected.energy);
  EXPECT_NEAR(found.largest, expected.largest, 1e-12 * expected.largest);
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

// Halvings of patches at random, between two and none of them apart from the start.
LocalLevels random_levels(const Mesh& mesh, double step, const std::vector<int>& halvings, unsigned seed) {
  LocalLevels levels = same_step_for_all({mesh.elements[0], mesh.elements[1]}, step);
  levels.levels.clear();
  for (const int h : halvings) levels.levels.push_back({h, 0});
  std::mt19937 random(seed);
  for (std::size_t patch = 0; patch < levels.number.size(); ++patch) {
    levels.number[patch] = static_cast<std::uint8_t>(random() % halvings.size());
    levels.levels[levels.number[patch]].columns += levels.patches.columns(static_cast<std::int64_t>(patch));
  }
  return levels;
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

// More patches and chunks than a GPU has places for at a time: each works on several, one after the other.
TEST(Leapfrog, GoesFromOneChunkToTheNext) {
  const Mesh mesh = ridged_mesh({96, 40, 12}, 1);
  const Stage stage(mesh);
  const Answers expected = after(reference_of(leapfrog4_integrator), stage, 4, 2, false);
  for_each_variant([&](const Variant& v) {
    if (&v != &reference_of(leapfrog4_integrator)) expect_like(after(v, stage, 4, 2, false), expected);
  });
}

TEST(Leapfrog, IsNotChangedByWatchingNorByRunningAgain) {
  const Mesh mesh = ridged_mesh({11, 6, 5}, 4);
  const Stage stage(mesh);
  for_each_variant([&](const Variant& v) {
    const Answers alone = after(v, stage, 4, 10, false), again = after(v, stage, 4, 10, false), watched = after(v, stage, 4, 10, true);
    EXPECT_EQ(again.p, alone.p);
    EXPECT_EQ(watched.p, alone.p);
    EXPECT_EQ(watched.u, alone.u);
    EXPECT_EQ(watched.sampled, alone.sampled);
  });
}

// The widest settings, one of them in levels.
template <class Check>
void for_each_setting(const Mesh& mesh, Check&& check) {
  const Stage plain(mesh), full = with_sponges_and_sources(mesh);
  const LocalLevels levels = random_levels(mesh, step_of(plain, 4), {0, 1, 2}, 7);
  Stage in_levels = with_sponges_and_sources(mesh);
  in_levels.levels = &levels;
  int n = 0;
  for (const Stage* stage : {&plain, &full, static_cast<const Stage*>(&in_levels)}) {
    SCOPED_TRACE(testing::Message() << "setting " << n++);
    check(*stage);
  }
}

std::vector<double> values_of(Stepper& stepper, const StateArray& array, std::int64_t first, std::int64_t items, const Mesh& mesh) {
  std::vector<double> values(static_cast<std::size_t>(items * (array.items == StateArray::Items::node_rows ? mesh.NX() : 3 * L3D)));
  stepper.get(array, first, values);
  return values;
}

// Any of the questions.
void ask_one(Stepper& stepper, const Mesh& mesh, unsigned which) {
  StateView& view = stepper.view();
  std::vector<double> a, b, c;
  switch (which) {
    case 0:
      values_of(stepper, pressure_array, 3, 2, mesh);
      return;
    case 1:
      values_of(stepper, leapfrog4::potential_array, 5, 1, mesh);
      return;
    case 2:
      view.record_sample();
      view.take_samples();
      return;
    case 3:
      view.record_powers(std::array{0, 1});
      view.take_powers();
      return;
    case 4:
      view.surface(a, b, c);
      return;
    case 5:
      view.energies();
      return;
    case 6:
      view.max_pressure();
      return;
    case 7:
      view.hear(0.5, 0.1);
      return;
    case 8:
      view.queue_picks(std::array{Pick{Field::pressure, {0, 0, 0}, {2, 2, 2}, 1}, Pick{Field::floor, {1, 1, 0}, {2, 1, 1}, 1}});
      view.take_picks();
      return;
    default:
      stepper.get_state(a, b);
  }
}
void ask_at_random(Stepper& stepper, const Mesh& mesh, std::mt19937& random) {
  for (unsigned questions = random() % 5; questions > 0; --questions) ask_one(stepper, mesh, random() % 10);
}

std::vector<ForcingSample> rates_of(const Stage& stage, int n) {
  std::vector<ForcingSample> rates;
  for (int term = n % 2; term < static_cast<int>(stage.forcing.size()); term += 2) rates.push_back({term, {1.0 + n, 2.0 - n, 3, 4}});
  return rates;
}

// Pressure and potential, at the watched nodes and at all, in any order and before the first step too.
TEST(Leapfrog, IsNotChangedByQuestionsInAnyOrder) {
  const Mesh mesh = ridged_mesh({17, 9, 2}, 4);
  for_each_setting(mesh, [&](const Stage& stage) {
    const double dt = step_of(stage, 4);
    for_each_variant([&](const Variant& v) {
      if (stage.levels && v.ranks_with_levels == 0) return;
      const auto alone = v.make_stepper(stage.setup(4)), asked = v.make_stepper(stage.setup(4));
      const std::vector<double> p = random_values(static_cast<std::size_t>(mesh.nodes()), 5), u(static_cast<std::size_t>(mesh.NE()) * 3 * L3D);
      alone->set_state(p, u);
      asked->set_state(p, u);
      std::mt19937 random(3);
      for (int n = 0; n < 12; ++n) {
        ask_at_random(*asked, mesh, random);
        for (Stepper* s : {alone.get(), asked.get()}) s->step(dt, rates_of(stage, n));
        ask_at_random(*asked, mesh, random);
        if (n % 3 == 1)
          for (Stepper* s : {alone.get(), asked.get()}) s->damp();
      }
      for (const StateArray& array : alone->arrays()) {
        const std::int64_t items = array.items == StateArray::Items::elements ? mesh.NE() : mesh.nodes() / mesh.NX();
        EXPECT_EQ(values_of(*asked, array, 0, items, mesh), values_of(*alone, array, 0, items, mesh)) << array.name;
      }
      const Answers a = ask(*alone), b = ask(*asked);
      EXPECT_EQ(a.p, b.p);
      EXPECT_EQ(a.u, b.u);
      EXPECT_EQ(a.energy, b.energy);
    });
  });
}

// Arrays in pieces, one after the other in turn, into a stepper that has been elsewhere and is asked before it goes on.
TEST(Leapfrog, GoesOnFromPiecesOfItsArrays) {
  const Mesh mesh = ridged_mesh({17, 9, 2}, 4);
  for_each_setting(mesh, [&](const Stage& stage) {
    const double dt = step_of(stage, 4);
    for_each_variant([&](const Variant& v) {
      if (stage.levels && v.ranks_with_levels == 0) return;
      const auto first = v.make_stepper(stage.setup(4)), second = v.make_stepper(stage.setup(4));
      first->set_state(random_values(static_cast<std::size_t>(mesh.nodes()), 5), std::vector<double>(static_cast<std::size_t>(mesh.NE()) * 3 * L3D));
      for (int n = 0; n < 4; ++n) first->step(dt, rates_of(stage, n));
      first->damp();
      second->step(dt, rates_of(stage, 1));
      second->view().energies();
      for (int part = 0; part < 2; ++part)
        for (const StateArray& array : first->arrays()) {
          const std::int64_t all = array.items == StateArray::Items::elements ? mesh.NE() : mesh.nodes() / mesh.NX(), half = all / 2;
          const std::int64_t begin = part == 0 ? half : 0, count = part == 0 ? all - half : half;
          second->set(array, begin, values_of(*first, array, begin, count, mesh));
        }
      const auto expect_same = [&](const char* when) {
        for (const StateArray& array : first->arrays()) {
          const std::int64_t items = array.items == StateArray::Items::elements ? mesh.NE() : mesh.nodes() / mesh.NX();
          EXPECT_EQ(values_of(*second, array, 0, items, mesh), values_of(*first, array, 0, items, mesh)) << array.name << ' ' << when;
        }
      };
      expect_same("as set");
      const double energy = first->view().energies().total();
      for (unsigned question = 0; question < 10; ++question) {
        ask_one(*second, mesh, question);
        EXPECT_NEAR(second->view().energies().total(), energy, 1e-13 * energy);
      }
      expect_same("after questions");
      for (int n = 4; n < 8; ++n)
        for (Stepper* s : {first.get(), second.get()}) s->step(dt, rates_of(stage, n));
      expect_same("after steps");
    });
  });
}

// What `auto` takes on each device, with one to four threads; with questions in between in every third run.
TEST(Leapfrog, HundredRunsAreTheSameBits) {
  const Mesh mesh = ridged_mesh({11, 6, 5}, 4);
  const Stage plain(mesh), full = with_sponges_and_sources(mesh);
  const int before = threads();
  int checked = 0;
  for_each_variant([&](const Variant& v) {
    if (std::any_of(variants().begin(), variants().end(), [&](const Variant& other) {
          return other.device == v.device && other.integrator == v.integrator && other.preference > v.preference;
        }))
      return;
    ++checked;
    for (const Stage* stage : {&plain, &full}) {
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

// A checkpoint's worth of arrays goes on bit for bit, with the same variant or another.
void expect_goes_on(const Stage& stage) {
  const Mesh& mesh = stage.mesh;
  const double dt = 0.9 * stable_step(stage.setup(4), leapfrog4_integrator, stage.self).dt;
  for_each_variant([&](const Variant& v) {
    const auto first = v.make_stepper(stage.setup(4)), second = v.make_stepper(stage.setup(4));
    first->set_state(random_values(static_cast<std::size_t>(mesh.nodes()), 5), std::vector<double>(static_cast<std::size_t>(mesh.NE()) * 3 * L3D));
    std::vector<ForcingSample> rates;
    for (int term = 0; term < static_cast<int>(stage.forcing.size()); term += 2) rates.push_back({term, {1, 2, 3, 4}});
    for (int n = 0; n < 5; ++n) {
      first->step(dt, rates);
      if (n % 2 == 0) first->damp();
    }
    std::vector<double> values;
    for (const StateArray& array : first->arrays()) {
      values.resize(static_cast<std::size_t>(array.items == StateArray::Items::elements ? 3 * L3D * mesh.NE() : mesh.nodes()));
      first->get(array, 0, values);
      second->set(array, 0, values);
    }
    std::vector<double> p[2], u[2];
    first->get_state(p[0], u[0]);
    second->get_state(p[1], u[1]);
    EXPECT_EQ(p[0], p[1]);
    EXPECT_EQ(u[0], u[1]);
    EXPECT_NEAR(first->view().energies().total(), second->view().energies().total(), 1e-13 * first->view().energies().total());
    for (int n = 0; n < 5; ++n)
      for (Stepper* s : {first.get(), second.get()}) {
        s->step(dt, rates);
        if (n == 2) s->damp();
      }
    const Answers a = ask(*first), b = ask(*second);
    EXPECT_EQ(a.p, b.p);
    EXPECT_EQ(a.u, b.u);
    EXPECT_EQ(a.sampled, b.sampled);
    EXPECT_EQ(a.powers, b.powers);
  });
}
TEST(Leapfrog, GoesOnFromItsArrays) {
  const Mesh mesh = ridged_mesh({9, 5, 5}, 4);
  expect_goes_on(Stage(mesh));
  expect_goes_on(with_sponges_and_sources(mesh));
}

class StateOf final : public StateSource {
 public:
  StateOf(Stepper& stepper, const Mesh& mesh) : stepper_(stepper), mesh_(mesh) {}
  const StateArrays& arrays() const override { return stepper_.arrays(); }
  void read(const StateArray& array, std::int64_t n, std::vector<double>& values) override {
    const std::int64_t items = items_of_slab(array, mesh_);
    values.resize(static_cast<std::size_t>(items * (array.items == StateArray::Items::node_rows ? mesh_.NX() : 3 * L3D)));
    stepper_.get(array, n * items, values);
  }

 private:
  Stepper& stepper_;
  const Mesh& mesh_;
};

// RK4 goes on from what the leapfrog leaves, whatever form it keeps the velocity in; the other way is refused with the reason.
TEST(Leapfrog, HandsOverToRk4) {
  const Mesh mesh = ridged_mesh({9, 5, 5}, 4, 0.2);
  Stage stage(mesh);
  const double dt = 0.1 * stable_step(stage.setup(4), leapfrog4_integrator, stage.self).dt, rise = 400 * dt;
  const auto force = [&](const Integrator& integrator, int n) {
    TimeSeries ramp;
    ramp.value = [=](double t) { return t <= 0 ? 0 : t >= rise ? 1 : std::pow(std::sin(0.5 * M_PI * t / rise), 6); };
    ramp.rate = [=](double t) {
      const double x = 0.5 * M_PI * t / rise;
      return t <= 0 || t >= rise ? 0 : 3 * M_PI / rise * std::pow(std::sin(x), 5) * std::cos(x);
    };
    return std::vector<ForcingSample>{{0, integrator.sample(ramp, n * dt, dt)}};
  };
  for_each_variant([&](const Variant& v) {
    const auto stepper = v.make_stepper(stage.setup(4));
    int n = 0;
    for (; n < 150; ++n) stepper->step(dt, force(leapfrog4_integrator, n));
    std::vector<std::unique_ptr<Stepper>> others;
    for (const Variant& other : variants())
      if (other.device == Device::cpu && !other.integrator->from_rest) {
        others.push_back(other.make_stepper(stage.setup(4)));
        StateOf source(*stepper, mesh);
        hand_over(source, stage.setup(4), *others.back());
        StateOf back(*others.back(), mesh);
        EXPECT_THROW(hand_over(back, stage.setup(4), *stepper), Error);
      }
    ASSERT_GE(others.size(), 3u);
    for (; n < 300; ++n) {
      stepper->step(dt, force(leapfrog4_integrator, n));
      for (const auto& other : others) other->step(dt, force(*reference_variant().integrator, n));
    }
    std::vector<double> p, u, p_other, u_other;
    stepper->get_state(p, u);
    for (const auto& other : others) {
      other->get_state(p_other, u_other);
      EXPECT_LT(relative_difference(p_other, p), 1e-6);
      EXPECT_LT(relative_difference(u_other, u), 1e-6);
    }
  });
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
