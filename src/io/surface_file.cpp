// SPDX-License-Identifier: Apache-2.0
// surface.h5: what is in it. Snapshots are float32 (seven digits of a height are plenty, and they are most of the file),
// coordinates and the maps that sum up the run float64. How it is written: files/labelled_file.cpp.
#include <algorithm>

#include "io/trace_file.hpp"

namespace agwave {
namespace {
using Type = LabelledFile::Type;
}

SurfaceFile::SurfaceFile(const std::string& path, std::span<const double> x, std::span<const double> y, std::span<const double> depth,
                         std::span<const double> uplift, std::span<const double> lon, std::span<const double> lat, std::int64_t times,
                         double interval, double arrival_threshold, const Attributes& attributes, const Earlier& earlier)
    : file_(path, joined({{"Conventions", "CF-1.8"}}, attributes)) {
  const bool geographic = !lon.empty();
  const auto map = [&](const std::string& long_name, const std::string& units) {
    Attributes all{{"long_name", long_name}, {"units", units}};
    if (geographic) all.emplace_back("coordinates", "lon lat");
    return all;
  };
  if (times > 0) file_.times(times, interval);
  file_.dimension("y", y, {{"long_name", "metres north of the south-west corner of the domain"}, {"units", "m"}, {"axis", "Y"}});
  file_.dimension("x", x, {{"long_name", "metres east of the south-west corner of the domain"}, {"units", "m"}, {"axis", "X"}});
  if (geographic) file_.degrees("", {"y", "x"}, lon, lat);
  Attributes water = map("depth of the undisturbed water", "m");
  water.emplace_back("standard_name", "sea_floor_depth_below_mean_sea_level");
  file_.variable("depth", Type::float64, {"y", "x"}, water);
  file_.variable("uplift", Type::float64, {"y", "x"},
                 map("displacement of the seafloor at the end of the run, along its motion (vertical or normal)", "m"));
  Attributes arrival = map(text("time of first arrival: |height| above ", arrival_threshold, " m; missing where nothing has arrived"), "s");
  arrival.emplace_back("threshold_m", text(arrival_threshold));
  file_.variable("maximum_height", Type::float64, {"y", "x"}, map("largest height of the sea surface above rest so far", "m"));
  file_.variable("arrival_time", Type::float64, {"y", "x"}, arrival);
  if (times > 0) {
    Attributes height = map("height of the sea surface above rest", "m");
    height.emplace_back("standard_name", "sea_surface_height_above_mean_sea_level");
    file_.variable("surface_height", Type::float32, {"time", "y", "x"}, height);
  }
  file_.write("depth", depth);
  file_.write("uplift", uplift);
  if (!earlier.path.empty()) file_.take_over(earlier.path, earlier.samples);
  written_ = earlier.samples;
  file_.publish();
}

void SurfaceFile::write_snapshot(std::int64_t index, std::span<const double> height) {
  file_.write_rows("surface_height", index, 1, height);
  written_ = std::max(written_, index + 1);
  file_.samples_written(written_);
}

void SurfaceFile::write_maximum(std::span<const double> maximum, std::span<const double> arrival) {
  file_.write("maximum_height", maximum);
  file_.write("arrival_time", arrival);
}

}  // namespace agwave
