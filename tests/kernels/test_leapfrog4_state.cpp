// SPDX-License-Identifier: Apache-2.0
// The state of every variant of the leapfrog: no question changes it, it goes on from its arrays, and RK4 goes on from it.
#include "leapfrog4_checks.hpp"
#include "timestep/conversion.hpp"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace {

TEST(LeapfrogState, IsNotChangedByWatchingNorByRunningAgain) {
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

// The widest settings, one of them on soft ground, one in levels.
template <class Check>
void for_each_setting(const Mesh& mesh, Check&& check) {
  const Stage plain(mesh), full = with_sponges_and_sources(mesh);
  const LocalLevels levels = random_levels(mesh, step_of(plain, 4), {0, 1, 2}, 7);
  Stage soft = with_sponges_and_sources(mesh), in_levels = with_sponges_and_sources(mesh);
  soft.on_soft_ground();
  in_levels.levels = &levels;
  const Stage matched = with_matched_strips(mesh);
  int n = 0;
  for (const Stage* stage : std::array<const Stage*, 5>{&plain, &full, &soft, &in_levels, &matched}) {
    SCOPED_TRACE(testing::Message() << "setting " << n++);
    check(*stage);
  }
}

std::int64_t items_of(const StateArray& array, const Mesh& mesh) {
  using Items = StateArray::Items;
  return array.items == Items::elements ? mesh.NE() : array.items == Items::floor_rows ? mesh.NY() : mesh.nodes() / mesh.NX();
}
std::vector<double> values_of(Stepper& stepper, const StateArray& array, std::int64_t first, std::int64_t items, const Mesh& mesh) {
  std::vector<double> values(static_cast<std::size_t>(items * (array.items == StateArray::Items::elements ? 3 * L3D : mesh.NX())));
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
TEST(LeapfrogState, IsNotChangedByQuestionsInAnyOrder) {
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
        const std::int64_t items = items_of(array, mesh);
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
TEST(LeapfrogState, GoesOnFromPiecesOfItsArrays) {
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
          const std::int64_t all = items_of(array, mesh), half = all / 2;
          const std::int64_t begin = part == 0 ? half : 0, count = part == 0 ? all - half : half;
          second->set(array, begin, values_of(*first, array, begin, count, mesh));
        }
      const auto expect_same = [&](const char* when) {
        for (const StateArray& array : first->arrays()) {
          const std::int64_t items = items_of(array, mesh);
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
    for (const StateArray& array : first->arrays()) second->set(array, 0, values_of(*first, array, 0, items_of(array, mesh), mesh));
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
TEST(LeapfrogState, GoesOnFromItsArrays) {
  const Mesh mesh = ridged_mesh({9, 5, 5}, 4);
  expect_goes_on(Stage(mesh));
  Stage full = with_sponges_and_sources(mesh);
  expect_goes_on(full);
  full.on_soft_ground();
  expect_goes_on(full);
  expect_goes_on(with_matched_strips(mesh));
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
TEST(LeapfrogState, HandsOverToRk4) {
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

}  // namespace
}  // namespace agwave
