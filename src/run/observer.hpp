// SPDX-License-Identifier: Apache-2.0
// What watches a run: traces, maps, the guard, checkpoints, progress. An observer looks at completed steps only and changes no bit of the
// later ones. Adding one is adding one file with a static `RegisterObserver`; every run asks all of them. All calls are collective, and what
// they throw is thrown on every rank alike. HDF5 files are written by the writer: while that may have work, no other thread calls HDF5.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/trace.hpp"
#include "files/attributes.hpp"
#include "files/writer.hpp"
#include "io/checkpoint.hpp"
#include "io/report.hpp"
#include "run/model.hpp"
#include "run/restart.hpp"
#include "run/run_directory.hpp"
#include "run/stop_request.hpp"

namespace agwave {

struct RunOptions {
  bool quiet = false;
  double progress_seconds = 2;       // wall time between two rewrites of progress.json
  std::optional<Restart> restart{};  // continue from there
  StopRequest* stop = nullptr;       // asked after every step; a run that it stops throws Error(stopped)
};

class Observer;

// What the observers of a run share.
struct RunContext {
  const Case& c;
  const Comm& comm;
  const RunOptions& options;
  const RunDirectory& directory;
  Model& model;
  Attributes about;               // of the run, for its files
  std::int64_t first_step = 0;    // where this run began, after a restart
  std::string last_checkpoint{};  // its path, if there is one
  Stopwatch loop{};               // since the first step of this run

  // What the last check of the state found, and the largest |p| among this rank's samples since.
  struct Health {
    EnergyBudget budget;
    double max_pressure = 0, max_height = 0, sampled_peak = 0;  // [Pa], [m], [Pa]
  } health{};

  std::vector<std::unique_ptr<Observer>> observers{};
  std::unique_ptr<Writer> writer{};  // rank 0's; after the observers, whose files its tasks write: gone before them
  void gather();                     // of all observers
  void finish();                     // of all, then the writer is drained and asked whether it failed
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual double bytes() const { return 0; }  // of the files that it will write [bytes]
  virtual void resume(const Manifest&) {}     // before open(), with the state of the checkpoint in the model
  virtual void open() {}                      // its files
  virtual void go_on() {}                     // before the first step, from a checkpoint
  virtual void on_completed_step() {}         // after every step, and before the first one at rest
  virtual void gather() {}                    // hands the writer what the device has recorded: before a check of the state
  virtual void finish() {}                    // likewise, and all else that makes its files complete up to here
  virtual void sync() {}                      // rank 0, with the writer drained: to the disk
  virtual void close() {}                     // likewise
  virtual void save(Manifest&) {}             // what a checkpoint has to know of it
  virtual void stop() {}                      // the run stops after this step, on a signal
  virtual void end() {}                       // the last step is done
  virtual void close_run(const Summary&) {}   // all has gone well; files of all observers are closed
};

struct ObserverKind {
  std::string name;
  int order = 0;                                                     // those of lower order are called first
  std::function<std::unique_ptr<Observer>(RunContext& run)> create;  // null where the case does not ask for it
};
const std::vector<ObserverKind>& observer_kinds();  // by order, then by name

struct RegisterObserver {
  explicit RegisterObserver(ObserverKind kind);
};

}  // namespace agwave
