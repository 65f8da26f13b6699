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
  // strips: as watched_nodes() asks. `backend` stays longer than this. Collective.
  FusedWatch(const StepperSetup& setup, const NodeView& view, const std::vector<std::int32_t>& strips, Backend& backend)
      : backend_(backend), view_(view) {
    const WatchedNodes watched = watched_nodes(setup, view, strips);
    const std::vector<std::int64_t>& nodes = watched.nodes;
    at_rest_ = Array<std::int32_t>(Backend::space, watched.at_rest);
    in_strips_ = Array<std::int32_t>(Backend::space, watched.in_strips);
    at_rest_in_strips_ = Array<std::int32_t>(Backend::space, watched.at_rest_in_strips);
    surface_ = watched.surface;
    by_patch_ = watched.floor;
    elsewhere_ = Array<std::int32_t>(Backend::space, watched.elsewhere);
    at_rest_elsewhere_ = Array<std::int32_t>(Backend::space, watched.at_rest_elsewhere);
    floor_ = std::lower_bound(nodes.begin(), nodes.end(), static_cast<std::int64_t>(view.NX) * view.NY) - nodes.begin();
    floor_elsewhere_ = std::lower_bound(watched.elsewhere.begin(), watched.elsewhere.end(), floor_) - watched.elsewhere.begin();
    nodes_ = Array<std::int64_t>(Backend::space, nodes);
    for (Array<double>* a : {&before_, &after_}) *a = zeros<double>(backend, count());
  }

  std::int64_t count() const { return static_cast<std::int64_t>(nodes_.size()); }
  bool knows_all() const { return all_; }  // of the last step, rather than what is asked about at rest alone. The same on all ranks
  bool covers(bool all) const { return all_ || !(all && all_before_); }  // or as much of it as can be known
  void know_all() { all_before_ = true; }                                // of what is before the next step, once it is found
  void go_on() {                                                         // to the next step: what was after it is before that
    std::swap(before_, after_);
    all_before_ = all_;
  }

  // At: FusedNode or FusedFloorNode, of the state at the time of psi and `load`.
  template <class At>
  void find_before(const At& at, const double* r, const FloorLoad& load) {
    find_before(backend_, {nodes_.data(), nullptr, count()}, at, r, load);
  }
  template <class At>
  void find_before_at_floor(const At& at, const double* r, const FloorLoad& load) {
    if (!by_patch_) return find_before(backend_, {nodes_.data(), nullptr, floor_}, at, r, load);
    beside_.follow(backend_);
    find_before(beside_, {nodes_.data(), elsewhere_.data(), floor_elsewhere_}, at, r, load);
    find_floor_before(at, r, load);
    backend_.follow(beside_);
  }
  // Of what is known before the step, in strips, once they have faded.
  template <class At>
  void find_before_in_strips(const At& at, const double* r, const FloorLoad& load) {
    find_before(backend_, in_strips(all_before_), at, r, load);
  }
  template <class At>
  void find_pressure(bool all, const At& at, const double* r, const FloorLoad& load, double* to) {  // and psi_tt after
    all_ = all && all_before_;
    const WatchedPart elsewhere = part(all_ ? elsewhere_ : at_rest_elsewhere_);
    beside_.follow(backend_);
    beside_.for_each(elsewhere.count, WatchPressure<At>{{at, elsewhere, r, load}, before_.data(), after_.data(), to});
    if (surface_ >= 0) find_level_pressure(false, surface_, at, {}, r, to);
    if (all_ && by_patch_) find_level_pressure(true, 0, at, load, r, to);
    backend_.follow(beside_);
  }
  template <class At>
  void find_again(const At& at, const double* r, const FloorLoad& load, bool potential, double* to) const {  // once both are known
    find_again(part(), at, r, load, potential, to);
  }
  template <class At>
  void find_pressure_in_strips(const At& at, const double* r, const FloorLoad& load, double* to) const {  // again
    find_again(in_strips(all_), at, r, load, false, to);
  }
  void fade(const sponge_detail::Columns& fades) {
    const WatchedPart part = in_strips(true);
    backend_.for_each(part.count, FadeWatched{view_, part, fades.x, fades.y, before_.data(), after_.data()});
  }

 private:
  template <class Patches>
  void find_floor_before(const FusedNode<Patches>& node, const double* r, const FloorLoad& load) {
    backend_.for_each(node.places.table_size(), WatchLevelBefore<Patches>{{node, r, true, load}, before_.data()});
  }
  template <class Patches>  // of the surface or of the floor, whose numbers are from the first one on
  void find_level_pressure(bool floor, std::int64_t first, const FusedNode<Patches>& node, const FloorLoad& load, const double* r, double* to) {
    backend_.for_each(node.places.table_size(), WatchLevel<Patches>{{node, r, floor, load}, before_.data() + first, after_.data() + first, to});
  }
  template <class At>
  void find_before(Backend& lane, const WatchedPart& part, const At& at, const double* r, const FloorLoad& load) {
    lane.for_each(part.count, WatchBefore<At>{{at, part, r, load}, before_.data()});
  }
  template <class At>
  void find_again(const WatchedPart& part, const At& at, const double* r, const FloorLoad& load, bool potential, double* to) const {
    backend_.for_each(part.count, WatchAgain<At>{{at, part, r, load}, before_.data(), after_.data(), potential, to});
  }
  WatchedPart part() const {  // that is known
    if (all_) return {nodes_.data(), nullptr, count()};
    return part(at_rest_);
  }
  WatchedPart in_strips(bool all) const { return part(all ? in_strips_ : at_rest_in_strips_); }
  WatchedPart part(const Array<std::int32_t>& numbers) const { return {nodes_.data(), numbers.data(), static_cast<std::int64_t>(numbers.size())}; }

  Backend& backend_;
  NodeView view_;
  Array<std::int64_t> nodes_;                                                                    // ascending
  Array<std::int32_t> at_rest_, in_strips_, at_rest_in_strips_, elsewhere_, at_rest_elsewhere_;  // WatchedNodes
  std::int64_t surface_ = -1;
  bool by_patch_ = false;                         // the floor
  Backend beside_;                                // few nodes, which wait for memory while those of surface and floor keep it busy
  std::int64_t floor_ = 0, floor_elsewhere_ = 0;  // how many are of the floor
  bool all_ = true, all_before_ = true;
  Array<double> before_, after_;
};

}  // namespace agwave::leapfrog4
