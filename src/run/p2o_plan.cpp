// SPDX-License-Identifier: Apache-2.0
#include "run/p2o_plan.hpp"

#include <cmath>

#include "error/error.hpp"

namespace agwave {

namespace {

void require_sensors(const Case& c) {
  if (!c.p2o)
    throw Error(ExitCode::usage, text(c.file, ": p2o: missing; allowed: a map of keys; add 'p2o: {interval: 1, end: 300, parameters: {spacing: 4000}}'"));
  if (c.sensors.seafloor.empty() && c.sensors.hydrophones.empty() && c.sensors.surface.empty() && c.seafloor_grids.empty() && c.surface_grids.empty())
    throw Error(ExitCode::usage, text(to_string(c.p2o->mark), ": there is nothing to map to; found no sensors; allowed: sensors on the seafloor, "
                                      "hydrophones and gauges on the surface; add some to `sensors`"));
}

// The water at rest, forced by its sensors, with steps that divide the interval.
Case propagation_case(const Case& c) {
  Case p = c;
  p.sources.clear();
  p.sensors.interval = c.p2o->interval;
  p.time.end = c.p2o->end;
  p.output.surface_interval = p.output.seafloor_interval = p.output.volume_interval = p.output.checkpoint_interval = 0;
  return p;
}

// A map is the same for all intervals only where the sponge fades at the same steps of each.
std::int64_t divisor(std::int64_t of, std::int64_t most) {
  for (std::int64_t n = std::min(of, most); n > 1; --n)
    if (of % n == 0) return n;
  return std::min<std::int64_t>(1, most);
}

}  // namespace

double P2oPlan::map_bytes() const { return (c.p2o->single ? 4.0 : 8.0) * static_cast<double>(grid.size()) * static_cast<double>(intervals.count); }

const Sensor& P2oPlan::source(std::int64_t n) const {
  auto at = static_cast<std::size_t>(n);
  for (const auto* list : {&sensors.seafloor, &sensors.hydrophones}) {
    if (at < list->size()) return (*list)[at];
    at -= list->size();
  }
  return sensors.surface.at(at);
}

P2oPlan plan_p2o(const Case& c, const Comm& comm) {
  P2oPlan p;
  comm.agree([&] {
    require_sensors(c);
    refuse_heights_of_a_lid(c);
  });
  p.c = propagation_case(c);
  p.plan = make_plan(p.c, comm, {.from_sensors = true});
  const auto ahead = static_cast<std::int64_t>(std::ceil(p.plan.variant->integrator->reach));
  if (p.plan.choice.per_interval <= ahead) {  // an interval is sampled within it
    p.c.time.step = p.c.p2o->interval / static_cast<double>(ahead + 1);
    p.plan = make_plan(p.c, comm, {.from_sensors = true});
  }
  p.plan.asked.surface = false;
  p.sensors = p.plan.sensors;
  const StepChoice& choice = p.plan.choice;
  p.intervals = {p.c.p2o->interval, p.plan.steps / choice.per_interval, choice.per_interval, ahead, choice.dt};
  if (p.plan.sponge.every > 0) p.plan.sponge.every = divisor(choice.per_interval, p.plan.sponge.every);
  comm.agree([&] { p.grid = make_parameter_grid(*p.c.p2o, p.plan.mesh); });
  return p;
}

}  // namespace agwave
