// SPDX-License-Identifier: Apache-2.0
// maps.h5: parameter-to-observable maps with all that says what is what, laid out as netCDF-4 does it (files/labelled_file.hpp). It takes its
// name when it is complete.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fem/parameters.hpp"
#include "fem/sensors.hpp"
#include "files/attributes.hpp"

namespace agwave {

struct MapsContent {
  Sensors sensors;
  bool geographic = false;
  const ParameterGrid& grid;
  std::vector<double> areas;  // of the parameters [m2]
  std::vector<double> times;  // of the samples [s]
  bool single = false;
  Attributes about;
  std::vector<std::pair<std::string, double>> numbers;          // attributes as well
  std::function<std::vector<double>(std::int64_t source)> row;  // sensors, then gauges: [parameter][interval]
};
void write_maps(const std::string& path, const MapsContent& content);  // throws Error(output), and what row throws

}  // namespace agwave
