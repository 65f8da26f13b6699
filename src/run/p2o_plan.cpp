// SPDX-License-Identifier: Apache-2.0
#include "run/p2o_plan.hpp"

#include <algorithm>
#include <cmath>

#include "error/error.hpp"

namespace agwave {

namespace {

void require_sensors(const Case& c) {
  if (!c.p2o)
    throw Error(ExitCode::usage,
                text(c.file, ": p2o: missing; allowed: a map of keys; add 'p2o: {interval: 1, end: 300, parameters: {spacing: 4000}}'"));
  if (c.sensors.seafloor.empty() && c.sensors.hydrophones.empty() && c.sensors.surface.empty() && c.seafloor_grids.empty() && c.surface_grids.empty())
    throw Error(ExitCode::usage, text(to_string(c.p2o->mark),
                                      ": there is nothing to map to; found no sensors; allowed: sensors on the seafloor, "
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

// Whether what a sensor reads is affected by a wall that absorbs: it stands in an element there, or on a floor that gives way.
bool reads_walls(const Case& c, const Plan& plan) {
  if (c.boundary.floor) return true;
  const auto& x = plan.mesh.x_faces;
  const auto& y = plan.mesh.y_faces;
  const auto at_wall = [&](const Sensor& s) {
    return (c.boundary.absorbs(0) && s.x <= x[1]) || (c.boundary.absorbs(1) && s.x >= x[x.size() - 2]) || (c.boundary.absorbs(2) && s.y <= y[1]) ||
           (c.boundary.absorbs(3) && s.y >= y[y.size() - 2]);
  };
  const Sensors& all = plan.sensors;
  return std::ranges::any_of(all.seafloor, at_wall) || std::ranges::any_of(all.hydrophones, at_wall) || std::ranges::any_of(all.surface, at_wall);
}

bool can_transpose(const Case& c, const Plan& plan) {
  return plan.variant->integrator->hears && (!plan.levels.local() || plan.variant->hears_in_levels) && !c.boundary.sponge.any() &&
         !reads_walls(c, plan);
}

// Of the longest stable step. A propagation to a sensor is one from it, read as the sensor would be, where the operators of a step commute. RK4's do,
// walls included. The leapfrog is transposed where it can be; else it has another order of them at walls that absorb, with an error of order four,
// and between levels of local steps, where the variant does not hear.
double part_of_step(const Case& c, const Plan& plan) {
  if (plan.variant->integrator->reach == 0 || can_transpose(c, plan)) return 1;
  return c.boundary.sponge.any() || c.boundary.absorbs() || c.boundary.floor ? 1.0 / 3 : plan.levels.local() ? 0.4 : 1;
}

// Fading does not commute with a step: the error is of order two in the time between two fadings, which is then a step. The leapfrog's costs more than a
// step, so RK4 goes into sponges unless the case says otherwise; likewise over a floor that gives way, which is a wall at most sensors. It knows no matched
// sponges.
Plan plan_propagation(Case& c, const Comm& comm) {
  const SolverCase& solver = c.solver;
  const bool matched = c.boundary.sponge.any() && c.boundary.sponge.matched;
  const bool fades_or_gives_way = !matched && (c.boundary.sponge.any() || c.boundary.floor.has_value());
  const bool free = solver.scheme == "auto" && solver.variant == "auto" && !solver.single && !c.time.asks_for_levels();
  if (fades_or_gives_way && free) c.solver.scheme = "rk4";
  Plan plan = make_plan(c, comm, {.from_sensors = true});
  const auto ahead = static_cast<std::int64_t>(std::ceil(plan.variant->integrator->reach));
  const double part = c.time.step ? 1 : part_of_step(c, plan);
  if (part == 1 && plan.choice.per_interval > ahead) return plan;  // else an interval is too short to be sampled within
  const bool automatic = !c.time.step;
  c.time.safety *= part;
  if (part != 1) plan = make_plan(c, comm, {.from_sensors = true});
  if (plan.choice.per_interval <= ahead && automatic) {
    c.time.step = c.p2o->interval / static_cast<double>(ahead + 1);
    plan = make_plan(c, comm, {.from_sensors = true});
  }
  if (plan.choice.per_interval <= ahead)
    throw AgreedError(ExitCode::usage, text(to_string(c.time.step_mark), ": one step makes an interval; ", plan.variant->integrator->name, " needs ",
                                            ahead + 1, "; give a shorter step, or auto"));
  return plan;
}

}  // namespace

std::vector<double> P2oPlan::fading_excess(int axis, const std::vector<double>& at, double sign) const {
  const std::int64_t every = sponge.every;
  if (every == 0) return std::vector<double>(at.size(), 1.0);
  const double since = static_cast<double>(intervals.sampled_at(0) % every) / static_cast<double>(every);
  std::vector<double> factors = sponge_factors(sponge, axis, size[static_cast<std::size_t>(axis)], at);
  for (double& factor : factors) factor = std::pow(factor, sign * (0.5 - since));
  return factors;
}

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
  p.plan = plan_propagation(p.c, comm);
  p.plan.asked.surface = false;
  p.sensors = p.plan.sensors;
  const StepChoice& choice = p.plan.choice;
  const auto ahead = static_cast<std::int64_t>(std::ceil(p.plan.variant->integrator->reach));
  p.intervals = {p.c.p2o->interval, p.plan.steps / choice.per_interval, choice.per_interval, ahead, choice.dt, can_transpose(p.c, p.plan)};
  p.plan.asked.hears = p.intervals.transposed;
  p.plan.asked.powers = !p.intervals.transposed;  // else the floor is watched, from which responses are read
  p.plan.sponge.every = p.plan.sponge.any() ? 1 : 0;
  p.plan.sponge.interval = static_cast<double>(p.plan.sponge.every) * choice.dt;
  p.sponge = p.plan.sponge;
  p.size = p.plan.mesh.size;
  comm.agree([&] { p.grid = make_parameter_grid(*p.c.p2o, p.plan.mesh); });
  return p;
}

}  // namespace agwave
