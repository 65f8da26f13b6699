// SPDX-License-Identifier: Apache-2.0
// `agwave p2o`: parameter-to-observable maps, one propagation for each sensor and gauge. Ranks are divided into groups, each with the whole mesh,
// that take sources in turn; whoever runs next finds what is done in the directory (run/map_directory.hpp).
#pragma once
#include <array>
#include <memory>
#include <optional>

#include "device/trace.hpp"
#include "run/floor_recorder.hpp"
#include "run/map_directory.hpp"
#include "run/p2o_groups.hpp"
#include "run/p2o_progress.hpp"
#include "run/propagation.hpp"
#include "run/reciprocity.hpp"
#include "run/stop_request.hpp"

namespace agwave {

struct P2oOptions {
  bool quiet = false, restart = false;
  std::optional<std::array<std::int64_t, 2>> part{};  // sources [first, last) alone, of maps that others make as well
  double progress_seconds = 2;                        // wall time between two rewrites of progress.json
};

struct P2oResult {
  std::int64_t sources = 0, made = 0, missing = 0;  // of all; by this run; still to be made by others
  double seconds = 0, propagation_seconds = 0;      // of the run; of a propagation, on average
  bool complete = false;                            // maps.h5 is there; a run of a part leaves that to one of all
  double reciprocity_error = 0;                     // of complete maps
};

class P2o {
 public:
  P2o(const Case& c, const Comm& world, P2oOptions options);
  P2oResult run();

 private:
  void print_plan() const;
  void make_model();
  double propagate_all(const std::vector<std::int64_t>& missing);
  void propagate(std::int64_t source);
  void store(std::int64_t source);
  void stop_if_asked();
  void measure();
  double reciprocity_error();
  void show_progress();

  const Comm& world_;
  P2oOptions options_;
  Stopwatch wall_;
  P2oGroup group_;
  P2oPlan& p2o_;
  MapDirectory directory_;
  std::vector<double> depth_;  // of the floor of the whole mesh, on rank 0 of the group
  std::unique_ptr<StopRequest> stop_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<OutputGrid> floor_;
  std::unique_ptr<FloorAverages> averages_;  // of rank 0 of the group
  std::unique_ptr<Writer> writer_;           // likewise; after all that its tasks read
  std::unique_ptr<FloorRecorder> recorder_;
  std::unique_ptr<Propagation> propagation_;
  Reciprocity reciprocity_;
  std::vector<double> measured_;           // [source][interval] pressures of the run that maps are compared with, on rank 0 of the group that made it
  std::int64_t done_ = 0, step_ = 0;       // sources of this group; steps of the one under way
  std::int64_t to_do_ = 0;                 // sources of rank 0's group
  std::unique_ptr<P2oProgress> progress_;  // of rank 0
};

}  // namespace agwave
