// SPDX-License-Identifier: Apache-2.0
// What a new integrator costs: this one file. It does nothing, registers itself, and is found by the choice of variants, the plan, the step, the
// checkpoints and the run.
#include "../cases/run_directory.hpp"
#include "run/simulation.hpp"
#include "timestep/conversion.hpp"
#include "timestep/variants.hpp"

namespace agwave::cases {
namespace {

const Integrator standstill{"standstill", 1e3, 1e3, [](double, SpectrumPoint) { return true; },
                            [](const TimeSeries&, double, double) { return Rates{}; }};
const StateArrays one_array{{"potential", StateArray::Items::node_rows, "m2/s"}};

class StillView final : public StateView {
 public:
  explicit StillView(const StepperSetup& setup)
      : points_(setup.points.size()), terms_(setup.forcing.size()), level_(setup.mesh.NX() * setup.mesh.NY()) {}
  void record_sample() override { ++samples_; }
  std::vector<double> take_samples() override { return std::vector<double>(points_ * std::exchange(samples_, 0)); }
  void record_powers(std::span<const int>) override { ++powers_; }
  std::vector<double> take_powers() override { return std::vector<double>((2 + terms_) * std::exchange(powers_, 0)); }
  void queue_picks(std::span<const Pick> picks) override {
    for (const Pick& pick : picks) picks_.emplace_back(static_cast<std::size_t>(pick.size()));
  }
  std::vector<std::vector<double>> take_picks() override { return std::exchange(picks_, {}); }
  Energies energies() override { return {}; }
  double max_pressure() override { return 0; }
  void track_surface(double, double) override {}
  double max_surface_height() override { return 0; }
  void surface(std::vector<double>& height, std::vector<double>& maximum, std::vector<double>& arrival) override {
    height = maximum = arrival = std::vector<double>(static_cast<std::size_t>(level_));
  }
  void set_surface_extremes(std::span<const double>, std::span<const double>) override {}

 private:
  std::size_t points_, terms_, samples_ = 0, powers_ = 0;
  int level_;
  std::vector<std::vector<double>> picks_;
};

class Standstill final : public Stepper {
 public:
  explicit Standstill(const StepperSetup& setup) : NX_(setup.mesh.NX()), potential_(static_cast<std::size_t>(setup.mesh.nodes())), view_(setup) {}
  void set_state(std::span<const double>, std::span<const double>) override {}
  void get_state(std::vector<double>&, std::vector<double>&) override {}
  const StateArrays& arrays() const override { return one_array; }
  void get(const StateArray&, std::int64_t first, std::span<double> values) override {
    std::copy_n(potential_.begin() + first * NX_, values.size(), values.begin());
  }
  void set(const StateArray&, std::int64_t first, std::span<const double> values) override {
    std::copy(values.begin(), values.end(), potential_.begin() + first * NX_);
  }
  void step(double, std::span<const ForcingSample>) override { ++potential_[0]; }
  StateView& view() override { return view_; }
  void damp() override {}
  double damped_energy() override { return 0; }
  void set_damped_energy(double) override {}
  void wait() override {}
  void repeat_exchange() override {}

 private:
  std::int64_t NX_;
  std::vector<double> potential_;
  StillView view_;
};

const RegisterVariant variant{[] {
  Variant v;
  v.name = "standstill";
  v.description = "does nothing";
  v.integrator = &standstill;
  v.quadratures = {4};
  v.preference = -1;
  v.arrays = one_array;
  v.make_stepper = [](const StepperSetup& setup) -> std::unique_ptr<Stepper> { return std::make_unique<Standstill>(setup); };
  v.bytes = [](const Mesh& mesh, int) { return 8.0 * static_cast<double>(mesh.nodes()); };
  return v;
}()};

class NewIntegrator : public RunDirectory {
 protected:
  Case still(const char* name) {
    Case c = box_case({4000, 4000}, 1000, {2, 2, 1});
    source(c, gaussian({2000, 2000}, {1000, 1000}), smoothstep_ramp(0, 1, 2));
    seafloor(c, 1700, 900);
    set_time(c, 20, 5);
    c.solver.device = "cpu";
    c.solver.variant = "standstill";
    c.output.surface_interval = 10;
    c.output.checkpoint_interval = 10;
    c.output.directory = path(name);
    return c;
  }
};

TEST_F(NewIntegrator, IsListed) {
  EXPECT_TRUE(std::any_of(variants().begin(), variants().end(), [](const Variant& v) { return v.integrator == &standstill; }));
}

TEST_F(NewIntegrator, SetsTheStepByItsOwnLimit) {
  const Plan plan = make_plan(still("a"), world());
  EXPECT_EQ(plan.variant->name, "standstill");
  EXPECT_NEAR(plan.limit.waves_only * plan.limit.omega, 1e3, 1e-6);
  EXPECT_GT(plan.choice.dt, 1.0);  // RK4 takes steps of hundredths of a second here
}

TEST_F(NewIntegrator, RunsAndGoesOnFromItsCheckpoint) {
  const Case c = still("b");
  Simulation simulation(c, world(), {true});
  simulation.run();
  EXPECT_EQ(simulation.model().plan().variant->name, "standstill");
  EXPECT_EQ(max_abs(read("b/sensors.h5", "pressure")), 0);
  const std::string checkpoint = find_checkpoint(path("b"));
  const Manifest m = read_manifest(checkpoint, world());
  EXPECT_EQ(m.scheme, "standstill");
  EXPECT_EQ(m.arrays, one_array);
  RunOptions options{true};
  options.restart = Restart{checkpoint, m};
  Case more = c;
  more.time.end = 40;
  Simulation goes_on(more, world(), options);
  const double first = static_cast<double>(goes_on.model().step());
  EXPECT_GT(first, 0);
  goes_on.run();
  std::vector<double> row(static_cast<std::size_t>(goes_on.model().mesh().NX()));
  goes_on.model().stepper().get(one_array[0], 0, row);
  EXPECT_EQ(row[0], static_cast<double>(goes_on.model().plan().steps));  // one for each step, those before the checkpoint included
}

// Nobody has said how to make a pressure and a velocity of this state.
TEST_F(NewIntegrator, IsNotTakenForAnother) {
  Case c = still("c");
  Simulation(c, world(), {true}).run();
  RunOptions options{true};
  const std::string checkpoint = find_checkpoint(path("c"));
  options.restart = Restart{checkpoint, read_manifest(checkpoint, world())};
  Case other = c;
  other.solver.variant = "two-sweep";
  other.time.step = options.restart->manifest.dt;
  try {
    Plan plan = make_plan(still("d"), world());
    plan.variant = make_plan(
                       [&] {
                         Case rk = c;
                         rk.solver.variant = "two-sweep";
                         return rk;
                       }(),
                       world())
                       .variant;
    Simulation simulation(other, world(), options, std::move(plan));
    FAIL() << "a state of another integrator was taken";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("potential (m2/s)"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("velocity (contravariant flux)"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace agwave::cases
