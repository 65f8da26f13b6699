// SPDX-License-Identifier: Apache-2.0
// Bathymetry grids in metres: smoothing and interpolation keep what they promise, prepared files repeat it all to the bit. Grids in degrees
// are in test_globe_grids.cpp, wrong ones in test_bad_grids.cpp, uplift in test_input_uplift.cpp.
#include <gtest/gtest.h>

#include "case/case_file.hpp"
#include "expect_error.hpp"
#include "mesh/mesh.hpp"
#include "terrain/domain.hpp"

#if AGWAVE_NETCDF

#include "grid_maker.hpp"
#include "source/prepared.hpp"

namespace agwave {
namespace {

TEST(BathymetryGrid, BicubicIsExactForParabolasAndSmoothAcrossCells) {
  const TempDir dir;
  MetricGrid grid;
  grid.value = [](double x, double y, double) { return -(3000 + 0.01 * x - 0.02 * y + 1e-7 * x * x - 2e-7 * y * y + 1e-7 * x * y); };
  grid.write(dir / "g.nc");
  const Case c = metric_case(dir / "g.nc");
  const auto domain = make_domain(c);
  const auto b = make_bathymetry(c, *domain);
  for (const double x : {0.0, 1234.5, 47e3, 99e3, 100e3}) {
    for (const double y : {0.0, 6789.0, 50e3}) EXPECT_NEAR(b->depths(std::array{x}, std::array{y}, 0, 0)[0], -grid.value(x, y, 0), 1e-8);
  }
  grid.value = [](double x, double y, double) { return -4000 + 900 * std::sin(x / 9e3) * std::cos(y / 7e3); };
  grid.write(dir / "g.nc");
  const auto wavy = make_bathymetry(c, *domain);
  const auto slope = [&](double x) {
    const auto h = wavy->depths(std::array{x - 0.01, x + 0.01}, std::array{21e3}, 0, 0);
    return (h[1] - h[0]) / 0.02;
  };
  for (const double x : {15e3, 40e3, 65e3}) EXPECT_NEAR(slope(x - 0.02), slope(x + 0.02), 1e-5);
  expect_words(message_of(ExitCode::input, [&] { wavy->depths(std::array{2e5}, std::array{0.0}, 0, 0); }), {"x = 200000 m"});
}

TEST(BathymetryGrid, AnySubsetGivesTheSameBits) {
  const TempDir dir;
  MetricGrid grid;
  grid.value = [](double x, double y, double) { return -4000 + 900 * std::sin(x / 9e3) * std::cos(y / 7e3); };
  grid.write(dir / "g.nc");
  Case c = metric_case(dir / "g.nc");
  std::get<GridBathymetry>(c.domain.bathymetry).smoothing = 6e3;
  const auto all = depths_of(c);
  const auto x = column_nodes(100e3, 6, 4), y = column_nodes(50e3, 4, 4);
  const auto domain = make_domain(c);
  const auto part = make_bathymetry(c, *domain)->depths(std::span(x).subspan(8, 9), std::span(y).subspan(4, 5), 8, 4);
  for (std::size_t j = 0; j < 5; ++j) {
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(part[j * 9 + i], all[(j + 4) * x.size() + i + 8]);
  }
}

TEST(BathymetryGrid, SmoothingKeepsConstantsAndDampsWaves) {
  const TempDir dir;
  MetricGrid grid;
  grid.write(dir / "flat.nc");
  Case c = metric_case(dir / "flat.nc");
  std::get<GridBathymetry>(c.domain.bathymetry).smoothing = 12e3;
  for (const double h : depths_of(c)) EXPECT_EQ(h, 4000);
  // A Gaussian of standard deviation s multiplies a wave by exp(-k^2 s^2 / 2).
  const double k = 2 * M_PI / 50e3, s = 8e3;
  grid.x = linspace(-60e3, 160e3, 221), grid.y = linspace(-40e3, 90e3, 131);
  grid.value = [k](double x, double, double) { return -4000 + 500 * std::cos(k * x); };
  grid.write(dir / "wave.nc");
  c.domain.bathymetry = GridBathymetry{dir / "wave.nc", "", {}, s, mark};
  const auto domain = make_domain(c);
  EXPECT_NEAR(make_bathymetry(c, *domain)->depths(std::array{50e3}, std::array{25e3}, 0, 0)[0], 4000 - 500 * std::exp(-0.5 * k * k * s * s), 0.5);
}

TEST(BathymetryGrid, MinDepthClampsCountsAndNeverOvershoots) {
  const TempDir dir;
  MetricGrid grid;
  grid.value = [](double x, double, double) { return x > 60e3 ? 800.0 : -3000.0; };
  grid.write(dir / "coast.nc");
  Case c = metric_case(dir / "coast.nc");
  expect_words(message_of(ExitCode::input, [&] { depths_of(c); }), {"land", "min_depth", "elevation 800 m", "x = 65000 m", " 88 of its nodes"});
  for (const double smoothing : {0.0, 7e3}) {
    c.domain.bathymetry = GridBathymetry{dir / "coast.nc", "", 50.0, smoothing, mark};
    const auto h = depths_of(c);
    EXPECT_GE(*std::min_element(h.begin(), h.end()), 50);
    EXPECT_LE(*std::max_element(h.begin(), h.end()), 3400);  // the cubic's overshoot on the deep side, under 1/8 of the step
    const auto domain = make_domain(c);
    const auto b = make_bathymetry(c, *domain);
    EXPECT_EQ(b->deepened(), 0);
    b->depths(std::array{10e3, 80e3, 90e3}, std::array{20e3}, 0, 0);
    EXPECT_EQ(b->deepened(), 2);
    b->depths(std::array{10e3}, std::array{20e3}, 0, 0);
    EXPECT_EQ(b->deepened(), 0);
  }
}

// Whatever the processor grid, each raised column counts once; with order 1 the columns are the vertices.
TEST(BathymetryGrid, ClampedCountsAreThoseOfTheMesh) {
  const TempDir dir;
  MetricGrid grid;
  grid.value = [](double x, double y, double) { return x + y > 60e3 ? 800.0 : -3000.0; };
  grid.write(dir / "coast.nc");
  for (const int order : {1, 4}) {
    Case c = metric_case(dir / "coast.nc");
    c.mesh.order = order;
    c.mesh.elements = {6, 4, 3};
    c.mesh.interfaces = {0, 0.3, 0.6, 1};
    c.domain.bathymetry = GridBathymetry{dir / "coast.nc", "", 50.0, 0.0, mark};
    const auto domain = make_domain(c);
    const auto b = make_bathymetry(c, *domain);
    const auto x = column_nodes(100e3, 6, order), y = column_nodes(50e3, 4, order);
    b->depths(x, y, 0, 0);
    const std::int64_t expected = b->deepened();
    EXPECT_GT(expected, 0);
    write_prepared(c, dir / "p.h5");
    for (const bool prepared : {false, true}) {
      if (prepared) c.domain.bathymetry = PreparedBathymetry{dir / "p.h5", mark};
      for (const std::array<int, 3> ranks : {std::array{1, 1, 1}, std::array{1, 1, 3}, std::array{3, 2, 1}, std::array{2, 4, 3}}) {
        std::int64_t sum = 0;
        for (int r = 0; r < ranks[0] * ranks[1] * ranks[2]; ++r) {
          const Mesh mesh = make_mesh(c.mesh, domain->size, make_partition(c.mesh.elements, ranks, r), *make_bathymetry(c, *domain));
          EXPECT_EQ(mesh.global_columns(), static_cast<std::int64_t>(x.size() * y.size()));
          sum += mesh.deepened;
        }
        EXPECT_EQ(sum, expected) << "order " << order << ", prepared " << prepared << ", " << ranks[0] << " x " << ranks[1] << " x " << ranks[2];
      }
    }
  }
}

// What a case file without `variable` reads: the only variable, by its standard_name, whatever its name.
TEST(BathymetryGrid, CaseFileFindsALoneVariableByItsAttributes) {
  const TempDir dir;
  MetricGrid grid;
  grid.name = "z";
  grid.standard = "height_above_mean_sea_level";
  grid.value = [](double, double, double) { return -3000.0; };
  grid.write(dir / "g.nc");
  const Case c = parse_case(
      dir / "c.yaml", "domain:\n  size: [100e3, 50e3]\n  bathymetry: {type: grid, file: g.nc}\nmesh: {elements: [6, 4, 1]}\ntime: {end: 1}\n", {});
  for (const double h : depths_of(c)) EXPECT_EQ(h, 3000);
}

TEST(Prepared, GridDepthsRepeatToTheBit) {
  const TempDir dir;
  MetricGrid grid;
  grid.value = [](double x, double y, double) { return -2000 + 2500 * std::sin(x / 9e3) * std::cos(y / 7e3); };
  grid.write(dir / "g.nc");
  Case c = metric_case(dir / "g.nc");
  c.domain.bathymetry = GridBathymetry{dir / "g.nc", "elevation", 100.0, 3e3, mark};
  write_prepared(c, dir / "p.h5");
  const auto direct = depths_of(c);
  const auto domain = make_domain(c);
  const auto b = make_bathymetry(c, *domain);
  const auto x = column_nodes(100e3, 6, 4), y = column_nodes(50e3, 4, 4);
  b->depths(x, y, 0, 0);
  c.domain.bathymetry = PreparedBathymetry{dir / "p.h5", mark};
  EXPECT_EQ(depths_of(c), direct);
  const auto p = make_bathymetry(c, *domain);
  p->depths(x, y, 0, 0);
  EXPECT_GT(p->deepened(), 0);
  EXPECT_EQ(p->deepened(), b->deepened());
}

}  // namespace
}  // namespace agwave

#else

namespace agwave {
namespace {

TEST(BathymetryGrid, SaysThatThisBuildReadsNone) {
  Case c;
  c.domain.size = {1e5, 1e5};
  c.domain.bathymetry = GridBathymetry{"gebco.nc", "", {}, 0, {"case.yaml", 5, "domain.bathymetry"}};
  const auto domain = make_domain(c);
  const auto message = message_of(ExitCode::input, [&] { make_bathymetry(c, *domain); });
  for (const char* w : {"AGWAVE_NETCDF", "agwave prepare", "gebco.nc"}) EXPECT_NE(message.find(w), std::string::npos) << message;
}

}  // namespace
}  // namespace agwave

#endif
