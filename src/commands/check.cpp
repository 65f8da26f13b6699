// SPDX-License-Identifier: Apache-2.0
// agwave check: everything that can be said about a case without running it. Writes nothing but the plot.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>

#include "commands/check_p2o.hpp"
#include "commands/commands.hpp"
#include "device/trace.hpp"
#include "error/duration.hpp"
#include "error/error.hpp"
#include "files/version.hpp"
#include "io/checkpoint.hpp"
#include "io/output_grid.hpp"
#include "io/write_speed.hpp"
#include "mesh/spacing.hpp"
#include "run/model.hpp"
#include "run/plan_json.hpp"
#include "run/plot_case.hpp"
#include "run/simulation.hpp"

namespace agwave {

namespace {

struct PerDof {
  double step = 0, filter = 0;  // [s]; what it takes more to filter before a step, where the run does
};

// Of the variant, timed on a small flat mesh of this process.
PerDof seconds_per_dof(const Case& c, const Plan& plan, const Comm& comm) {
  Case small = c;
  const bool cuda = plan.variant->device == Device::cuda;
  small.mesh.elements =
      cuda ? std::array<std::int64_t, 3>{32, 32, 16} : std::array<std::int64_t, 3>{8, 8, std::min<std::int64_t>(4, c.mesh.elements[2])};
  small.mesh.spacing = {};
  small.mesh.interfaces.clear();
  const std::unique_ptr<Bathymetry> flat = make_analytic_bathymetry(FlatBathymetry{4000}, {1e5, 1e5}, {});
  const Comm self(MPI_COMM_SELF);
  const Mesh mesh = make_mesh(small.mesh, {1e5, 1e5}, make_partition(small.mesh.elements, {1, 1, 1}, 0), *flat);
  if (small.ocean.varies()) small.ocean.sound = MunkSound{};  // a field may not reach so far
  const std::vector<NodalForcing> forcing;
  const std::vector<PointWeights> points;
  const auto fastest = [](auto&& work) {
    double seconds = INFINITY;
    const Stopwatch all;
    for (int repeat = 0; repeat < 5 || (repeat < 100 && all.seconds() < 0.1); ++repeat) {  // others may be at work as well
      const Stopwatch watch;
      work();
      seconds = std::min(seconds, watch.seconds());
    }
    return seconds;
  };
  constexpr int steps = 5;
  constexpr double dt = 1e-3;
  PerDof seconds;
  comm.agree([&] {
    const auto stepper = plan.variant->make_stepper({mesh, small.ocean, c.boundary, c.solver.quadrature, self, forcing, points, {}});
    const auto take = [&](int count, bool filters) {
      for (int n = 0; n < count; ++n) {
        if (filters) stepper->filter(dt, plan.filter.longer, {});
        stepper->step(dt, {});
      }
      stepper->wait();
    };
    take(1, false);
    seconds.step = fastest([&] { take(steps, false); }) / steps;
    if (plan.filter.steps == 0) return;
    take(1, true);
    seconds.filter = std::max(0.0, fastest([&] { take(steps, true); }) / steps - seconds.step);
  });
  const auto dofs = static_cast<double>(mesh.global_dofs());
  return {comm.max(seconds.step) / dofs, comm.max(seconds.filter) / dofs};
}

std::string to_text(const Widths& w) {
  return w.most - w.least < 1e-6 * w.most ? text(rounded(w.most, 4)) : text(rounded(w.least, 4), " to ", rounded(w.most, 4));
}

// What a check finds out beyond the plan. Collective to make.
struct Measured {
  PerDof seconds_per_dof;
  double shallow = INFINITY, deep = 0, memory, interior, checkpoint, time;
  WriteSpeed write_speed;
  PerMap maps;
  double traces;                                     // bytes of sensors.h5
  std::string in_the_way, unfinished, want_of_room;  // rank 0

  Measured(const Case& c, const Plan& plan, const Comm& comm)
      : seconds_per_dof(agwave::seconds_per_dof(c, plan, comm)),
        memory(comm.max(plan.memory + (plan.variant->device == Device::cuda ? 0 : plan.host_memory))),
        interior(comm.min(interior_share(plan.mesh.part, plan.unit))),
        checkpoint(comm.sum(checkpoint_bytes(plan.variant->arrays, plan.mesh))),
        time(static_cast<double>(plan.mesh.global_dofs()) *
             (seconds_per_dof.step * static_cast<double>(plan.steps) * plan.levels.work() +
              seconds_per_dof.filter * static_cast<double>(plan.filter.count(plan.steps, plan.choice.dt))) /
             comm.size()),
        write_speed(measure_write_speed(c.output.directory, comm)),
        maps(map_bytes(c.output, plan.mesh.elements, c.time.end)) {
    for (const double h : plan.mesh.depth) shallow = std::min(shallow, h), deep = std::max(deep, h);
    shallow = comm.min(shallow), deep = comm.max(deep);
    const std::int64_t samples = plan.steps / plan.choice.per_interval + 1;
    const double stations = static_cast<double>(plan.sensors.seafloor.size() + plan.sensors.hydrophones.size());
    traces = static_cast<double>(samples) * (2 * stations + static_cast<double>(plan.sensors.surface.size()) + 1) * 8;
    if (!comm.root()) return;
    in_the_way = why_not_there(c.output.directory);
    unfinished = unfinished_run(c.output.directory);
    want_of_room = agwave::want_of_room(c.output.directory, traces + maps.total(), true);
  }
};

void print_mesh(const Case& c, const Plan& plan, const Measured& measured) {
  const Mesh& m = plan.mesh;
  std::printf("case      %s\n", c.title.empty() ? c.file.c_str() : c.title.c_str());
  std::printf("domain    %.10g x %.10g m%s%s\n", rounded(m.size[0], 7), rounded(m.size[1], 7), plan.domain->geographic() ? ", " : "",
              plan.domain->projection().c_str());
  const std::string deepened = plan.deepened == 0 ? ""
                                                  : text(", ", plan.deepened, " of ", m.global_columns(),
                                                         m.order == 1 ? " vertices" : " column nodes", " deepened to min_depth");
  std::printf("depth     %.10g to %.10g m%s\n", rounded(measured.shallow, 4), rounded(measured.deep, 4), deepened.c_str());
  if (plan.medium.varies()) std::printf("sound     %.5g to %.5g m/s, %.5g on average\n", plan.speeds.slowest, plan.speeds.fastest, plan.speeds.mean);
  std::printf("mesh      %lld x %lld x %lld elements, geometry order %d, %s x %s m wide\n", whole(m.elements[0]), whole(m.elements[1]),
              whole(m.elements[2]), m.order, to_text(widths_between(m.x_faces)).c_str(), to_text(widths_between(m.y_faces)).c_str());
  std::printf("dofs      %lld (%lld pressure, %lld velocity)\n", whole(m.global_dofs()), whole(m.global_nodes()),
              whole(m.global_dofs() - m.global_nodes()));
}

void print_waves(const Case& c, const Plan& plan) {
  const StableStep& limit = plan.limit;
  const bool local = plan.levels.local();
  std::printf("step      %s%.6g s; the largest stable one%s is %.6g s, because of the %s in the column at x = %.6g m, y = %.6g m",
              local ? "coarsest step " : "", plan.choice.dt, local ? " for all columns alike" : "", limit.dt, limit.set_by().c_str(),
              rounded(limit.x, 6), rounded(limit.y, 6));
  std::printf(limit.walls_limit ? ", whose waves alone would allow %.6g s\n" : "\n", limit.waves_only);
  std::printf("steps     %lld to t = %g s\n", whole(plan.steps), c.time.end);
  if (plan.levels.local()) std::printf("levels    %s\n", to_text(plan.levels).c_str());
  const Resolution& r = plan.resolution;
  std::printf("carries   sound from %.3g s on (%.1f %% of a period per wavelength; ", r.sound_period(), 100 * phase_error);
  if (r.sound.period > r.step_period)
    std::printf("elements %.4g m wide at x = %.6g m, y = %.6g m)", r.sound.width, rounded(r.sound.x, 6), rounded(r.sound.y, 6));
  else
    std::printf("set by the step)");
  if (r.surface.period > 0)
    std::printf(", surface waves from %.3g s on (elements %.4g m wide in water of %.4g m at x = %.6g m, y = %.6g m)", r.surface.period,
                r.surface.width, r.surface.depth, rounded(r.surface.x, 6), rounded(r.surface.y, 6));
  std::printf("\n");
}

void print_sources(const Plan& plan) {
  for (const SourceFacts& s : plan.source_facts) {
    std::printf("source    %s, %s", s.name.c_str(), s.type.c_str());
    if (s.fault)
      std::printf(": %zu subfault%s, moment %.3g N m (Mw %.2f), slip up to %.3g m", s.fault->subfaults, s.fault->subfaults == 1 ? "" : "s",
                  s.fault->moment, s.fault->magnitude, s.fault->largest_slip);
    std::printf("; t = %.4g to %.4g s", s.begin, s.end);
    if (std::isfinite(s.shortest_period)) std::printf(", periods down to %.3g s", s.shortest_period);
    if (s.lowest < 0 || s.highest > 0) std::printf("; uplift %.3g to %.3g m", s.lowest, s.highest);
    std::printf(", %.3g m3 displaced; %.3g %% in the domain\n", s.volume, 100 * s.inside);
  }
  if (!plan.filter.sources.empty()) std::printf("filter    %s\n", to_text(plan.filter).c_str());
  if (plan.source_facts.empty()) std::printf("source    none: the sea stays at rest\n");
}

void print_edges(const Case& c, const Plan& plan) {
  for (int wall = 0; wall < 4; ++wall) {
    std::printf("%-9s %-6s", wall == 0 ? "edges" : "", wall_names[wall]);
    const double strip = plan.sponge.width[wall];
    const std::string sponge = strip > 0 ? text(plan.sponge.matched ? "matched sponge of " : "sponge of ", rounded(strip, 4), " m") : "";
    if (!c.boundary.absorbs(wall)) {
      std::printf("rigid%s\n", sponge.empty() ? "" : (", behind a " + sponge).c_str());
      continue;
    }
    std::printf("%s", sponge.empty() ? "absorbs sound, no sponge" : sponge.c_str());
    const auto r = std::ranges::find(plan.reflections, wall_names[wall], &Reflection::wall);
    if (plan.sources.uplift.empty() && !plan.sources.points.empty())
      std::printf("; long waves of water added at points are not followed\n");
    else if (r == plan.reflections.end())
      std::printf("; nothing of long waves comes back to a sensor within the run\n");
    else
      std::printf("; up to %.2g of long waves comes back to %s from t = %.4g s, at %.0f degrees%s\n", r->coefficient, r->sensor.c_str(), r->time,
                  r->angle * 180 / std::numbers::pi, strip > 0 && r->coefficient < 0.02 ? ": wide enough" : "");
  }
}

void print_cost(const Case& c, const Plan& plan, const Measured& measured, const Comm& comm) {
  const bool cuda = plan.variant->device == Device::cuda;
  const double dofs = static_cast<double>(plan.mesh.global_dofs());
  std::printf("sensors   %zu seafloor, %zu hydrophones, %zu surface", plan.sensors.seafloor.size(), plan.sensors.hydrophones.size(),
              plan.sensors.surface.size());
  if (c.sensors.interval) std::printf(", every %g s: periods from %g s on", *c.sensors.interval, 2 * *c.sensors.interval);
  std::printf("\n");
  std::printf("scheme    %s (%s), %s precision\n", plan.variant->integrator->name.c_str(), plan.scheme_why.c_str(), precision_of(*plan.variant));
  std::printf("ranks     %d (%d x %d x %d), variant %s on %s\n", comm.size(), plan.grid[0], plan.grid[1], plan.grid[2], plan.variant->name.c_str(),
              plan.device_name().c_str());
  if (comm.size() > 1 && plan.levels.local()) std::printf("cuts      %s\n", to_text(plan.cuts).c_str());
  if (comm.size() > 1) {
    const std::string unit = plan.unit == Counts{1, 1, 1} ? "elements" : text("blocks of ", plan.unit[0], " x ", plan.unit[1], " x ", plan.unit[2]);
    std::printf("exchange  hides behind the %.3g %% of a rank's %s that touch no other rank%s\n", 100 * measured.interior, unit.c_str(),
                measured.interior >= 0.5 ? ""
                : plan.grid[2] > 1       ? ": little, so steps may wait for it; split z less (parallel.grid), or use fewer ranks"
                                         : ": little, so steps may wait for it; use fewer ranks");
  }
  std::printf("memory    %.4g GB per rank%s, %.3g bytes per dof\n", measured.memory * 1e-9,
              cuda ? text(" on the device, ", std::round(plan.host_memory * 1e-6) * 1e-3, " GB on the host").c_str() : "",
              measured.memory * comm.size() / dofs);
  std::printf("output    sensors.h5 %.3g MB", measured.traces * 1e-6);
  if (measured.maps.surface > 0) std::printf(", surface.h5 %.3g MB", measured.maps.surface * 1e-6);
  if (measured.maps.seafloor > 0) std::printf(", seafloor_*.vtkhdf %.3g MB", measured.maps.seafloor * 1e-6);
  if (measured.maps.volume > 0) std::printf(", volume_*.vtkhdf %.3g MB", measured.maps.volume * 1e-6);
  std::printf(" in %s\n", c.output.directory.c_str());
  if (const double speed = measured.write_speed.bytes_per_s; speed > 0)
    std::printf("checkpoint %.3g GB in %d files, about %s at %.3g GB/s, as measured there; a run stops within %s of a signal\n",
                measured.checkpoint * 1e-9, comm.size(), duration(measured.checkpoint / speed).c_str(), speed * 1e-9,
                duration(std::ceil(20 + measured.checkpoint / speed)).c_str());
  else
    std::printf("checkpoint %.3g GB in %d files; a test with 32 MB a rank could not be written there\n", measured.checkpoint * 1e-9, comm.size());
  if (!measured.unfinished.empty()) std::printf("note: %s\n", measured.unfinished.c_str());
  std::printf("time      about %s (at %.3g GDOF*step/s, a short measurement on a small mesh: other work on this machine changes it)\n",
              duration(measured.time).c_str(), 1e-9 / measured.seconds_per_dof.step * comm.size());
}

Json to_json(const Case& c, const Plan& plan, const Measured& measured, const Comm& comm) {
  const Mesh& m = plan.mesh;
  const StableStep& limit = plan.limit;
  const auto wide = [](const std::vector<double>& faces) {
    const Widths w = widths_between(faces);
    return Json{w.least, w.most};
  };
  const auto seconds = [](double v) { return std::isfinite(v) ? Json(v) : Json(); };
  const double interval = c.sensors.interval.value_or(0);
  std::vector<std::string> notes = plan.notes;
  if (!measured.unfinished.empty()) notes.push_back("note: " + measured.unfinished);
  Json all{{"version", version},
           {"commit", commit},
           {"domain", {{"size_m", m.size}, {"projection", plan.domain->projection()}}},
           {"depth",
            {{"least_m", measured.shallow}, {"largest_m", measured.deep}, {"deepened_nodes", plan.deepened}, {"column_nodes", m.global_columns()}}},
           {"mesh",
            {{"elements", m.elements},
             {"order", m.order},
             {"widths_x_m", wide(m.x_faces)},
             {"widths_y_m", wide(m.y_faces)},
             {"dofs", m.global_dofs()},
             {"pressure_dofs", m.global_nodes()}}},
           {"sound_speed", {{"slowest_m_s", plan.speeds.slowest}, {"mean_m_s", plan.speeds.mean}, {"fastest_m_s", plan.speeds.fastest}}},
           {"step",
            {{"step_s", plan.choice.dt},
             {"stable_s", limit.dt},
             {"set_by", limit.set_by()},
             {"waves_only_s", limit.waves_only},
             {"x", limit.x},
             {"y", limit.y},
             {"steps", plan.steps},
             {"end_s", c.time.end}}},
           {"sensors",
            {{"seafloor", plan.sensors.seafloor.size()},
             {"hydrophones", plan.sensors.hydrophones.size()},
             {"surface", plan.sensors.surface.size()},
             {"interval_s", interval > 0 ? Json(interval) : Json()},
             {"shortest_period_s", interval > 0 ? Json(2 * interval) : Json()}}},
           {"memory", {{"rank_bytes", measured.memory}, {"host_bytes", plan.host_memory}}},
           {"output",
            {{"directory", c.output.directory},
             {"sensors_bytes", measured.traces},
             {"surface_bytes", measured.maps.surface},
             {"seafloor_bytes", measured.maps.seafloor},
             {"volume_bytes", measured.maps.volume}}},
           {"checkpoint",
            {{"bytes", measured.checkpoint},
             {"seconds", measured.write_speed.bytes_per_s > 0 ? seconds(measured.checkpoint / measured.write_speed.bytes_per_s) : Json()}}},
           {"time", {{"estimate_s", seconds(measured.time)}, {"step_gdofs", 1e-9 / measured.seconds_per_dof.step * comm.size()}}},
           {"notes", notes}};
  all.update(plan_json(c, plan, comm));
  return all;
}

}  // namespace

void check_command(const CommonOptions& options, const std::string& plot, bool json, const Comm& comm) {
  const Case c = load_case(options, comm);
  comm.agree([&] { refuse_heights_of_a_lid(c); });  // as run does
  const Plan plan = make_plan(c, comm);
  const Measured measured(c, plan, comm);
  std::optional<P2oPlan> p2o;
  double p2o_seconds = 0;
  if (c.p2o) {
    p2o = plan_p2o(c, comm);
    p2o_seconds = seconds_per_dof(p2o->c, p2o->plan, comm).step;
  }
  if (comm.root() && json) {
    Json all = to_json(c, plan, measured, comm);
    if (p2o) all["p2o"] = p2o_json(*p2o, p2o_seconds, comm);
    std::printf("%s\n", all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else if (comm.root()) {
    for (const std::string& note : plan.notes) std::printf("%s\n", note.c_str());
    print_mesh(c, plan, measured);
    print_waves(c, plan);
    print_sources(plan);
    print_edges(c, plan);
    std::printf("floor     %s\n", to_text(plan.floor).c_str());
    print_cost(c, plan, measured, comm);
    if (p2o) print_p2o(*p2o, p2o_seconds, comm);
  }
  if (!plot.empty()) plot_case(plan, plan.sources.uplift, c, plot, comm);
  comm.agree([&] {
    if (!measured.in_the_way.empty()) throw Error(ExitCode::output, measured.in_the_way);
    if (measured.write_speed.refused != 0)
      throw Error(ExitCode::output, text("output.directory: nothing can be written to ", c.output.directory, ": ",
                                         std::strerror(measured.write_speed.refused), "; give another --output"));
    if (!measured.want_of_room.empty()) throw Error(ExitCode::output, measured.want_of_room);
  });
}

}  // namespace agwave
