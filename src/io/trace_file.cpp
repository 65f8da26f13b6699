// SPDX-License-Identifier: Apache-2.0
// sensors.h5: what is in it. How it is written: files/labelled_file.cpp. Stations and gauges are two collections of CF
// "timeSeries" features (one instance per name); an empty collection is left out, for a dimension of size 0 reads as unlimited.
#include "io/trace_file.hpp"

#include <algorithm>

namespace agwave {
namespace {

using Type = LabelledFile::Type;

template <class T>
std::vector<T> column(const std::vector<Sensor>& sensors, T Sensor::*member) {
  std::vector<T> values;
  for (const Sensor& sensor : sensors) values.push_back(sensor.*member);
  return values;
}

Attributes coordinate(const std::string& long_name) { return {{"long_name", long_name}, {"units", "m"}}; }

}  // namespace

TraceFile::TraceFile(const std::string& path, const Sensors& sensors, std::int64_t samples, double interval, const Attributes& attributes,
                     bool geographic, const Earlier& earlier)
    : file_(path, joined({{"Conventions", "CF-1.8"}, {"featureType", "timeSeries"}}, attributes)),
      stations_(std::int64_t(sensors.seafloor.size() + sensors.hydrophones.size())),
      gauges_(std::int64_t(sensors.surface.size())) {
  file_.times(samples, interval);

  if (stations_ > 0) {
    std::vector<Sensor> stations = sensors.seafloor;
    stations.insert(stations.end(), sensors.hydrophones.begin(), sensors.hydrophones.end());
    std::vector<double> kinds(stations.size(), 1.0);
    std::fill_n(kinds.begin(), sensors.seafloor.size(), 0.0);
    file_.dimension("station", column(stations, &Sensor::name), {{"long_name", "name of the pressure sensor"}, {"cf_role", "timeseries_id"}});
    file_.variable("x", Type::float64, {"station"}, coordinate("metres east of the south-west corner of the domain"));
    file_.variable("y", Type::float64, {"station"}, coordinate("metres north of the south-west corner of the domain"));
    Attributes height = coordinate("height above the undisturbed sea surface");
    height.emplace_back("positive", "up");
    file_.variable("z", Type::float64, {"station"}, height);
    file_.variable("station_kind", Type::int8, {"station"},
                   {{"long_name", "0: on the seafloor, 1: hydrophone in the water column"}, {"flag_meanings", "seafloor hydrophone"}});
    const std::string beside = geographic ? "lon lat x y z station_kind" : "x y z station_kind";
    if (geographic) file_.degrees("", {"station"}, column(stations, &Sensor::lon), column(stations, &Sensor::lat));
    file_.variable("pressure", Type::float64, {"time", "station"},
                   {{"long_name", "Eulerian pressure perturbation"}, {"units", "Pa"}, {"coordinates", beside}});
    file_.variable("sensor_pressure", Type::float64, {"time", "station"},
                   {{"long_name", "pressure change read by a gauge that moves with the seafloor"},
                    {"units", "Pa"},
                    {"coordinates", beside},
                    {"comment", "pressure - density * gravity * (vertical uplift of the seafloor there)"}});
    file_.write("x", column(stations, &Sensor::x));
    file_.write("y", column(stations, &Sensor::y));
    file_.write("z", column(stations, &Sensor::z));
    file_.write("station_kind", kinds);
  }
  if (gauges_ > 0) {
    file_.dimension("gauge", column(sensors.surface, &Sensor::name), {{"long_name", "name of the surface gauge"}, {"cf_role", "timeseries_id"}});
    file_.variable("gauge_x", Type::float64, {"gauge"}, coordinate("metres east of the south-west corner of the domain"));
    file_.variable("gauge_y", Type::float64, {"gauge"}, coordinate("metres north of the south-west corner of the domain"));
    if (geographic) file_.degrees("gauge_", {"gauge"}, column(sensors.surface, &Sensor::lon), column(sensors.surface, &Sensor::lat));
    file_.variable("surface_height", Type::float64, {"time", "gauge"},
                   {{"long_name", "height of the sea surface above rest"},
                    {"units", "m"},
                    {"coordinates", geographic ? "gauge_lon gauge_lat gauge_x gauge_y" : "gauge_x gauge_y"}});
    file_.write("gauge_x", column(sensors.surface, &Sensor::x));
    file_.write("gauge_y", column(sensors.surface, &Sensor::y));
  }
  if (earlier.samples > 0) {
    const std::int64_t found = file_.take_over(earlier.path, earlier.samples);
    if (found < earlier.samples)
      throw Error(ExitCode::input,
                  text(earlier.path, ": has ", found, " of the ", earlier.samples,
                       " samples before the checkpoint; restore that file, take an older checkpoint with --restart, or run the case from the start"));
    written_ = earlier.samples;
  }
  file_.publish();
}

void TraceFile::write(std::int64_t first, std::int64_t count, std::span<const double> pressure, std::span<const double> sensor_pressure,
                      std::span<const double> surface_height) {
  if (stations_ > 0) {
    file_.write_rows("pressure", first, count, pressure);
    file_.write_rows("sensor_pressure", first, count, sensor_pressure);
  }
  if (gauges_ > 0) file_.write_rows("surface_height", first, count, surface_height);
  written_ = std::max(written_, first + count);
  file_.samples_written(written_);
}

}  // namespace agwave
