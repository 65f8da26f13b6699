// SPDX-License-Identifier: Apache-2.0
// What forces the change of a state over a step (fused_changes.hpp): loads of the floor, of sources in the water and of the strips of sponges
// (strip_changes.hpp), less those of a step before. Both are rounded to the precision of the state before one is taken from the other: what is added up over
// all steps is then what the last load is, and a floor that has come to rest forces nothing.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "device/for_each_in_fours.hpp"
#include "timestep/leapfrog4/forced_patches.hpp"
#include "timestep/leapfrog4/fused_floor_loads.hpp"
#include "timestep/leapfrog4/fused_levels_pointwise.hpp"
#include "timestep/leapfrog4/strip_changes.hpp"

namespace agwave::leapfrog4 {

template <class Patches>
struct SpreadLoadChanges {  // two at once, to tables [patch][level]; n counts the columns
  Places<Patches> places;
  FloorLoad now[2], before[2];
  typename Patches::real* tables[2];
  AGWAVE_HD void operator()(std::int64_t n) const {
    using real = typename Patches::real;
    for (int m = 0; m < 2; ++m) {
      const real change = static_cast<real>(now[m].at(n)) - static_cast<real>(before[m].at(n));
      places.each(static_cast<int>(n % places.NX), static_cast<int>(n / places.NX), 0,
                  [&](int x, int y, int, int column) { tables[m][places.table_at(x, y) + column] = change; });
    }
  }
};

template <class Patches>
struct AddWaterChange {  // of nodes that a term forces, in two arrays at once; begins: the arrays become what strips force there with instead
  Places<Patches> places;
  NodeView v;
  state::ForcedNodes nodes;
  bool begins;
  typename Patches::real* values[2];
  const std::int64_t* at;
  const typename Patches::real* strips;  // or null
  double now[2], before[2];
  AGWAVE_HD void operator()(std::int64_t n) const {
    using real = typename Patches::real;
    int i, j, k;
    v.locate(nodes.node(n), i, j, k);
    places.each(i, j, k, [&](int x, int y, int level, int column) {
      const std::int64_t place = at[static_cast<std::int64_t>(y) * places.px + x] + static_cast<std::int64_t>(level) * Patches::level_size + column;
      for (int m = 0; m < 2; ++m)
        if (begins)
          values[m][place] = strips ? strips[place] : 0;
        else
          values[m][place] += static_cast<real>(now[m] * nodes.weights[n]) - static_cast<real>(before[m] * nodes.weights[n]);
    });
  }
};

struct RateChange {  // of a load: less nothing, itself at the step before, or the load in the middle of the same step
  enum class Less { nothing, itself_before, load_now };
  Rate rate;
  Less less = Less::nothing;
  double now(const ForcingSample& sample) const { return sample.rate[rate]; }
  double before(const ForcingSample& sample) const {
    return less == Less::nothing ? 0 : less == Less::itself_before ? sample.before[rate] : sample.rate[load];
  }
};

template <class Backend, class Patches>
class ChangeForcing {
  using real = typename Patches::real;

 public:
  using Answers = BackendView<Backend, InSums<Patches>>;

  // mixes: columns step in levels, which take forcing between its two rates. All but `setup` stays longer than this.
  ChangeForcing(const StepperSetup& setup, const NodeView& nodes, const Places<Patches>& places, bool mixes, const Answers& answers,
                const std::vector<std::int32_t>& strips, Backend& backend)
      : backend_(backend),
        answers_(answers),
        nodes_(nodes),
        places_(places),
        level_(static_cast<std::int64_t>(nodes.NX) * nodes.NY),
        pushed_(setup.floor && setup.floor->gives_way && !places.below),
        floor_(setup, nodes, !places.below, answers, backend, true) {
    if (floor_.any() || pushed_) loads_ = zeros(2 * places_.table_size());
    place_bodies(setup, strips, mixes);
  }

  FloorLoad floor_load(std::span<const ForcingSample> forcing, Rate which) { return floor_.at(forcing, which); }
  FloorLoad floor_load_before(std::span<const ForcingSample> forcing, Rate which) { return floor_.at(forcing, which, &ForcingSample::before); }
  // For both sweeps; whole: all of the load, of the first step or one before it.
  void form(std::span<const ForcingSample> forcing, bool whole) {
    const RateChange::Less less = whole ? RateChange::Less::nothing : RateChange::Less::itself_before;
    form_bodies(forcing, {load, less}, {mean_load, less});
    const FloorLoad now[2] = {floor_load(forcing, load), floor_load(forcing, mean_load)};
    loaded_ = now[0].terms > 0 || pushed_;
    if (!loaded_) return;
    FloorLoad before[2];
    for (int m = 0; m < 2 && !whole; ++m) before[m] = floor_load_before(forcing, m == 0 ? load : mean_load);
    backend_.for_each(
        level_, SpreadLoadChanges<Patches>{places_, {now[0], now[1]}, {before[0], before[1]}, {loads_.data(), loads_.data() + places_.table_size()}});
  }
  real* pushed_table(int n) { return loads_.data() + n * places_.table_size(); }  // a floor that gives way adds to it (fused_floor.hpp)
  FloorLoadOf<real> table(int n) const { return {loaded_ ? loads_.data() + n * places_.table_size() : nullptr}; }
  // Of both, the second with this weight.
  FloorLoadOf<real> mixed_table(double weight) const {
    if (!loaded_ || weight == 0 || weight == 1) return table(weight == 1);
    return {table(0).values, table(1).values, static_cast<real>(weight)};
  }
  std::size_t kind() const { return 4 * strips_force_ + 2 * loaded_ + formed_; }  // of eight that differ in where there is forcing at present

  // In the water; body(0), body(1) are what it makes of them.
  void form_bodies(std::span<const ForcingSample> forcing, RateChange a, RateChange b) {
    const auto forces = [&](const ForcingSample& sample) { return floor_.in_water(sample.term); };
    const bool any = std::any_of(forcing.begin(), forcing.end(), forces);
    if (!any && !formed_) return;
    formed_ = any;
    AddWaterChange<Patches> add{
        places_, nodes_, {}, true, {bodies_[0].data(), bodies_[1].data()}, body_at_.data(), strips_.empty() ? nullptr : strips_.data(), {}, {}};
    const auto each = [&](int term) {
      add.nodes = answers_.forced(term);
      backend_.for_each(add.nodes.count, add);
    };
    for (const int term : floor_.water_terms()) each(term);
    add.begins = false;
    for (const ForcingSample& sample : forcing) {
      if (!forces(sample)) continue;
      const RateChange of[2] = {a, b};
      for (int m = 0; m < 2; ++m) {
        add.now[m] = of[m].now(sample);
        add.before[m] = of[m].before(sample);
      }
      each(sample.term);
    }
  }
  BodyLoadOf<real> body(int n) const {
    return {formed_ || (strips_force_ && in_water()) ? bodies_[n].data() : strips_force_ ? strips_.data() : nullptr, body_at_.data()};
  }
  // Mixed by a lane of work in place n of two.
  BodyLoadOf<real> mixed_body(const Backend& lane, int n, double weight) {
    if (!formed_ || weight == 0 || weight == 1) return body(weight == 1);
    Array<real>& to = bodies_[2 + static_cast<std::size_t>(n)];
    for_each_in_fours(lane, static_cast<std::int64_t>(to.size()),
                      MixForcing<real>{static_cast<real>(weight), bodies_[0].data(), bodies_[1].data(), to.data()});
    return {to.data(), body_at_.data()};
  }

  // Where changes of what strips force with go, in a step; and after it.
  StripTables<Patches> change_strips() {
    strips_force_ = true;
    return {{strips_.data(), bodies_[0].data(), bodies_[1].data()}, body_at_.data()};
  }
  void strips_stand() {
    if (!strips_force_) return;
    strips_force_ = false;
    for (Array<real>* a : {&strips_, &bodies_[0], &bodies_[1]}) backend_.for_each(static_cast<std::int64_t>(a->size()), SetZero{a->data()});
  }

 private:
  bool in_water() const { return !floor_.water_terms().empty(); }  // some terms
  Array<real> zeros(std::int64_t n) {
    Array<real> a(Backend::space, static_cast<std::size_t>(n));
    a.zero();
    return a;
  }
  // Patches that strips touch, or sources in the water.
  void place_bodies(const StepperSetup& setup, const std::vector<std::int32_t>& strips, bool mixes) {
    ForcedPatches<Patches> patches(places_);
    for (const std::int32_t column : strips) patches.add(column);
    for (const int term : floor_.water_terms()) patches.add(setup.forcing[static_cast<std::size_t>(term)]);
    if (patches.size() == 0) return;
    body_at_ = Array<std::int64_t>(Backend::space, patches.at());
    if (!strips.empty()) strips_ = zeros(patches.size());
    for (std::size_t n = 0; n < (mixes ? 4 : 2) && in_water(); ++n) bodies_[n] = zeros(patches.size());
  }

  Backend& backend_;
  const Answers& answers_;  // for where terms force
  NodeView nodes_;
  Places<Patches> places_;
  std::int64_t level_;
  bool pushed_;
  FloorLoads<Backend, Answers> floor_;
  Array<real> loads_;                  // tables of two loads
  Array<std::int64_t> body_at_;        // BodyLoad
  Array<real> strips_;                 // likewise, of strips alone
  std::array<Array<real>, 4> bodies_;  // likewise, with sources
  bool loaded_ = false, formed_ = false, strips_force_ = false;
};

}  // namespace agwave::leapfrog4
