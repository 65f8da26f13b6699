// SPDX-License-Identifier: Apache-2.0
// The time loop and what happens at completed steps.
#include "run/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <regex>

#include "comm/threads.hpp"
#include "device/array.hpp"
#include "error/error.hpp"
#include "files/version.hpp"

namespace agwave {

namespace fs = std::filesystem;

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
          {"sound_speed", text(c.ocean.sound_speed)},
          {"density", text(c.ocean.density)},
          {"gravity", text(c.ocean.gravity)},
          {"variant", plan.variant->name},
          {"ranks", text(comm.size(), " (", plan.grid[0], " x ", plan.grid[1], " x ", plan.grid[2], ")")},
          {"projection", plan.domain->projection()},
          {"devices", plan.variant->device == Device::cuda ? plan.device.name : "cpu"}};
}

void make_directory(const std::string& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure || !fs::is_directory(directory))
    throw Error(ExitCode::output, text("output.directory: cannot use ", directory, " as a directory: ", failure ? failure.message() : "it is a file",
                                       "; give another with --output"));
}

// Files get their room at once; a disk should not be filled before it turns out to be too small.
void require_room(const std::string& directory, double bytes) {
  std::error_code failure;
  const fs::space_info space = fs::space(directory, failure);
  if (failure || bytes <= static_cast<double>(space.available)) return;
  throw Error(ExitCode::output, text(directory, ": traces and maps need ", std::round(bytes * 1e-6) * 1e-3, " GB, and ",
                                     std::round(static_cast<double>(space.available) * 1e-6) * 1e-3,
                                     " GB are free; give longer intervals, fewer sensors, or another --output"));
}

// Files of an earlier run would pass for this one's, should it fail. What cannot be a file of ours stays.
void remove_old_outputs(const std::string& directory) {
  const std::regex ours(R"(sensors\.h5|surface\.h5|summary\.json|progress\.json|(mesh_)?(volume|seafloor)(_\d+)?\.vtkhdf(\.series)?)");
  std::vector<fs::path> paths;
  std::error_code unlisted;
  for (fs::directory_iterator entry(directory, unlisted), end; !unlisted && entry != end; entry.increment(unlisted))
    if (std::regex_match(entry->path().filename().string(), ours)) paths.push_back(entry->path());
  if (unlisted)
    throw Error(ExitCode::output, text("output.directory: cannot list ", directory, ": ", unlisted.message(), "; give another with --output"));
  for (const fs::path& path : paths) {
    std::error_code failure;
    if (fs::is_directory(fs::symlink_status(path, failure))) continue;
    fs::remove(path, failure);
    if (failure)
      throw Error(ExitCode::output, text("output.directory: cannot remove the ", path.filename().string(), " of an earlier run in ", directory, ": ",
                                         failure.message(), "; give another with --output"));
  }
}

Plan checked_plan(const Case& c, const Comm& comm) {
  comm.agree([&] { refuse_heights_of_a_lid(c); });
  return make_plan(c, comm);
}

Plan continued(Plan plan, const Case& c, const Comm& comm, const RunOptions& options) {
  comm.agree([&] {
    if (options.restart) continue_plan(*options.restart, c, plan);
  });
  return plan;
}

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

Simulation::Simulation(const Case& c, const Comm& comm, RunOptions options) : Simulation(c, comm, std::move(options), checked_plan(c, comm)) {}

Simulation::Simulation(const Case& c, const Comm& comm, RunOptions options, Plan given)
    : case_(c),
      comm_(comm),
      options_(std::move(options)),
      model_(c, comm, continued(std::move(given), c, comm, options_)),
      checkpoints_(c.output.directory, comm) {
  if (c.output.checkpoint_interval > 0) checkpoint_steps_ = std::llround(c.output.checkpoint_interval / model_.dt());
  if (options_.restart) resume(*options_.restart);
  const std::string crowded = model_.plan().variant->device == Device::cpu ? oversubscription(comm) : "";
  if (comm.root() && !options_.quiet) print_plan();
  if (comm.root() && !crowded.empty()) std::fprintf(stderr, "warning: %s\n", crowded.c_str());
  open_outputs();
}

void Simulation::print_plan() const {
  const Plan& plan = model_.plan();
  const Mesh& m = plan.mesh;
  if (!plan.note.empty()) std::printf("%s\n", plan.note.c_str());
  std::printf("%s%s%lld x %lld x %lld elements (geometry order %d), %lld dofs\n", case_.title.c_str(), case_.title.empty() ? "" : ": ",
              static_cast<long long>(m.elements[0]), static_cast<long long>(m.elements[1]), static_cast<long long>(m.elements[2]), m.order,
              static_cast<long long>(m.global_dofs()));
  std::printf("variant %s on %s, %s (%d x %d x %d)\n", plan.variant->name.c_str(),
              plan.variant->device == Device::cuda ? plan.device.name.c_str() : "cpu", describe_threads(comm_).c_str(), plan.grid[0], plan.grid[1],
              plan.grid[2]);
  if (comm_.size() > 1) std::printf("exchange %s (%s)\n", to_string(plan.transport.path), plan.transport.why.c_str());
  std::printf("step %.6g s (limit %.6g s, set by the %s), %lld steps to t = %g s\n", plan.choice.dt, plan.limit.dt,
              plan.limit.walls_limit ? "absorbing walls" : "shortest waves", static_cast<long long>(plan.steps), case_.time.end);
  if (options_.restart)
    std::printf("goes on at step %lld, t = %g s, from %s in %s\n", static_cast<long long>(model_.step()), model_.time(),
                options_.restart->checkpoint.c_str(), case_.output.directory.c_str());
  std::fflush(stdout);
}

void Simulation::open_outputs() {
  const Plan& plan = model_.plan();
  const std::string& directory = case_.output.directory;
  const auto clamped = comm_.sum(plan.mesh.clamped);
  if (clamped > 0 && comm_.root())
    std::fprintf(stderr, "warning: %lld of %lld column nodes (%.1f %%) were raised to min_depth\n", static_cast<long long>(clamped),
                 static_cast<long long>(plan.mesh.global_columns()),
                 100.0 * static_cast<double>(clamped) / static_cast<double>(plan.mesh.global_columns()));

  const int own = static_cast<int>(model_.point_index().size());
  point_counts_.resize(comm_.size());
  AGWAVE_MPI(MPI_Allgather(&own, 1, MPI_INT, point_counts_.data(), 1, MPI_INT, comm_.mpi()));
  point_starts_.assign(comm_.size(), 0);
  for (int r = 1; r < comm_.size(); ++r) point_starts_[r] = point_starts_[r - 1] + point_counts_[r - 1];
  all_index_.resize(model_.point_count());
  AGWAVE_MPI(MPI_Gatherv(model_.point_index().data(), own, MPI_INT32_T, all_index_.data(), point_counts_.data(), point_starts_.data(), MPI_INT32_T, 0,
                         comm_.mpi()));

  const Attributes about = attributes(case_, plan, comm_);
  comm_.agree([&] {
    if (!comm_.root()) return;
    make_directory(directory);
    if (!options_.restart) {
      clear_checkpoints();
      if (!options_.quiet && fs::exists(directory + "/summary.json"))
        std::printf("replaces the run in %s, which had come to its end\n", directory.c_str());
      remove_old_outputs(directory);
    }
    const std::int64_t samples = plan.steps / plan.choice.per_interval + 1;
    const auto rows = static_cast<double>(2 * (plan.sensors.seafloor.size() + plan.sensors.hydrophones.size()) + plan.sensors.surface.size() + 1);
    PerMap maps = map_bytes(case_.output, plan.mesh.elements, case_.time.end);
    if (options_.restart) {  // files up to the checkpoint are there and stay; sensors.h5 and surface.h5 are written anew
      const double left = 1 - options_.restart->manifest.time / case_.time.end;
      maps.seafloor *= left;
      maps.volume *= left;
    }
    require_room(directory, 8 * static_cast<double>(samples) * rows + maps.total());
    if (model_.point_count() > 0)
      traces_ = std::make_unique<TraceFile>(directory + "/sensors.h5", plan.sensors, samples, plan.interval, about, plan.domain->geographic(),
                                            earlier("sensors.h5", sampled_));
    std::error_code ignored;
    fs::remove(directory + "/summary.json", ignored);  // of a run that had come to its end
    writer_ = std::make_unique<Writer>();
    progress_ = std::make_unique<Progress>(directory + "/progress.json", options_.quiet, options_.progress_seconds);
  });
  snapshots_ = std::make_unique<Snapshots>(case_, model_, comm_, writer_.get(), about, earlier_maps());
}

Summary Simulation::run() {
  try {
    return run_to_the_end();
  } catch (const AgreedError& error) {
    if (options_.stop) options_.stop->settle();
    const std::string what = error.what();
    if (error.code() == ExitCode::stopped || last_checkpoint_.empty() || what.find(last_checkpoint_) != std::string::npos) throw;
    throw AgreedError(error.code(), what + "; the last good checkpoint is " + last_checkpoint_ + ", continue with --restart " + last_checkpoint_);
  }
}

Summary Simulation::run_to_the_end() {
  loop_ = Stopwatch();
  *model_.plan().transport.traffic = {};
  if (!options_.restart)
    on_completed_step();
  else
    snapshots_->finish();  // the maximum so far is in the new file at once
  while (model_.step() < model_.plan().steps) {
    model_.advance();
    on_completed_step();
    if (checkpoint_steps_ > 0 && model_.step() % checkpoint_steps_ == 0) write_checkpoint();
    if (options_.stop && options_.stop->agreed() && model_.step() < model_.plan().steps) stop();
  }
  model_.stepper().settle_exchanges();
  model_.stepper().wait();
  const double loop_seconds = loop_.seconds();
  check_state();
  snapshots_->finish();
  comm_.agree([&] {
    if (!comm_.root()) return;
    writer_->drain();
    writer_->check();
    if (traces_) traces_->close();
    snapshots_->close();
  });
  Summary result = summary(loop_seconds);
  comm_.agree([&] {
    if (!comm_.root()) return;
    write_summary(case_.output.directory + "/summary.json", result);
    progress_->finish(progress_state());
  });
  return result;
}

void Simulation::on_completed_step() {
  const std::int64_t step = model_.step();
  const bool sampling = step % model_.plan().choice.per_interval == 0;
  if (case_.boundary.surface == Surface::gravity) model_.stepper().track_surface(model_.time(), case_.output.arrival_threshold);
  if (sampling && model_.point_count() > 0) sample_traces();
  snapshots_->on_completed_step();
  if (step == model_.plan().steps) return;  // run() has the last word
  if (guarded(step)) check_state();
  if (comm_.root() && progress_->due()) progress_->update(progress_state());
}

// Samples go to the file first: those before a failure are what its reader wants to see.
void Simulation::check_state() {
  flush_traces();
  try {
    guard();
  } catch (const AgreedError&) {
    leave_what_there_is();
    throw;
  }
}

void Simulation::leave_what_there_is() {
  try {
    snapshots_->finish();
    comm_.agree([&] {
      if (!comm_.root()) return;
      writer_->drain();
      if (traces_) traces_->close();
      snapshots_->close();
      writer_->check();
    });
  } catch (const AgreedError& error) {  // not to hide why the run stops
    if (comm_.root()) std::fprintf(stderr, "warning: %s\n", error.what());
  }
}

void Simulation::sample_traces() {
  model_.stepper().record_sample();
  if (comm_.root()) {
    const auto uplift = model_.uplift_at_sensors();
    uplift_buffer_.insert(uplift_buffer_.end(), uplift.begin(), uplift.end());
  }
  ++sampled_;
  if (sampled_ - flushed_ == Stepper::records) flush_traces();
}

// Gathers one sample at a time: the counts of a message stay those of the points, whatever the number of samples.
void Simulation::flush_traces() {
  const std::int64_t count = sampled_ - flushed_;
  if (model_.point_count() == 0 || count == 0) return;
  const std::vector<double> samples = model_.stepper().take_samples();  // [sample][own point]
  for (double p : samples) sampled_peak_ = std::max(sampled_peak_, std::abs(p));
  const Sensors& sensors = model_.plan().sensors;
  const std::size_t floor = sensors.seafloor.size(), stations = floor + sensors.hydrophones.size(), gauges = sensors.surface.size(),
                    own = model_.point_index().size();
  const double rho_g = case_.ocean.density * case_.ocean.gravity;
  std::vector<double> arrived(comm_.root() ? model_.point_count() : 0), pressure, sensor_pressure, height;
  if (comm_.root()) {
    pressure.resize(count * stations);
    sensor_pressure.resize(count * stations);
    height.resize(count * gauges);
  }
  for (std::int64_t n = 0; n < count; ++n) {
    AGWAVE_MPI(MPI_Gatherv(samples.data() + n * own, static_cast<int>(own), MPI_DOUBLE, arrived.data(), point_counts_.data(), point_starts_.data(),
                           MPI_DOUBLE, 0, comm_.mpi()));
    for (std::size_t k = 0; k < arrived.size(); ++k) {
      const auto at = static_cast<std::size_t>(all_index_[k]);
      if (at < stations) {
        pressure[n * stations + at] = arrived[k];
        sensor_pressure[n * stations + at] = arrived[k] - (at < floor ? rho_g * uplift_buffer_[n * floor + at] : 0.0);
      } else {
        height[n * gauges + at - stations] = arrived[k] / rho_g;
      }
    }
  }
  comm_.agree([&] {
    if (!comm_.root()) return;
    writer_->check();
    const std::size_t bytes = 8 * (pressure.size() + sensor_pressure.size() + height.size());
    writer_->submit(bytes,
                    [file = traces_.get(), first = flushed_, count, pressure = std::move(pressure), sensor_pressure = std::move(sensor_pressure),
                     height = std::move(height)] { file->write(first, count, pressure, sensor_pressure, height); });
  });
  flushed_ = sampled_;
  uplift_buffer_.clear();
}

// Energy must be finite, and must not grow while nothing moves.
void Simulation::guard() {
  budget_ = model_.budget();
  if (!std::isfinite(budget_.final)) model_.report_not_finite();
  const double t = model_.time();
  comm_.agree([&] {
    if (writer_) writer_->check();
  });
  const bool grows = model_.step() > 0 && !model_.source_active(last_guard_time_, t) && budget_.final > last_energy_ * (1 + 1e-6) + 1e-300;
  if (comm_.max(grows ? 1.0 : 0.0) > 0)
    model_.report_largest(text("the energy grows without a source: ", last_energy_, " J at t = ", last_guard_time_, " s, ", budget_.final,
                               " J at t = ", t, " s, step ", model_.step(), " of ", model_.plan().steps));
  last_energy_ = budget_.final;
  last_guard_time_ = t;
  max_height_ = comm_.max(model_.stepper().max_surface_height());
  const double peak = comm_.max(std::max(sampled_peak_, model_.stepper().max_pressure()));
  max_pressure_ = std::max({max_pressure_, peak, case_.ocean.density * case_.ocean.gravity * max_height_});
}

ProgressState Simulation::progress_state() const {
  const Plan& plan = model_.plan();
  ProgressState s;
  s.step = model_.step();
  s.steps = plan.steps;
  s.time_s = model_.time();
  s.end_s = case_.time.end;
  s.first_step = first_step_;
  s.elapsed_s = loop_.seconds();
  s.checkpoint = last_checkpoint_;
  s.gdofs = s.elapsed_s > 0 ? static_cast<double>(plan.mesh.global_dofs()) * static_cast<double>(s.step - first_step_) / s.elapsed_s * 1e-9 : 0;
  s.max_height_m = max_height_;
  s.max_pressure_pa = max_pressure_;
  s.energy = budget_;
  return s;
}

Summary Simulation::summary(double loop_seconds) {
  const Plan& plan = model_.plan();
  Summary s;
  s.title = case_.title;
  s.elements = plan.mesh.elements;
  s.dofs = plan.mesh.global_dofs();
  s.step_s = plan.choice.dt;
  s.steps = plan.steps;
  s.end_s = case_.time.end;
  s.wall_s = wall_.seconds();
  s.loop_s = loop_seconds;
  s.step_gdofs = static_cast<double>(s.dofs) * static_cast<double>(s.steps - first_step_) / loop_seconds * 1e-9;
  s.variant = plan.variant->name;
  s.device = plan.variant->device == Device::cuda ? plan.device.name : "cpu";
  s.ranks = comm_.size();
  s.grid = plan.grid;
  s.threads = threads();
  if (s.ranks > 1) {
    const Traffic& traffic = *plan.transport.traffic;
    const auto steps = static_cast<double>(std::max<std::int64_t>(1, s.steps - first_step_));
    s.exchange = {to_string(plan.transport.path), comm_.max(static_cast<double>(traffic.bytes)) / steps, comm_.max(traffic.waited) / steps};
  }
  s.peak_bytes_per_dof = comm_.sum(static_cast<double>(memory_use().peak)) / static_cast<double>(s.dofs);
  s.energy = budget_;
  s.max_pressure_pa = max_pressure_;
  s.max_surface_height_m = max_height_;
  s.note = plan.note;
  return s;
}

}  // namespace agwave
