// SPDX-License-Identifier: Apache-2.0
// The nodes that the leapfrog of changes watches (watched_nodes.hpp), and what those on walls and on a floor that gives way add up: psi_tt of the state, in
// double precision, in the middle of the last step.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "timestep/leapfrog4/changes_pointwise.hpp"
#include "timestep/leapfrog4/watched_nodes.hpp"

namespace agwave::leapfrog4 {

template <class Backend>
class ChangeWatch {
 public:
  // strips: as watched_nodes() asks; damps: walls absorb or a floor gives way, here or on other ranks. Collective.
  ChangeWatch(const StepperSetup& setup, const NodeView& view, const std::vector<std::int32_t>& strips, bool damps, Backend& backend)
      : backend_(backend) {
    const WatchedNodes watched = watched_nodes(setup, view, strips);
    nodes_ = Array<std::int64_t>(Backend::space, watched.nodes);
    surface_ = watched.surface >= 0;
    floor_ = watched.floor;
    all_ = Array<std::int32_t>(Backend::space, watched.elsewhere);
    at_rest_ = Array<std::int32_t>(Backend::space, watched.at_rest_elsewhere);
    damped_ = Array<std::int32_t>(Backend::space, watched.damped);
    in_strips_ = Array<std::int32_t>(Backend::space, watched.in_strips);
    at_rest_in_strips_ = Array<std::int32_t>(Backend::space, watched.at_rest_in_strips);
    curvature_ = Array<double>(Backend::space, damps ? nodes_.size() : 0);
    rest();
  }
  void rest() { curvature_.zero(); }

  bool surface() const { return surface_; }  // neither all() nor at_rest() have it, but at walls, nor all() the floor
  bool floor() const { return floor_; }
  WatchedPart all() const { return part(all_); }
  WatchedPart at_rest() const { return part(at_rest_); }
  WatchedPart damped() const { return part(damped_); }
  WatchedPart in_strips(bool all) const { return part(all ? in_strips_ : at_rest_in_strips_); }  // of these and those by patch
  double* curvature() { return curvature_.data(); }                                              // by the numbers of nodes

  // Of the nodes of the mesh from number `first` on, zero where none is watched.
  void get(std::int64_t first, std::span<double> values) const {
    backend_.synchronize();
    const std::vector<double> kept = curvature_.to_host();
    std::fill(values.begin(), values.end(), 0.0);
    each(first, values.size(), [&](std::size_t n, std::size_t at) { values[at] = kept[n]; });
  }
  void set(std::int64_t first, std::span<const double> values) {
    std::vector<double> kept = curvature_.to_host();
    each(first, values.size(), [&](std::size_t n, std::size_t at) { kept[n] = values[at]; });
    curvature_.copy_from(kept);
  }

 private:
  WatchedPart part(const Array<std::int32_t>& numbers) const { return {nodes_.data(), numbers.data(), static_cast<std::int64_t>(numbers.size())}; }
  template <class F>
  void each(std::int64_t first, std::size_t size, F&& f) const {  // f(number, place among the values)
    const std::vector<std::int64_t> nodes = nodes_.to_host();
    for (auto n = std::lower_bound(nodes.begin(), nodes.end(), first); n != nodes.end() && *n < first + static_cast<std::int64_t>(size); ++n)
      f(static_cast<std::size_t>(n - nodes.begin()), static_cast<std::size_t>(*n - first));
  }

  Backend& backend_;
  bool surface_ = false, floor_ = false;
  Array<std::int64_t> nodes_;                                                   // ascending
  Array<std::int32_t> all_, at_rest_, damped_, in_strips_, at_rest_in_strips_;  // WatchedNodes; the first two `elsewhere`
  Array<double> curvature_;
};

}  // namespace agwave::leapfrog4
