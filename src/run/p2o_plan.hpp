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
  double length = 0;       // D [s]
  std::int64_t count = 0;
  std::int64_t steps = 0;  // of each
  // Steps before its end at which an interval is sampled, where the integrator has not seen the next one yet: samples are causal.
  std::int64_t ahead = 0;
  double dt = 0;

  std::int64_t sampled_at(std::int64_t k) const { return (k + 1) * steps - ahead; }  // step
  double time(std::int64_t k) const { return static_cast<double>(sampled_at(k)) * dt; }
};

struct P2oPlan {
  Case c;     // of the propagations
  Plan plan;  // which goes to their model
  Sensors sensors;
  ParameterGrid grid;
  Intervals intervals;

  std::int64_t stations() const { return static_cast<std::int64_t>(sensors.seafloor.size() + sensors.hydrophones.size()); }
  std::int64_t gauges() const { return static_cast<std::int64_t>(sensors.surface.size()); }
  std::int64_t sources() const { return stations() + gauges(); }  // of propagations: stations, then gauges
  const Sensor& source(std::int64_t n) const;
  double map_bytes() const;                                      // of one source, as stored
};

// Collective; throws as make_plan does, and Error(usage) for what is wrong with the section p2o.
P2oPlan plan_p2o(const Case& c, const Comm& comm);

}  // namespace agwave
