// SPDX-License-Identifier: Apache-2.0
// How a restarted run continues the files of the run before it: a new file takes over the rows up to the checkpoint, and only then
// replaces the old one. What the killed run had written past the checkpoint stays behind.
#include <algorithm>
#include <cmath>

#include "files/labelled_file.hpp"

namespace agwave {
namespace {

using hdf5::File;
using hdf5::Handle;

Handle open(const File& file, const std::string& name) { return file.own(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "read " + name); }

std::vector<double> read_times(const File& file, hid_t dataset) {
  std::vector<double> times(file.shape(dataset, "read time").at(0));
  file.check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()), "read time");
  return times;
}

std::vector<double> read_rows(const File& file, hid_t dataset, const std::string& name, const hdf5::Extent& shape, std::int64_t first,
                              std::int64_t count) {
  hdf5::Extent start(shape.size(), 0), extent = shape;
  start[0] = static_cast<hsize_t>(first);
  extent[0] = static_cast<hsize_t>(count);
  const Handle there = file.box(shape, start, extent, "read " + name), here = file.space(extent, "read " + name);
  std::vector<double> values(hdf5::count(extent));
  file.check(H5Dread(dataset, H5T_NATIVE_DOUBLE, here.get(), there.get(), H5P_DEFAULT, values.data()), "read " + name);
  return values;
}

}  // namespace

std::int64_t LabelledFile::take_over(const std::string& path, std::int64_t rows) {
  const File old = File::open(path);
  std::int64_t written = 0;
  const Handle old_counter = open(old, "samples_written"), old_time = open(old, "time");
  old.check(H5Dread(old_counter.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &written), "read samples_written");
  const std::vector<double> then = read_times(old, old_time.get()), now = read_times(file_, variables_.at("time").dataset.get());
  written = std::min(written, static_cast<std::int64_t>(then.size()));

  struct Run {  // rows that follow each other in both files
    std::int64_t to, from, count;
  };
  std::vector<Run> runs;
  std::int64_t found = 0;
  for (std::int64_t to = 0; to < std::min(rows, static_cast<std::int64_t>(now.size())); ++to) {
    const double near = 1e-9 * std::max(1.0, std::abs(now[to]));
    const auto from = std::lower_bound(then.begin(), then.end(), now[to] - near) - then.begin();
    if (from >= written || std::abs(then[from] - now[to]) > near) continue;
    ++found;
    if (!runs.empty() && runs.back().to + runs.back().count == to && runs.back().from + runs.back().count == from)
      ++runs.back().count;
    else
      runs.push_back({to, from, 1});
  }
  for (const auto& [name, variable] : variables_) {
    if (!variable.in_time) continue;
    const Handle dataset = open(old, name);
    const hdf5::Extent shape = old.shape(dataset.get(), "read " + name);
    if (!std::equal(shape.begin() + 1, shape.end(), variable.shape.begin() + 1, variable.shape.end()))
      old.fail("continue " + name, "its other dimensions are not those of this run");
    const auto row = static_cast<std::int64_t>(hdf5::count(shape, 1));
    const std::int64_t most = std::max<std::int64_t>(1, (std::int64_t{8} << 20) / std::max<std::int64_t>(row, 1));  // 64 MB at a time
    for (const Run& run : runs)
      for (std::int64_t at = 0; at < run.count; at += most) {
        const std::int64_t count = std::min(most, run.count - at);
        write_rows(name, run.to + at, count, read_rows(old, dataset.get(), name, shape, run.from + at, count));
      }
  }
  samples_written(rows);
  return found;
}

}  // namespace agwave
