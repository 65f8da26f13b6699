// SPDX-License-Identifier: Apache-2.0
// Forcing of the floor as the fused leapfrog asks for it, and which terms of forcing are in the water.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_forcing_pointwise.hpp"
#include "timestep/leapfrog4/watched_nodes.hpp"
#include "timestep/state_view_impl.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Answers>
class FloorLoads {
 public:
  // All but `setup` stays longer than this. recalls: those of the step before are asked for, too.
  FloorLoads(const StepperSetup& setup, const NodeView& nodes, bool has_floor, const Answers& answers, Backend& backend, bool recalls)
      : backend_(backend),
        answers_(answers),
        level_(static_cast<std::int64_t>(nodes.NX) * nodes.NY),
        has_floor_(has_floor),
        water_terms_(terms_in_water(setup.forcing, nodes)) {
    if (!any() || setup.forcing.size() <= FloorLoad::most) return;
    planes_ = zeros<double>(backend_, (recalls ? 2 : 1) * rates * level_);
  }

  bool any() const { return answers_.terms() > 0 && has_floor_; }  // ranks above others have no node of the floor
  const std::vector<int>& water_terms() const { return water_terms_; }
  bool in_water(int term) const { return std::find(water_terms_.begin(), water_terms_.end(), term) != water_terms_.end(); }

  // More terms than are summed up at once are summed up beforehand, in a plane for each of the rates.
  FloorLoad at(std::span<const ForcingSample> forcing, Rate which, Rates ForcingSample::*of = &ForcingSample::rate) {
    FloorLoad sum;
    if (!any()) return sum;
    double* const plane = planes_.data() + (which + (of == &ForcingSample::rate ? 0 : rates)) * level_;
    bool first = true;
    for (std::size_t n = 0; n < forcing.size(); ++n) {
      if (answers_.forced(forcing[n].term).count == 0 || in_water(forcing[n].term)) continue;
      if (sum.terms == FloorLoad::most) {
        backend_.for_each(level_, AddFloorLoad{sum, first, plane});
        first = false;
        sum.terms = 0;
      }
      sum.weights[sum.terms] = answers_.forced(forcing[n].term).weights;
      sum.rate[sum.terms++] = (forcing[n].*of)[which];
    }
    if (first) return sum;
    backend_.for_each(level_, AddFloorLoad{sum, false, plane});
    sum.terms = 1;
    sum.weights[0] = plane;
    sum.rate[0] = 1;
    return sum;
  }

 private:
  static constexpr std::int64_t rates = std::tuple_size_v<Rates>;
  Backend& backend_;
  const Answers& answers_;  // for where terms force
  std::int64_t level_;
  bool has_floor_;
  std::vector<int> water_terms_;  // of forcing off the floor
  Array<double> planes_;
};

}  // namespace agwave::leapfrog4
