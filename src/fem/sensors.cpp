// SPDX-License-Identifier: Apache-2.0
// Sensors of the case to metres: lon/lat projected, grids expanded, everything checked. All that is wrong is reported
// at once, a line each. Seafloor sensors and hydrophones share one list of names in the output, surface gauges another.
// Grid sensors are named S001_001 (seafloor) or G001_001 (surface), column then row from the south-west; those of a
// second grid S2_001_001 and so on.
#include "fem/sensors.hpp"

#include <map>

#include "error/error.hpp"
#include "files/text_file.hpp"

namespace agwave {
namespace {

class Resolver {
 public:
  explicit Resolver(const Domain& domain) : domain_(domain) {}

  void add(const SensorCase& s, std::vector<Sensor>& to) {
    Sensor sensor{s.name, s.place.x, s.place.y, s.z, s.mark};
    if (s.place.geographic) {
      try {
        const auto [x, y] = domain_.to_xy(s.place.x, s.place.y);
        sensor.x = x, sensor.y = y;
      } catch (const Error& e) {
        complain(s.mark, text("sensor '", s.name, "': ", e.what()));
        return;
      }
    }
    const auto [lx, ly] = domain_.size;
    const double slack = 1e-9 * std::max(lx, ly);
    if (!(sensor.x >= -slack && sensor.x <= lx + slack && sensor.y >= -slack && sensor.y <= ly + slack)) {
      const std::string geographic = s.place.geographic ? text("lon ", s.place.x, ", lat ", s.place.y, ", that is ") : "";
      complain(s.mark, text("sensor '", s.name, "' at ", geographic, "x = ", sensor.x, " m, y = ", sensor.y, " m is outside the domain, x 0 to ", lx,
                            " m, y 0 to ", ly, " m"));
    }
    sensor.x = std::min(std::max(sensor.x, 0.0), lx);
    sensor.y = std::min(std::max(sensor.y, 0.0), ly);
    to.push_back(std::move(sensor));
  }

  void add(const SensorGrid& g, const std::string& prefix, std::vector<Sensor>& to) {
    if (g.counts[0] < 1 || g.counts[1] < 1 || !(g.margin >= 0) || !(2 * g.margin < domain_.size[0]) || !(2 * g.margin < domain_.size[1])) {
      complain(g.mark, text("a grid of ", g.counts[0], " by ", g.counts[1], " sensors with a margin of ", g.margin, " m does not fit the domain of ",
                            domain_.size[0], " by ", domain_.size[1], " m"));
      return;
    }
    const auto position = [&](int d, int i) {  // a single one stands in the middle
      const double span = domain_.size[d] - 2 * g.margin;
      return g.counts[d] == 1 ? 0.5 * domain_.size[d] : g.margin + span * i / (g.counts[d] - 1);
    };
    for (int j = 0; j < g.counts[1]; ++j) {
      for (int i = 0; i < g.counts[0]; ++i) {
        to.push_back({prefix + padded(i + 1, 3) + "_" + padded(j + 1, 3), position(0, i), position(1, j), 0, g.mark});
      }
    }
  }

  void check_names(std::initializer_list<const std::vector<Sensor>*> lists) {
    std::map<std::string, Mark> seen;
    for (const auto* list : lists) {
      for (const Sensor& s : *list) {
        if (s.name.empty()) {
          complain(s.mark, "the sensor has no name");
        } else if (const auto [first, is_new] = seen.emplace(s.name, s.mark); !is_new) {
          complain(s.mark, text("the name '", s.name, "' is taken already, by ", to_string(first->second)));
        }
      }
    }
  }

  void finish() const {
    if (!errors_.empty()) throw Error(ExitCode::usage, errors_);
  }

 private:
  void complain(const Mark& mark, const std::string& message) { errors_ += (errors_.empty() ? "" : "\n") + to_string(mark) + ": " + message; }

  const Domain& domain_;
  std::string errors_;
};

void expand(Resolver& resolver, const std::vector<SensorGrid>& grids, const std::string& letter, std::vector<Sensor>& to) {
  for (std::size_t n = 0; n < grids.size(); ++n) resolver.add(grids[n], n == 0 ? letter : letter + std::to_string(n + 1) + "_", to);
}

}  // namespace

Sensors resolve_sensors(const Case& c, const Domain& domain) {
  Resolver resolver(domain);
  Sensors sensors;
  for (const auto& s : c.sensors.seafloor) resolver.add(s, sensors.seafloor);
  expand(resolver, c.seafloor_grids, "S", sensors.seafloor);
  for (const auto& s : c.sensors.hydrophones) resolver.add(s, sensors.hydrophones);
  for (const auto& s : c.sensors.surface) resolver.add(s, sensors.surface);
  expand(resolver, c.surface_grids, "G", sensors.surface);
  resolver.check_names({&sensors.seafloor, &sensors.hydrophones});
  resolver.check_names({&sensors.surface});
  resolver.finish();
  if (domain.geographic())
    for (auto* list : {&sensors.seafloor, &sensors.hydrophones, &sensors.surface})
      for (Sensor& s : *list) {
        const auto [lon, lat] = domain.to_lonlat(s.x, s.y);
        s.lon = lon, s.lat = lat;
      }
  return sensors;
}

}  // namespace agwave
