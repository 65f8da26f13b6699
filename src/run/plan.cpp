// SPDX-License-Identifier: Apache-2.0
// From the case to a plan, one part after the other; whatever fails, fails on every rank.
#include "run/plan.hpp"

#include <algorithm>
#include <cmath>

#include "boundary/reflection.hpp"
#include "error/error.hpp"
#include "io/output_grid.hpp"
#include "run/devices.hpp"
#include "run/plan_memory.hpp"
#include "timestep/tight_column.hpp"

namespace agwave {

namespace {

double base_interval(const Case& c) {
  if (c.sensors.interval) return *c.sensors.interval;
  double shortest = c.time.end;
  for (const auto& [key, interval] : c.output.intervals())
    if (interval > 0) shortest = std::min(shortest, interval);
  return shortest;
}

std::string label(const Sensor& s) { return to_string(s.mark) + (s.name.empty() ? "" : " (" + s.name + ")"); }

// The depth under seafloor sensors is their z; hydrophones must be above it. Every rank hears of every sensor, so that all
// that are wrong are reported at once.
void settle_depths(Plan& plan, const Comm& comm) {
  auto& floor = plan.sensors.seafloor;
  const auto& deep = plan.sensors.hydrophones;
  std::vector<double> depth(floor.size() + deep.size(), 0.0);
  for (std::size_t n = 0; n < depth.size() && plan.mesh.part.at_low(2); ++n) {
    const Sensor& s = n < floor.size() ? floor[n] : deep[n - floor.size()];
    const double here = column_point(plan.mesh, s.x, s.y).depth;
    if (!std::isnan(here)) depth[n] = here;
  }
  if (depth.empty()) return;
  comm.sum(depth);
  for (std::size_t n = 0; n < floor.size(); ++n) floor[n].z = -depth[n];
  std::string errors;
  for (std::size_t n = 0; n < deep.size(); ++n) {
    const Sensor& s = deep[n];
    const double h = depth[floor.size() + n];
    if (s.z <= 1e-12 * h && s.z >= -h * (1 + 1e-12)) continue;
    errors += text(errors.empty() ? "" : "\n", label(s), ": z = ", s.z, " m is outside the water column, which is ", h, " m deep at (", s.x, ", ",
                   s.y, ") m; give a z between ", -h, " and 0");
  }
  if (!errors.empty()) throw AgreedError(ExitCode::usage, errors);
}

PointSet find_points(const Mesh& mesh, const Sensors& sensors) {
  std::vector<PointAt> points;
  std::vector<std::string> names;
  const auto add = [&](const std::vector<Sensor>& list, PointOn on) {
    for (const Sensor& s : list) {
      points.push_back({s.x, s.y, s.z, on});
      names.push_back(label(s));
    }
  };
  add(sensors.seafloor, PointOn::floor);
  add(sensors.hydrophones, PointOn::depth);
  add(sensors.surface, PointOn::surface);
  return locate_points(mesh, points, names);
}

CudaDevice choose_device(const SolverCase& solver, const Comm& comm) {
  if (solver.device == "cpu") return {};
  CudaDevice own = common_device(own_device(comm), solver, comm);
  refuse_shared_devices(own, comm);
  return own;
}

Partition choose_partition(const Case& c, const Plan& plan, const Comm& comm) {
  const Partition part = make_partition(c.mesh.elements, plan.grid, comm.rank(), plan.unit);
  const double nodes = (4.0 * part.count[0] + 1) * (4.0 * part.count[1] + 1) * (4.0 * part.count[2] + 1);
  if (nodes > 2147483647.0)
    throw Error(ExitCode::usage,
                text(to_string(c.mesh.mark), ": ", nodes, " pressure nodes on one rank; local indices hold 2^31 - 1; use more ranks"));
  return part;
}

// Maps that wait: this rank's points on the device and on the host, all of them twice on rank 0, as gathered and for the writer.
void add_maps(Plan& plan, const Case& c, const Comm& comm) {
  const PerMap points = map_points(c.output, c.mesh.elements);
  const double all = 8 * (3 * points.surface + points.seafloor + points.volume);
  const double own = all * static_cast<double>(plan.mesh.NE()) / static_cast<double>(c.mesh.elements[0] * c.mesh.elements[1] * c.mesh.elements[2]);
  plan.host_memory += own + (comm.root() ? 2 * all : 0);
  if (plan.variant->device == Device::cuda) plan.memory += own;
}

void add_line(std::string& note, const std::string& line) { note += (note.empty() || line.empty() ? "" : "\n") + line; }

}  // namespace

void refuse_heights_of_a_lid(const Case& c) {
  if (c.boundary.surface != Surface::rigid) return;
  std::string keys;
  if (!c.sensors.surface.empty())
    keys = to_string(c.sensors.surface.front().mark) + " (sensors.surface)";
  else if (!c.surface_grids.empty())
    keys = to_string(c.surface_grids.front().mark) + " (sensors.surface)";
  if (c.output.surface_interval > 0) keys += (keys.empty() ? "" : " and ") + to_string(c.output.mark) + " (output.surface_interval)";
  if (keys.empty()) return;
  throw Error(ExitCode::usage,
              keys +
                  ": a surface height was asked for, but with boundary.surface: rigid the surface does not move; remove the key, use "
                  "boundary.surface: gravity, or record the pressure just below it with sensors.hydrophones");
}

CudaDevice common_device(CudaDevice own, const SolverCase& solver, const Comm& comm) {
  const std::int64_t with = comm.sum(std::int64_t{own.present});
  comm.agree([&] {
    if (own.present || with == 0) return;
    const std::string where = solver.device_mark.key.empty() && solver.device_mark.file.empty() ? "solver.device" : to_string(solver.device_mark);
    throw Error(ExitCode::device, text(where, ": ", solver.device, ": ", comm.size() - with, " of ", comm.size(),
                                       " ranks have no CUDA device: ", own.name, "; start every rank on a node with devices, or give `device: cpu`"));
  });
  if (own.present) own.compute_capability = static_cast<int>(comm.min(own.compute_capability));  // all choose the same variant
  return own;
}

Plan make_plan(const Case& c, const Comm& comm) {
  Plan plan;
  comm.agree([&] {
    plan.domain = make_domain(c);
    plan.sensors = resolve_sensors(c, *plan.domain);
  });
  plan.device = choose_device(c.solver, comm);
  comm.agree([&] {
    plan.sources = make_terms(c, *plan.domain);
    const std::string in_water = plan.sources.points.empty() ? "" : plan.sources.points[0].name;
    plan.variant = &choose_variant(c.solver, plan.device, c.mesh.elements, comm.size(), c.parallel.grid, plan.note, in_water);
    plan.unit = plan.variant->unit ? plan.variant->unit(c.mesh.elements) : Counts{1, 1, 1};
    const std::string grid = c.parallel.mark.key.empty() ? "parallel.grid" : to_string(c.parallel.mark);
    plan.grid = choose_grid(c.mesh.elements, comm.size(), c.parallel.grid, grid, plan.unit);
    plan.mesh.elements = c.mesh.elements;
    plan.mesh.part = choose_partition(c, plan, comm);
    predict_memory(plan, c.solver.quadrature, comm);  // by the counts, before the mesh itself asks for memory
    add_maps(plan, c, comm);
  });
  require_memory(plan, comm);
  const bool cuda = plan.variant->device == Device::cuda;
  const std::string exchange = c.solver.exchange_mark.file.empty() ? "solver.exchange" : to_string(c.solver.exchange_mark);
  plan.transport = choose_transport(c.solver.exchange, exchange, cuda, ranks_on_device(plan.device, comm) > 1, comm);
  if (plan.transport.nccl) comm.agree([&] { plan.device.free = free_device_memory(); });  // NCCL has taken its part
  comm.agree([&] { plan.mesh = make_mesh(c.mesh, plan.domain->size, plan.mesh.part, *make_bathymetry(c, *plan.domain)); });
  settle_depths(plan, comm);
  comm.agree([&] {
    plan.points = find_points(plan.mesh, plan.sensors);
    predict_memory(plan, c.solver.quadrature, comm);
    add_maps(plan, c, comm);
  });
  require_memory(plan, comm);
  for (const SourceCase& source : c.sources) add_line(plan.note, source.shape->note());
  plan.limit = stable_step({plan.mesh, c.ocean, c.boundary, c.solver.quadrature}, *plan.variant->integrator, comm);
  add_line(plan.note, tight_note(tight_column(plan.mesh, c.ocean, plan.limit, comm)));
  plan.interval = base_interval(c);
  comm.agree([&] { plan.choice = choose_step(c.time, plan.interval, plan.limit); });
  plan.sponge = make_sponge(plan.mesh, c.ocean, c.boundary, comm);
  plan.sponge.every = damping_steps(plan.sponge, c.ocean.sound_speed, plan.choice.dt);
  add_line(plan.note, sponge_note(plan.sponge, plan.mesh.size, plan.sensors));
  plan.steps = static_cast<std::int64_t>(std::llround(c.time.end / plan.interval)) * plan.choice.per_interval;
  add_line(plan.note, reflection_note(earliest_reflection(plan.mesh, plan.sources.uplift, plan.sensors, c.ocean, c.boundary, plan.sponge, comm), c.time.end));
  return plan;
}

}  // namespace agwave
