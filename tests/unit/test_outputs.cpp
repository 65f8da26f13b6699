// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: sensors.h5, surface.h5, progress.json, summary.json. Their layout as plain HDF5 sees it
// (tests/cases/check_traces.py opens them in Python), files of killed runs, and every way in which writing can fail.
#include <gtest/gtest.h>
#include <hdf5_hl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "../read_dataset.hpp"
#include "io/report.hpp"
#include "io/trace_file.hpp"
#include "version.hpp"

namespace agwave {
namespace {

namespace fs = std::filesystem;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Outputs : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "agwave-outputs-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::size_t files() const { return std::size_t(std::distance(fs::directory_iterator(directory_), fs::directory_iterator())); }

  fs::path directory_;
};

Sensors some_sensors(int seafloor, int hydrophones, int surface) {
  Sensors sensors;
  for (int i = 0; i < seafloor; ++i) sensors.seafloor.push_back({text("A", i), 1000.0 * i, 500.0, -4000.0, {}});
  for (int i = 0; i < hydrophones; ++i) sensors.hydrophones.push_back({text("Hydrophon-\u00e4", i), 1000.0 * i, 600.0, -1000.0, {}});
  for (int i = 0; i < surface; ++i) sensors.surface.push_back({text("T", i), 1000.0 * i, 700.0, 0.0, {}});
  return sensors;
}

double expected(std::int64_t sample, std::int64_t station) { return 1e3 * double(sample) + double(station); }

std::vector<double> rows(std::int64_t first, std::int64_t count, std::int64_t width) {
  std::vector<double> values;
  for (std::int64_t i = first; i < first + count; ++i)
    for (std::int64_t j = 0; j < width; ++j) values.push_back(expected(i, j));
  return values;
}

std::vector<hsize_t> shape(const hdf5::File& file, const std::string& name) {
  hdf5::Handle dataset = file.own(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
  hdf5::Handle space(H5Dget_space(dataset.get()), H5Sclose);
  std::vector<hsize_t> extent(std::size_t(H5Sget_simple_extent_ndims(space.get())));
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  return extent;
}

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

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code() == ExitCode::output ? error.what() : "wrong exit code";
  }
  return "no error";
}

// Runs `action` in a child process; returns the message of its Error(output). Limits and signals set there end there.
std::string message_in_child(const std::function<void()>& action) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string message = message_of(action);
    const bool told = ::write(ends[1], message.data(), message.size()) == ssize_t(message.size());
    std::exit(told ? 0 : 1);  // not _exit: HDF5's own clean-up must survive the failure too
  }
  ::close(ends[1]);
  std::string message;
  char buffer[256];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) message.append(buffer, std::size_t(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? message : text(message, " (the child ended with status ", status, ")");
}

void limit_file_size(rlim_t bytes) {  // stands for a full disk: writes beyond fail with EFBIG
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

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
  SurfaceFile surface(path("surface.h5"), x, y, depth, rows(3, 2, 3), lon, lat, 3, 10.0, 0.05, {{"title", "A map"}, {"featureType", "timeSeries"}});
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

TEST_F(Outputs, FailuresNameTheFileAndTheReason) {
  const auto create = [&](const std::string& where) { return message_of([&] { TraceFile(where, some_sensors(1, 0, 1), 3, 1.0, {}); }); };
  EXPECT_EQ(create(path("missing/sensors.h5")), path("missing/sensors.h5") + ": cannot create the file: No such file or directory");
  std::ofstream(path("file")) << "x";
  EXPECT_EQ(create(path("file/sensors.h5")), path("file/sensors.h5") + ": cannot create the file: Not a directory");
  fs::create_directory(path("sensors.h5"));
  EXPECT_EQ(create(path("sensors.h5")), path("sensors.h5") + ": cannot name the finished file: Is a directory");
  EXPECT_EQ(files(), 2u) << "a temporary file was left behind";
  EXPECT_EQ(message_of([&] { write_summary(path("missing/summary.json"), {}); }),
            path("missing/summary.json") + ": cannot write the file: No such file or directory");
  fs::permissions(directory_, fs::perms::owner_read | fs::perms::owner_exec);
  if (::geteuid() != 0) {  // root may write anywhere
    EXPECT_EQ(create(path("new.h5")), path("new.h5") + ": cannot create the file: Permission denied");
  }
  fs::permissions(directory_, fs::perms::owner_all);
}

TEST_F(Outputs, UnreadableInputCarriesTheCallersCode) {
  std::ofstream(path("not.h5")) << "not an HDF5 file";
  try {
    hdf5::File::open(path("not.h5"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_NE(std::string(error.what()).find("not.h5: cannot open the file: "), std::string::npos) << error.what();
  }
}

TEST_F(Outputs, DiskFullWhileCreating) {
  for (const rlim_t bytes : {0, 300, 3000, 30000, 300000}) {
    const std::string message = message_in_child([&] {
      limit_file_size(bytes);
      TraceFile(path("sensors.h5"), some_sensors(40, 0, 20), 1000, 0.5, {{"title", "full"}});
    });
    EXPECT_NE(message.find("sensors.h5: cannot "), std::string::npos) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    EXPECT_EQ(message.find("status"), std::string::npos) << message;
    EXPECT_EQ(files(), 0u) << bytes;
  }
}

TEST_F(Outputs, DiskFullWhileWriting) {
  const std::string message = message_in_child([&] {
    TraceFile traces(path("sensors.h5"), some_sensors(40, 0, 20), 1000, 0.5, {});
    limit_file_size(100000);
    for (std::int64_t i = 0; i < 1000; ++i) traces.write(i, 1, rows(i, 1, 40), rows(i, 1, 40), rows(i, 1, 20));
  });
  EXPECT_EQ(message, path("sensors.h5") + ": cannot write sensor_pressure: File too large");
  EXPECT_EQ(shape(hdf5::File::open(path("sensors.h5")), "pressure")[0], 1000u);
}

TEST_F(Outputs, DiskFullOnARealFileSystem) {
  if (::mount("agwave-test", directory_.c_str(), "tmpfs", 0, "size=256k") != 0) GTEST_SKIP() << "needs the right to mount a small tmpfs";
  const std::string message = message_in_child([&] { TraceFile(path("sensors.h5"), some_sensors(40, 0, 20), 1000, 0.5, {}); });
  EXPECT_EQ(message, path("sensors.h5") + ": cannot create variable pressure: No space left on device");
  EXPECT_EQ(files(), 0u);
  ::umount(directory_.c_str());
}

TEST_F(Outputs, SummaryHasTheContractsKeys) {
  Summary summary;
  summary.title = "t";
  summary.elements = {8, 6, 4};
  summary.grid = {2, 1, 1};
  summary.energy.residual = nan;
  write_summary(path("summary.json"), summary);
  const auto json = nlohmann::ordered_json::parse(std::ifstream(path("summary.json")));
  std::vector<std::string> keys, energy;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  for (const auto& [key, value] : json["energy"].items()) energy.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"title",
                                            "elements",
                                            "dofs",
                                            "step_s",
                                            "steps",
                                            "end_s",
                                            "wall_s",
                                            "loop_s",
                                            "step_gdofs",
                                            "variant",
                                            "device",
                                            "ranks",
                                            "grid",
                                            "threads",
                                            "exchange",
                                            "peak_bytes_per_dof",
                                            "energy",
                                            "max_pressure_pa",
                                            "max_surface_height_m",
                                            "note",
                                            "version",
                                            "commit"}));
  EXPECT_TRUE(json["exchange"].is_null());  // one rank
  summary.exchange = {"mpi", 1e6, nan};
  write_summary(path("summary.json"), summary);
  const auto several = nlohmann::ordered_json::parse(std::ifstream(path("summary.json")));
  EXPECT_EQ(several["exchange"], nlohmann::ordered_json({{"transport", "mpi"}, {"bytes_per_step", 1e6}, {"waited_s_per_step", nullptr}}));
  EXPECT_EQ(energy, (std::vector<std::string>{"final", "source_work", "boundary_loss", "sponge_loss", "residual"}));
  EXPECT_TRUE(json["energy"]["residual"].is_null());
  EXPECT_EQ(json["elements"], nlohmann::ordered_json({8, 6, 4}));
  EXPECT_EQ(json["version"], version);
  EXPECT_EQ(files(), 1u);
}

TEST_F(Outputs, ProgressLinesAndFile) {
  const ProgressState early{0, 100, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0},
      half{50, 100, 5.0, 10.0, 65.0, 1.25, 0.5, 2.0e4, {9.0e11, 1.0e12, 0.9e11, 2.0e3, 0.1e11}};
  ::testing::internal::CaptureStdout();  // a file, so plain lines
  Progress progress(path("progress.json"), false, 0.0);
  EXPECT_TRUE(progress.due());
  progress.update(early);
  EXPECT_TRUE(nlohmann::json::parse(std::ifstream(path("progress.json")))["eta_s"].is_null());
  progress.update(half);
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(printed.substr(printed.find('\n') + 1),
            " 50.0 %  step 50/100  t 5.00/10 s  ETA 1:05  1.25 GDOF*step/s  max eta 0.5 m, |p| 2e+04 Pa  E 9e+11 = work 1e+12 - loss 1e+11 + "
            "residual 2e+03 J\n");
  const auto json = nlohmann::json::parse(std::ifstream(path("progress.json")));
  EXPECT_EQ(json["step"], 50);
  EXPECT_EQ(json["percent"], 50.0);
  EXPECT_EQ(json["eta_s"], 65.0);
  EXPECT_FALSE(json["finished"]);
  EXPECT_EQ(json["energy"],
            nlohmann::json({{"final", 9.0e11}, {"source_work", 1.0e12}, {"boundary_loss", 0.9e11}, {"sponge_loss", 0.1e11}, {"residual", 2.0e3}}));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Outputs, QuietProgressStillWritesItsFileAndSurvivesAFullDisk) {
  ::testing::internal::CaptureStdout();
  Progress progress(path("progress.json"), true, 3600.0);
  progress.update({1, 2, 1.0, 2.0, 1.0, 1.0, 0.5, 2.0});
  EXPECT_FALSE(progress.due());
  progress.finish({2, 2, 2.0, 2.0, 2.0, 1.0, 0.5, 2.0});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_TRUE(nlohmann::json::parse(std::ifstream(path("progress.json")))["finished"]);

  ::testing::internal::CaptureStderr();
  Progress nowhere(path("missing/progress.json"), true);
  nowhere.update({});
  nowhere.update({});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: " + path("missing/progress.json") + ": cannot write the file: No such file or directory; the run goes on\n");
}

}  // namespace
}  // namespace agwave
