// SPDX-License-Identifier: Apache-2.0
// Sensors with metres, checked to lie inside the domain, names unique and non-empty (all errors at once, Error(usage)).
#pragma once
#include <string>
#include <vector>

#include "case/case.hpp"
#include "terrain/domain.hpp"

namespace agwave {

struct Sensor {
  std::string name;
  double x = 0, y = 0, z = 0;  // z of seafloor sensors: filled in once the mesh exists
  Mark mark;
  double lon = 0, lat = 0;  // [degrees], in a geographic domain
};
struct Sensors {
  std::vector<Sensor> seafloor, hydrophones, surface;
};
Sensors resolve_sensors(const Case& c, const Domain& domain);

}  // namespace agwave
