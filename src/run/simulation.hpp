// SPDX-License-Identifier: Apache-2.0
// A run: the model, its outputs and the time loop. Sampling, maps, checks and checkpoints happen on completed steps only and change no
// bit of the later ones; rank 0 writes sensors.h5, the maps, progress.json and summary.json, having removed those of an earlier run, or
// goes on with them after a restart. HDF5 files are written by its Writer: while that may have work, no other thread calls HDF5. A run that ends
// with exit 4 leaves its traces and maps up to then, and no summary. Collective; throws on every rank alike.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/trace.hpp"
#include "io/checkpoint.hpp"
#include "io/trace_file.hpp"
#include "run/model.hpp"
#include "run/restart.hpp"
#include "run/snapshots.hpp"
#include "run/stop_request.hpp"

namespace agwave {

struct RunOptions {
  bool quiet = false;
  double progress_seconds = 2;       // wall time between two rewrites of progress.json
  std::optional<Restart> restart{};  // continue from there
  StopRequest* stop = nullptr;       // asked after every step; a run that it stops throws Error(stopped)
};

// Error(usage) when the case asks for surface heights below a rigid surface, which does not move.
void refuse_heights_of_a_lid(const Case& c);

class Simulation {
 public:
  Simulation(const Case& c, const Comm& comm, RunOptions options);
  Simulation(const Case& c, const Comm& comm, RunOptions options, Plan plan);
  Model& model() { return model_; }  // to set an initial state
  Summary run();

 private:
  Summary run_to_the_end();
  void open_outputs();
  void print_plan() const;
  void on_completed_step();
  void sample_traces();
  void flush_traces();
  void check_state();
  void write_checkpoint();
  void resume(const Restart& from);
  Earlier earlier(const std::string& name, std::int64_t samples) const;
  Earlier earlier_maps() const;
  void clear_checkpoints() const;
  [[noreturn]] void stop();
  void guard();
  void leave_what_there_is();
  ProgressState progress_state() const;
  Summary summary(double loop_seconds);

  const Case& case_;
  const Comm& comm_;
  RunOptions options_;
  Stopwatch wall_;
  Model model_;
  CheckpointFolder checkpoints_;
  std::int64_t checkpoint_steps_ = 0, checkpoint_step_ = -1, first_step_ = 0;  // between two, of the last one, where this run began
  std::string last_checkpoint_;
  // Traces: rank 0 knows where each rank's points belong, and the uplift there at every sample since the last flush.
  std::vector<double> uplift_buffer_;
  std::vector<int> point_counts_, point_starts_;
  std::vector<std::int32_t> all_index_;
  std::int64_t sampled_ = 0, flushed_ = 0;
  std::unique_ptr<TraceFile> traces_;
  std::unique_ptr<Snapshots> snapshots_;
  std::unique_ptr<Writer> writer_;  // of rank 0; after the files, which its tasks write
  std::unique_ptr<Progress> progress_;
  EnergyBudget budget_;
  double last_energy_ = 0, last_guard_time_ = 0, max_pressure_ = 0, max_height_ = 0;
  double sampled_peak_ = 0;  // largest |p| among this rank's samples [Pa]
  Stopwatch loop_;
};

}  // namespace agwave
