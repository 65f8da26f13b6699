// SPDX-License-Identifier: Apache-2.0
// Where the strips of sponges (fading.hpp) force the nodes of patches, and with how much, as all ranks that hold a node add it up.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "timestep/leapfrog4/fused_forcing_pointwise.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Patches>
class StripPatches {
 public:
  StripPatches(const Fading<Backend>& fading, const NodeView& nodes, const Places<Patches>& places)
      : fading_(fading), nodes_(nodes), places_(places) {
    std::map<std::int32_t, std::vector<std::uint8_t>> columns;  // by patch
    for (const std::int32_t node : fading.touched())
      places.each(node % nodes.NX, node / nodes.NX, 0, [&](int x, int y, int, int column) {
        std::vector<std::uint8_t>& of = columns[y * places.px + x];
        of.resize(Patches::level_size);
        of[static_cast<std::size_t>(column)] = 1;
      });
    std::vector<std::int32_t> patches, numbers(static_cast<std::size_t>(places.count()), -1);
    std::vector<std::uint8_t> in_patches;
    for (const auto& [patch, of] : columns) {
      numbers[static_cast<std::size_t>(patch)] = static_cast<std::int32_t>(patches.size());
      patches.push_back(patch);
      in_patches.insert(in_patches.end(), of.begin(), of.end());
    }
    touched_ = Array<std::int32_t>(Backend::space, std::span<const std::int32_t>(fading.touched()));
    patches_ = Array<std::int32_t>(Backend::space, patches);
    numbers_ = Array<std::int32_t>(Backend::space, numbers);
    in_patches_ = Array<std::uint8_t>(Backend::space, in_patches);
  }

  StripPlaces<Patches> places() const { return {nodes_, places_, patches_.data(), in_patches_.data(), static_cast<std::int64_t>(patches_.size())}; }
  OfColumns<Patches> touched() const { return {nodes_, places_, touched_.data(), static_cast<std::int64_t>(touched_.size())}; }  // by strips
  const std::int32_t* numbers() const { return numbers_.data(); }  // of each patch among those of places(), or -1
  // To an array of sums of `exchange` that nobody needs; Places::sum has the forces then. Collective.
  template <class Perimeters>
  void sum(Backend& backend, Perimeters& exchange, Patches::real* sums) const {
    exchange.finish(backend);
    const StripPlaces<Patches> strips = places();
    backend.for_each(strips.stretches(), SumForces<Patches>{strips, fading_.forces(), sums});
    exchange.run(backend, sums, nullptr);
  }

 private:
  const Fading<Backend>& fading_;
  NodeView nodes_;
  Places<Patches> places_;
  Array<std::int32_t> touched_;  // columns of nodes
  Array<std::int32_t> patches_;  // StripPlaces
  Array<std::int32_t> numbers_;
  Array<std::uint8_t> in_patches_;  // likewise
};

}  // namespace agwave::leapfrog4
