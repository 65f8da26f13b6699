// SPDX-License-Identifier: Apache-2.0
// Uplift grids: bilinear in space and 0 outside, hat functions in time, refused when there is uplift at t = 0; and the
// same from a prepared file, to the bit.
#include <gtest/gtest.h>

#if AGWAVE_NETCDF

#include "expect_error.hpp"
#include "grid_maker.hpp"
#include "shapes.hpp"
#include "source/prepared.hpp"
#include "terrain/domain.hpp"

namespace agwave {
namespace {

ShapePointer grid_shape(const std::string& file, const std::string& variable = "''") {
  return make_shape("{type: grid, file: " + file + ", variable: " + variable + "}");
}

Case uplift_case(const std::string& file, std::optional<Ramp> ramp) {
  Case c = metric_case("");
  c.domain.bathymetry = FlatBathymetry{4000};
  c.sources.push_back({grid_shape(file), 2.0, ramp, Motion::vertical, mark});
  return c;
}

struct UpliftGrid : MetricGrid {
  UpliftGrid() {
    name = "uplift";
    x = linspace(20e3, 60e3, 9), y = linspace(10e3, 40e3, 7);
    value = [](double px, double py, double) { return 1 + px / 1e5 + py / 1e5; };
  }
};

double uplift_at(const std::vector<UpliftTerm>& terms, double x, double y, double t) {
  double b = 0;
  for (const auto& term : terms) b += term.value(t) * term.shape(x, y);
  return b;
}

TEST(UpliftGrids, StaticIsBilinearAndZeroOutside) {
  const TempDir dir;
  UpliftGrid grid;
  grid.write(dir / "u.nc");
  const Ramp ramp{Ramp::Type::smoothstep, 0, 10, 2, 0, 0};
  const Case c = uplift_case(dir / "u.nc", ramp);
  const auto domain = make_domain(c);
  const auto terms = make_uplift(c, *domain);
  ASSERT_EQ(terms.size(), 1u);
  EXPECT_FALSE(terms[0].piecewise_linear);
  EXPECT_NEAR(terms[0].shape(33e3, 21e3), 2 * (1 + 0.33 + 0.21), 1e-12);
  EXPECT_EQ(terms[0].shape(19.9e3, 21e3), 0);
  EXPECT_EQ(terms[0].shape(33e3, 45e3), 0);
  expect_words(message_of(ExitCode::usage, [&] { make_uplift(uplift_case(dir / "u.nc", {}), *domain); }), {"ramp", "u.nc"});
  grid.x = linspace(200e3, 300e3, 9);
  grid.write(dir / "u.nc");
  expect_words(message_of(ExitCode::input, [&] { make_uplift(c, *domain); }), {"does not touch", "200000"});
  grid.x = linspace(20e3, 60e3, 9);
  grid.value = [](double px, double py, double) { return px == 40e3 && py == 20e3 ? NAN : 1.0; };
  grid.write(dir / "u.nc");
  expect_words(message_of(ExitCode::input, [&] { make_uplift(c, *domain); }), {"no value", "x = 40000 m", "y = 20000 m"});
}

TEST(UpliftGrids, TimesAreInterpolatedLinearly) {
  const TempDir dir;
  UpliftGrid grid;
  const auto history = [](double t) { return t <= 0 ? 0.0 : t < 5 ? t / 5 : t < 8 ? 1.5 : 3; };
  grid.value = [=](double px, double, double t) { return history(t) * px / 1e5; };
  for (const double first : {0.0, 2.0, -3.0}) {
    grid.times = first < 0 ? std::vector<double>{first, 0, 2, 5, 9} : std::vector<double>{first, 3, 5, 9};
    grid.write(dir / "u.nc");
    const Case c = uplift_case(dir / "u.nc", {});
    const auto domain = make_domain(c);
    const auto terms = make_uplift(c, *domain);
    EXPECT_EQ(uplift_at(terms, 40e3, 20e3, 0), 0);
    EXPECT_NEAR(uplift_at(terms, 40e3, 20e3, 1), 2 * 0.4 * (first > 0 ? 0.5 * 2 / 5 : history(1)), 1e-14);
    EXPECT_NEAR(uplift_at(terms, 40e3, 20e3, 5), 2 * 0.4 * 1.5, 1e-14);
    EXPECT_NEAR(uplift_at(terms, 40e3, 20e3, 7), 2 * 0.4 * 2.25, 1e-14);
    EXPECT_NEAR(uplift_at(terms, 40e3, 20e3, 100), 2 * 0.4 * 3, 1e-14);
    for (const auto& term : terms) {
      EXPECT_TRUE(term.piecewise_linear);
      EXPECT_EQ(term.value(term.begin - 1), term.value(term.begin - 2));
      EXPECT_EQ(term.value(term.end + 1), term.value(term.end + 2));
      for (const double t : {0.0, 0.7, 3.0, 5.0, 6.5, 9.0, 12.0}) EXPECT_NEAR(term.rate(t), (term.value(t + 1e-3) - term.value(t)) / 1e-3, 1e-9) << t;
    }
    message_of(ExitCode::usage, [&] { make_uplift(uplift_case(dir / "u.nc", Ramp{}), *domain); });
  }
}

TEST(UpliftGrids, ClassicFilesWithRecords) {
  const TempDir dir;
  UpliftGrid grid;
  grid.times = {1, 2, 3}, grid.unlimited = true, grid.format = 0;
  grid.value = [](double, double, double t) { return t; };
  grid.write(dir / "u.nc");
  const Case c = uplift_case(dir / "u.nc", {});
  const auto domain = make_domain(c);
  EXPECT_NEAR(uplift_at(make_uplift(c, *domain), 40e3, 20e3, 2.5), 2 * 2.5, 1e-14);
  std::filesystem::resize_file(dir / "u.nc", std::filesystem::file_size(dir / "u.nc") - 1);
  expect_words(message_of(ExitCode::input, [&] { make_uplift(c, *domain); }), {"cut off"});
}

TEST(UpliftGrids, BadTimes) {
  const TempDir dir;
  UpliftGrid grid;
  const Case c = uplift_case(dir / "u.nc", {});
  const auto domain = make_domain(c);
  const auto expect = [&](std::vector<double> times, const std::vector<std::string>& words) {
    grid.times = std::move(times);
    grid.write(dir / "u.nc");
    expect_words(message_of(ExitCode::input, [&] { make_uplift(c, *domain); }), words);
  };
  expect({0, 1, 2}, {"t = 0", "at rest"});
  expect({-2, -1}, {"t = 0"});
  expect({1, 3, 2}, {"times must increase"});
  expect({1, 1}, {"times must increase"});
  grid.time_units = "minutes";
  expect({1, 2}, {"'minutes'", "seconds"});
}

void expect_prepared_as_direct(const std::vector<double>& times) {
  const TempDir dir;
  UpliftGrid grid;
  grid.times = times;
  grid.value = [](double px, double py, double t) { return (1 + t) * std::sin(px / 7e3) * py / 1e4; };
  grid.write(dir / "u.nc");
  Case c = uplift_case(dir / "u.nc", times.empty() ? std::optional(Ramp{.duration = 4}) : std::nullopt);
  write_prepared(c, dir / "p.h5");
  const auto domain = make_domain(c);
  const auto direct = make_uplift(c, *domain);
  std::filesystem::remove(dir / "u.nc");
  c.domain.bathymetry = PreparedBathymetry{dir / "p.h5", mark};
  const auto prepared = make_uplift(c, *domain);
  ASSERT_EQ(prepared.size(), direct.size());
  // At nodes of the mesh, and between them, where elements integrate it: over the edges of the grid too.
  for (std::size_t k = 0; k < direct.size(); ++k) {
    for (const double y : linspace(0, 50e3, 47))
      for (const double x : linspace(0, 100e3, 83)) EXPECT_EQ(prepared[k].shape(x, y), direct[k].shape(x, y));
    EXPECT_EQ(prepared[k].value(2.5), direct[k].value(2.5));
  }
  auto& shape = c.sources[0].shape;
  shape = grid_shape(dir / "u.nc", grid.name);  // found by itself when the file was prepared
  EXPECT_EQ(make_uplift(c, *domain).size(), direct.size());
  shape = grid_shape(dir / "u.nc", "other");
  expect_words(message_of(ExitCode::input, [&] { make_uplift(c, *domain); }), {"'" + grid.name + "'", "'other'"});
  shape = grid_shape(dir / "other.nc");
  expect_words(message_of(ExitCode::input, [&] { make_uplift(c, *domain); }), {"u.nc", "other.nc"});
}

TEST(Prepared, UpliftRepeatsTheGridToTheBit) { expect_prepared_as_direct({1, 4}); }
TEST(Prepared, UpliftAtOneTimeRepeatsTheGridToTheBit) { expect_prepared_as_direct({}); }

}  // namespace
}  // namespace agwave

#endif
