// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: sensors.h5 and surface.h5. Their layout as plain HDF5 sees it (tests/cases/check_traces.py opens them in
// Python), while they grow and after a run was killed.
#include <gtest/gtest.h>
#include <hdf5_hl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "../read_dataset.hpp"
#include "outputs.hpp"

namespace agwave {
namespace {

namespace fs = std::filesystem;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string text_attribute(const hdf5::File& file, const std::string& object, const std::string& name) {
  char* value = nullptr;
  const hdf5::Handle type = hdf5::text_type();
  hdf5::Handle attribute = file.own(H5Aopen_by_name(file.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  file.check(H5Aread(attribute.get(), type.get(), &value), "read " + name);
  std::string result = value;
  H5free_memory(value);
  return result;
}

std::string scale_of(const hdf5::File& file, const std::string& variable, unsigned dimension) {
  std::string name(80, '\0');
  hdf5::Handle dataset = file.own(H5Dopen2(file.id(), variable.c_str(), H5P_DEFAULT), H5Dclose, "open " + variable);
  const auto visit = [](hid_t, unsigned, hid_t scale, void* result) -> herr_t {
    H5DSget_scale_name(scale, static_cast<std::string*>(result)->data(), 80);
    return 1;
  };
  H5DSiterate_scales(dataset.get(), dimension, nullptr, visit, &name);
  return name.c_str();
}

bool exists(const hdf5::File& file, const std::string& name) { return H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) > 0; }

TEST_F(Outputs, TracesHaveTheContractsLayout) {
  const std::string long_case(100000, '#');  // beyond the 64 kB of a plain HDF5 attribute
  {
    TraceFile traces(path("sensors.h5"), some_sensors(3, 2, 4), 11, 0.5, {{"title", "A test"}, {"case_file", long_case}});
    traces.write(0, 1, rows(0, 1, 5), rows(0, 1, 5), rows(0, 1, 4));
    traces.write(1, 6, rows(1, 6, 5), rows(1, 6, 5), rows(1, 6, 4));
    traces.close();
    traces.close();  // harmless
  }
  EXPECT_EQ(files(), 1u);
  const hdf5::File file = hdf5::File::open(path("sensors.h5"));
  EXPECT_EQ(read_dataset(file, "samples_written"), std::vector<double>{7});
  EXPECT_EQ(shape(file, "pressure"), (std::vector<hsize_t>{11, 5}));
  EXPECT_EQ(shape(file, "sensor_pressure"), (std::vector<hsize_t>{11, 5}));
  EXPECT_EQ(shape(file, "surface_height"), (std::vector<hsize_t>{11, 4}));
  for (const char* name : {"pressure", "sensor_pressure", "surface_height"}) {
    EXPECT_EQ(scale_of(file, name, 0), "time");
    EXPECT_EQ(scale_of(file, name, 1), std::string(name) == "surface_height" ? "gauge" : "station");
  }
  EXPECT_EQ(scale_of(file, "z", 0), "station");
  EXPECT_EQ(scale_of(file, "gauge_x", 0), "gauge");
  EXPECT_EQ(read_dataset(file, "time").back(), 5.0);
  EXPECT_EQ(read_dataset(file, "z"), (std::vector<double>{-4000, -4000, -4000, -1000, -1000}));
  EXPECT_EQ(read_dataset(file, "station_kind"), (std::vector<double>{0, 0, 0, 1, 1}));
  const auto pressure = read_dataset(file, "pressure");
  for (std::int64_t i = 0; i < 11; ++i)
    for (std::int64_t j = 0; j < 5; ++j) {
      if (i < 7) {
        EXPECT_EQ(pressure[i * 5 + j], expected(i, j));
      } else {
        EXPECT_TRUE(std::isnan(pressure[i * 5 + j]));
      }
    }
  EXPECT_EQ(text_attribute(file, ".", "Conventions"), "CF-1.8");
  EXPECT_EQ(text_attribute(file, ".", "featureType"), "timeSeries");
  EXPECT_EQ(text_attribute(file, ".", "title"), "A test");
  EXPECT_EQ(text_attribute(file, ".", "case_file"), long_case);
  EXPECT_EQ(text_attribute(file, "pressure", "units"), "Pa");
  EXPECT_EQ(text_attribute(file, "surface_height", "units"), "m");
  EXPECT_FALSE(text_attribute(file, "sensor_pressure", "long_name").empty());
}

TEST_F(Outputs, AnEmptyKindOfSensorIsLeftOut) {
  TraceFile(path("a.h5"), some_sensors(2, 0, 0), 3, 1.0, {}).write(0, 1, rows(0, 1, 2), rows(0, 1, 2), {});
  const hdf5::File stations = hdf5::File::open(path("a.h5"));
  EXPECT_TRUE(exists(stations, "pressure"));
  EXPECT_FALSE(exists(stations, "gauge") || exists(stations, "gauge_x") || exists(stations, "surface_height"));
  TraceFile(path("b.h5"), some_sensors(0, 0, 2), 3, 1.0, {}).write(0, 3, {}, {}, rows(0, 3, 2));
  const hdf5::File gauges = hdf5::File::open(path("b.h5"));
  EXPECT_TRUE(exists(gauges, "surface_height"));
  EXPECT_FALSE(exists(gauges, "station") || exists(gauges, "x") || exists(gauges, "pressure"));
  EXPECT_EQ(read_dataset(gauges, "samples_written"), std::vector<double>{3});
}

TEST_F(Outputs, TracesAreReadableWhileTheyGrowAndReplaceOlderOnes) {
  std::ofstream(path("sensors.h5")) << "something else";
  TraceFile traces(path("sensors.h5"), some_sensors(2, 0, 1), 4, 1.0, {});
  for (std::int64_t i = 0; i < 4; ++i) {
    traces.write(i, 1, rows(i, 1, 2), rows(i, 1, 2), rows(i, 1, 1));
    const std::string copy = path(text("copy", i, ".h5"));  // this process has the file open; a copy is what another one reads
    fs::copy_file(path("sensors.h5"), copy);
    const hdf5::File file = hdf5::File::open(copy);
    EXPECT_EQ(read_dataset(file, "samples_written"), std::vector<double>{double(i + 1)});
    EXPECT_EQ(read_dataset(file, "pressure")[std::size_t(2 * i + 1)], expected(i, 1));
  }
}

TEST_F(Outputs, WrongSizesAreRefused) {
  TraceFile traces(path("sensors.h5"), some_sensors(2, 0, 1), 4, 1.0, {});
  EXPECT_THROW(traces.write(0, 1, rows(0, 1, 3), rows(0, 1, 2), rows(0, 1, 1)), std::out_of_range);
  EXPECT_THROW(traces.write(3, 2, rows(3, 2, 2), rows(3, 2, 2), rows(3, 2, 1)), std::out_of_range);
}

TEST_F(Outputs, AKilledRunLeavesAFileThatOpens) {
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 20; ++round) {
    fs::remove(path("sensors.h5"));
    const pid_t child = ::fork();
    if (child == 0) {
      TraceFile traces(path("sensors.h5"), some_sensors(40, 10, 20), 20000, 0.5, {{"title", "killed"}});
      for (std::int64_t i = 0; i < 20000; ++i) traces.write(i, 1, rows(i, 1, 50), rows(i, 1, 50), rows(i, 1, 20));
      ::_exit(0);
    }
    for (int n = 0; round >= 6 && n < 10000 && !fs::exists(path("sensors.h5")); ++n) ::usleep(1000);  // how long it takes depends on the machine
    ::usleep(std::uniform_int_distribution<useconds_t>(0, round < 6 ? 30000 : 200000)(random));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    if (!fs::exists(path("sensors.h5"))) continue;  // killed before the file had its name
    ++found;
    const hdf5::File file = hdf5::File::open(path("sensors.h5"));
    const std::int64_t written = std::int64_t(read_dataset(file, "samples_written")[0]);
    const auto pressure = read_dataset(file, "sensor_pressure");
    const auto height = read_dataset(file, "surface_height");
    for (std::int64_t i = 0; i < written; ++i) {
      ASSERT_EQ(pressure[i * 50 + 49], expected(i, 49)) << "of " << written;
      ASSERT_EQ(height[i * 20 + 19], expected(i, 19)) << "of " << written;
    }
    if (written + 1 < 20000) {  // the kill can fall between a sample and its count
      ASSERT_TRUE(std::isnan(height[(written + 1) * 20]));
    }
  }
  EXPECT_GT(found, 5);
}

TEST_F(Outputs, SurfaceMaps) {
  const std::vector<double> x{0, 10, 20}, y{0, 5}, depth(6, 4000.0), lon(6, -163.0), lat(6, 51.0);
  SurfaceFile surface(path("surface.h5"), x, y, depth, rows(3, 2, 3), lon, lat, 3, 10.0, 0.05, {{"title", "A map"}});
  surface.write_snapshot(0, std::vector<double>{0, 0.5, 0, 0, 0, -0.25});
  surface.write_snapshot(1, rows(1, 2, 3));
  surface.write_maximum(rows(0, 2, 3), std::vector<double>{1, 2, nan, 3, 4, 5});
  surface.close();
  const hdf5::File file = hdf5::File::open(path("surface.h5"));
  EXPECT_EQ(shape(file, "surface_height"), (std::vector<hsize_t>{3, 2, 3}));
  EXPECT_EQ(scale_of(file, "surface_height", 0) + scale_of(file, "surface_height", 1) + scale_of(file, "surface_height", 2), "timeyx");
  EXPECT_EQ(read_dataset(file, "surface_height")[5], -0.25);
  EXPECT_TRUE(std::isnan(read_dataset(file, "surface_height")[17]));
  EXPECT_TRUE(std::isnan(read_dataset(file, "arrival_time")[2]));
  EXPECT_EQ(read_dataset(file, "maximum_height"), rows(0, 2, 3));
  EXPECT_EQ(read_dataset(file, "uplift"), rows(3, 2, 3));
  EXPECT_EQ(text_attribute(file, "arrival_time", "threshold_m"), "0.05");
  EXPECT_EQ(text_attribute(file, "depth", "standard_name"), "sea_floor_depth_below_mean_sea_level");
  EXPECT_EQ(read_dataset(file, "samples_written"), std::vector<double>{2});
  EXPECT_EQ(read_dataset(file, "lon"), lon);
  EXPECT_EQ(text_attribute(file, "lat", "units"), "degrees_north");
  EXPECT_EQ(text_attribute(file, "maximum_height", "coordinates"), "lon lat");
  EXPECT_EQ(H5Aexists(file.id(), "featureType"), 0);

  SurfaceFile plain(path("plain.h5"), x, y, depth, rows(3, 2, 3), {}, {}, 0, 0.0, 0.01, {});  // a map of the maximum, no snapshots
  plain.close();
  const hdf5::File second = hdf5::File::open(path("plain.h5"));
  EXPECT_FALSE(exists(second, "lon") || exists(second, "time") || exists(second, "surface_height"));
}

}  // namespace
}  // namespace agwave
