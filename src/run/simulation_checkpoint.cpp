// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a run: what is kept besides the state, and how a run goes on from it.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "error/error.hpp"
#include "run/simulation.hpp"

namespace agwave {

namespace fs = std::filesystem;

// Traces and maps are on the disk before the checkpoint that counts on them.
void Simulation::write_checkpoint() {
  const Plan& plan = model_.plan();
  flush_traces();
  if (!std::isfinite(model_.budget().final)) check_state();  // throws: such a state is not kept
  snapshots_->finish();
  comm_.agree([&] {
    if (!comm_.root()) return;
    writer_->drain();  // what follows calls HDF5 from this thread
    writer_->check();
    if (traces_) traces_->sync();
    snapshots_->sync();
  });
  Manifest m;
  m.elements = plan.mesh.elements;
  m.order = plan.mesh.order;
  m.quadrature = case_.solver.quadrature;
  m.step = model_.step();
  m.time = model_.time();
  m.dt = model_.dt();
  m.grid = plan.grid;
  m.variant = plan.variant->name;
  m.device = to_string(plan.variant->device);
  m.carried = model_.stepper().carried();
  m.samples = sampled_;
  m.surface_interval = case_.output.surface_interval;
  m.last_energy = last_energy_;
  m.last_check = last_guard_time_;
  m.max_pressure = std::max(max_pressure_, comm_.max(sampled_peak_));
  m.max_height = max_height_;
  m.sources = model_.source_fingerprint();
  m.sensors = sensor_checksum(plan.sensors);
  m.keys = case_.keys;
  m.case_file = case_.source;
  last_checkpoint_ = checkpoints_.write(m, plan.mesh, model_.stepper(), model_.ledger());
  checkpoint_step_ = model_.step();
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
  const std::vector<double> ledger = restore(from.checkpoint, m, model_.mesh(), case_.ocean, case_.boundary, model_.stepper(), comm_);
  model_.resume(m.step, ledger);
  first_step_ = checkpoint_step_ = m.step;
  sampled_ = flushed_ = m.samples;
  last_energy_ = m.last_energy;
  last_guard_time_ = m.last_check;
  max_pressure_ = m.max_pressure;
  max_height_ = m.max_height;
  last_checkpoint_ = from.checkpoint;
  budget_ = model_.budget();
}

// The file of the run that is continued: beside its checkpoints, or where this run writes.
Earlier Simulation::earlier(const std::string& name, std::int64_t samples) const {
  if (!options_.restart) return {};
  const std::string there = directory_of(*options_.restart);
  const fs::path beside = fs::path(there) / name;
  if (!there.empty() && fs::exists(beside)) return {beside.string(), samples};
  return {case_.output.directory + "/" + name, samples};
}

Earlier Simulation::earlier_maps() const {
  if (!options_.restart || case_.output.surface_interval == 0) return {};
  const Earlier maps = earlier("surface.h5", model_.step() / std::llround(case_.output.surface_interval / model_.dt()) + 1);
  std::error_code ignored;
  return options_.restart->manifest.surface_interval == 0 && !fs::exists(maps.path, ignored) ? Earlier{} : maps;  // the earlier run may have had none
}

// A new run must not take the place of one that can be continued.
void Simulation::clear_checkpoints() const {
  if (const std::string what = unfinished_run(case_.output.directory); !what.empty()) throw Error(ExitCode::output, what);
  checkpoints_.remove_all();
}

void Simulation::stop() {
  if (checkpoint_step_ != model_.step()) write_checkpoint();
  leave_what_there_is();
  if (comm_.root()) progress_->update(progress_state());
  model_.stepper().settle_exchanges();  // nothing is left on its way to a neighbour
  throw AgreedError(ExitCode::stopped, text("stopped on ", options_.stop->name(), " at t = ", model_.time(), " s, step ", model_.step(), " of ",
                                            model_.plan().steps, "; continue with --restart ", last_checkpoint_));
}

}  // namespace agwave
