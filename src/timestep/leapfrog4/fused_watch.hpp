// SPDX-License-Identifier: Apache-2.0
// The nodes that the fused leapfrog watches (watched_nodes.hpp), with psi_tt there before and after the time of the completed state: what is asked about them
// follows from r = K psi and the loads, without a sweep. Answers go to where sums have been. While nothing forces, the floor and what else sources force is not
// asked about, and left out.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_pointwise.hpp"
#include "timestep/leapfrog4/watched_nodes.hpp"

namespace agwave::leapfrog4 {

template <class Backend>
class FusedWatch {
 public:
  // `backend` stays longer than this. Collective.
  FusedWatch(const StepperSetup& setup, const NodeView& view, Backend& backend) : backend_(backend), view_(view) {
    const WatchedNodes watched = watched_nodes(setup, view);
    const std::vector<std::int64_t>& nodes = watched.nodes;
    at_rest_ = Array<std::int32_t>(Backend::space, watched.at_rest);
    floor_ = std::lower_bound(nodes.begin(), nodes.end(), static_cast<std::int64_t>(view.NX) * view.NY) - nodes.begin();
    nodes_ = Array<std::int64_t>(Backend::space, nodes);
    for (Array<double>* a : {&before_, &after_}) *a = zeros<double>(backend, count());
  }

  std::int64_t count() const { return static_cast<std::int64_t>(nodes_.size()); }
  std::int64_t of_floor() const { return floor_; }  // the first ones
  bool knows_all() const { return all_; }           // of the last step, rather than what is asked about at rest alone. The same on all ranks
  bool covers(bool all) const { return all_ || !(all && all_before_); }  // or as much of it as can be known
  void know_all() { all_before_ = true; }                                // of what is before the next step, once it is found
  void go_on() {                                                         // to the next step: what was after it is before that
    std::swap(before_, after_);
    all_before_ = all_;
  }

  // At: FusedNode or FusedFloorNode, of the state at the time of psi and `load`.
  template <class At>
  void find_before(std::int64_t first_ones, const At& at, const double* r, const FloorLoad& load) {
    backend_.for_each(first_ones, WatchBefore<At>{{at, {nodes_.data(), nullptr, first_ones}, r, load}, before_.data()});
  }
  template <class At>
  void find_pressure(bool all, const At& at, const double* r, const FloorLoad& load, double* to) {  // and psi_tt after
    all_ = all && all_before_;
    backend_.for_each(part().count, WatchPressure<At>{{at, part(), r, load}, before_.data(), after_.data(), to});
  }
  template <class At>
  void find_again(const At& at, const double* r, const FloorLoad& load, bool potential, double* to) const {  // once both are known
    backend_.for_each(part().count, WatchAgain<At>{{at, part(), r, load}, before_.data(), after_.data(), potential, to});
  }
  void fade(const sponge_detail::Columns& fades) {
    backend_.for_each(count(), FadeWatched{view_, nodes_.data(), fades.x, fades.y, before_.data(), after_.data()});
  }

 private:
  WatchedPart part() const {  // that is known
    if (all_) return {nodes_.data(), nullptr, count()};
    return {nodes_.data(), at_rest_.data(), static_cast<std::int64_t>(at_rest_.size())};
  }

  Backend& backend_;
  NodeView view_;
  Array<std::int64_t> nodes_;    // ascending
  Array<std::int32_t> at_rest_;  // numbers among them
  std::int64_t floor_ = 0;
  bool all_ = true, all_before_ = true;
  Array<double> before_, after_;
};

}  // namespace agwave::leapfrog4
