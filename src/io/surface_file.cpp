// SPDX-License-Identifier: Apache-2.0
// surface.h5: what is in it. Snapshots are float32 (seven digits of a height are plenty, and they are most of the file),
// coordinates and the maps that sum up the run float64. How it is written: files/labelled_file.cpp.
#include <algorithm>

#include "files/labelled_file.hpp"
#include "io/trace_file.hpp"

namespace agwave {
namespace {
using Type = LabelledFile::Type;
}

struct SurfaceFile::Impl {
  LabelledFile file;
  std::int64_t written = 0;
};

SurfaceFile::SurfaceFile(const std::string& path, std::span<const double> x, std::span<const double> y, std::span<const double> depth,
                         std::span<const double> uplift, std::span<const double> lon, std::span<const double> lat, std::int64_t times,
                         double interval, double arrival_threshold, const Attributes& attributes, const Earlier& earlier)
    : impl_(new Impl{LabelledFile(path, joined({{"Conventions", "CF-1.8"}}, attributes))}) {
  LabelledFile& file = impl_->file;
  const bool geographic = !lon.empty();
  const auto map = [&](const std::string& long_name, const std::string& units) {
    Attributes all{{"long_name", long_name}, {"units", units}};
    if (geographic) all.emplace_back("coordinates", "lon lat");
    return all;
  };
  std::vector<double> seconds(times);
  for (std::int64_t i = 0; i < times; ++i) seconds[i] = double(i) * interval;
  if (times > 0) file.dimension("time", seconds, {{"long_name", "time since the start of the simulation"}, {"units", "s"}, {"axis", "T"}});
  file.dimension("y", y, {{"long_name", "metres north of the south-west corner of the domain"}, {"units", "m"}, {"axis", "Y"}});
  file.dimension("x", x, {{"long_name", "metres east of the south-west corner of the domain"}, {"units", "m"}, {"axis", "X"}});
  if (geographic) {
    file.variable("lon", Type::float64, {"y", "x"}, {{"standard_name", "longitude"}, {"long_name", "longitude"}, {"units", "degrees_east"}});
    file.variable("lat", Type::float64, {"y", "x"}, {{"standard_name", "latitude"}, {"long_name", "latitude"}, {"units", "degrees_north"}});
    file.write("lon", lon);
    file.write("lat", lat);
  }
  Attributes water = map("depth of the undisturbed water", "m");
  water.emplace_back("standard_name", "sea_floor_depth_below_mean_sea_level");
  file.variable("depth", Type::float64, {"y", "x"}, water);
  file.variable("uplift", Type::float64, {"y", "x"},
                map("displacement of the seafloor at the end of the run, along its motion (vertical or normal)", "m"));
  Attributes arrival = map(text("time of first arrival: |height| above ", arrival_threshold, " m; missing where nothing has arrived"), "s");
  arrival.emplace_back("threshold_m", text(arrival_threshold));
  file.variable("maximum_height", Type::float64, {"y", "x"}, map("largest height of the sea surface above rest so far", "m"));
  file.variable("arrival_time", Type::float64, {"y", "x"}, arrival);
  if (times > 0) {
    Attributes height = map("height of the sea surface above rest", "m");
    height.emplace_back("standard_name", "sea_surface_height_above_mean_sea_level");
    file.variable("surface_height", Type::float32, {"time", "y", "x"}, height);
  }
  file.write("depth", depth);
  file.write("uplift", uplift);
  if (!earlier.path.empty()) file.take_over(earlier.path, earlier.samples);
  impl_->written = earlier.samples;
  file.publish();
}

SurfaceFile::~SurfaceFile() = default;

void SurfaceFile::write_snapshot(std::int64_t index, std::span<const double> height) {
  impl_->file.write_rows("surface_height", index, 1, height);
  impl_->written = std::max(impl_->written, index + 1);
  impl_->file.samples_written(impl_->written);
}

void SurfaceFile::write_maximum(std::span<const double> maximum, std::span<const double> arrival) {
  impl_->file.write("maximum_height", maximum);
  impl_->file.write("arrival_time", arrival);
}

void SurfaceFile::sync() { impl_->file.sync(); }
void SurfaceFile::close() { impl_->file.close(); }

}  // namespace agwave
