// SPDX-License-Identifier: Apache-2.0
// Bathymetry grids: every convention gives the same depths, every defect its own message, smoothing and interpolation
// keep what they promise, prepared files repeat it all to the bit. Uplift grids are in test_input_uplift.cpp.
#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "io/case_file.hpp"
#include "io/inputs.hpp"
#include "mesh/mesh.hpp"

#if AGWAVE_NETCDF

#include "grid_maker.hpp"
#include "io/prepared.hpp"

namespace agwave {
namespace {

std::vector<double> depths_of(const Case& c) {
  const auto domain = make_domain(c);
  const auto x = column_nodes(domain->size[0], c.mesh.elements[0], 4), y = column_nodes(domain->size[1], c.mesh.elements[1], 4);
  return make_bathymetry(c, *domain)->depths(x, y, 0, 0);
}

std::string complaint(const Case& c) {
  const auto message = message_of(ExitCode::input, [&] { depths_of(c); });
  expect_words(message, {"case.yaml:5"});
  return message;
}

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
  expect_words(complaint(c), {"land", "min_depth", "elevation 800 m", "x = 65000 m", " 88 of its nodes"});
  for (const double smoothing : {0.0, 7e3}) {
    c.domain.bathymetry = GridBathymetry{dir / "coast.nc", "", 50.0, smoothing, mark};
    const auto h = depths_of(c);
    EXPECT_GE(*std::min_element(h.begin(), h.end()), 50);
    EXPECT_LE(*std::max_element(h.begin(), h.end()), 3400);  // the cubic's overshoot on the deep side, under 1/8 of the step
    const auto domain = make_domain(c);
    const auto b = make_bathymetry(c, *domain);
    EXPECT_EQ(b->clamped(), 0);
    b->depths(std::array{10e3, 80e3, 90e3}, std::array{20e3}, 0, 0);
    EXPECT_EQ(b->clamped(), 2);
    b->depths(std::array{10e3}, std::array{20e3}, 0, 0);
    EXPECT_EQ(b->clamped(), 0);
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
    const std::int64_t expected = b->clamped();
    EXPECT_GT(expected, 0);
    write_prepared(c, dir / "p.h5");
    for (const bool prepared : {false, true}) {
      if (prepared) c.domain.bathymetry = PreparedBathymetry{dir / "p.h5", mark};
      for (const std::array<int, 3> ranks : {std::array{1, 1, 1}, std::array{1, 1, 3}, std::array{3, 2, 1}, std::array{2, 4, 3}}) {
        std::int64_t sum = 0;
        for (int r = 0; r < ranks[0] * ranks[1] * ranks[2]; ++r) {
          const Mesh mesh = make_mesh(c.mesh, domain->size, make_partition(c.mesh.elements, ranks, r), *make_bathymetry(c, *domain));
          EXPECT_EQ(mesh.global_columns(), static_cast<std::int64_t>(x.size() * y.size()));
          sum += mesh.clamped;
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

#if AGWAVE_PROJ
// Longitudes 190 to 204 by a quarter degree, a floor that tells every node from every other.
struct GlobeGrid : GridMaker {
  GlobeGrid() {
    x = linspace(190, 204, 57);
    y = linspace(49, 55, 25);
    value = [](double lon, double lat, double) { return -4000 + 8 * (std::fmod(lon + 720, 360) - 197) - 16 * (lat - 52); };
  }
};

Case globe_case(const std::string& file) {
  Case c = metric_case(file);
  c.domain.size.reset();
  c.domain.lonlat = LonLat{{193, 201}, {50.2, 53.2}};
  return c;
}

TEST(BathymetryGrid, EveryConventionGivesTheSameDepths) {
  const TempDir dir;
  const GlobeGrid plain;
  plain.write(dir / "g.nc");
  const auto expected = depths_of(globe_case(dir / "g.nc"));
  EXPECT_NEAR(expected[12 * 0 + 12], 4000 + 16 * (50.2 - 52), 1);  // south side, middle
  std::vector<std::pair<std::string, GridMaker>> variants;
  const auto variant = [&](const std::string& name) -> GridMaker& { return variants.emplace_back(name, plain).second; };
  const auto shift = [](std::vector<double>& v, double by) {
    for (double& a : v) a += by;
  };
  {
    auto& g = variant("west longitudes");
    shift(g.x, -360);
  }
  {
    auto& g = variant("lon, lat order");
    g.x_first = true;
  }
  {
    auto& g = variant("north to south");
    std::reverse(g.y.begin(), g.y.end());
  }
  {
    auto& g = variant("east to west");
    std::reverse(g.x.begin(), g.x.end());
    g.x_first = true;
  }
  {
    auto& g = variant("GMT names, no units");
    g.x_name = "x", g.y_name = "y", g.name = "z", g.x_units = g.y_units = g.units = "";
  }
  {
    auto& g = variant("long names");
    g.x_name = "Longitude", g.y_name = "Latitude", g.name = "Band1", g.x_units = g.y_units = "degrees";
  }
  {
    auto& g = variant("standard name");
    g.name = "whatever", g.standard = "height_above_mean_sea_level";
  }
  {
    auto& g = variant("classic file");
    g.format = 0;
  }
  {
    auto& g = variant("global 0 to 360");
    g.x = linspace(0, 359.75, 1440);
  }
  {
    auto& g = variant("global -180 to 180, both meridians");
    g.x = linspace(-180, 180, 1441);
  }
  {
    auto& g = variant("packed");
    g.type = NC_INT, g.scale = 0.25, g.offset = -1000;
  }
  for (const bool attribute : {true, false}) {
    auto& g = variant(attribute ? "positive down" : "depth by standard name");
    const auto up = plain.value;
    g.value = [up](double lon, double lat, double t) { return -up(lon, lat, t); };
    if (attribute)
      g.positive = "down";
    else
      g.standard = "sea_floor_depth_below_geoid";
  }
  for (const auto& [name, grid] : variants) {
    SCOPED_TRACE(name);
    grid.write(dir / "v.nc");
    const auto h = depths_of(globe_case(dir / "v.nc"));
    ASSERT_EQ(h.size(), expected.size());
    for (std::size_t n = 0; n < h.size(); n += 7) EXPECT_NEAR(h[n], expected[n], 1e-8);
    Case west = globe_case(dir / "v.nc");
    west.domain.lonlat = LonLat{{-167, -159}, {50.2, 53.2}};
    EXPECT_NEAR(depths_of(west)[100], expected[100], 1e-8);
  }
}

TEST(BathymetryGrid, WindowsAcrossTheSeams) {
  const TempDir dir;
  GlobeGrid grid;
  grid.y = linspace(-30, 30, 121);
  grid.value = [](double lon, double lat, double) { return -4000 + 500 * std::sin(lon * M_PI / 180) + 10 * lat; };
  std::vector<std::pair<std::vector<double>, std::array<double, 2>>> cases{
      {linspace(0, 359.5, 720), {-3, 4}},            // across Greenwich on a 0..360 grid
      {linspace(-179.75, 179.75, 720), {176, 185}},  // across the date line on a cell-registered -180..180 grid
      {{}, {176, 185}}};
  for (double lon = 170; lon < 190; lon += 0.5) cases[2].first.push_back(lon < 180 ? lon : lon - 360);  // a cut-out that jumps
  for (const auto& [axis, lon] : cases) {
    grid.x = axis;
    grid.write(dir / "s.nc");
    Case c = globe_case(dir / "s.nc");
    c.domain.lonlat = LonLat{{lon[0], lon[1]}, {-4, 3}};
    const auto domain = make_domain(c);
    const auto b = make_bathymetry(c, *domain);
    for (const double f : {0.0, 0.3, 0.45, 0.6, 1.0}) {
      const double x = f * domain->size[0], y = 0.4 * domain->size[1];
      const auto p = domain->to_lonlat(x, y);
      EXPECT_NEAR(b->depths(std::array{x}, std::array{y}, 0, 0)[0], -grid.value(p[0], p[1], 0), 1e-3) << p[0];
    }
  }
}

TEST(BadGrids, OnTheGlobe) {
  const TempDir dir;
  const auto bad = [&](GridMaker grid, const std::vector<std::string>& words) {
    grid.write(dir / "bad.nc");
    const auto message = complaint(globe_case(dir / "bad.nc"));
    std::vector<std::string> all = words;
    all.push_back("bad.nc");
    expect_words(message, all);
  };
  GlobeGrid g;
  g.x = linspace(194, 204, 41);
  bad(g, {"does not cover", "lon 194 to 204", "192.8"});
  g = {}, g.y = linspace(50.2, 55, 25);  // the southern corners reach to 50.135
  bad(g, {"does not cover", "lat 50.2 to 55", "50.135"});
  g = {}, g.value = [](double lon, double lat, double) { return lon == 196 && lat == 51.5 ? NAN : -4000; };
  bad(g, {"no value", "lon 196", "lat 51.5"});
  g = {}, g.type = NC_SHORT, g.fill = -9999, g.value = [](double lon, double lat, double) { return lon == 196 && lat == 51.5 ? -9999 : -4000; };
  bad(g, {"no value", "lon 196", "lat 51.5"});
  g = {}, g.value = [](double lon, double lat, double) { return lon == 199 && lat == 52 ? 12.0 : -4000; };
  bad(g, {"land", "lon 199", "lat 52", "elevation 12 m", "min_depth"});
  g = {}, g.x[20] = g.x[10];
  bad(g, {"not monotonic"});
  g = {}, g.y = {52};
  bad(g, {"1 node"});
  g = {}, g.y_units = "m";
  bad(g, {"'lat'", "degrees"});
  g = {}, g.y = linspace(49, 95, 25);
  bad(g, {"latitudes", "95"});
  g = {}, g.units = "km";
  bad(g, {"'km'", "metres"});
  g = {}, g.axes = false;
  bad(g, {"coordinate variable"});
  g = {}, g.x[3] = NAN;
  bad(g, {"not finite"});
  g = {}, g.type = NC_CHAR;
  bad(g, {"does not hold numbers"});
  g = {}, g.times = {1, 2};
  bad(g, {"dimension 'time' of size 2"});
}

TEST(BathymetryGrid, GapsAndLandOutsideTheDomainDoNotMatter) {
  const TempDir dir;
  GlobeGrid g;
  g.value = [](double lon, double lat, double) { return lat < 49.6 ? NAN : lat > 54 || lon < 192 ? 900 : -4000; };
  g.write(dir / "g.nc");
  for (const double h : depths_of(globe_case(dir / "g.nc"))) EXPECT_NEAR(h, 4000, 400);
}
#endif

TEST(BadGrids, Files) {
  const TempDir dir;
  const auto expect = [&](const std::string& name, const std::vector<std::string>& words) {
    expect_words(complaint(metric_case(dir / name)), words);
  };
  expect("nothing.nc", {"no such file", "nothing.nc"});
  std::filesystem::create_directory(dir / "folder.nc");
  expect("folder.nc", {"not a regular file"});
  std::ofstream(dir / "text.nc") << "lon lat depth\n1 2 3\n";
  expect("text.nc", {"text.nc", "NetCDF"});
  std::ofstream(dir / "empty.nc").flush();
  expect("empty.nc", {"empty.nc"});
  MetricGrid grid;
  for (const int format : {NC_NETCDF4, 0, NC_64BIT_OFFSET, NC_64BIT_DATA}) {
    grid.format = format;
    grid.write(dir / "cut.nc");
    const auto size = std::filesystem::file_size(dir / "cut.nc");
    EXPECT_EQ(depths_of(metric_case(dir / "cut.nc"))[0], 4000);
    for (const auto left : {size - 1, size * 2 / 3, std::uintmax_t{90}}) {
      std::filesystem::resize_file(dir / "cut.nc", left);
      expect("cut.nc", {"cut.nc", format == NC_NETCDF4 ? "NetCDF:" : "cut off"});
    }
  }
}

TEST(BadGrids, DepthsTakenForElevations) {
  const TempDir dir;
  MetricGrid grid;
  grid.value = [](double, double, double) { return 4000.0; };
  grid.write(dir / "g.nc");
  expect_words(complaint(metric_case(dir / "g.nc")), {"no sea at all", "positive = \"down\""});
}

TEST(BadGrids, VariablesAndAxes) {
  const TempDir dir;
  MetricGrid grid;
  grid.write(dir / "g.nc");
  Case c = metric_case(dir / "g.nc");
  std::get<GridBathymetry>(c.domain.bathymetry).variable = "depth";
  expect_words(complaint(c), {"'depth'", "elevation"});
  std::get<GridBathymetry>(c.domain.bathymetry).variable = "x";
  expect_words(complaint(c), {"'x'", "latitude"});
  c = metric_case(dir / "g.nc");
  c.domain.size = {200e3, 50e3};
  expect_words(complaint(c), {"does not cover", "x -20000 to 120000", "x 0 to 200000"});
  grid.x_units = "km";
  grid.write(dir / "g.nc");
  expect_words(complaint(metric_case(dir / "g.nc")), {"'km'"});
  grid.x_name = "lon", grid.y_name = "lat", grid.x_units = grid.y_units = "degrees";
  grid.write(dir / "g.nc");
  expect_words(complaint(metric_case(dir / "g.nc")), {"`lonlat`", "`size`"});
  // Two candidates and no name to tell them by.
  grid = {};
  grid.name = "first";
  grid.write(dir / "g.nc");
  int id = 0, v = 0, dims[2];
  ASSERT_EQ(nc_open((dir / "g.nc").c_str(), NC_WRITE, &id), NC_NOERR);
  nc_inq_dimid(id, "y", &dims[0]), nc_inq_dimid(id, "x", &dims[1]);
  nc_redef(id);
  ASSERT_EQ(nc_def_var(id, "second", NC_FLOAT, 2, dims, &v), NC_NOERR);
  nc_close(id);
  expect_words(complaint(metric_case(dir / "g.nc")), {"first, second", "`variable`"});
  // More points than anyone has: only dimensions, nothing is stored.
  ASSERT_EQ(nc_create((dir / "big.nc").c_str(), NC_CLOBBER | NC_NETCDF4, &id), NC_NOERR);
  nc_def_dim(id, "y", 90000, &dims[0]), nc_def_dim(id, "x", 90000, &dims[1]);
  const std::size_t chunks[2] = {1000, 1000};
  ASSERT_EQ(nc_def_var(id, "z", NC_SHORT, 2, dims, &v), NC_NOERR);
  nc_def_var_chunking(id, v, NC_CHUNKED, chunks);
  nc_close(id);
  expect_words(complaint(metric_case(dir / "big.nc")), {"4000000000"});
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
  EXPECT_GT(p->clamped(), 0);
  EXPECT_EQ(p->clamped(), b->clamped());
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
