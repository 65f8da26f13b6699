// SPDX-License-Identifier: Apache-2.0
#include "timestep/leapfrog4/watched_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "boundary/floor.hpp"
#include "error/error.hpp"

namespace agwave::leapfrog4 {
namespace {

std::int64_t level_of(const NodeView& nodes) { return static_cast<std::int64_t>(nodes.NX) * nodes.NY; }
bool on_floor(const NodalForcing& f, const NodeView& nodes) { return f.first == 0 && f.list.empty() && f.count() == level_of(nodes); }

bool gives_way(const StepperSetup& setup) { return setup.floor && setup.floor->gives_way; }
bool watches_floor(const StepperSetup& setup, bool forced) {
  return setup.asked.powers && ((forced && !setup.forcing.empty()) || gives_way(setup)) && setup.mesh.part.at_low(2);
}

// Nodes of walls, surface and, where `forced` or where it gives way, the floor.
void add_sides(const StepperSetup& setup, const NodeView& v, bool forced, std::vector<std::int64_t>& nodes) {
  const bool powers = setup.asked.powers, surface = setup.asked.surface && setup.mesh.part.at_high(2), floor = watches_floor(setup, forced);
  const auto wall = [&](bool absorbs, bool there) { return powers && absorbs && there; };
  for (int k = 0; k < v.NZ; ++k)
    for (int j = 0; j < v.NY; ++j) {
      const bool row = (floor && k == 0) || (surface && k == v.NZ - 1) || wall(v.south, j == 0) || wall(v.north, j == v.NY - 1);
      for (int i = 0; i < v.NX; i += row || v.NX == 1 ? 1 : v.NX - 1)
        if (row || wall(v.west, i == 0) || wall(v.east, i == v.NX - 1)) nodes.push_back((static_cast<std::int64_t>(k) * v.NY + j) * v.NX + i);
    }
}

void sort(std::vector<std::int64_t>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

std::vector<int> terms_in_water(const std::vector<NodalForcing>& forcing, const NodeView& nodes) {
  std::vector<int> terms;
  for (std::size_t term = 0; term < forcing.size(); ++term)
    if (forcing[term].count() > 0 && !on_floor(forcing[term], nodes)) terms.push_back(static_cast<int>(term));
  return terms;
}

WatchedNodes watched_nodes(const StepperSetup& setup, const NodeView& v, const std::vector<std::int32_t>& strips) {
  setup.comm.agree([] {});  // meets what another rank has failed at
  WatchedNodes watched;
  std::vector<std::int64_t> at_rest = nodes_of_points(setup.mesh, setup.points, setup.comm);
  watched.nodes = at_rest;
  add_sides(setup, v, false, at_rest);
  sort(at_rest);
  add_sides(setup, v, true, watched.nodes);
  for (const int term : terms_in_water(setup.forcing, v)) {
    const NodalForcing& f = setup.forcing[static_cast<std::size_t>(term)];
    for (std::int64_t n = 0; setup.asked.powers && n < f.count(); ++n) watched.nodes.push_back(f.node(n));
  }
  sort(watched.nodes);
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (watched.nodes.size() > most)
    throw Error(ExitCode::usage,
                text("mesh.elements: ", watched.nodes.size(), " nodes of surface, floor and walls on one rank; at most ", most, "; use more ranks"));
  auto next = watched.nodes.begin();
  for (const std::int64_t node : at_rest) {
    next = std::lower_bound(next, watched.nodes.end(), node);
    watched.at_rest.push_back(static_cast<std::int32_t>(next - watched.nodes.begin()));
  }
  for (std::size_t n = 0; n < watched.nodes.size(); ++n) {
    const auto [i, j, k] = v.locate(watched.nodes[n]);
    const bool soft = gives_way(setup) && setup.mesh.part.at_low(2) && k == 0;
    if (soft || v.absorbs(i, j)) watched.damped.push_back(static_cast<std::int32_t>(n));
  }
  const auto in_strips = [&](std::int32_t n) {
    return std::binary_search(strips.begin(), strips.end(), static_cast<std::int32_t>(watched.nodes[static_cast<std::size_t>(n)] % level_of(v)));
  };
  for (std::int32_t n = 0; !strips.empty() && n < static_cast<std::int32_t>(watched.nodes.size()); ++n)
    if (in_strips(n)) watched.in_strips.push_back(n);
  std::copy_if(watched.at_rest.begin(), watched.at_rest.end(), std::back_inserter(watched.at_rest_in_strips), in_strips);
  if (setup.asked.surface && setup.mesh.part.at_high(2)) watched.surface = static_cast<std::int64_t>(watched.nodes.size()) - level_of(v);
  watched.floor = watches_floor(setup, true) && !gives_way(setup);
  const auto elsewhere = [&](std::int32_t n, bool floor) {
    const bool of_surface = watched.surface >= 0 && n >= watched.surface, of_floor = floor && n < level_of(v);
    const auto [i, j, k] = v.locate(watched.nodes[static_cast<std::size_t>(n)]);
    return (!of_surface && !of_floor) || v.absorbs(i, j);
  };
  for (std::int32_t n = 0; n < static_cast<std::int32_t>(watched.nodes.size()); ++n)
    if (elsewhere(n, watched.floor)) watched.elsewhere.push_back(n);
  std::copy_if(watched.at_rest.begin(), watched.at_rest.end(), std::back_inserter(watched.at_rest_elsewhere),
               [&](std::int32_t n) { return elsewhere(n, false); });
  return watched;
}

}  // namespace agwave::leapfrog4
