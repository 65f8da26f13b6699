// SPDX-License-Identifier: Apache-2.0
#include "commands/check_p2o.hpp"

#include <cstdio>

#include "error/duration.hpp"
#include "error/error.hpp"

namespace agwave {

namespace {

double propagation_seconds(const P2oPlan& p, double seconds_per_dof_step, const Comm& comm) {
  return seconds_per_dof_step * static_cast<double>(p.plan.mesh.global_dofs()) * static_cast<double>(p.plan.steps) * p.plan.levels.work() /
         comm.size();
}

}  // namespace

void print_p2o(const P2oPlan& p, double seconds_per_dof_step, const Comm& comm) {
  const auto sources = static_cast<double>(p.sources());
  const double each = propagation_seconds(p, seconds_per_dof_step, comm);
  const std::string spacing = p.grid.spacing > 0 ? text(p.grid.spacing, " m apart") : "the nodes of the floor";
  std::printf("p2o       %lld sensors and %lld gauges; %lld x %lld parameters, %s, x = %.6g to %.6g m, y = %.6g to %.6g m; %lld intervals of %g s\n",
              whole(p.stations()), whole(p.gauges()), whole(p.grid.nx()), whole(p.grid.ny()), spacing.c_str(), p.grid.x.front(), p.grid.x.back(),
              p.grid.y.front(), p.grid.y.back(), whole(p.intervals.count), p.intervals.length);
  std::printf("          scheme %s, variant %s, %lld steps of %.6g s to an interval\n", p.plan.variant->integrator->name.c_str(),
              p.plan.variant->name.c_str(), whole(p.intervals.steps), p.intervals.dt);
  std::printf("          maps of %.3g MB each, %.3g MB for FFTMatvec and as much again in maps.h5\n", p.map_bytes() * 1e-6,
              p.map_bytes() * sources * 1e-6);
  std::printf("          about %s for a propagation, %s for all and the run that they are compared with\n", duration(each).c_str(),
              duration(each * (sources + 1)).c_str());
}

Json p2o_json(const P2oPlan& p, double seconds_per_dof_step, const Comm& comm) {
  const double each = propagation_seconds(p, seconds_per_dof_step, comm);
  return Json{{"sensors", p.stations()},
              {"gauges", p.gauges()},
              {"parameters", {p.grid.nx(), p.grid.ny()}},
              {"spacing_m", p.grid.spacing > 0 ? Json(p.grid.spacing) : Json()},
              {"interval_s", p.intervals.length},
              {"intervals", p.intervals.count},
              {"scheme", p.plan.variant->integrator->name},
              {"variant", p.plan.variant->name},
              {"step_s", p.intervals.dt},
              {"steps_per_interval", p.intervals.steps},
              {"map_bytes", p.map_bytes()},
              {"maps_bytes", p.map_bytes() * static_cast<double>(p.sources())},
              {"propagation_s", each},
              {"estimate_s", each * static_cast<double>(p.sources() + 1)}};
}

}  // namespace agwave
