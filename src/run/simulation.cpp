// SPDX-License-Identifier: Apache-2.0
// The time loop.
#include "run/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "comm/threads.hpp"
#include "device/array.hpp"
#include "error/error.hpp"
#include "files/version.hpp"
#include "run/plan_json.hpp"

namespace agwave {

namespace {

Attributes attributes(const Case& c, const Plan& plan, const Comm& comm) {
  const Mesh& m = plan.mesh;
  return {{"title", c.title},
          {"case_file", c.source},
          {"case_path", c.file},
          {"agwave_version", version},
          {"agwave_commit", commit},
          {"mesh",
           text(m.elements[0], " x ", m.elements[1], " x ", m.elements[2], " elements, geometry order ", m.order, ", ", m.global_dofs(), " dofs")},
          {"dt", text(plan.choice.dt)},
          {"sound_speed", text(plan.medium.varies() ? rounded(plan.speeds.mean, 6) : c.ocean.sound_speed)},
          {"density", text(c.ocean.density)},
          {"gravity", text(c.ocean.gravity)},
          {"scheme", plan.variant->integrator->name},
          {"variant", plan.variant->name},
          {"precision", precision_of(*plan.variant)},
          {"ranks", text(comm.size(), " (", plan.grid[0], " x ", plan.grid[1], " x ", plan.grid[2], ")")},
          {"projection", plan.domain->projection()},
          {"devices", plan.device_name()}};
}

Plan checked_plan(const Case& c, const Comm& comm, const RunOptions& options) {
  comm.agree([&] { refuse_heights_of_a_lid(c); });
  return make_plan(c, comm, {.continued = options.restart ? options.restart->manifest.scheme : ""});
}

Plan continued(Plan plan, const Case& c, const Comm& comm, const RunOptions& options) {
  comm.agree([&] {
    if (options.restart) continue_plan(*options.restart, c, plan);
  });
  return plan;
}

}  // namespace

Simulation::Simulation(const Case& c, const Comm& comm, RunOptions options)
    : Simulation(c, comm, options, checked_plan(c, comm, options)) {}  // arguments are evaluated in any order: nothing is moved

Simulation::Simulation(const Case& c, const Comm& comm, RunOptions options, Plan given)
    : case_(c),
      comm_(comm),
      options_(std::move(options)),
      model_(c, comm, continued(std::move(given), c, comm, options_)),
      directory_(c.output.directory, options_.restart ? &*options_.restart : nullptr),
      context_{.c = c, .comm = comm, .options = options_, .directory = directory_, .model = model_, .about = attributes(c, model_.plan(), comm)} {
  double bytes = 0;
  for (const ObserverKind& kind : observer_kinds())
    if (auto observer = kind.create(context_)) context_.observers.push_back(std::move(observer));
  for (const auto& observer : context_.observers) bytes += observer->bytes();
  if (options_.restart)
    resume(*options_.restart);
  else
    model_.require_stable_levels();
  const std::string crowded = model_.plan().variant->device == Device::cpu ? oversubscription(comm) : "";
  if (comm.root() && !options_.quiet) print_plan();
  if (comm.root() && !options_.quiet && !crowded.empty()) std::fprintf(stderr, "warning: %s\n", crowded.c_str());
  comm.agree([&] {
    if (!comm.root()) return;
    directory_.prepare(bytes, options_.quiet);
    context_.writer = std::make_unique<Writer>();
  });
  for (const auto& observer : context_.observers) observer->open();
}

void Simulation::print_plan() const {
  const Plan& plan = model_.plan();
  const Mesh& m = plan.mesh;
  for (const std::string& note : plan.notes) std::printf("%s\n", note.c_str());
  std::printf("%s%s%lld x %lld x %lld elements (geometry order %d), %lld dofs\n", case_.title.c_str(), case_.title.empty() ? "" : ": ",
              static_cast<long long>(m.elements[0]), static_cast<long long>(m.elements[1]), static_cast<long long>(m.elements[2]), m.order,
              static_cast<long long>(m.global_dofs()));
  std::printf("variant %s on %s, %s (%d x %d x %d)\n", plan.variant->name.c_str(), plan.device_name().c_str(), describe_threads(comm_).c_str(),
              plan.grid[0], plan.grid[1], plan.grid[2]);
  std::printf("scheme %s (%s), %s precision\n", plan.variant->integrator->name.c_str(), plan.scheme_why.c_str(), precision_of(*plan.variant));
  if (comm_.size() > 1) std::printf("exchange %s (%s)\n", to_string(plan.transport.path), plan.transport.why.c_str());
  std::printf("step %.6g s (limit %.6g s, set by the %s), %lld steps to t = %g s\n", plan.choice.dt, plan.limit.dt, plan.limit.set_by().c_str(),
              static_cast<long long>(plan.steps), case_.time.end);
  if (plan.medium.varies()) std::printf("sound at %.5g to %.5g m/s, %.5g on average\n", plan.speeds.slowest, plan.speeds.fastest, plan.speeds.mean);
  if (plan.floor.gives_way) std::printf("floor %s\n", to_text(plan.floor).c_str());
  if (plan.levels.local()) std::printf("local steps: %s\n", to_text(plan.levels).c_str());
  if (plan.levels.local() && comm_.size() > 1) std::printf("cuts between patches: %s\n", to_text(plan.cuts).c_str());
  std::printf("carries sound from %.3g s on", plan.resolution.sound_period());
  if (plan.resolution.surface.period > 0) std::printf(", surface waves from %.3g s on", plan.resolution.surface.period);
  std::printf(" (%.1f %% of a period per wavelength)\n", 100 * phase_error);
  for (const SourceFacts& s : plan.source_facts) {
    std::printf("%s: %s, t = %.4g to %.4g s, ", s.name.c_str(), s.type.c_str(), s.begin, s.end);
    if (std::isfinite(s.shortest_period)) std::printf("periods down to %.3g s, ", s.shortest_period);
    if (s.lowest < 0 || s.highest > 0) std::printf("uplift %.3g to %.3g m, ", s.lowest, s.highest);  // none of water added at a point
    std::printf("%.3g m3", s.volume);
    if (s.fault) std::printf(", %zu subfaults, Mw %.2f, slip up to %.3g m", s.fault->subfaults, s.fault->magnitude, s.fault->largest_slip);
    std::printf("; %.3g %% in the domain\n", 100 * s.inside);
  }
  if (!plan.filter.sources.empty()) std::printf("%s\n", to_text(plan.filter).c_str());
  if (options_.restart)
    std::printf("goes on at step %lld, t = %g s, from %s in %s\n", static_cast<long long>(model_.step()), model_.time(),
                options_.restart->checkpoint.c_str(), case_.output.directory.c_str());
  std::fflush(stdout);
}

void Simulation::resume(const Restart& from) {
  const Manifest& m = from.manifest;
  const std::vector<double> sources = model_.source_fingerprint();
  const auto same = [](double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * std::abs(b) || (std::isnan(a) && std::isnan(b)); };
  comm_.agree([&] {
    if (!std::ranges::equal(sources, m.sources, same))
      throw Error(ExitCode::usage, text("--restart: the uplift is not that of ", from.checkpoint,
                                        "; restore the files of the sources, or run the case from the start"));
  });
  const SpacesSetup setup{model_.mesh(), model_.plan().medium, case_.boundary, case_.solver.quadrature};
  const std::vector<double> ledger = restore(from.checkpoint, m, setup, model_.stepper(), comm_);
  model_.resume(m.step, Ledger::unpack(ledger, model_.forcing().size(), m.step));
  context_.first_step = m.step;
  context_.last_checkpoint = from.checkpoint;
  for (const auto& observer : context_.observers) observer->resume(m);
}

Summary Simulation::run() {
  try {
    run_to_the_end();
    Summary result = summary();
    comm_.agree([&] {
      if (comm_.root()) write_summary(directory_.file("summary.json"), result);
      for (const auto& observer : context_.observers) observer->close_run(result);
    });
    return result;
  } catch (const AgreedError& error) {
    if (error.code() == ExitCode::unstable) leave_what_there_is();
    if (options_.stop) options_.stop->settle();
    const std::string what = error.what(), last = context_.last_checkpoint;
    if (error.code() == ExitCode::stopped || last.empty() || what.find(last) != std::string::npos) throw;
    throw AgreedError(error.code(), what + "; the last good checkpoint is " + last + ", continue with --restart " + last);
  }
}

void Simulation::run_to_the_end() {
  context_.loop = Stopwatch();
  *model_.plan().transport.traffic = {};
  for (const auto& observer : context_.observers) context_.first_step == 0 ? observer->on_completed_step() : observer->go_on();
  while (!model_.finished()) {
    model_.advance();
    for (const auto& observer : context_.observers) observer->on_completed_step();
    if (options_.stop && options_.stop->agreed() && !model_.finished()) stop();
  }
  model_.stepper().settle_exchanges();
  model_.stepper().wait();
  loop_seconds_ = context_.loop.seconds();
  for (const auto& observer : context_.observers) observer->end();
  context_.finish();
  close_files();
}

void Simulation::stop() {
  for (const auto& observer : context_.observers) observer->stop();
  leave_what_there_is();
  model_.stepper().settle_exchanges();  // nothing is left on its way to a neighbour
  throw AgreedError(ExitCode::stopped, text("stopped on ", options_.stop->name(), " at t = ", rounded(model_.time(), 6), " s, step ", model_.step(),
                                            " of ", model_.plan().steps, "; continue with --restart ", context_.last_checkpoint));
}

void Simulation::close_files() {
  comm_.agree([&] {
    if (!comm_.root()) return;
    for (const auto& observer : context_.observers) observer->close();
  });
}

void Simulation::leave_what_there_is() {
  try {
    context_.finish();
    close_files();
  } catch (const AgreedError& error) {  // not to hide why the run stops
    if (comm_.root()) std::fprintf(stderr, "warning: %s\n", error.what());
  }
}

Summary Simulation::summary() const {
  const Plan& plan = model_.plan();
  Summary s;
  s.title = case_.title;
  s.elements = plan.mesh.elements;
  s.dofs = plan.mesh.global_dofs();
  s.step_s = plan.choice.dt;
  s.steps = plan.steps;
  s.end_s = case_.time.end;
  s.wall_s = wall_.seconds();
  s.loop_s = loop_seconds_;
  s.step_gdofs = static_cast<double>(s.dofs) * static_cast<double>(s.steps - context_.first_step) / loop_seconds_ * 1e-9;
  s.model_rate = (s.end_s - static_cast<double>(context_.first_step) * s.step_s) / loop_seconds_;
  s.threads = threads();
  if (comm_.size() > 1) {
    const Traffic& traffic = *plan.transport.traffic;
    const auto steps = static_cast<double>(std::max<std::int64_t>(1, s.steps - context_.first_step));
    s.exchange = {to_string(plan.transport.path), comm_.max(static_cast<double>(traffic.bytes)) / steps, comm_.max(traffic.waited) / steps};
  }
  s.peak_bytes_per_dof = comm_.sum(static_cast<double>(memory_use().peak)) / static_cast<double>(s.dofs);
  s.energy = context_.health.budget;
  s.max_pressure_pa = context_.health.max_pressure;
  s.max_surface_height_m = context_.health.max_height;
  s.notes = plan.notes;
  s.first_step = context_.first_step;
  if (options_.restart) s.restarted_from = options_.restart->checkpoint;
  s.about = plan_json(case_, plan, comm_).dump(-1, ' ', false, Json::error_handler_t::replace);
  return s;
}

}  // namespace agwave
