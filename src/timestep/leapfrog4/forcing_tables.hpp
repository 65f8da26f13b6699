// SPDX-License-Identifier: Apache-2.0
// What forces the fused leapfrogs, as their sweeps take it: of the floor tables of one level of all patches, at two rates; in the water, by sources there and by
// strips of sponges, the values of all nodes of the patches that have any. fused_forcing.hpp fills them with forcing, change_forcing.hpp with changes of it.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "device/for_each_in_fours.hpp"
#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_forcing_pointwise.hpp"
#include "timestep/leapfrog4/fused_levels_pointwise.hpp"
#include "timestep/leapfrog4/watched_nodes.hpp"
#include "timestep/state_view_impl.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Patches>
class ForcingTables {
 public:
  using real = typename Patches::real;
  using Answers = BackendView<Backend, InSums<Patches>>;

  bool in_water() const { return !water_terms_.empty(); }  // some terms
  // More terms than are summed up at once are summed up beforehand, in a plane for each of the rates.
  FloorLoad floor_load(std::span<const ForcingSample> forcing, Rate which, Rates ForcingSample::*of = &ForcingSample::rate) {
    FloorLoad sum;
    if (!loads_floor()) return sum;
    double* const plane = planes_.data() + (which + (of == &ForcingSample::rate ? 0 : rate_count)) * level_;
    bool first = true;
    for (const ForcingSample& sample : forcing) {
      const state::ForcedNodes nodes = answers_.forced(sample.term);
      if (nodes.count == 0 || forces_water(sample)) continue;
      if (sum.terms == FloorLoad::most) {
        backend_.for_each(level_, AddFloorLoad{sum, first, plane});
        first = false;
        sum.terms = 0;
      }
      sum.weights[sum.terms] = nodes.weights;
      sum.rate[sum.terms++] = (sample.*of)[which];
    }
    if (first) return sum;
    backend_.for_each(level_, AddFloorLoad{sum, false, plane});
    sum.terms = 1;
    sum.weights[0] = plane;
    sum.rate[0] = 1;
    return sum;
  }
  // Forcing of the floor at one of two rates.
  FloorLoadOf<real> table(int n) const { return {loaded_ ? loads_.data() + n * places_.table_size() : nullptr}; }
  // At the first rate where the second has no weight, at the second where it has all of it, else between both.
  FloorLoadOf<real> mixed_table(double weight) const {
    if (!loaded_ || weight == 0 || weight == 1) return table(weight == 1);
    return {table(0).values, table(1).values, static_cast<real>(weight)};
  }
  std::size_t kind() const { return 2 * loaded_ + formed_; }                      // of four that differ in where there is forcing at present
  real* pushed_table(int n) { return loads_.data() + n * places_.table_size(); }  // a floor that gives way adds to it (fused_floor.hpp)

 protected:
  // mixes: columns step in levels, which take forcing between its two rates; strips: columns that they touch; before: loads of a step before are asked for.
  // All but `setup` and `strips` stays longer than this.
  ForcingTables(const StepperSetup& setup, const NodeView& nodes, const Places<Patches>& places, bool mixes, const Answers& answers,
                const std::vector<std::int32_t>& strips, Backend& backend, bool before)
      : backend_(backend),
        answers_(answers),
        nodes_(nodes),
        places_(places),
        level_(static_cast<std::int64_t>(nodes.NX) * nodes.NY),
        pushed_(setup.floor && setup.floor->gives_way && !places.below),
        water_terms_(terms_in_water(setup.forcing, nodes)) {
    if (loads_floor() && setup.forcing.size() > FloorLoad::most) planes_ = zeros<double>(backend_, (before ? 2 : 1) * rate_count * level_);
    if (loads_floor() || pushed_) loads_ = zeros<real>(backend_, 2 * places_.table_size());
    place_bodies(setup, strips, mixes);
  }

  // In the water, which begins anew wherever a source has been. add: begins with what strips force there with, then takes `rates` of each sample.
  template <class Add, class Rates>
  void form_bodies(std::span<const ForcingSample> forcing, Add add, const Rates& rates) {
    const bool any = std::any_of(forcing.begin(), forcing.end(), [this](const ForcingSample& sample) { return forces_water(sample); });
    if (!any && !formed_) return;
    formed_ = any;
    const auto each = [&](int term) {
      add.nodes = answers_.forced(term);
      backend_.for_each(add.nodes.count, add);
    };
    add.begins = true;
    for (const int term : water_terms_) each(term);
    add.begins = false;
    for (const ForcingSample& sample : forcing) {
      if (!forces_water(sample)) continue;
      rates(add, sample);
      each(sample.term);
    }
  }
  // Of both bodies, the second with this weight, mixed by a lane of work in place n of two.
  BodyLoadOf<real> mix_bodies(const Backend& lane, int n, double weight) {
    Array<real>& to = bodies_[2 + static_cast<std::size_t>(n)];
    for_each_in_fours(lane, static_cast<std::int64_t>(to.size()),
                      MixForcing<real>{static_cast<real>(weight), bodies_[0].data(), bodies_[1].data(), to.data()});
    return {to.data(), body_at_.data()};
  }
  const real* strips() const { return strips_.empty() ? nullptr : strips_.data(); }

  Backend& backend_;
  const Answers& answers_;  // for where terms force
  NodeView nodes_;
  Places<Patches> places_;
  std::int64_t level_;
  bool pushed_;
  std::vector<int> water_terms_;       // of forcing off the floor
  Array<real> loads_;                  // tables at two rates
  bool loaded_ = false;                // they are needed
  Array<std::int64_t> body_at_;        // BodyLoad
  Array<real> strips_;                 // likewise, forcing by strips alone
  std::array<Array<real>, 4> bodies_;  // with sources at two rates, and of both mixed, twice
  bool formed_ = false;                // bodies_ are more than strips_ somewhere

 private:
  static constexpr std::int64_t rate_count = std::tuple_size_v<Rates>;
  bool loads_floor() const { return answers_.terms() > 0 && !places_.below; }  // ranks above others have no node of the floor
  bool forces_water(const ForcingSample& sample) const {
    return std::find(water_terms_.begin(), water_terms_.end(), sample.term) != water_terms_.end();
  }
  // Patches that strips touch, or sources in the water.
  void place_bodies(const StepperSetup& setup, const std::vector<std::int32_t>& strips, bool mixes) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(places_.count()), -1);  // [patch] where its values begin, or -1
    std::int64_t size = 0;                                                        // of all values
    const auto add = [&](std::int64_t column) {                                   // of nodes, j NX + i
      places_.each(static_cast<int>(column % places_.NX), static_cast<int>(column / places_.NX), 0, [&](int x, int y, int, int) {
        std::int64_t& begin = at[static_cast<std::size_t>(y) * places_.px + x];
        if (begin >= 0) return;
        begin = size;
        size += places_.patch_sums();
      });
    };
    for (const std::int32_t column : strips) add(column);
    for (const int term : water_terms_) {
      const NodalForcing& f = setup.forcing[static_cast<std::size_t>(term)];
      for (std::int64_t n = 0; n < f.count(); ++n) add(f.node(n) % level_);
    }
    if (size == 0) return;
    body_at_ = Array<std::int64_t>(Backend::space, at);
    if (!strips.empty()) strips_ = zeros<real>(backend_, size);
    for (std::size_t n = 0; n < (mixes ? 4 : 2) && in_water(); ++n) bodies_[n] = zeros<real>(backend_, size);
  }

  Array<double> planes_;  // [rate, then those of the step before][NY][NX] of more terms than are summed up at once
};

}  // namespace agwave::leapfrog4
