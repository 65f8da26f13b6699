// SPDX-License-Identifier: Apache-2.0
// From the case to a plan, one part after the other; whatever fails, fails on every rank.
#include "run/plan.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "error/error.hpp"
#include "io/output_grid.hpp"
#include "mesh/spacing.hpp"
#include "run/carried_volume.hpp"
#include "run/devices.hpp"
#include "run/plan_levels.hpp"
#include "run/plan_memory.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
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

// The mark of a line of a CSV file has the name for its key.
std::string label(const Sensor& s) { return to_string(s.mark) + (s.name.empty() || s.name == s.mark.key ? "" : " (" + s.name + ")"); }

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
    errors += (errors.empty() ? "" : "\n") + outside_the_water(label(s), s.x, s.y, s.z, h);
  }
  if (!errors.empty()) throw AgreedError(ExitCode::usage, errors);
}

// As the model would refuse them, which `check` does not make. Collective.
void refuse_points_outside_the_water(const Plan& plan, const Comm& comm) {
  comm.agree([&] {
    for (const PointTerm& point : plan.sources.points)
      if (plan.mesh.part.at_low(2)) locate_points(plan.mesh, {{.x = point.x, .y = point.y, .z = point.z, .on = PointOn::depth}}, {point.name});
  });
}

void refuse_sensors_on_land(const Sensors& sensors, const Bathymetry& bathymetry) {
  std::string errors;
  for (const auto* list : {&sensors.seafloor, &sensors.hydrophones, &sensors.surface})
    for (const Sensor& s : *list)
      if (const auto height = bathymetry.land(s.x, s.y))
        errors +=
            text(errors.empty() ? "" : "\n", label(s), ": is on land, ", rounded(*height, 4),
                 " m above the sea in the file of the bathymetry, which min_depth ", "turns into water; move the sensor into the sea, or remove it");
  if (!errors.empty()) throw Error(ExitCode::usage, errors);
}

// Keys that are given and do nothing, as others that they belong to are not.
std::string keys_without_effect(const Case& c) {
  std::string notes;
  const auto* grid = std::get_if<GridBathymetry>(&c.domain.bathymetry);
  for (const CaseKey& key : c.keys) {
    std::string why;
    if ((key.path == "boundary.sponge.type" || key.path == "boundary.sponge.reflection") && !c.boundary.sponge.any())
      why = "no wall has a strip; give a width: west, east, south or north";
    if (key.path == "domain.bathymetry.blend" && grid && grid->coarser.empty())
      why = "there is one grid alone, which takes over from no other (files)";
    if (!why.empty())
      notes += text(notes.empty() ? "" : "\n", "note: ", to_string(Mark{key.line > 0 ? c.file : "--set", key.line, key.path}), ": ", why);
  }
  return notes;
}

Mark mark_of(const Case& c, const std::string& map) {  // one that has a type
  const auto found = std::ranges::find(c.keys, map + ".type", &CaseKey::path);
  return found != c.keys.end() && found->line > 0 ? Mark{c.file, found->line, map} : Mark{"--set", 0, map};
}

// Deepened to min_depth. Collective.
void count_deepened(Plan& plan, const Case& c, const Comm& comm) {
  constexpr double many = 0.1;
  const std::int64_t all = plan.mesh.global_columns();
  plan.deepened = comm.sum(plan.mesh.deepened);
  const auto* grid = std::get_if<GridBathymetry>(&c.domain.bathymetry);
  const std::string where = grid ? to_string(grid->mark) : "domain.bathymetry";
  if (plan.deepened == all)
    throw AgreedError(
        ExitCode::input,
        text(where, ": all ", all, " column nodes are deepened to min_depth: there is no sea in this domain. If the file holds depths, ",
             "positive down, give its variable the attribute positive = \"down\" (ncatted -a positive,NAME,c,c,down FILE)"));
  if (static_cast<double>(plan.deepened) > many * static_cast<double>(all))
    plan.notes.push_back(text("warning: ", where, ": ", plan.deepened, " of ", all, " column nodes (",
                              rounded(100.0 * static_cast<double>(plan.deepened) / static_cast<double>(all)),
                              " %) are deepened to min_depth: waves cross land and shallows as water of that depth"));
}

CudaDevice choose_device(const SolverCase& solver, const Comm& comm) {
  if (solver.device == "cpu") return {};
  CudaDevice own = common_device(own_device(comm), solver, comm);
  refuse_shared_devices(own, comm);
  return own;
}

Partition choose_partition(const Case& c, const Plan& plan, const Cuts& cuts, const Comm& comm) {
  const Partition part = make_partition(cuts, comm.rank());
  const double nodes = (4.0 * part.count[0] + 1) * (4.0 * part.count[1] + 1) * (4.0 * part.count[2] + 1);
  if (nodes > plan.variant->most_nodes)
    throw Error(ExitCode::usage, text(to_string(c.mesh.mark), ": ", nodes, " pressure nodes on one rank; local indices of variant ",
                                      plan.variant->name, " hold 2^31 - 1; use more ranks"));
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

// In this rank's part of the mesh, which is known, as is then the memory.
void find_points(Plan& plan, const Case& c, const Comm& comm) {
  comm.agree([&] {
    const SensorPoints all = sensor_points(plan.sensors);
    plan.points = locate_points(plan.mesh, all.at, all.labels);
    predict_memory(plan, c, comm);
    add_maps(plan, c, comm);
    if (plan.levels.local() && plan.variant->level_bytes) plan.memory += plan.variant->level_bytes(plan.levels, plan.mesh);
    if (plan.levels.local() && plan.variant->aside_bytes) plan.memory += plan.variant->aside_bytes(plan.mesh);
  });
  require_memory(plan, comm);
}

void add_notes(Plan& plan, const std::string& lines) {
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) plan.notes.push_back(line);
}

std::string source_in_strip_note(const SourceFacts& source, const Plan& plan) {
  if (!plan.sponge.matched || !source.epicentre || !in_strip(plan.sponge, plan.mesh.size, (*source.epicentre)[0], (*source.epicentre)[1])) return "";
  return text("warning: ", source.name, " moves the floor inside a matched strip, which gives it energy: move the domain's walls away from it, ",
              "or use boundary.sponge.type: fading");
}

// Sound that a source makes and the mesh does not carry comes out as noise that another mesh makes another of; what the samples do not carry is aliased.
std::string period_note(const SourceFacts& source, const Plan& plan, const Case& c) {
  const double carried = plan.resolution.sound_period(), shortest = source.shortest_period, nyquist = 2 * c.sensors.interval.value_or(0);
  if (!(shortest > 0)) return "";
  std::string note;
  if (shortest < carried) {
    note = text("warning: ", source.name, " excites periods down to ", rounded(shortest), " s, and sound is carried from ", rounded(carried),
                " s on (0.1 % of a period per wavelength): what lies between comes out as noise. In the order that helps: a ramp ",
                rounded(carried / shortest), " times as long, or smoother (smoothstep, order 2 or more)");
    if (plan.resolution.sound.period > shortest)
      note += text("; elements at most ", rounded(plan.resolution.sound.width * shortest / plan.resolution.sound.period), " m wide in place of ",
                   rounded(plan.resolution.sound.width), " m (at x = ", rounded(plan.resolution.sound.x),
                   " m, y = ", rounded(plan.resolution.sound.y), " m)");
    if (plan.resolution.step_period > shortest)
      note += text("; a step of ", rounded(plan.choice.dt * shortest / plan.resolution.step_period), " s at most");
  }
  if (shortest < nyquist)
    note += text(note.empty() ? "" : "\n", "warning: ", source.name, " excites periods down to ", rounded(shortest), " s, and samples every ",
                 *c.sensors.interval, " s carry none below ", nyquist, " s, which appear as longer ones: give a sensors.interval of at most ",
                 rounded(0.5 * shortest), " s, or a longer ramp");
  return note;
}

// Of the integrator of the chosen variant.
std::string why_this_scheme(const SolverCase& solver, const Variant& chosen, const Demands& demands, const std::string& continued) {
  if (solver.scheme != "auto") return "time.scheme";
  if (solver.variant != "auto") return "solver.variant";
  if (!continued.empty()) return "as the checkpoint";
  if (chosen.integrator == &leapfrog4_integrator) return "auto: fewest operators for a model second";
  std::string why = text("auto: no variant of leapfrog4 on ", to_string(chosen.device));
  for (const Variant& v : variants()) {
    if (v.integrator != &leapfrog4_integrator || v.device != chosen.device || v.preference < chosen.preference) continue;
    const bool fits = v.offers(solver.quadrature);
    const std::string what = unmet(v, demands);
    why = text("auto: ", v.name, " ",
               !fits           ? text("does not offer quadrature ", solver.quadrature)
               : !what.empty() ? what
                               : "cannot run or be split here");
  }
  return why;
}

void add_late_outputs(Plan& plan, const Case& c) {
  for (const auto& [key, interval] : c.output.intervals())
    if (interval > c.time.end)
      plan.notes.push_back(text(
          "note: output.", key, ": every ", interval, " s, and the run ends at ", c.time.end, " s: ",
          std::string_view(key).starts_with("checkpoint") ? "no checkpoint but where a signal stops the run" : "no map but that at rest, t = 0"));
}

std::string snapped_note(const Case& c, const StepChoice& choice) {
  if (!c.time.step || std::abs(choice.dt - *c.time.step) <= 1e-9 * choice.dt) return "";
  return text("note: ", to_string(c.time.step_mark), ": ", *c.time.step, " s is taken as ", choice.dt, " s, which divides the sampling interval");
}

std::string sensor_in_water(const Sensors& sensors) {
  for (const auto* list : {&sensors.hydrophones, &sensors.surface})
    if (!list->empty()) return label(list->front());
  return "";
}

}  // namespace

SensorPoints sensor_points(const Sensors& sensors) {
  SensorPoints all;
  const auto add = [&](const std::vector<Sensor>& list, PointOn on) {
    for (const Sensor& s : list) {
      all.at.push_back({s.x, s.y, s.z, on});
      all.labels.push_back(label(s));
    }
  };
  add(sensors.seafloor, PointOn::floor);
  add(sensors.hydrophones, PointOn::depth);
  add(sensors.surface, PointOn::surface);
  return all;
}

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

void cut_by_work(Plan& plan, const Case& c, const Comm& comm) {
  plan.cuts = plan_cuts(c, plan, comm.size());
  const Partition before = plan.mesh.part;
  bool moves = false;
  comm.agree([&] {
    plan.mesh.part = choose_partition(c, plan, plan.cuts.cuts, comm);
    plan.grid = plan.mesh.part.grid;
    moves = plan.grid != before.grid || before.first != plan.mesh.part.first || before.count != plan.mesh.part.count;
  });
  if (comm.sum(std::int64_t{moves}) > 0) {
    plan.limit.columns = {};  // of the mesh as it was cut until here
    comm.agree([&] { plan.mesh = make_mesh(c.mesh, plan.domain->size, plan.mesh.part, *make_bathymetry(c, *plan.domain)); });
  }
  find_points(plan, c, comm);
}

Plan make_plan(const Case& c, const Comm& comm, const PlanWishes& wishes) {
  const std::string& continued = wishes.continued;
  Plan plan;
  comm.agree([&] {
    plan.domain = make_domain(c);
    plan.sensors = resolve_sensors(c, *plan.domain);
    plan.medium = Medium(c.ocean, make_sound_speed(c, *plan.domain));
  });
  plan.device = choose_device(c.solver, comm);
  comm.agree([&] {
    refuse_levels_over_floor(c);
    plan.sources = make_terms(c, *plan.domain);
    plan.source_facts = source_facts(c, *plan.domain, plan.sources);
    for (const std::string& note : source_notes(c, *plan.domain, plan.source_facts)) add_notes(plan, note);
    const Demands demands{wishes.from_sensors           ? sensor_in_water(plan.sensors)
                          : plan.sources.points.empty() ? ""
                                                        : plan.sources.points[0].name,
                          c.boundary.sponge.any(),
                          c.time.local_steps.value_or(1) > 1,
                          comm.size(),
                          c.boundary.floor.has_value(),
                          c.boundary.sponge.matched,
                          c.solver.single};
    std::string why;
    const auto choose = [&](const SolverCase& solver) {
      why.clear();
      return &choose_variant(solver, plan.device, c.mesh.elements, comm.size(), c.parallel.grid, why, demands);
    };
    plan.variant = choose(c.solver);
    if (!continued.empty() && continued != plan.variant->integrator->name && c.solver.scheme == "auto" && c.solver.variant == "auto") {
      SolverCase solver = c.solver;
      solver.scheme = continued;
      plan.variant = choose(solver);
    }
    add_notes(plan, why);
    plan.scheme_why = why_this_scheme(c.solver, *plan.variant, demands, continued);
    plan.unit = plan.variant->unit ? plan.variant->unit(c.mesh.elements) : Counts{1, 1, 1};
    const std::string grid = c.parallel.mark.key.empty() ? "parallel.grid" : to_string(c.parallel.mark);
    plan.grid = choose_grid(c.mesh.elements, comm.size(), c.parallel.grid, grid, plan.unit);
    plan.mesh.elements = c.mesh.elements;
    plan.mesh.part = choose_partition(c, plan, even_cuts(c.mesh.elements, plan.grid, plan.unit), comm);
    predict_memory(plan, c, comm);  // by the counts, before the mesh itself asks for memory
    add_maps(plan, c, comm);
  });
  require_memory(plan, comm);
  const bool cuda = plan.variant->device == Device::cuda;
  const std::string exchange = c.solver.exchange_mark.file.empty() ? "solver.exchange" : to_string(c.solver.exchange_mark);
  plan.transport = choose_transport(c.solver.exchange, exchange, cuda, ranks_on_device(plan.device, comm) > 1, comm);
  if (plan.transport.nccl) comm.agree([&] { plan.device.free = free_device_memory(); });  // NCCL has taken its part
  comm.agree([&] {
    const auto bathymetry = make_bathymetry(c, *plan.domain);
    plan.mesh = make_mesh(c.mesh, plan.domain->size, plan.mesh.part, *bathymetry);
    refuse_sensors_on_land(plan.sensors, *bathymetry);
  });
  for (const int d : {0, 1})
    add_notes(plan,
              focus_note(c.mesh.spacing[d], plan.domain->size[d], c.mesh.elements[d], mark_of(c, d == 0 ? "mesh.spacing.x" : "mesh.spacing.y")));
  count_deepened(plan, c, comm);
  settle_depths(plan, comm);
  refuse_points_outside_the_water(plan, comm);
  comm.agree([&] { plan.medium.require_sound(plan.mesh); });
  plan.speeds = speeds_of(plan.mesh, plan.medium, comm);
  add_notes(plan, medium_note(plan.mesh, plan.medium, comm));
  find_points(plan, c, comm);
  add_slopes(plan.source_facts, plan.mesh, comm);
  for (const SourceCase& source : c.sources) add_notes(plan, source.shape->note(source));
  for (std::size_t n = 0; n < plan.source_facts.size(); ++n) add_notes(plan, carried_note(plan, n, comm));
  add_late_outputs(plan, c);
  plan.floor = make_floor(plan.mesh, plan.medium, c, *plan.domain, comm);
  plan.limit = stable_step({plan.mesh, plan.medium, c.boundary, c.solver.quadrature}, *plan.variant->integrator, comm, plan.floor);
  add_notes(plan, tight_note(tight_column(plan.mesh, plan.medium, plan.limit, comm)));
  plan.interval = base_interval(c);
  plan.sponge = make_sponge(plan.mesh, plan.medium, plan.speeds.fastest, c.boundary, comm);
  plan.levels = plan_levels(c, plan, comm);
  if (c.boundary.floor && plan.levels.local()) {
    add_notes(plan, text("note: boundary.floor: all columns take the same step; over a rigid floor local steps would take ",
                         rounded(plan.levels.gain), " times less work"));
    plan.levels = same_step_for_all({plan.mesh.elements[0], plan.mesh.elements[1]}, plan.choice.dt);
  }
  add_notes(plan, levels_note(c, plan, comm));
  add_notes(plan, unused_levels_note(c, plan));
  if (plan.levels.local()) cut_by_work(plan, c, comm);
  if (!c.time.local_steps && c.time.asks_for_levels() && plan.variant->ranks_with_levels < comm.size())
    add_notes(plan, text("note: ", to_string(c.time.local_steps_mark), ": ", plan.variant->name, " takes the same step for all",
                         comm.size() > 1 ? " on several ranks" : "", "; a number of levels asks for a variant that does not"));
  if (plan.levels.local())
    plan.choice = {plan.levels.step, std::llround(plan.interval / plan.levels.step)};
  else
    comm.agree([&] { plan.choice = choose_step(c.time, plan.interval, plan.limit); });
  plan.levels.step = plan.choice.dt;
  add_notes(plan, snapped_note(c, plan.choice));
  set_step(plan.sponge, plan.speeds.fastest, plan.choice.dt);
  add_notes(plan, sponge_note(plan.sponge, plan.mesh.size, plan.sensors));
  add_notes(plan, keys_without_effect(c));
  add_notes(plan, finer_strips_note(plan));
  for (const SourceFacts& facts : plan.source_facts) add_notes(plan, source_in_strip_note(facts, plan));
  plan.steps = static_cast<std::int64_t>(std::llround(c.time.end / plan.interval)) * plan.choice.per_interval;
  plan.reflections = wall_reflections(plan.mesh, plan.sources.uplift, plan.sensors, plan.medium, c.boundary, plan.sponge, c.time.end, comm);
  for (const Reflection& r : plan.reflections) add_notes(plan, reflection_note(r, c.time.end));
  plan.resolution = resolution(plan.mesh, plan.medium, c.boundary.surface, *plan.variant->integrator, plan.choice.dt, comm);
  for (const SourceFacts& facts : plan.source_facts) add_notes(plan, period_note(facts, plan, c));
  plan.filter = plan_kink_filter(c, plan);
  plan.asked.filters = plan.filter.steps > 0;
  if (plan.asked.filters && plan.variant->filter_bytes) {
    plan.memory += plan.variant->filter_bytes(plan.mesh);
    require_memory(plan, comm);
  }
  return plan;
}

}  // namespace agwave
