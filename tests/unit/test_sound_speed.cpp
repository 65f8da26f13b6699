// SPDX-License-Identifier: Apache-2.0
// The speed of sound by depth and place: what the case says, profiles and Munk's, fields of netCDF in every layout, what is wrong with them, prepared ones.
#include <gtest/gtest.h>

#include "case/case_file.hpp"
#include "expect_error.hpp"
#include "fem/spaces.hpp"
#include "source/prepared.hpp"
#include "terrain/sound_speed.hpp"
#if AGWAVE_NETCDF
#include "grid_maker.hpp"
#endif

namespace agwave {
namespace {

template <class Call>
void expect_error(ExitCode code, const std::vector<std::string>& words, Call call) {
  expect_words(message_of(code, call), words);
}

std::string with_sound(const std::string& sound) {
  return "domain:\n  size: [100e3, 50e3]\n  bathymetry: {type: flat, depth: 4000}\nmesh: {elements: [6, 4, 2]}\nocean:\n  sound_speed: " + sound +
         "\ntime: {end: 1}\n";
}
OceanCase ocean_of(const std::string& sound) { return parse_case("case.yaml", with_sound(sound), {}).ocean; }

double at(const SoundSpeed& sound, double depth, double x = 0, double y = 0) {
  double c = 0;
  sound.column(x, y, std::span(&depth, 1), std::span(&c, 1));
  return c;
}
// Largest jump of the value and of the slope over the points where pieces may meet.
void expect_smooth(const SoundSpeed& sound, const std::vector<double>& joints, double steepest) {
  for (const double d : joints) {
    const double e = 1e-4, before = (at(sound, d) - at(sound, d - e)) / e, after = (at(sound, d + e) - at(sound, d)) / e;
    EXPECT_NEAR(before, after, 1e-3 * steepest + 1e-6) << "at " << d;
  }
}

TEST(SoundSpeed, IsOneNumberOrAMap) {
  EXPECT_FALSE(ocean_of("1480").varies());
  EXPECT_EQ(ocean_of("1480").sound_speed, 1480);
  const OceanCase munk = ocean_of("{type: munk, axis: 1000}");
  ASSERT_TRUE(std::holds_alternative<MunkSound>(munk.sound));
  EXPECT_EQ(std::get<MunkSound>(munk.sound).axis, 1000);
  EXPECT_EQ(std::get<MunkSound>(munk.sound).perturbation, 0.00737);
  const OceanCase profile = ocean_of("{profile: [[0, 1520], [1000, 1485], [5000, 1550]]}");
  EXPECT_EQ(std::get<SoundProfile>(profile.sound).depth, (std::vector<double>{0, 1000, 5000}));
  const OceanCase field = ocean_of("{file: c.nc, variable: sound_speed}");
  EXPECT_EQ(std::get<SoundField>(field.sound).variable, "sound_speed");
}

TEST(SoundSpeed, WrongOnesAreToldWhatToDo) {
  const auto expect = [](const std::string& sound, const std::vector<std::string>& words) {
    expect_error(ExitCode::usage, words, [&] { ocean_of(sound); });
  };
  expect("{profile: [[0, 1.52], [1000, 1.485]]}", {"case.yaml:6", "km/s", "1520"});
  expect("{profile: [[0, 1520], [-1000, 1485]]}", {"depth is positive downward", "1000"});
  expect("{profile: [[0, 1520], [2000, 1485], [1000, 1490]]}", {"does not increase", "sort them"});
  expect("{profile: [[10, 1520], [2000, 1485]]}", {"does not reach the surface"});
  expect("{profile: [[0, 12.5], [2000, 4]]}", {"out of range", "1300 to 1700 m/s"});
  expect("{profile: [[0, .nan], [2000, 1500]]}", {"not a number"});
  expect("{profile: [[0, 1500]]}", {"too few points"});
  expect("{profile: [0, 1500]}", {"expected a point", "[depth, c]"});
  expect("{speed: 1500}", {"does not say what the speed is"});
  expect("{type: munk, file: c.nc}", {"unknown key", "type"});
  expect("{type: monk}", {"did you mean 'munk'"});
}

TEST(SoundSpeed, ProfilesPassTheirPointsAndStayBetweenThem) {
  const OceanCase ocean = ocean_of("{profile: [[0, 1540], [50, 1535], [700, 1480], [1000, 1480], [4000, 1530]]}");
  const auto& points = std::get<SoundProfile>(ocean.sound);
  const SoundSpeedPointer sound = make_sound_speed(ocean);
  for (std::size_t n = 0; n < points.depth.size(); ++n) EXPECT_NEAR(at(*sound, points.depth[n]), points.speed[n], 1e-9);
  for (std::size_t n = 0; n + 1 < points.depth.size(); ++n)
    for (const double t : {0.1, 0.5, 0.9}) {
      const double c = at(*sound, points.depth[n] + t * (points.depth[n + 1] - points.depth[n]));
      EXPECT_LE(c, std::max(points.speed[n], points.speed[n + 1]) + 1e-9);
      EXPECT_GE(c, std::min(points.speed[n], points.speed[n + 1]) - 1e-9);
    }
  expect_smooth(*sound, {50, 700, 1000, 4000}, 0.1);  // 4000: from there on it is extrapolated
  EXPECT_EQ(sound->deepest(), 4000);
  EXPECT_NEAR(at(*sound, 5000), 1530 + 1000 * 50.0 / 3000, 1e-9);
}

TEST(SoundSpeed, MunkIsLeastOnItsAxis) {
  const SoundSpeedPointer sound = make_sound_speed(ocean_of("{type: munk}"));
  EXPECT_EQ(at(*sound, 1300), 1500);
  EXPECT_NEAR(at(*sound, 0), 1500 * (1 + 0.00737 * (-3 + std::exp(2.0))), 1e-9);  // 1548.5 m/s
  EXPECT_GT(at(*sound, 1200), 1500);
  EXPECT_GT(at(*sound, 1400), 1500);
}

TEST(SoundSpeed, NodesKeepItToNineDigits) {
  const MeshCase m{.elements = {2, 2, 2}};
  const auto bathymetry = make_analytic_bathymetry(FlatBathymetry{4000}, {8e3, 6e3}, {});
  const Mesh mesh = make_mesh(m, {8e3, 6e3}, make_partition(m.elements, {1, 1, 1}, 0), *bathymetry);
  const Medium medium(ocean_of("{type: munk}"));
  const BoundaryCase boundary;
  const Spaces spaces({mesh, medium, boundary, 4}, Space::host);
  const NodeView& v = spaces.nodes();
  for (int k = 0; k < v.NZ; ++k) {
    const double c = at(*medium.sound(), mesh.sigma_nodes()[k] * 4000), K = medium.density() * c * c;
    EXPECT_NEAR(v.compliance(3, 5, k) * K, 1, 8e-9);
    EXPECT_NEAR(v.admittance(3, 5, k) * medium.density() * c, 1, 4e-9);
  }
  const Spaces constant({mesh, OceanCase{}, boundary, 4}, Space::host);
  EXPECT_EQ(constant.nodes().excess, nullptr);
}

// A mass times 1 + excess has the bits of fma(mass, excess, mass) then (timestep/leapfrog4/fused_layout.hpp), however little speeds differ.
TEST(SoundSpeed, OnePlusTheExcessIsExact) {
  const MeshCase m{.elements = {2, 2, 2}};
  const auto bathymetry = make_analytic_bathymetry(FlatBathymetry{4000}, {8e3, 6e3}, {});
  const Mesh mesh = make_mesh(m, {8e3, 6e3}, make_partition(m.elements, {1, 1, 1}, 0), *bathymetry);
  for (const char* perturbation : {"0.00737", "1e-6", "1e-9"}) {
    int differ = 0;
    for (const float e : Medium(ocean_of(std::string("{type: munk, perturbation: ") + perturbation + "}")).excess(mesh)) {
      EXPECT_EQ((1 + static_cast<double>(e)) - 1, static_cast<double>(e)) << perturbation;
      differ += e != 0;
    }
    EXPECT_GT(differ, 0) << perturbation;
  }
}

TEST(SoundSpeed, WaterBelowTheProfileIsNotedAndChecked) {
  const MeshCase m{.elements = {2, 2, 2}};
  const auto bathymetry = make_analytic_bathymetry(FlatBathymetry{4000}, {8e3, 6e3}, {});
  const Mesh mesh = make_mesh(m, {8e3, 6e3}, make_partition(m.elements, {1, 1, 1}, 0), *bathymetry);
  const Comm world;
  EXPECT_EQ(medium_note(mesh, ocean_of("{profile: [[0, 1520], [4000, 1550]]}"), world), "");
  const std::string note = medium_note(mesh, ocean_of("{profile: [[0, 1520], [2000, 1550]]}"), world);
  EXPECT_NE(note.find("given down to 2000 m and the water is up to 4000 m deep"), std::string::npos) << note;
  const Medium falling(ocean_of("{profile: [[0, 1540], [200, 1500]]}"));
  expect_error(ExitCode::usage, {"becomes", "extrapolated from 200 m on", "give values further down"}, [&] { falling.require_sound(mesh); });
}

#if AGWAVE_NETCDF

// c(depth, y, x) that a tensor cubic keeps, on the plain domain of metric_case.
struct SoundGrid : MetricGrid {
  SoundGrid() {
    name = "sound_speed", units = "m s-1", third = "depth", time_units = "m", third_positive = "down";
    times = {0, 100, 300, 700, 1500, 3000, 4500};
    value = [](double x, double y, double d) { return field(x, y, d); };
  }
  static double field(double x, double y, double d) { return 1500 + 1e-4 * x - 2e-4 * y + 0.01 * d; }
};
Case sound_case(const std::string& file) {
  Case c = metric_case(file);
  c.domain.bathymetry = FlatBathymetry{4000};
  c.ocean.sound = SoundField{file, "", mark};
  return c;
}
void expect_field(const Case& c) {
  const auto domain = make_domain(c);
  const SoundSpeedPointer sound = make_sound_speed(c, *domain);
  for (const auto& [x, y, d] : {std::array{0.0, 0.0, 0.0}, std::array{43210.0, 12345.0, 820.0}, std::array{100e3, 50e3, 4000.0}})
    EXPECT_NEAR(at(*sound, d, x, y), SoundGrid::field(x, y, d), 1e-9);
  expect_smooth(*sound, {100, 300, 700, 1500, 3000}, 0.01);
}

TEST(SoundSpeed, FieldsAreReadInEveryLayout) {
  const TempDir dir;
  SoundGrid grid;
  grid.write(dir / "c.nc");
  expect_field(sound_case(dir / "c.nc"));
  grid.x_first = true;
  grid.write(dir / "c.nc");
  expect_field(sound_case(dir / "c.nc"));
  grid.x_first = false;
  grid.third = "level", grid.third_positive = "up";  // heights, upwards from the deepest
  grid.times = {-4500, -3000, -1500, -700, -300, -100, 0};
  grid.value = [](double x, double y, double z) { return SoundGrid::field(x, y, -z); };
  grid.standard = "speed_of_sound_in_sea_water";
  grid.name = "anything";
  grid.type = NC_FLOAT;
  grid.write(dir / "c.nc");
  const Case c = sound_case(dir / "c.nc");
  const auto domain = make_domain(c);
  EXPECT_NEAR(at(*make_sound_speed(c, *domain), 820, 43210, 12345), SoundGrid::field(43210, 12345, 820), 1e-3);
}

// What lies a cell beyond the domain and has no value is as its neighbours of the same depth: as a field that goes on evenly there.
TEST(SoundSpeed, GapsBeyondTheDomainAreFilledFromTheirOwnDepth) {
  const TempDir dir;
  const auto speed = [&](const std::function<double(double y, double d)>& value) {
    SoundGrid grid;
    grid.y = linspace(-15e3, 65e3, 9);
    grid.value = [&](double, double y, double d) { return value(y, d); };
    grid.write(dir / "c.nc");
    const Case c = sound_case(dir / "c.nc");
    const auto domain = make_domain(c);
    return at(*make_sound_speed(c, *domain), 700, 50e3, 1e3);
  };
  const auto field = [](double y, double d) { return SoundGrid::field(0, y, d); };
  EXPECT_NEAR(speed([&](double y, double d) { return y < -10e3 ? NAN : field(y, d); }),
              speed([&](double y, double d) { return field(std::max(y, -5e3), d); }), 1e-9);
}

TEST(SoundSpeed, WrongFieldsAreToldWhatToDo) {
  const TempDir dir;
  const auto expect = [&](const std::function<void(SoundGrid&)>& change, const std::vector<std::string>& words) {
    SoundGrid grid;
    change(grid);
    grid.write(dir / "c.nc");
    expect_error(ExitCode::input, words, [&] {
      const Case c = sound_case(dir / "c.nc");
      const auto domain = make_domain(c);
      make_sound_speed(c, *domain);
    });
  };
  expect([](SoundGrid& g) { g.units = "km s-1"; }, {"case.yaml:5", "'km s-1'", "multiply by 1000"});
  expect([](SoundGrid& g) { g.value = [](double, double, double) { return 1.5; }; }, {"looks like km/s"});
  expect([](SoundGrid& g) { g.value = [](double, double, double) { return 12.0; }; }, {"looks like a temperature", "scripts/sound_speed.py"});
  expect([](SoundGrid& g) { g.units = "degrees_celsius"; }, {"holds a temperature", "scripts/sound_speed.py"});
  expect([](SoundGrid& g) { g.standard = "sea_water_temperature", g.units = ""; }, {"holds a temperature"});
  expect([](SoundGrid& g) { g.third_positive = "up"; }, {"upside down", "positive"});
  expect([](SoundGrid& g) { g.times = {-4500, -3000, 0}; }, {"upside down"});
  expect([](SoundGrid& g) { g.times = {5, 100, 300}; }, {"begins at a depth of 5 m", "depth 0"});
  expect([](SoundGrid& g) { g.times = {0, 300, 100}; }, {"depths must increase"});
  expect([](SoundGrid& g) { g.time_units = "dbar"; }, {"'dbar'", "depth must be in metres"});
  expect(
      [](SoundGrid& g) {
        g.third = "season";
        g.third_positive = "";
      },
      {"season", "(depth, lat, lon)"});
  expect([](SoundGrid& g) { g.value = [](double x, double y, double d) { return x == 30e3 && y == 20e3 && d == 1500 ? NAN : 1500.0; }; },
         {"no value", "depth 1500 m", "fill the gaps"});
  expect([](SoundGrid& g) { g.x = linspace(-20e3, 60e3, 17); }, {"does not cover the domain"});
  expect([](SoundGrid& g) { g.times = {0, 10, 1000, 2000}; }, {"along depth", "factor of 5"});
}

TEST(SoundSpeed, PreparedFilesCarryIt) {
  const TempDir dir;
  SoundGrid().write(dir / "c.nc");
  Case c = sound_case(dir / "c.nc");
  write_prepared(c, dir / "depth.h5");
  const auto domain = make_domain(c);
  const std::string before = make_sound_speed(c, *domain)->fingerprint();
  c.domain.bathymetry = PreparedBathymetry{dir / "depth.h5", mark};
  expect_field(c);
  EXPECT_EQ(make_sound_speed(c, *domain)->fingerprint(), before);
  c.ocean.sound = SoundField{dir / "other.nc", "", mark};
  expect_error(ExitCode::input, {"was prepared with the sound speed of c.nc", "run `agwave prepare` again"}, [&] { make_sound_speed(c, *domain); });
}

#endif

}  // namespace
}  // namespace agwave
