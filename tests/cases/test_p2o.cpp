// SPDX-License-Identifier: Apache-2.0
// Parameter-to-observable maps against the model that they stand for, run as any other: the product of the maps with a random motion of the floor.
// ranks: 1 2 4
// label: slow
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "harness.hpp"
#include "run/p2o.hpp"

using namespace agwave;
using namespace agwave::cases;

namespace {

using Rows = std::vector<std::vector<double>>;  // [source][parameter][interval], or [source][interval]

// A seamount that shears the elements, two sensors, a hydrophone and a gauge.
Case seamount(const std::string& variant, Wall walls = Wall::rigid) {
  Case c = box_case({40e3, 24e3}, 4000, {16, 8, 1}, walls);
  c.domain.bathymetry = GaussianBathymetry{4000, 1500, {18e3, 11e3}, {8e3, 7e3}};
  c.solver.variant = variant;
  set_time(c, 20, 1);
  seafloor(c, 25e3, 13e3);
  seafloor(c, 13e3, 9e3);
  hydrophone(c, 21e3, 15e3, -900);
  gauge(c, 27.1e3, 11e3);
  P2oCase p;
  p.interval = 2;
  p.end = 24;
  p.spacing = 4000;
  c.p2o = p;
  return c;
}

struct Made {
  P2oResult result;
  Rows rows;
};
Made make_maps(Case c, const std::string& folder) {
  c.output.directory = folder;
  if (world().root()) std::filesystem::remove_all(folder);
  world().barrier();
  Made made;
  made.result = P2o(c, world(), {.quiet = true}).run();
  const P2oPlan p = plan_p2o(c, Comm(MPI_COMM_SELF));
  const nlohmann::json manifest = nlohmann::json::parse(std::ifstream(folder + "/p2o.json"));
  for (std::int64_t n = 0; n < p.sources(); ++n) {
    const bool height = n >= p.stations();
    MapFolder rows{folder + (height ? "/p2q" : "/p2o"), p.grid.size(), p.intervals.count, height, c.p2o->single, manifest["run"]};
    std::string why;
    made.rows.push_back(rows.read_row(height ? n - p.stations() : n, p.source(n).name, why));
    EXPECT_FALSE(made.rows.back().empty()) << why;
  }
  return made;
}

// At rest during the first `still` intervals.
std::vector<std::vector<double>> random_motion(std::int64_t intervals, std::int64_t parameters, std::int64_t still = 0) {
  std::mt19937_64 random(7);
  std::vector<std::vector<double>> m(static_cast<std::size_t>(intervals));
  for (auto& of_interval : m)
    for (std::int64_t i = 0; i < parameters; ++i)
      of_interval.push_back(&of_interval - m.data() < still ? 0.0 : static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  return m;
}

// The floor rises as a run's would, by a(t) of each interval; what the sensors read at the samples.
Rows forward(const Case& c, const std::vector<std::vector<double>>& m) {
  P2oPlan p = plan_p2o(c, world());
  std::vector<UpliftTerm> terms;
  for (std::size_t l = 0; l < m.size(); ++l) {
    UpliftTerm term;
    const double begin = static_cast<double>(l) * p.intervals.length, D = p.intervals.length;
    term.value = [begin, D](double t) { return std::clamp(t - begin, 0.0, D); };
    term.rate = [begin, D](double t) { return t >= begin && t < begin + D ? 1.0 : 0.0; };
    term.piecewise_linear = true;
    term.begin = begin, term.end = begin + D;
    term.shape = [&grid = p.grid, &m, l](double x, double y) { return grid.value(m[l], x, y); };
    term.motion = c.p2o->motion;
    terms.push_back(std::move(term));
  }
  p.plan.forcing = floor_forcing(p.plan.mesh, terms, world());
  p.plan.asked = {};  // as a run does
  Model model(p.c, world(), std::move(p.plan));
  Rows data(static_cast<std::size_t>(p.sources()));
  for (std::int64_t k = 0; k < p.intervals.count; ++k) {
    while (model.step() < p.intervals.sampled_at(k)) model.advance();
    const std::vector<double> pressure = model.sample_all();
    for (std::size_t n = 0; n < pressure.size(); ++n)
      data[n].push_back(pressure[n] / (static_cast<std::int64_t>(n) < p.stations() ? 1 : Medium(c.ocean).weight()));
  }
  return data;
}

Rows product(const Rows& maps, const std::vector<std::vector<double>>& m, std::size_t count) {
  Rows data;
  for (const std::vector<double>& row : maps) {
    std::vector<double>& d = data.emplace_back(count, 0.0);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t l = 0; l <= std::min(k, m.size() - 1); ++l)
        for (std::size_t i = 0; i < m[l].size(); ++i) d[k] += row[i * count + k - l] * m[l][i];
  }
  return data;
}

// Largest difference over largest value, of pressures and of heights.
double difference(const Rows& a, const Rows& b, std::size_t stations) {
  double worst = 0;
  for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, stations}, {stations, a.size()}}) {
    if (first == last) continue;
    double most = 0, scale = 0;
    for (std::size_t n = first; n < last; ++n)
      for (std::size_t k = 0; k < a[n].size(); ++k) most = std::max(most, std::abs(a[n][k] - b[n][k])), scale = std::max(scale, std::abs(b[n][k]));
    EXPECT_GT(scale, 0);
    worst = std::max(worst, most / scale);
  }
  return worst;
}

double error_of(const Case& c, const std::string& folder, std::int64_t still = 0, std::size_t stations = 3) {
  const Made made = make_maps(c, folder);
  const auto m = random_motion(5, plan_p2o(c, world()).grid.size(), still);
  const Rows data = forward(c, m);
  const double error = difference(product(made.rows, m, data[0].size()), data, stations);
  if (world().root()) std::printf("%s: %.2e, as written %.2e\n", folder.c_str(), error, made.result.reciprocity_error);
  return error;
}

// RK4, the leapfrog in sweeps, the leapfrog around an operator.
std::vector<std::string> variants_of_both() { return {"pa", "auto", plain_leapfrog()}; }

TEST(P2o, MapsAreTheModelBetweenRigidWalls) {
  for (const std::string& variant : variants_of_both()) EXPECT_LT(error_of(seamount(variant), "rigid_" + variant), 1e-10) << variant;
}

TEST(P2o, WallsThatAbsorbAreExact) {
  for (const std::string& variant : variants_of_both()) EXPECT_LT(error_of(seamount(variant, Wall::absorbing), "walls_" + variant), 1e-10) << variant;
}

// The error is at most this, and so many times less with half the step.
void expect_falls(Case c, const std::string& name, double most, double times, std::int64_t still = 0) {
  const double usual = error_of(c, name, still);
  EXPECT_LT(usual, most);
  EXPECT_GT(usual, 1e-9);  // or this test tests nothing
  c.time.step = 0.5 * plan_p2o(c, world()).intervals.dt;
  EXPECT_LT(error_of(c, name + "_half", still), usual / times);
}

TEST(P2o, SensorsInWallsThatAbsorbAreOfOrderFourForTheLeapfrog) {
  Case c = seamount("auto", Wall::absorbing);
  c.sensors.seafloor[0].place.x = 39e3;
  expect_falls(c, "wall_sensor", 1e-4, 8, 1);
}

TEST(P2o, SpongesFadeWithAnErrorOfOrderTwo) {
  Case c = seamount("auto", Wall::absorbing);
  c.boundary.sponge.width = {6e3, 6e3, 0, 0};
  EXPECT_EQ(plan_p2o(c, world()).plan.variant->integrator->name, "rk4");
  expect_falls(c, "sponge", 1e-4, 3);
}

// Matched strips, which the leapfrog alone knows, with one of order one, of what moves the floor inside them.
TEST(P2o, MatchedStripsFadeWithAnErrorOfOrderOne) {
  Case c = seamount("auto", Wall::absorbing);
  c.boundary.sponge = {{6e3, 6e3, 0, 0}, 1e-2, {}, true};
  EXPECT_EQ(plan_p2o(c, world()).plan.variant->integrator->name, "leapfrog4");
  expect_falls(c, "matched", 5e-3, 1.8);
}

// Damper and spring are symmetric like a wall; the leapfrog reads sensors on them like sensors in walls.
TEST(P2o, AFloorThatGivesWayIsExactWithRk4) {
  Case c = seamount("auto", Wall::absorbing);
  c.boundary.floor = FloorCase{.depth = {3000, 4000}, .density = {2500, 1600}, .sound_speed = {4000, 1600}};
  EXPECT_EQ(plan_p2o(c, world()).plan.variant->integrator->name, "rk4");
  EXPECT_LT(error_of(c, "floor"), 1e-10);
}

TEST(P2o, TheLeapfrogStartsAnewInSponges) {  // with what strips force their nodes with, where sensors force them too
  Case c = seamount("leapfrog-sweep");
  c.boundary.sponge.width = {6e3, 6e3, 0, 0};
  c.p2o->end = 8;
  c.sensors.surface[0].place.x = 37e3;
  EXPECT_LT(error_of(c, "sponge_leapfrog"), 5e-4);
}

TEST(P2o, TwoSweepIsForcedByTheFloorAlone) {
  Case c = seamount("two-sweep");
  c.sensors.hydrophones.clear();
  c.sensors.surface.clear();
  c.p2o->end = 8;
  EXPECT_LT(error_of(c, "two_sweep", 0, 2), 1e-10);
}

TEST(P2o, VerticalMotionNodesRegionsAndTrilinearElements) {
  Case c = seamount("auto");
  c.p2o->motion = Motion::vertical;
  c.mesh.order = 1;
  EXPECT_LT(error_of(c, "vertical"), 1e-10);
  c = seamount("auto");
  c.p2o->spacing.reset();
  c.p2o->x = Range{10e3, 20e3};
  c.p2o->y = Range{4e3, 15e3};
  const P2oPlan p = plan_p2o(c, world());
  EXPECT_EQ(p.grid.nx(), 17);
  EXPECT_EQ(p.grid.spacing, 0);
  EXPECT_LT(error_of(c, "nodes"), 1e-10);
}

TEST(P2o, StoredInSinglePrecision) {
  Case c = seamount("auto");
  c.p2o->single = true;
  const double error = error_of(c, "single");
  EXPECT_LT(error, 1e-6);
  EXPECT_GT(error, 1e-10);
}

// Responses of the sensors to a floor that moves in interval l alone.
Rows moved_in(const Case& c, std::int64_t l) {
  P2oPlan p = plan_p2o(c, world());
  const auto m = random_motion(1, p.grid.size());
  UpliftTerm term;
  term.begin = inf, term.end = -inf;
  term.shape = [&](double x, double y) { return p.grid.value(m[0], x, y); };
  p.plan.forcing = floor_forcing(p.plan.mesh, {&term, 1}, world());
  Model model(p.c, world(), std::move(p.plan));
  Rows data(static_cast<std::size_t>(p.sources()));
  const Pulse pulse[] = {{0, l}};
  Propagation(model, p.intervals)
      .run(
          pulse,
          [&](std::int64_t) {
            const std::vector<double> now = model.sample_all();
            for (std::size_t n = 0; n < now.size(); ++n) data[n].push_back(now[n]);
          },
          [] {});
  return data;
}

TEST(P2o, MapsAreCausalAndTheSameForAllIntervals) {
  for (const std::string& variant : variants_of_both())
    for (const Wall walls : {Wall::rigid, Wall::absorbing}) {
      Case c = seamount(variant, walls);
      c.p2o->end = 16;
      const Rows first = moved_in(c, 0), later = moved_in(c, 3);
      for (std::size_t n = 0; n < first.size(); ++n)
        for (std::size_t k = 0; k < 8; ++k) {
          if (k < 3)
            EXPECT_EQ(later[n][k], 0) << variant << ", source " << n << ", interval " << k;
          else
            EXPECT_NEAR(later[n][k], first[n][k - 3], 1e-12 * max_abs(first[n])) << variant;
        }
      EXPECT_GT(std::abs(first[0][0]), 0);
    }
}

Case over_levels(const std::string& variant, Wall walls) {
  Case c = seamount(variant, walls);
  c.domain.bathymetry = GaussianBathymetry{4000, 3600, {10e3, 8e3}, {3e3, 3e3}};
  c.time.local_steps = 3;
  const P2oPlan p = plan_p2o(c, world());
  EXPECT_TRUE(p.plan.levels.local());
  EXPECT_EQ(p.intervals.transposed, p.plan.variant->hears_in_levels);
  return c;
}

TEST(P2o, MapsAreTheModelInLevels) {
  EXPECT_LT(error_of(over_levels("auto", Wall::rigid), "levels"), 1e-10);
  EXPECT_LT(error_of(over_levels("auto", Wall::absorbing), "levels_walls"), 1e-10);
}

// A speed that differs by node leaves all matrices symmetric.
TEST(P2o, MapsAreTheModelInASoundChannel) {
  const MunkSound channel{.axis = 1700, .scale = 1800, .speed = 1420, .perturbation = 0.022, .mark = {}};
  for (const std::string& variant : variants_of_both()) {
    Case c = seamount(variant, Wall::absorbing);
    c.ocean.sound = channel;
    EXPECT_LT(error_of(c, "channel_" + variant), 1e-10) << variant;
  }
  Case c = over_levels("auto", Wall::absorbing);
  c.ocean.sound = channel;
  EXPECT_LT(error_of(c, "channel_levels"), 1e-10);
}

TEST(P2o, LevelsThatDoNotHearTakeShorterSteps) {
  Case c = over_levels(variants_of_both().back(), Wall::rigid);
  c.p2o->end = 6;
  c.sensors.hydrophones.clear();
  c.sensors.surface.clear();
  c.sensors.seafloor.resize(1);
  EXPECT_LT(error_of(c, "levels_plain", 1, 1), 1e-3);
}

TEST(P2o, AnyGroupsMakeTheSameMaps) {
  Case c = seamount("leapfrog-sweep", Wall::absorbing);
  for (const bool in_levels : {false, true}) {
    if (in_levels) c = over_levels("leapfrog-sweep", Wall::absorbing);
    const std::string folder = in_levels ? "group_levels_" : "group_";
    c.parallel.group = world().size();
    const Rows together = make_maps(c, folder + "all").rows;
    for (int ranks = 1; ranks < world().size(); ranks *= 2) {
      c.parallel.group = ranks;
      EXPECT_EQ(make_maps(c, folder + std::to_string(ranks)).rows, together) << ranks;
    }
  }
  c.parallel.group = 3;
  if (world().size() == 3) return;
  EXPECT_THROW(P2o(c, world(), {.quiet = true}), AgreedError);
}

void expect_refused(Case c, const std::string& words) {
  try {
    P2o(c, world(), {.quiet = true});
    ADD_FAILURE() << "not refused: " << words;
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(P2o, RefusesWhatCannotBe) {
  Case c = seamount("auto");
  c.sensors.seafloor.clear(), c.sensors.hydrophones.clear(), c.sensors.surface.clear();
  expect_refused(c, "no sensors");
  c = seamount("auto");
  c.p2o.reset();
  expect_refused(c, "p2o: missing");
  c = seamount("auto");
  c.p2o->x = Range{10e3, 50e3};
  expect_refused(c, "beyond the domain");
  c = seamount("auto");
  c.p2o->spacing = 500;
  expect_refused(c, "finer than the mesh");
  c.p2o->spacing = 30e3;
  expect_refused(c, "too coarse");
  expect_refused(seamount("two-sweep"), "takes sources on the seafloor alone");
}

}  // namespace
