// SPDX-License-Identifier: Apache-2.0
// Averages of the floor's pressure at the samples of a propagation. One rank alone forms them where the state lives, and copies them to the host while the
// steps go on. Of several the pressure itself is copied; some steps later it is gathered to rank 0, whose writer averages some samples together, in the same
// order. A GPU waits for none of it.
#pragma once
#include <memory>
#include <optional>

#include "fem/parameters.hpp"
#include "files/writer.hpp"
#include "io/output_grid.hpp"
#include "run/p2o_plan.hpp"
#include "timestep/state_view.hpp"

namespace agwave {

class FloorRecorder {
 public:
  using Map = std::shared_ptr<std::vector<double>>;  // [parameter][interval]
  // averages and writer: rank 0's; both outlive the tasks of the writer. alone: it is the only one. threads: that average, of cores that have nothing
  // else to do.
  FloorRecorder(const P2oPlan& p2o, StateView& view, const OutputGrid& floor, const FloorAverages* averages, Writer* writer, bool alone, int threads);

  void sampled(std::int64_t k);  // all collective
  void stepped();
  Map finish();  // rank 0's, complete for tasks submitted from now on; the next map begins

 private:
  void hand_over();
  void average();
  std::vector<double>& map();  // [parameter][interval]

  static constexpr std::int64_t lag = 4;       // steps that a copy has before the host asks for it
  static constexpr std::size_t together = 16;  // samples, for each of which the matrix of averages would be read anew

  const P2oPlan& p2o_;
  StateView& view_;
  const OutputGrid& floor_;
  const FloorAverages* averages_;
  Writer* writer_;
  bool alone_;
  int threads_;
  std::optional<std::int64_t> queued_;  // the interval whose pressure is on its way
  std::int64_t age_ = 0, first_ = 0;    // steps since; the first interval of those that wait
  std::vector<std::vector<double>> waiting_;
  Map map_;
};

}  // namespace agwave
