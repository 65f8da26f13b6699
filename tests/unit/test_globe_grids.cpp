// SPDX-License-Identifier: Apache-2.0
// Bathymetry grids in longitude and latitude: every convention gives the same depths, windows cross the seams.
#include <gtest/gtest.h>

#if AGWAVE_NETCDF && AGWAVE_PROJ

#include "grid_maker.hpp"
#include "terrain/domain.hpp"

namespace agwave {
namespace {

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

TEST(BathymetryGrid, RoundTheGlobeNoCoarserGridIsAskedForAtTheSeam) {
  const TempDir dir;
  GlobeGrid grid;
  grid.x = linspace(0, 359.5, 720);
  grid.y = linspace(-30, 30, 121);
  for (const auto& [file, elevation] : {std::pair{"fine.nc", -3000.0}, {"coarse.nc", -5000.0}}) {
    grid.value = [z = elevation](double, double, double) { return z; };  // Clang 14 captures no structured binding
    grid.write(dir / file);
  }
  Case c = globe_case(dir / "fine.nc");
  c.domain.lonlat = LonLat{{-3, 4}, {-4, 3}};
  auto& bathymetry = std::get<GridBathymetry>(c.domain.bathymetry);
  bathymetry.coarser = {dir / "coarse.nc"};
  bathymetry.blend = 50e3;
  for (const double h : depths_of(c)) EXPECT_NEAR(h, 3000, 1e-9);
}

TEST(BathymetryGrid, GapsAndLandOutsideTheDomainDoNotMatter) {
  const TempDir dir;
  GlobeGrid g;
  g.value = [](double lon, double lat, double) { return lat < 49.6 ? NAN : lat > 54 || lon < 192 ? 900 : -4000; };
  g.write(dir / "g.nc");
  for (const double h : depths_of(globe_case(dir / "g.nc"))) EXPECT_NEAR(h, 4000, 400);
}

}  // namespace
}  // namespace agwave

#else
TEST(GlobeGrids, NeedsNetcdf) { GTEST_SKIP() << "skipped: built without netCDF or PROJ"; }
#endif
