// SPDX-License-Identifier: Apache-2.0
// A run as a whole: what it says while it goes on, that its maxima do not depend on when it is looked at, what it refuses,
// and how it ends when the state blows up (exit 4, with the traces and maps up to then and no summary).
// ranks: 1 2
#include <fstream>
#include <nlohmann/json.hpp>

#include "case/case_file.hpp"
#include "run/simulation.hpp"
#include "run_directory.hpp"

namespace agwave::cases {
namespace {

namespace fs = std::filesystem;

class Simulations : public RunDirectory {
 protected:
  // Small elements, so that a second is many steps; a bump of the floor away from the middle.
  Case small_case(double end) const {
    Case c = box_case({4000, 2000}, 1000, {4, 2, 1}, Wall::absorbing);
    source(c, gaussian({1700, 900}, {500, 400}), smoothstep_ramp(0, 0.5, 2));
    c.time.end = end;
    c.output.directory = directory_.string();
    return c;
  }
  double residual_of(Case c, bool in_levels = true) const {  // over the work of the sources, of a run that comes to its end
    c.output.directory = directory_.string();
    Simulation simulation(c, world(), {true});
    EXPECT_EQ(simulation.model().plan().levels.local(), in_levels);
    const EnergyBudget energy = simulation.run().energy;
    return std::abs(energy.residual / energy.source_work);
  }
  // The step 1.3 times the limit: grows 25-fold in energy per step from rounding.
  static Plan unstable_plan(const Case& c, std::int64_t steps) {
    Plan plan = make_plan(c, world());
    plan.choice.dt = 1.3 * plan.limit.dt;
    plan.choice.per_interval = 10;
    plan.interval = 10 * plan.choice.dt;
    plan.steps = steps;
    return plan;
  }
  template <class Action>
  static std::string unstable_message(const Action& action) {
    try {
      action();
    } catch (const AgreedError& error) {
      return error.code() == ExitCode::unstable ? error.what() : text("exit code ", static_cast<int>(error.code()));
    }
    return "no error";
  }
};

bool holds(const std::string& whole, const std::string& part) { return whole.find(part) != std::string::npos; }

TEST_F(Simulations, ProgressNeedsNoSensors) {
  Case c = small_case(5);
  c.time.safety = 0.4;
  ::testing::internal::CaptureStdout();
  Simulation simulation(c, world(), {false, 0.0});
  const std::int64_t steps = simulation.model().plan().steps;
  const Summary s = simulation.run();
  const std::string printed = ::testing::internal::GetCapturedStdout();
  ASSERT_GT(steps, 100);
  EXPECT_GT(s.max_pressure_pa, 1e5);
  EXPECT_GT(s.max_surface_height_m, 0.1);
  if (!world().root()) return;
  int lines = 0, whole = 0;
  for (std::size_t at = 0; (at = printed.find("GDOF*step/s", at)) != std::string::npos; ++at) ++lines;
  for (std::size_t at = 0; (at = printed.find("100.0 %", at)) != std::string::npos; ++at) ++whole;
  EXPECT_EQ(lines, steps + 1);  // after every step here, t = 0 included
  EXPECT_EQ(whole, 1);
  // The maxima and the budget come from the checks at step 50 and 100, not from the end.
  const std::size_t late = printed.find(text("step 101/", steps));
  ASSERT_NE(late, std::string::npos);
  EXPECT_FALSE(holds(printed.substr(late, 200), "max eta 0 m")) << printed.substr(late, 200);
  EXPECT_FALSE(holds(printed.substr(late, 200), "E 0 = work 0")) << printed.substr(late, 200);
  const auto json = nlohmann::json::parse(std::ifstream(path("progress.json")));
  EXPECT_TRUE(json["finished"]);
  EXPECT_EQ(json["energy"]["final"], s.energy.final);
  EXPECT_EQ(json["energy"]["residual"], s.energy.residual);
}

TEST_F(Simulations, MaximaDoNotDependOnTheSamplingInterval) {
  const double dt = 1.0 / 64;
  Summary summaries[2];
  std::vector<double> maximum[2], arrival[2];
  for (int n = 0; n < 2; ++n) {
    Case c = small_case(2);
    c.time.step = dt;
    c.sensors.interval = n == 0 ? dt : 1.0;
    c.output.surface_interval = 1.0;
    seafloor(c, 1700, 900);
    hydrophone(c, 1700, 900, -600);
    gauge(c, 1500, 1000);  // on a node
    Simulation simulation(c, world(), {true});
    summaries[n] = simulation.run();
    if (!world().root()) continue;
    maximum[n] = read("surface.h5", "maximum_height");
    arrival[n] = read("surface.h5", "arrival_time");
    EXPECT_GE(summaries[n].max_pressure_pa, max_abs(read("sensors.h5", "pressure")));
    const auto height = read("sensors.h5", "surface_height");
    EXPECT_GE(summaries[n].max_surface_height_m * (1 + 1e-12), *std::max_element(height.begin(), height.end()));
    EXPECT_GE(summaries[n].max_surface_height_m, *std::max_element(maximum[n].begin(), maximum[n].end()));
  }
  EXPECT_EQ(summaries[0].max_surface_height_m, summaries[1].max_surface_height_m);
  EXPECT_GT(summaries[0].max_surface_height_m, 0.1);
  EXPECT_EQ(maximum[0], maximum[1]);
  ASSERT_EQ(arrival[0].size(), arrival[1].size());
  int between = 0;  // arrivals that no sample of the coarse run saw
  for (std::size_t n = 0; n < arrival[0].size(); ++n) {
    EXPECT_TRUE(arrival[0][n] == arrival[1][n] || (std::isnan(arrival[0][n]) && std::isnan(arrival[1][n])));
    between += std::isfinite(arrival[1][n]) && arrival[1][n] != std::floor(arrival[1][n]);
  }
  if (!world().root()) return;
  EXPECT_GT(between, 10);
}

// The whole floor rises for 0.2 s; the pulse p = rho c v comes back from the surface after 1.33 s and doubles at the floor
// for a moment, at step 184, where no check falls: only the sensor sees it.
TEST_F(Simulations, MaximumPressureCoversTheSamples) {
  Case c = box_case({2000, 2000}, 1000, {2, 2, 4});
  source(c, gaussian({1000, 1000}, {inf, inf}), smoothstep_ramp(0, 0.2, 2));
  c.output.directory = directory_.string();
  set_time(c, 2, 1.0 / 128, 1);
  seafloor(c, 900, 1100);
  Simulation simulation(c, world(), {true});
  const Summary s = simulation.run();
  if (!world().root()) return;
  const double shown = max_abs(read("sensors.h5", "pressure"));
  EXPECT_NEAR(shown, 2 * 1025 * 1500 * 1.875 / 0.2, 0.03 * shown);
  EXPECT_EQ(s.max_pressure_pa, shown);
}

TEST_F(Simulations, NoHeightsBelowALid) {
  const auto message = [&](const Case& c) -> std::string {
    try {
      Simulation simulation(c, world(), {true});
    } catch (const AgreedError& error) {
      return error.code() == ExitCode::usage ? error.what() : "wrong exit code";
    }
    return "no error";
  };
  Case c = small_case(0.5);
  c.boundary.surface = Surface::rigid;
  hydrophone(c, 1700, 900, -1);
  c.sensors.interval = 0.5;
  EXPECT_EQ(message(c), "no error");
  Case gauged = c, mapped = c;
  gauge(gauged, 1700, 900);
  EXPECT_TRUE(holds(message(gauged), "sensors.surface")) << message(gauged);
  EXPECT_TRUE(holds(message(gauged), "boundary.surface: rigid"));
  EXPECT_FALSE(holds(message(gauged), "output.surface_interval"));
  mapped.output.surface_interval = 0.5;
  EXPECT_TRUE(holds(message(mapped), "output.surface_interval")) << message(mapped);
  Simulation simulation(c, world(), {true});
  EXPECT_EQ(simulation.run().max_surface_height_m, 0);
}

TEST_F(Simulations, OldOutputsAreRemovedAndNothingElse) {
  const std::vector<std::string> ours{"sensors.h5", "surface.h5", "summary.json", "progress.json"};
  if (world().root()) {
    for (const std::string& name : ours) std::ofstream(path(name)) << "old";
    std::ofstream(path("notes.txt")) << "mine";
  }
  world().barrier();
  const Case c = small_case(0.5);
  const Simulation simulation(c, world(), {true});
  if (!world().root()) return;
  for (const std::string& name : ours) EXPECT_FALSE(fs::exists(path(name))) << name;
  EXPECT_TRUE(fs::exists(path("notes.txt")));
}

TEST_F(Simulations, NotFiniteSaysWhereAndWhen) {
  const Case c = small_case(0.5);
  Simulation simulation(c, world(), {true});
  set_state(simulation.model(), [](double x, double y, double z) { return x == 3000 && y == 1500 && z == -500 ? std::nan("") : 0.0; });
  const std::string message = unstable_message([&] { simulation.run(); });
  EXPECT_TRUE(holds(message, "pressure = nan at x = 3000 m, y = 1500 m, z = -500 m")) << message;
  EXPECT_TRUE(holds(message, text("t = 0 s, step 0 of ", simulation.model().plan().steps))) << message;
}

TEST_F(Simulations, TooLargeAStepGrowsWithoutASource) {
  Case c = small_case(0.5);
  c.sources.clear();
  c.sensors.interval = 0.5;
  c.output.surface_interval = 0.5;
  seafloor(c, 1700, 900);
  Simulation simulation(c, world(), {true}, unstable_plan(c, 300));
  set_state(simulation.model(),
            [](double x, double y, double) { return 100 * std::exp(-1e-6 * ((x - 2000) * (x - 2000) + (y - 1000) * (y - 1000))); });
  const std::string message = unstable_message([&] { simulation.run(); });
  EXPECT_TRUE(holds(message, "the energy grows without a source")) << message;
  EXPECT_TRUE(holds(message, "step 50 of 300")) << message;
  EXPECT_TRUE(holds(message, text("at t = ", rounded(50 * simulation.model().dt(), 6), " s"))) << message;
  if (!world().root()) return;
  EXPECT_FALSE(fs::exists(path("summary.json")));
  const auto pressure = read("sensors.h5", "pressure");
  EXPECT_EQ(std::count_if(pressure.begin(), pressure.end(), [](double p) { return std::isfinite(p); }), 6);  // steps 0, 10 .. 50
  for (double eta : read("surface.h5", "maximum_height")) EXPECT_TRUE(std::isfinite(eta));
}

// Short waves that are in columns of finer levels for a while, where their energy is measured to order two, and come out again.
TEST_F(Simulations, WavesThatLeaveFinerLevelsDoNotGrow) {
  const Case c = parse_case("levels.yaml", R"(
title: short waves in a closed box
domain: {size: [24000, 36000], bathymetry: {type: cosine, depth: 2000, amplitude: 0.9, waves: [0, 0.5]}}
mesh: {elements: [8, 18, 1]}
boundary: {west: rigid, east: rigid, south: rigid, north: rigid}
sources: [{shape: {type: gaussian, center: [12000, 8000], radius: [3000, 3000]}, ramp: {type: smoothstep, duration: 1}}]
time: {end: 24, local_steps: 3}
solver: {device: cpu}
)",
                            {});
  EXPECT_LT(residual_of(c), 0.05);
}

// Most of the energy of a source that is quicker than what the mesh carries is missed while its waves are in finer levels.
TEST_F(Simulations, NorDoThoseOfQuickSources) {
  const Case c = parse_case("quick.yaml", R"(
title: a narrow source over a shelf
domain:
  size: [64000, 48000]
  bathymetry: {type: margin, shelf_depth: 600, abyssal_depth: 3000, trench_depth: 4000, shelf_edge: 52000, slope_width: 20000, trench_width: 16000}
mesh: {elements: [32, 12, 2]}
sources: [{shape: {type: gaussian, center: [56000, 25000], radius: [3000, 5000]}, ramp: {type: linear, duration: 1.5}}]
time: {end: 25, local_steps: 4}
solver: {device: cpu}
)",
                            {});
  EXPECT_GT(residual_of(c), 0.1);  // what the guard has to put up with
}

// What a step hardly resolves is not damped: after 1500 s it is what is left, 2e-5 of the work, and its energy wavers by 2 %.
TEST_F(Simulations, NorDoesWhatIsLeftInTheEnd) {
  const Case c = parse_case("left.yaml", R"(
title: a small box for a long time
domain: {size: [8000, 6000], bathymetry: {type: flat, depth: 2000}}
mesh: {elements: [4, 3, 2]}
sources: [{shape: {type: gaussian, center: [4000, 3000], radius: [1000, 1000]}, ramp: {type: smoothstep, duration: 2}}]
sensors: {interval: 0.5, seafloor: [{name: A, x: 4000, y: 3000}]}
time: {end: 1600, scheme: leapfrog4}
solver: {device: cpu}
)",
                            {});
  EXPECT_LT(residual_of(c, false), 1e-3);
}

// A step of the leapfrog is forced by what moves up to one step after its end.
TEST_F(Simulations, NorDoesWhatBeginsWhereTheGuardLooks) {
  for (const bool in_levels : {false, true}) {
    Case c = parse_case("begins.yaml", R"(
title: a source that begins where the guard looks
domain: {size: [24000, 36000], bathymetry: {type: cosine, depth: 2000, amplitude: 0.9, waves: [0, 0.5]}}
mesh: {elements: [8, 18, 1]}
sources: [{shape: {type: gaussian, center: [12000, 18000], radius: [3000, 3000]}, ramp: {type: smoothstep, duration: 5}}]
sensors: {interval: 0.5}
time: {end: 40, scheme: leapfrog4}
solver: {device: cpu}
)",
                        {text("time.local_steps=", in_levels ? "3" : "off")});
    const double looks = 50 * make_plan(c, world()).choice.dt;
    ASSERT_LT(looks + 5, c.time.end);
    c.sources[0].ramp = smoothstep_ramp(looks, 5, 1);
    EXPECT_LT(residual_of(c, in_levels), 0.1);
  }
}

// Where the largest pressure is, one rank says; the state that it is looked for in, all complete.
TEST_F(Simulations, TooLargeAStepOfTheLeapfrog) {
  Case c = box_case({16000, 8000}, 1000, {16, 8, 1}, Wall::absorbing);
  c.output.directory = directory_.string();
  Simulation simulation(c, world(), {true}, unstable_plan(c, 300));
  EXPECT_EQ(simulation.model().plan().variant->name, "leapfrog-sweep");
  set_state(simulation.model(),
            [](double x, double y, double) { return 100 * std::exp(-1e-6 * ((x - 2000) * (x - 2000) + (y - 1000) * (y - 1000))); });
  const std::string message = unstable_message([&] { simulation.run(); });
  EXPECT_TRUE(holds(message, "the energy grows without a source")) << message;
  EXPECT_TRUE(holds(message, "|p| is largest")) << message;
}

// With a source at work the energy may grow: finiteness is what stops it.
TEST_F(Simulations, TooLargeAStepUnderASource) {
  Case c = small_case(1000);
  c.sources[0].ramp = smoothstep_ramp(0, 1000, 2);
  Simulation simulation(c, world(), {true}, unstable_plan(c, 3000));
  const std::string message = unstable_message([&] { simulation.run(); });
  const Model& model = simulation.model();
  EXPECT_TRUE(holds(message, "no longer finite")) << message;
  EXPECT_TRUE(holds(message, text("t = ", rounded(model.time(), 6), " s, step ", model.step(), " of 3000"))) << message;
  EXPECT_LE(model.step(), 1000);
  EXPECT_FALSE(fs::exists(path("summary.json")));
}

}  // namespace
}  // namespace agwave::cases
