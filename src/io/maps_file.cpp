// SPDX-License-Identifier: Apache-2.0
#include "io/maps_file.hpp"

#include <numeric>

#include "files/labelled_file.hpp"

namespace agwave {

namespace {

using Type = LabelledFile::Type;

std::vector<double> count_up(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

void define(LabelledFile& file, const std::string& name, const std::string& dimension, const std::vector<double>& values, const std::string& what,
            const std::string& unit) {
  file.variable(name, Type::float64, {dimension}, {{"long_name", what}, {"units", unit}});
  file.write(name, values);
}

// Names and places of sensors or gauges.
void define_places(LabelledFile& file, const std::string& kind, const std::vector<Sensor>& all, bool depth, bool geographic) {
  std::vector<std::string> names;
  std::vector<double> x, y, z, lon, lat;
  for (const Sensor& s : all) {
    names.push_back(s.name);
    x.push_back(s.x), y.push_back(s.y), z.push_back(s.z), lon.push_back(s.lon), lat.push_back(s.lat);
  }
  file.dimension(kind, count_up(all.size()), {{"long_name", "number of the " + kind}, {"units", "1"}});
  file.labels(kind + "_name", kind, names, {{"long_name", "name of the " + kind}});
  define(file, kind + "_x", kind, x, "x of the " + kind + ", east of the south-west corner", "m");
  define(file, kind + "_y", kind, y, "y of the " + kind + ", north of the south-west corner", "m");
  if (depth) define(file, kind + "_z", kind, z, "z of the " + kind + ", up from the sea surface", "m");
  if (!geographic) return;
  define(file, kind + "_lon", kind, lon, "longitude of the " + kind, "degrees_east");
  define(file, kind + "_lat", kind, lat, "latitude of the " + kind, "degrees_north");
}

void define_parameters(LabelledFile& file, const ParameterGrid& grid, const std::vector<double>& areas) {
  std::vector<double> x, y;
  for (const double at_y : grid.y)
    for (const double at_x : grid.x) x.push_back(at_x), y.push_back(at_y);
  file.dimension("parameter", count_up(x.size()), {{"long_name", "number of the parameter, iy nx + ix"}, {"units", "1"}});
  define(file, "parameter_x", "parameter", x, "x of the parameter, where its shape is 1", "m");
  define(file, "parameter_y", "parameter", y, "y of the parameter, where its shape is 1", "m");
  define(file, "parameter_area", "parameter", areas, "integral of the shape over the floor", "m2");
}

}  // namespace

void write_maps(const std::string& path, const MapsContent& content) {
  std::vector<Sensor> sensors = content.sensors.seafloor;
  sensors.insert(sensors.end(), content.sensors.hydrophones.begin(), content.sensors.hydrophones.end());
  const std::vector<Sensor>& gauges = content.sensors.surface;
  const Type type = content.single ? Type::float32 : Type::float64;
  LabelledFile file(path, content.about);
  for (const auto& [name, value] : content.numbers) file.number(name, value);
  define_parameters(file, content.grid, content.areas);
  file.dimension("interval", count_up(content.times.size()), {{"long_name", "number of the interval"}, {"units", "1"}});
  define(file, "time", "interval", content.times, "time of the sample at the end of the interval", "s");
  std::int64_t source = 0;
  const auto maps = [&](const std::vector<Sensor>& all, const std::string& kind, const std::string& name, const Attributes& attributes) {
    if (all.empty()) return;
    define_places(file, kind, all, kind == "sensor", content.geographic);
    file.variable(name, type, {kind, "parameter", "interval"}, attributes);
    for (std::int64_t n = 0; n < static_cast<std::int64_t>(all.size()); ++n) file.write_rows(name, n, 1, content.row(source++));
  };
  std::vector<double> kinds(content.sensors.seafloor.size(), 0);
  kinds.resize(sensors.size(), 1);
  maps(sensors, "sensor", "pressure_map", {{"long_name", "pressure after so many intervals per floor velocity in the first"}, {"units", "Pa s m-1"}});
  if (!sensors.empty()) {
    file.variable("sensor_kind", Type::int8, {"sensor"},
                  {{"long_name", "0: on the seafloor, 1: hydrophone in the water column"}, {"flag_meanings", "seafloor hydrophone"}});
    file.write("sensor_kind", kinds);
  }
  maps(gauges, "gauge", "height_map", {{"long_name", "surface height after so many intervals per floor velocity in the first"}, {"units", "s"}});
  file.publish();
  file.close();
}

}  // namespace agwave
