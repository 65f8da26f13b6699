// SPDX-License-Identifier: Apache-2.0
// What parameter-to-observable maps of a case are made of: the plan of a propagation, the parameters of the floor's motion, the intervals of
// time and when they are sampled. `agwave check` prints it, `agwave p2o` carries it out.
//   m(x, y, t) = sum_ik m_ik phi_i(x, y) chi_k(t)   floor velocity [m/s]; chi_k = 1 in [k D, (k + 1) D)
//   d_j(k) = sum_il F_ji(k - l) m_il                pressure at sensor j [Pa], or height at gauge j [m], at the end of interval k
//   F_ji(k) = <phi_i, p_j>(k)                       p_j: the response to a unit flux of volume at the sensor during the first interval
#pragma once
#include "fem/parameters.hpp"
#include "run/plan.hpp"

namespace agwave {

struct Intervals {
  double length = 0;  // D [s]
  std::int64_t count = 0;
  std::int64_t steps = 0;  // of each
  // Steps before its end at which an interval is sampled, where the integrator has not seen the next one yet: samples are causal.
  std::int64_t ahead = 0;
  double dt = 0;
  // The propagations of the maps are transposed as they are: what forces the floor is read there, what sensors read forces the water.
  bool transposed = false;

  std::int64_t sampled_at(std::int64_t k) const { return (k + 1) * steps - ahead; }  // step
  double time(std::int64_t k) const { return static_cast<double>(sampled_at(k)) * dt; }
};

struct P2oPlan {
  Case c;     // of the propagations
  Plan plan;  // which goes to their model
  Sensors sensors;
  Sponge sponge;
  std::array<double, 2> size{};  // of the domain [m]
  ParameterGrid grid;
  Intervals intervals;

  std::int64_t stations() const { return static_cast<std::int64_t>(sensors.seafloor.size() + sensors.hydrophones.size()); }
  std::int64_t gauges() const { return static_cast<std::int64_t>(sensors.surface.size()); }
  std::int64_t sources() const { return stations() + gauges(); }  // of propagations: stations, then gauges
  const Sensor& source(std::int64_t n) const;
  // Where a sponge fades the state at once, a response that is read just after that has lost half of it too much at its place, and one that is read
  // just before half too little. A map has that of the sensor's place, a propagation from the sensor that of the parameter's: the factors, at `at`
  // along axis 0 or 1, that bring the one to the other with the opposite sign. Fading then costs reciprocity an error of order two.
  std::vector<double> fading_excess(int axis, const std::vector<double>& at, double sign) const;
  double map_bytes() const;  // of one source, as stored
};

// Collective; throws as make_plan does, and Error(usage) for what is wrong with the section p2o.
P2oPlan plan_p2o(const Case& c, const Comm& comm);

}  // namespace agwave
