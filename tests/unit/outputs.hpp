// SPDX-License-Identifier: Apache-2.0
// What tests of a run's outputs share: a folder that goes away, sensors with values that say where they belong, and a look at the file.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "files/hdf5.hpp"
#include "io/trace_file.hpp"
#include "temp_dir.hpp"

namespace agwave {

class Outputs : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_ / name; }
  std::size_t files() const {
    namespace fs = std::filesystem;
    return std::size_t(std::distance(fs::directory_iterator(directory_.path), fs::directory_iterator()));
  }

  const TempDir directory_;
};

inline Sensors some_sensors(int seafloor, int hydrophones, int surface) {
  Sensors sensors;
  for (int i = 0; i < seafloor; ++i) sensors.seafloor.push_back({text("A", i), 1000.0 * i, 500.0, -4000.0, {}});
  for (int i = 0; i < hydrophones; ++i) sensors.hydrophones.push_back({text("Hydrophon-\u00e4", i), 1000.0 * i, 600.0, -1000.0, {}});
  for (int i = 0; i < surface; ++i) sensors.surface.push_back({text("T", i), 1000.0 * i, 700.0, 0.0, {}});
  return sensors;
}

inline double expected(std::int64_t sample, std::int64_t station) { return 1e3 * double(sample) + double(station); }

inline std::vector<double> rows(std::int64_t first, std::int64_t count, std::int64_t width) {
  std::vector<double> values;
  for (std::int64_t i = first; i < first + count; ++i)
    for (std::int64_t j = 0; j < width; ++j) values.push_back(expected(i, j));
  return values;
}

inline std::vector<hsize_t> shape(const hdf5::File& file, const std::string& name) {
  hdf5::Handle dataset = file.own(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
  hdf5::Handle space(H5Dget_space(dataset.get()), H5Sclose);
  std::vector<hsize_t> extent(std::size_t(H5Sget_simple_extent_ndims(space.get())));
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  return extent;
}

}  // namespace agwave
