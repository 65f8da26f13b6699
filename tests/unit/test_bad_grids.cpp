// SPDX-License-Identifier: Apache-2.0
// Wrong bathymetry grids: every defect has a message of its own.
#include <gtest/gtest.h>

#if AGWAVE_NETCDF

#include "expect_error.hpp"
#include "grid_maker.hpp"

namespace agwave {
namespace {

std::string complaint(const Case& c) {
  const auto message = message_of(ExitCode::input, [&] { depths_of(c); });
  expect_words(message, {"case.yaml:5"});
  return message;
}

#if AGWAVE_PROJ
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
  grid.format = NC_NETCDF4;
  grid.x = {-20e3, 0, 10, 60e3, 120e3};
  grid.write(dir / "uneven.nc");
  expect("uneven.nc", {"uneven.nc", "along x", "from 20000 to 10 m at 0 m", "a factor of 5"});
  grid.x = {-20e3, 0, 4e3, 24e3, 70e3, 120e3};  // just even enough
  grid.write(dir / "uneven.nc");
  EXPECT_EQ(depths_of(metric_case(dir / "uneven.nc"))[0], 4000);
  grid.x = linspace(-20e3, 120e3, 29);
  // A type that the format does not know: the library divides by its size, which is zero.
  grid.format = 0;
  grid.write(dir / "type.nc");
  std::string bytes(std::filesystem::file_size(dir / "type.nc"), '\0');
  std::ifstream(dir / "type.nc", std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  int types = 0;
  for (std::size_t at = 4; at + 4 <= std::min<std::size_t>(bytes.size(), 1000); at += 4) {
    const std::string word = bytes.substr(at, 4);
    if (word != std::string("\0\0\0\5", 4) && word != std::string("\0\0\0\6", 4)) continue;  // perhaps a float's or a double's
    std::string bad = bytes;
    bad[at + 3] = 12;
    std::ofstream(dir / "type.nc", std::ios::binary) << bad;
    types += complaint(metric_case(dir / "type.nc")).find("cut off or damaged") != std::string::npos;
  }
  EXPECT_GE(types, 3);  // of two axes and the depths
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

}  // namespace
}  // namespace agwave

#else
TEST(BadGrids, NeedsNetcdf) { GTEST_SKIP() << "skipped: built without netCDF"; }
#endif
