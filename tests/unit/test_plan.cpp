// SPDX-License-Identifier: Apache-2.0
// The plan: predicted memory against what a model takes, what is free, devices that differ between ranks, hydrophones below
// the floor, variants of another device, the first reflected gravity wave.
// ranks: 1 2
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "boundary/reflection.hpp"
#include "boundary/travel_time.hpp"
#include "case/case_file.hpp"
#include "device/array.hpp"
#include "expect_error.hpp"
#include "run/model.hpp"
#include "run/plan_memory.hpp"

namespace agwave {
namespace {

std::string all_notes(const Plan& plan) {
  std::string all;
  for (const std::string& note : plan.notes) all += note + "\n";
  return all;
}

const Comm& world() {
  static const Comm comm;
  return comm;
}

Case parse(const std::string& more, const std::string& elements = "[8, 6, 4]", const std::string& precision = "double") {
  return parse_case("c.yaml",
                    "domain:\n  size: [80e3, 60e3]\n  bathymetry: {type: flat, depth: 4000}\nmesh: {elements: " + elements +
                        "}\nsolver: {device: cpu, precision: " + precision + "}\n" + more,
                    {});
}

const std::string source = "  - {shape: {type: gaussian, center: [40e3, 30e3], radius: [4e3, 4e3]}, ramp: {type: cosine, duration: 2}}\n";

TEST(PlanMemory, IsWhatAModelTakes) {
  std::string sources = "sources:\n";
  for (int n = 0; n < 40; ++n) sources += source;
  const Case c = parse(sources +
                       "time: {end: 1}\nsensors:\n  interval: 1\n  seafloor: {grid: {counts: [40, 40]}}\n"
                       "  hydrophones: [{name: H, x: 101, y: 101, z: -1000.5}]\n  surface: {grid: {counts: [30, 30]}}\n");
  const std::size_t before = memory_use().now;
  const Model model(c, world());
  const double taken = static_cast<double>(memory_use().now - before);
  EXPECT_NEAR(model.plan().memory / taken, 1, 0.01) << taken;
  EXPECT_GT(model.plan().host_memory, 40 * 8.0 * model.mesh().NX() * model.mesh().NY());
}

// With what waits aside at the first step, and no more for the trial of the levels before it.
TEST(PlanMemory, IsWhatAModelInLevelsTakes) {
  for (const char* precision : {"double", "single"}) {
    const Case c = parse_case(
        "c.yaml",
        "domain:\n  size: [80e3, 60e3]\n  bathymetry: {type: gaussian, depth: 4000, height: 3500, center: [40e3, 30e3], radius: [9e3, 9e3]}\n"
        "mesh: {elements: [64, 48, 3]}\nsources:\n" +
            source + "time: {end: 1, local_steps: 4}\nsolver: {device: cpu, precision: " + precision + "}\n",
        {});
    const std::size_t before = memory_use().now;
    reset_memory_peak();
    Model model(c, world());
    ASSERT_TRUE(model.plan().levels.local());
    model.require_stable_levels();
    model.advance();
    const double taken = static_cast<double>(memory_use().peak - before);
    EXPECT_NEAR(model.plan().memory / taken, 1, 0.05) << precision << ": " << taken;
  }
}

TEST(Plan, SaysThatLevelsWhichAreAskedForSaveNothing) {
  const auto notes = [](const std::string& local_steps, const std::string& precision) {
    const std::string shelf =
        "domain:\n  size: [60e3, 50e3]\n  bathymetry: {type: margin, shelf_depth: 60, shelf_edge: 40e3, slope_width: 15e3, trench_width: 12e3}\n"
        "mesh: {elements: [24, 20, 1]}\nsources:\n";
    const std::string rest = "time: {end: 1, local_steps: " + local_steps + "}\nsolver: {device: cpu, precision: " + precision + "}\n";
    return all_notes(make_plan(parse_case("c.yaml", shelf + source + rest, {}), world()));
  };
  expect_words(notes("8", "single"), {"time.local_steps: 8: all columns take the same step", "patches of 16 x 4 columns"});
  for (const std::string& quiet : {notes("8", "double"), notes("1", "single"), notes("off", "single"), notes("auto", "single")})
    EXPECT_EQ(quiet.find("all columns take the same step"), std::string::npos) << quiet;
}

TEST(PlanMemory, IsWhatAModelWithSpongesTakes) {
  for (const char* precision : {"double", "single"})
    for (const char* type : {"fading", "matched"}) {
      const Case c =
          parse("sources:\n" + source +
                    "time: {end: 1, local_steps: off}\nboundary: {sponge: {west: 16e3, east: 16e3, south: 16e3, north: 16e3, type: " + type + "}}\n",
                "[64, 48, 3]", precision);
      const std::size_t before = memory_use().now;
      const Model model(c, world());
      const double taken = static_cast<double>(memory_use().now - before);
      EXPECT_NEAR(model.plan().memory / taken, 1, 0.06) << precision << ", " << type << ": " << taken;
    }
}

TEST(PlanMemory, RefusesMoreThanThereIs) {
  Plan plan = make_plan(parse("time: {end: 1}\n"), world());
  EXPECT_NO_THROW(require_memory(plan, world()));
  plan.memory = 1e15;
  const std::string message = message_of(ExitCode::device, [&] { require_memory(plan, world()); });
  expect_words(message, {"not enough memory", "GB needed", "GB available"});
  if (world().size() > 1) expect_words(message, {"2000000 GB needed for 2 ranks"});
}

TEST(PlanMemory, ControlGroupsLimitWhatIsAvailable) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("agwave_plan_" + std::to_string(::getpid()));
  const auto put = [&](const std::string& name, const std::string& words) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << words;
  };
  EXPECT_TRUE(std::isinf(available_host_memory(root.string())));
  put("proc/meminfo", "MemTotal: 900 kB\nMemAvailable:     500 kB\n");
  EXPECT_EQ(available_host_memory(root.string()), 512000);
  put("proc/self/cgroup", "0::/job/step\n");
  put("sys/fs/cgroup/job/memory.max", "300000\n");  // the group above limits too
  put("sys/fs/cgroup/job/memory.current", "200000\n");
  put("sys/fs/cgroup/job/memory.stat", "anon 100\ninactive_file 50000\nactive_file 10000\n");
  put("sys/fs/cgroup/job/step/memory.max", "max\n");
  EXPECT_EQ(available_host_memory(root.string()), 160000);
  put("proc/self/cgroup", "4:cpu:/a\n3:memory:/job\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "90000\n");
  put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "50000\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(available_host_memory(root.string()), 40000);
  fs::remove_all(root);
}

TEST(PlanDevice, IsOnAllRanksOrOnNone) {
  SolverCase solver;
  CudaDevice own;
  own.name = "no CUDA device";
  EXPECT_FALSE(common_device(own, solver, world()).present);
  own.compute_capability = 90 - 10 * world().rank();
  own.present = true;
  EXPECT_EQ(common_device(own, solver, world()).compute_capability, world().size() == 1 ? 90 : 80);
  if (world().size() == 1) return;
  own.present = world().root();
  const std::string message = message_of(ExitCode::device, [&] { common_device(own, solver, world()); });
  expect_words(message, {"solver.device: auto", "1 of 2 ranks have no CUDA device", "rank 1", "device: cpu"});
}

// Elements of 10 km, whose outermost points are 0.7 km from their faces: a bell on a face is lost, one on a point counts as much as the point stands for.
TEST(PlanNotes, SayWhatTheMeshMakesOfNarrowSources) {
  const auto notes = [](const std::string& shape, const std::string& elements = "[8, 6, 4]") {
    const std::string source = "  - {shape: {type: " + shape + "}, ramp: {type: cosine, duration: 2}}\n";
    return all_notes(make_plan(parse("time: {end: 1}\nsources:\n" + source, elements), world()));
  };
  const std::string some = "and the mesh makes";
  expect_words(notes("gaussian, center: [40e3, 30e3], radius: [100, 100]"),
               {"warning: sources[0] displaces 6.28e+04 m3", "and the mesh makes nothing of it"});
  expect_words(notes("patch, x: [40600, 40800], y: [30600, 30800]"), {"and the mesh makes 3.03e+06 m3 of it"});
  expect_words(notes("gaussian, center: [40e3, 30e3], radius: [.inf, 100]"),
               {"displaces 2", "and the mesh makes nothing of it", "at most 2", " m along y there"});
  const std::string bell = "gaussian, center: [40e3, 30e3], radius: [1e3, 2e3]";
  expect_words(notes(bell),
               {"displaces 1.26e+07 m3, and the mesh makes 1.37e+07 m3 of it", "elements of at most 2", " m along x and 4", "or a wider source"});
  for (const auto& [shape, elements] : {std::pair<std::string, std::string>{bell, "[40, 15, 1]"},  // as the advice has it
                                        {"gaussian, center: [43e3, 31e3], radius: [4e3, 4e3]", "[8, 6, 4]"},
                                        {"gaussian, center: [0, 31e3], radius: [.inf, 6e3]", "[8, 6, 4]"},
                                        {"patch, x: [20e3, 30e3], y: [10e3, 20e3]", "[8, 6, 4]"},
                                        {"modal, modes: [1, 0]", "[8, 6, 4]"}})
    EXPECT_EQ(notes(shape, elements).find(some), std::string::npos) << notes(shape, elements);
}

TEST(PlanNotes, NameOutputsThatNeverCome) {
  const std::string all = all_notes(make_plan(parse("time: {end: 10}\nsensors: {interval: 1, seafloor: [{name: A, x: 1, y: 1}]}\noutput: "
                                                    "{surface_interval: 20, volume_interval: 10, checkpoint_interval: 20}\n"),
                                              world()));
  expect_words(all, {"note: output.surface_interval: every 20 s, and the run ends at 10 s: no map but that at rest",
                     "note: output.checkpoint_interval", "no checkpoint but"});
  EXPECT_EQ(all.find("volume_interval"), std::string::npos);
}

TEST(PlanSensors, AllHydrophonesOutsideTheWaterAreNamedAtOnce) {
  const Case c = parse(
      "time: {end: 1}\nsensors:\n  interval: 1\n  seafloor: [{name: A, x: 1, y: 1}]\n  hydrophones:\n    - {name: H, x: 79e3, y: 1e3, z: -4001}\n"
      "    - {name: J, x: 1e3, y: 1e3, z: -4000}\n    - {name: K, x: 1e3, y: 59e3, z: -9000}\n");
  const std::string message = message_of(ExitCode::usage, [&] { make_plan(c, world()); });
  expect_words(message, {"c.yaml:11", "(H)", "c.yaml:13", "(K)", "4000 m deep"});
  EXPECT_EQ(message.find("(J)"), std::string::npos) << message;
}

TEST(PlanSensors, SeafloorSensorsKnowTheirDepth) {
  const Plan plan = make_plan(parse("time: {end: 1}\nsensors: {interval: 1, seafloor: {grid: {counts: [3, 3]}}}\n"), world());
  for (const Sensor& s : plan.sensors.seafloor) EXPECT_NEAR(s.z, -4000, 1e-9);
}

// Every rank knows the bounds of its own columns, over all layers of the mesh, to the bit; the run's step comes of the largest.
TEST(ColumnBounds, AreTheSameOnEveryGrid) {
  for (const char* grid : {"", "parallel: {grid: [1, 1, 2]}\n"}) {
    if (world().size() != 2 && *grid) continue;
    const std::string sloping =
        "domain:\n  size: [80e3, 60e3]\n  bathymetry: {type: gaussian, depth: 4000, height: 3000, center: [30e3, 20e3], radius: [9e3, 8e3]}\n"
        "mesh: {elements: [8, 6, 4]}\nsolver: {device: cpu, variant: pa}\ntime: {end: 1}\n";
    const Plan here = make_plan(parse_case("c.yaml", sloping + grid, {}), world()),
               whole = make_plan(parse_case("c.yaml", sloping, {}), Comm(MPI_COMM_SELF));
    const ColumnBounds &own = here.limit.columns, &all = whole.limit.columns;
    ASSERT_EQ(own.nx, here.mesh.nx());
    ASSERT_EQ(own.ny, here.mesh.ny());
    for (int ey = 0; ey < own.ny; ++ey)
      for (int ex = 0; ex < own.nx; ++ex)
        EXPECT_EQ(own.patch(ex, ey, 1, 1),
                  all.patch(static_cast<int>(here.mesh.part.first[0]) + ex, static_cast<int>(here.mesh.part.first[1]) + ey, 1, 1));
    EXPECT_EQ(std::sqrt(all.patch(0, 0, all.nx, all.ny)), whole.limit.omega);
    EXPECT_EQ(all.patch(all.nx - 1, all.ny - 1, 8, 8), all.omega2.back());  // as far as there are columns
    EXPECT_LT(*std::min_element(all.omega2.begin(), all.omega2.end()), 0.9 * all.patch(0, 0, all.nx, all.ny));
  }
}

const RegisterVariant only_on_cuda([] {
  Variant v;
  v.name = "only-on-cuda";
  v.device = Device::cuda;
  v.quadratures = {4};
  return v;
}());

TEST(PlanVariant, OfAnotherDeviceIsSaidToBe) {
  std::string note;
  SolverCase solver;
  solver.variant = "only-on-cuda";
  solver.variant_mark = {"c.yaml", 5, "solver.variant"};
  CudaDevice none;
  none.name = "no CUDA device";
  expect_words(message_of(ExitCode::device,
                          [&] {
                            choose_variant(solver, none, {64, 64, 16}, 1, {}, note);
                          }),
               {"c.yaml:5: solver.variant: only-on-cuda runs on cuda; no CUDA device", "reference"});
  solver.device = "cpu";
  expect_words(message_of(ExitCode::usage,
                          [&] {
                            choose_variant(solver, none, {64, 64, 16}, 1, {}, note);
                          }),
               {"only-on-cuda runs on cuda, this run is on cpu"});
  solver.device = "cuda";
  solver.device_mark = {"c.yaml", 4, "solver.device"};
  expect_words(message_of(ExitCode::device,
                          [&] {
                            choose_variant(solver, none, {64, 64, 16}, 1, {}, note);
                          }),
               {"c.yaml:4: solver.device: cuda was asked for"});
}

// An uplift 8 km wide about x = 40 km, beyond 1 % of its height: 3.03 radii of 1 km. West wall rigid; a sensor at 70 km: from
// 43 km to the east wall at 80 km and back, 37 + 10 km at sqrt(9.81 x 4000) m/s.
TEST(Reflection, EarliestOverWallsAndSensors) {
  const std::string more =
      "sources:\n  - {shape: {type: gaussian, center: [40e3, 30e3], radius: [1e3, .inf]}, ramp: {type: cosine, start: 5, duration: 2}}\n"
      "sensors: {interval: 1, surface: [{name: far, x: 2e4, y: 3e4}, {name: near, x: 7e4, y: 3e4}]}\n";
  const std::string walls = "boundary: {west: rigid, south: rigid, north: rigid}\n";
  const auto coming_back = [](const Case& c) {
    const Plan plan = make_plan(c, world());
    return std::pair(wall_reflections(plan.mesh, plan.sources.uplift, plan.sensors, plan.medium, c.boundary, plan.sponge, INFINITY, world()),
                     all_notes(plan));
  };
  const auto [all, note] = coming_back(parse(more + walls + "time: {end: 100}\n", "[80, 2, 1]"));
  ASSERT_EQ(all.size(), 1u);
  const Reflection& first = all[0];
  const double speed = std::sqrt(9.81 * 4000);
  EXPECT_EQ(first.wall, "east");
  EXPECT_EQ(first.sensor, "near");
  EXPECT_NEAR(first.time, 5 + 47e3 / speed, 200 / speed);
  EXPECT_NEAR(first.coefficient, (1500 - speed) / (1500 + speed), 1e-12);
  EXPECT_EQ(note.find("sent back"), std::string::npos) << note;
  expect_words(coming_back(parse(more + walls + "time: {end: 300}\n", "[80, 2, 1]")).second, {"east wall", "0.767", "near", "300 s"});
  EXPECT_TRUE(coming_back(parse(more + "boundary: {west: rigid, east: rigid, south: rigid, north: rigid}\ntime: {end: 1}\n")).first.empty());
  EXPECT_TRUE(coming_back(parse(more + "boundary: {surface: rigid}\ntime: {end: 1}\n")).first.empty());
  EXPECT_TRUE(coming_back(parse("time: {end: 1}\n")).first.empty());
}

// Two strips 10 km wide: a reflection that is left with less than 1 % is none, a sensor inside is named, and the damping comes each tenth
// of the strip that sound crosses, or sooner.
TEST(Sponge, InThePlan) {
  const std::string more =
      "sources:\n  - {shape: {type: gaussian, center: [40e3, 30e3], radius: [1e3, .inf]}, ramp: {type: cosine, start: 5, duration: 2}}\n"
      "sensors: {interval: 1, surface: [{name: far, x: 2e4, y: 3e4}, {name: near, x: 7.5e4, y: 3e4}]}\ntime: {end: 300}\n";
  const auto plan = [&](const std::string& sponge) {
    return make_plan(parse(more + "boundary: {west: rigid, south: rigid, north: rigid, sponge: " + sponge + "}\n", "[80, 2, 1]"), world());
  };
  const Plan leaky = plan("{east: 10e3, reflection: 0.1}");
  const double speed = std::sqrt(9.81 * 4000);
  expect_words(all_notes(leaky), {"east wall", "0.0767", "near", "waves fade at sensor near, inside a sponge"});
  EXPECT_NEAR(leaky.sponge.rate[1], 1.5 * speed * std::log(10.0) / 10e3, 1e-12);
  EXPECT_GE(leaky.sponge.every, 1);
  EXPECT_LE(static_cast<double>(leaky.sponge.every) * leaky.choice.dt, 1e3 / 1500 * (1 + 1e-6));
  EXPECT_EQ(all_notes(plan("{east: 10e3, west: 2e3}")).find("sent back"), std::string::npos);
  const std::string moves = "sources[0] moves the floor inside a matched strip";
  expect_words(all_notes(plan("{west: 42e3, type: matched}")), {moves, "boundary.sponge.type: fading"});
  EXPECT_EQ(all_notes(plan("{west: 38e3, type: matched}")).find(moves), std::string::npos);
  EXPECT_EQ(all_notes(plan("{west: 42e3}")).find(moves), std::string::npos);
  expect_words(all_notes(leaky), {"a strip of 10000 m with reflection: 0.01 would leave less than 0.02"});
  const Plan wide = plan("{east: 15e3, reflection: 0.02}");  // 0.0153 comes back
  expect_words(all_notes(wide), {"east wall behind its sponge sends back up to 0.0153 at 0 degrees", "the strip is wide enough"});
  EXPECT_EQ(wide.reflections.size(), 1u);
  EXPECT_EQ(plan("{reflection: 0.1}").sponge.every, 0);
  expect_words(all_notes(plan("{reflection: 0.1, west: 0}")), {"boundary.sponge.reflection: no wall has a strip; give a width"});
  EXPECT_EQ(all_notes(plan("{east: 0}")).find("strip"), std::string::npos);
  const std::string wrong = message_of(ExitCode::usage, [&] { plan("{east: 1.5e3, west: 79e3, south: 1e3}"); });
  expect_words(wrong, {"boundary.sponge.east: 1500 m is less than two element columns; give at least 2000 m",
                       "boundary.sponge.south: 1000 m is less than", "west and east are 80500 m wide together"});
}

// Over a floor that changes along x only the time is the integral of 1 / sqrt(g h), and the coefficient that of the depth at the wall.
TEST(Reflection, FollowsTheBathymetry) {
  Case c = parse(
      "sources:\n  - {shape: {type: gaussian, center: [40e3, 30e3], radius: [1e3, .inf]}, ramp: {type: cosine, start: 0, duration: 2}}\n"
      "sensors: {interval: 1, seafloor: [{name: deep, x: 6e4, y: 3e4}]}\nboundary: {west: rigid, south: rigid, north: rigid}\ntime: {end: 1000}\n",
      "[80, 2, 1]");
  c.domain.bathymetry = CosineBathymetry{3000, -0.8, {1, 0}};
  const auto depth = [](double x) { return 3000 * (1 + 0.8 * std::cos(2 * M_PI * x / 80e3)); };
  double exact = 0;
  for (int n = 0; n < 10000; ++n) {
    const double there = 43e3 + 37e3 * (n + 0.5) / 1e4, back = 60e3 + 20e3 * (n + 0.5) / 1e4;
    exact += 3.7 / std::sqrt(9.81 * depth(there)) + 2.0 / std::sqrt(9.81 * depth(back));
  }
  const Plan plan = make_plan(c, world());
  ASSERT_EQ(plan.reflections.size(), 1u);
  const Reflection& first = plan.reflections[0];
  EXPECT_NEAR(first.time, exact, 0.005 * exact);
  EXPECT_EQ(first.wall, "east");
  const double speed = std::sqrt(9.81 * depth(80e3));
  EXPECT_NEAR(first.coefficient, (1500 - speed) / (1500 + speed), 1e-9);
}

// First arrivals from a point in a medium whose speed grows linearly, where the rays are circles: T = acosh(1 + a^2 d^2 / (2 v0 v)) / a.
TEST(Reflection, FirstArrivalsBendWithTheSpeed) {
  TravelMap map;
  const double v0 = 100, a = 1e-3;
  for (int i = 0; i <= 200; ++i) map.x.push_back(1e3 * i * (1 + 0.001 * i));
  for (int j = 0; j <= 150; ++j) map.y.push_back(1e3 * j);
  for (const double y : map.y)
    for (std::size_t i = 0; i < map.x.size(); ++i) map.speed.push_back(v0 + a * y);
  std::vector<double> start(map.speed.size(), INFINITY);
  start[map.at(20, 10)] = 7;
  const Front front = first_arrivals(map, start);
  for (const auto& [i, j] : {std::array<std::size_t, 2>{150, 20}, {60, 140}, {200, 150}, {0, 90}}) {
    const double dx = map.x[i] - map.x[20], dy = map.y[j] - map.y[10];
    const double exact = std::acosh(1 + a * a * (dx * dx + dy * dy) / (2 * (v0 + a * map.y[10]) * (v0 + a * map.y[j]))) / a;
    EXPECT_NEAR(front.time[map.at(i, j)] - 7, exact, 0.03 * exact) << i << ", " << j;
    EXPECT_EQ(front.origin[map.at(i, j)], map.at(20, 10));
  }
}

}  // namespace
}  // namespace agwave
