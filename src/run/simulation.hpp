// SPDX-License-Identifier: Apache-2.0
// A run: the model, its observers and the time loop. It leaves sensors.h5, the maps, progress.json and summary.json in its directory, having
// removed those of an earlier run, or goes on with them after a restart. A run that ends with exit 4 leaves its traces and maps up to then,
// and no summary. Collective; throws on every rank alike.
#pragma once
#include "run/model.hpp"
#include "run/observer.hpp"

namespace agwave {

class Simulation {
 public:
  Simulation(const Case& c, const Comm& comm, RunOptions options);
  Simulation(const Case& c, const Comm& comm, RunOptions options, Plan plan);
  Model& model() { return model_; }  // to set an initial state
  Summary run();

 private:
  void run_to_the_end();
  void print_plan() const;
  void resume(const Restart& from);
  [[noreturn]] void stop();
  void close_files();
  void leave_what_there_is();
  Summary summary() const;

  const Case& case_;
  const Comm& comm_;
  RunOptions options_;
  Stopwatch wall_;
  Model model_;
  RunDirectory directory_;
  RunContext context_;
  double loop_seconds_ = 0;
};

}  // namespace agwave
