// SPDX-License-Identifier: Apache-2.0
// Inputs that need no grid file: analytic seafloors, ramps, analytic sources, projection, sensors, and prepared files
// of analytic cases. Grid files are in test_input_grids.cpp and test_input_uplift.cpp.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "expect_error.hpp"
#include "fem/sensors.hpp"
#include "shapes.hpp"
#include "source/prepared.hpp"
#include "terrain/domain.hpp"
#include "terrain/prepared.hpp"

namespace agwave {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double inf = std::numeric_limits<double>::infinity();

double depth_at(const BathymetryCase& b, double x, double y, std::array<double, 2> size = {100e3, 50e3}) {
  return make_analytic_bathymetry(b, size, {})->depths(std::array{x}, std::array{y}, 0, 0).front();
}

Case plain_case() {
  Case c;
  c.domain.size = {100e3, 50e3};
  c.domain.bathymetry = FlatBathymetry{4000};
  c.mesh.elements = {6, 4, 2};
  return c;
}

TEST(AnalyticBathymetry, Formulas) {
  EXPECT_EQ(depth_at(FlatBathymetry{4000}, 3, 4), 4000);
  EXPECT_NEAR(depth_at(CosineBathymetry{4000, 0.1, {2, 1}}, 25e3, 25e3), 4000 * (1 - 0.1 * std::cos(pi) * std::cos(pi)), 1e-9);
  const GaussianBathymetry seamount{4000, 1500, {50e3, 25e3}, {8e3, inf}};
  EXPECT_EQ(depth_at(seamount, 50e3, 0), 2500);
  EXPECT_NEAR(depth_at(seamount, 58e3, 50e3), 4000 - 1500 * std::exp(-0.5), 1e-9);
}

TEST(AnalyticBathymetry, TensorOrderIsXFastest) {
  const auto b = make_analytic_bathymetry(CosineBathymetry{4000, 0.1, {1, 0}}, {100e3, 50e3}, {});
  const auto h = b->depths(std::array{0.0, 50e3}, std::array{0.0, 1.0, 2.0}, 0, 0);
  ASSERT_EQ(h.size(), 6u);
  EXPECT_NEAR(h[0], 3600, 1e-9);
  EXPECT_NEAR(h[1], 4400, 1e-9);
  EXPECT_NEAR(h[4], 3600, 1e-9);
}

TEST(AnalyticBathymetry, MarginDepthsAndSmoothness) {
  MarginBathymetry m;
  m.shelf_edge = 80e3;
  m.undulation = 3e3;
  const double foot = m.shelf_edge - m.slope_width;
  EXPECT_EQ(depth_at(m, 90e3, 0), m.shelf_depth);
  EXPECT_NEAR(depth_at(m, foot, 0), m.trench_depth, 1e-9);
  EXPECT_NEAR(depth_at(m, 1e3, 0), m.abyssal_depth, 1e-9);
  EXPECT_NEAR(depth_at(m, foot + m.undulation, 25e3), m.trench_depth, 1e-9);  // a quarter wavelength up the coast
  // C2: second differences on either side of every joint agree; a jump would be some 1e-5, their size here.
  for (const double x : {m.shelf_edge, foot, foot + 0.5 * m.trench_width, foot - 0.5 * m.trench_width}) {
    const double d = 10;
    const auto second = [&](double at) { return (depth_at(m, at - d, 0) - 2 * depth_at(m, at, 0) + depth_at(m, at + d, 0)) / (d * d); };
    EXPECT_NEAR(second(x - d), second(x + d), 4e-7) << x;
  }
}

TEST(AnalyticBathymetry, RefusesDryPlaces) {
  const Mark mark{"case.yaml", 7, "domain.bathymetry"};
  const auto b = make_analytic_bathymetry(GaussianBathymetry{1000, 1500, {50e3, 25e3}, {8e3, 8e3}}, {100e3, 50e3}, mark);
  const auto message = message_of(ExitCode::input, [&] { b->depths(std::array{0.0, 50e3}, std::array{25e3}, 0, 0); });
  expect_words(message, {"x = 50000 m", "y = 25000 m", "-500 m", "case.yaml"});
  message_of(ExitCode::usage, [&] { make_analytic_bathymetry(GridBathymetry{}, {1, 1}, mark); });
}

std::vector<Ramp> all_ramps() {
  std::vector<Ramp> ramps;
  for (int n = 1; n <= 5; ++n) ramps.push_back({Ramp::Type::smoothstep, 2, 10, n, 0, 0});
  ramps.push_back({Ramp::Type::cosine, 2, 10, 2, 0, 0});
  ramps.push_back({Ramp::Type::linear, 2, 10, 2, 0, 0});
  ramps.push_back({Ramp::Type::gaussian, 0, 0, 2, 7, 1.5});
  return ramps;
}

TEST(Ramps, RateIsTheDerivative) {
  for (const Ramp& r : all_ramps()) {
    for (double t = 2.05; t < 11.9; t += 0.37) {
      const double d = 1e-4;
      const double slope = (ramp_value(r, t + d) - ramp_value(r, t - d)) / (2 * d);
      EXPECT_NEAR(ramp_rate(r, t), slope, 2e-8) << "type " << static_cast<int>(r.type) << " order " << r.order;
    }
  }
}

TEST(Ramps, EndsAndSymmetry) {
  for (const Ramp& r : all_ramps()) {
    EXPECT_NEAR(ramp_value(r, -8), 0, 1e-15);
    EXPECT_NEAR(ramp_value(r, 30), 1, 1e-15);
    EXPECT_NEAR(ramp_value(r, 7), 0.5, 1e-15);
    EXPECT_NEAR(ramp_value(r, 5.3) + ramp_value(r, 8.7), 1, 1e-14);
  }
  const Ramp linear{Ramp::Type::linear, 2, 10, 2, 0, 0};
  EXPECT_EQ(ramp_rate(linear, 2), 0.1);  // to the right
  EXPECT_EQ(ramp_rate(linear, 12), 0);
}

TEST(Ramps, SmoothstepOfOrderTwoIsTheQuintic) {
  const Ramp ramp{Ramp::Type::smoothstep, 0, 1, 2, 0, 0};
  for (double r = 0.05; r < 1; r += 0.1) EXPECT_NEAR(ramp_value(ramp, r), r * r * r * (10 - 15 * r + 6 * r * r), 1e-15);
}

TEST(Ramps, SmoothstepHasItsZeroDerivatives) {
  // n zero derivatives: the value near an end falls as r^(n+1), the coefficient being C(2n+1, n).
  for (int n = 1; n <= 5; ++n) {
    const Ramp ramp{Ramp::Type::smoothstep, 0, 1, n, 0, 0};
    const double r = 1e-2, ratio = std::log2(ramp_value(ramp, 2 * r) / ramp_value(ramp, r));
    EXPECT_NEAR(ratio, n + 1, 0.05 * n);
    EXPECT_NEAR(1 - ramp_value(ramp, 1 - 0.1), ramp_value(ramp, 0.1), 1e-15);
  }
}

TEST(Uplift, AnalyticShapes) {
  Case c = plain_case();
  const auto domain = make_domain(c);
  const Ramp ramp{Ramp::Type::linear, 1, 4, 2, 0, 0};
  c.sources.push_back({gaussian({40e3, 20e3}, {8e3, inf}), 2.0, ramp, Motion::normal, {}});
  c.sources.push_back({modal(2, 1), 1.0, Ramp{}, Motion::vertical, {}});
  c.sources.push_back({patch({10e3, 30e3}, {5e3, 25e3}, 4e3), 3.0, ramp, Motion::vertical, {}});
  const auto terms = make_uplift(c, *domain);
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_NEAR(terms[0].shape(48e3, 3e3), 2 * std::exp(-0.5), 1e-14);
  EXPECT_TRUE(terms[0].piecewise_linear);
  EXPECT_EQ(terms[0].motion, Motion::normal);
  EXPECT_EQ(terms[0].begin, 1);
  EXPECT_EQ(terms[0].end, 5);
  EXPECT_NEAR(terms[1].shape(25e3, 10e3), std::cos(0.5 * pi) * std::cos(0.2 * pi), 1e-14);
  EXPECT_FALSE(terms[1].piecewise_linear);
  EXPECT_EQ(terms[2].shape(14e3, 9e3), 3);              // the plateau ends a taper's width inside
  EXPECT_NEAR(terms[2].shape(12e3, 15e3), 1.5, 1e-14);  // half way up
  EXPECT_EQ(terms[2].shape(10e3, 15e3), 0);
  EXPECT_EQ(terms[2].shape(9.99e3, 15e3), 0);
  c.sources.resize(1);
  c.sources[0].ramp.reset();
  message_of(ExitCode::usage, [&] { make_uplift(c, *domain); });
}

TEST(Sensors, GridsNamesAndOrder) {
  Case c = plain_case();
  c.sensors.seafloor = {{"A01", {1e3, 2e3}, 0, {}}};
  c.seafloor_grids = {{{3, 2}, 5e3, {}}, {{1, 1}, 0, {}}};
  c.surface_grids = {{{2, 1}, 0, {}}};
  c.sensors.hydrophones = {{"H01", {100e3, 50e3}, -10, {}}};
  const auto sensors = resolve_sensors(c, *make_domain(c));
  ASSERT_EQ(sensors.seafloor.size(), 8u);
  EXPECT_EQ(sensors.seafloor[0].name, "A01");
  EXPECT_EQ(sensors.seafloor[2].name, "S002_001");
  EXPECT_EQ(sensors.seafloor[2].x, 50e3);
  EXPECT_EQ(sensors.seafloor[6].name, "S003_002");
  EXPECT_EQ(sensors.seafloor[6].x, 95e3);
  EXPECT_EQ(sensors.seafloor[6].y, 45e3);
  EXPECT_EQ(sensors.seafloor[7].name, "S2_001_001");
  EXPECT_EQ(sensors.seafloor[7].x, 50e3);
  EXPECT_EQ(sensors.surface[1].name, "G002_001");
  EXPECT_EQ(sensors.surface[1].y, 25e3);
}

TEST(Sensors, AllErrorsAtOnce) {
  Case c = plain_case();
  c.sensors.seafloor = {
      {"A", {1e3, 2e3}, 0, {"case.yaml", 10, "sensors.seafloor[0]"}},      {"A", {1e3, 3e3}, 0, {"case.yaml", 11, "sensors.seafloor[1]"}},
      {"B", {101e3, 3e3}, 0, {"case.yaml", 12, "sensors.seafloor[2]"}},    {"", {1e3, 3e3}, 0, {"case.yaml", 13, "sensors.seafloor[3]"}},
      {"C", {200, 50, true}, 0, {"case.yaml", 14, "sensors.seafloor[4]"}}, {"D", {NAN, 50}, 0, {"case.yaml", 15, "sensors.seafloor[5]"}}};
  c.surface_grids = {{{2, 2}, 30e3, {"case.yaml", 17, "sensors.surface.grid"}}};
  const auto message = message_of(ExitCode::usage, [&] { resolve_sensors(c, *make_domain(c)); });
  expect_words(message, {"case.yaml:11", "taken already", "case.yaml:10", "case.yaml:12", "101000", "case.yaml:13", "no name", "case.yaml:14",
                         "lonlat", "case.yaml:15", "case.yaml:17", "does not fit"});
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 5);
}

TEST(PlainDomain, HasNoLongitudes) {
  const auto domain = make_domain(plain_case());
  EXPECT_EQ(domain->size[0], 100e3);
  EXPECT_FALSE(domain->geographic());
  message_of(ExitCode::usage, [&] { domain->to_xy(1, 2); });
  message_of(ExitCode::usage, [&] { domain->to_lonlat(1, 2); });
}

std::string temporary(const char* name) { return (std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + name)).string(); }

TEST(Prepared, RoundTripAndMismatches) {
  const std::string path = temporary("_round.h5");
  for (const int order : {1, 4}) {
    Case c = plain_case();
    c.mesh.order = order;
    c.domain.bathymetry = GaussianBathymetry{4000, 1500, {50e3, 25e3}, {8e3, 9e3}};
    write_prepared(c, path);
    const auto domain = make_domain(c);
    const auto x = column_nodes(100e3, 6, order), y = column_nodes(50e3, 4, order);
    ASSERT_EQ(x.size(), static_cast<std::size_t>(6 * order + 1));
    const auto direct = make_bathymetry(c, *domain)->depths(x, y, 0, 0);
    c.domain.bathymetry = PreparedBathymetry{path, {"case.yaml", 4, "domain.bathymetry"}};
    const auto prepared = make_bathymetry(c, *domain);
    EXPECT_EQ(prepared->depths(x, y, 0, 0), direct);
    // A rank's part of it.
    const std::span part_x(x.data() + 2, 3), part_y(y.data() + 1, 2);
    const auto part = prepared->depths(part_x, part_y, 2, 1);
    EXPECT_EQ(part[4], direct[2 * x.size() + 3]);
    message_of(ExitCode::input, [&] { prepared->depths(part_x, part_y, 3, 1); });
    message_of(ExitCode::input, [&] { prepared->depths(x, y, 1, 0); });
    message_of(ExitCode::usage, [&] { write_prepared(c, path); });
    Case other = c;
    other.mesh.elements = {7, 4, 2};
    expect_words(message_of(ExitCode::input, [&] { make_bathymetry(other, *domain); }), {"6 x 4", "7 x 4", "case.yaml:4"});
    other = c;
    other.mesh.order = 5 - order;
    expect_words(message_of(ExitCode::input, [&] { make_bathymetry(other, *domain); }), {"of order 1", "of order 4"});
    other = c;
    other.domain.size = {99e3, 50e3};
    expect_words(message_of(ExitCode::input, [&] { make_bathymetry(other, *make_domain(other)); }), {"100000", "99000"});
  }
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  Case c = plain_case();
  const auto domain = make_domain(c);
  c.domain.bathymetry = PreparedBathymetry{path, {"case.yaml", 4, "domain.bathymetry"}};
  expect_words(message_of(ExitCode::input, [&] { make_bathymetry(c, *domain); }), {"case.yaml:4", "_round.h5"});
  std::filesystem::remove(path);
  expect_words(message_of(ExitCode::input, [&] { make_bathymetry(c, *domain); }), {"no such file"});
  message_of(ExitCode::output, [&] { write_prepared(plain_case(), "/nonexistent/prepared.h5"); });
}

#if AGWAVE_PROJ
TEST(Projection, KnownDistances) {
  const auto domain = make_projected_domain({{193, 201}, {50.2, 53.2}}, {});
  EXPECT_NEAR(domain->size[0], 552985, 1);
  EXPECT_NEAR(domain->size[1], 333785, 1);
  const auto a = domain->to_xy(197, 51.5), b = domain->to_xy(197, 52.5);
  EXPECT_NEAR(b[1] - a[1], 111270, 10);  // a degree of the meridian at 52 N: 111.27 km
  EXPECT_NEAR(a[0], 0.5 * domain->size[0], 1e-6);
  // The scale at the edge, 1 + x^2/2R^2, off by less than 1e-3: a short step north on the ellipsoid.
  const auto e = domain->to_xy(201, 51.7), f = domain->to_xy(201, 51.71);
  EXPECT_NEAR(std::hypot(f[0] - e[0], f[1] - e[1]) / (0.01 * 111266.0), 1, 1e-3);
  EXPECT_NE(domain->projection().find("+proj=tmerc"), std::string::npos);
}

TEST(Projection, RoundTripOnAnyTurn) {
  const auto east = make_projected_domain({{193, 201}, {50.2, 53.2}}, {}), west = make_projected_domain({{-167, -159}, {50.2, 53.2}}, {});
  for (const double x : {0.0, 1e5, 5e5}) {
    const auto p = east->to_lonlat(x, 2e5);
    EXPECT_GT(p[0], 180);
    EXPECT_NEAR(west->to_lonlat(x, 2e5)[0], p[0] - 360, 1e-11);
    for (const double turn : {-360.0, 0.0, 360.0}) {
      const auto q = east->to_xy(p[0] + turn, p[1]);
      EXPECT_NEAR(q[0], x, 1e-6);
      EXPECT_NEAR(q[1], 2e5, 1e-6);
    }
  }
}

TEST(Projection, RefusesWhatItCannotHold) {
  const Mark mark{"case.yaml", 2, "domain.lonlat"};
  for (const LonLat& box : {LonLat{{0, 200}, {50, 51}}, LonLat{{10, 10}, {50, 51}}, LonLat{{0, 10}, {50, 95}}, LonLat{{NAN, 10}, {50, 51}}}) {
    message_of(ExitCode::usage, [&] { make_projected_domain(box, mark); });
  }
  message_of(ExitCode::usage, [&] { make_projected_domain({{1, 2}, {3, 4}}, mark)->to_xy(1, 100); });
  expect_words(message_of(ExitCode::usage,
                          [&] {
                            make_projected_domain({{178, 178.0001}, {-33, -29}}, mark);
                          }),
               {"case.yaml:2: domain.lonlat: too small; found 9.55 x 443000 m; allowed: at least 500 m each way"});
}

TEST(Prepared, DomainWithoutProj) {
  const std::string path = temporary("_domain.h5");
  Case c = plain_case();
  c.domain.size.reset();
  c.domain.lonlat = LonLat{{193, 201}, {50.2, 53.2}};
  c.sensors.seafloor = {{"A", {195.3, 51.1, true}, 0, {}}, {"B", {-160.2, 52.9, true}, 0, {}}};
  c.sources.push_back(
      {make_shape("{type: gaussian, center: {lon: 196.1, lat: 52.2}, radius: [8e3, 9e3]}", c.domain.lonlat), 1, Ramp{}, Motion::vertical, {}});
  write_prepared(c, path);
  const auto exact = make_domain(c);
  const PreparedBathymetry prepared{path, {"case.yaml", 4, "domain.bathymetry"}};
  const auto table = make_prepared_domain(c, prepared);
  EXPECT_EQ(table->size, exact->size);
  EXPECT_EQ(table->projection(), exact->projection());
  EXPECT_EQ(table->to_xy(195.3, 51.1), exact->to_xy(195.3, 51.1));
  EXPECT_EQ(table->to_xy(199.8, 52.9), exact->to_xy(-160.2, 52.9));
  EXPECT_EQ(table->to_xy(196.1, 52.2), exact->to_xy(196.1, 52.2));
  const auto p = table->to_xy(198.7, 50.9), q = exact->to_xy(198.7, 50.9);  // not in the table
  EXPECT_NEAR(p[0], q[0], 1e-5);
  EXPECT_NEAR(p[1], q[1], 1e-5);
  for (const double f : {0.0, 0.123, 0.5, 0.77, 1.0}) {
    const auto u = table->to_lonlat(f * exact->size[0], (1 - f) * exact->size[1]), v = exact->to_lonlat(f * exact->size[0], (1 - f) * exact->size[1]);
    EXPECT_NEAR(u[0], v[0], 1e-11);
    EXPECT_NEAR(u[1], v[1], 1e-11);
  }
  message_of(ExitCode::usage, [&] { table->to_xy(20, -40); });
  Case other = c;
  other.domain.lonlat->lon.max = 202;
  expect_words(message_of(ExitCode::input, [&] { make_prepared_domain(other, prepared); }), {"201", "202"});
  std::filesystem::remove(path);
}
#else
TEST(Projection, SaysThatThisBuildHasNone) {
  expect_words(message_of(ExitCode::usage, [] { make_projected_domain({{193, 201}, {50.2, 53.2}}, {}); }), {"AGWAVE_PROJ", "agwave prepare"});
}
#endif

}  // namespace
}  // namespace agwave
