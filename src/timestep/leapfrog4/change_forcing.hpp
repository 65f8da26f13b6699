// SPDX-License-Identifier: Apache-2.0
// What forces the change of a state over a step (fused_changes.hpp): loads of the floor, of sources in the water and of the strips of sponges
// (strip_changes.hpp), less those of a step before. Both are rounded to the precision of the state before one is taken from the other: what is added up over
// all steps is then what the last load is, and a floor that has come to rest forces nothing.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "timestep/leapfrog4/forcing_tables.hpp"
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
    const auto [i, j, k] = v.locate(nodes.node(n));
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
class ChangeForcing : public ForcingTables<Backend, Patches> {
  using Base = ForcingTables<Backend, Patches>;
  using Base::backend_, Base::bodies_, Base::body_at_, Base::formed_, Base::level_, Base::loaded_, Base::loads_, Base::nodes_, Base::places_,
      Base::pushed_, Base::strips_;

 public:
  using typename Base::real;

  // As ForcingTables has it.
  ChangeForcing(const StepperSetup& setup, const NodeView& nodes, const Places<Patches>& places, bool mixes, const typename Base::Answers& answers,
                const std::vector<std::int32_t>& strips, Backend& backend)
      : Base(setup, nodes, places, mixes, answers, strips, backend, true) {}

  FloorLoad floor_load_before(std::span<const ForcingSample> forcing, Rate which) { return Base::floor_load(forcing, which, &ForcingSample::before); }
  // For both sweeps; whole: all of the load, of the first step or one before it.
  void form(std::span<const ForcingSample> forcing, bool whole) {
    const RateChange::Less less = whole ? RateChange::Less::nothing : RateChange::Less::itself_before;
    form_bodies(forcing, {load, less}, {mean_load, less});
    const FloorLoad now[2] = {Base::floor_load(forcing, load), Base::floor_load(forcing, mean_load)};
    loaded_ = now[0].terms > 0 || pushed_;
    if (!loaded_) return;
    FloorLoad before[2];
    for (int m = 0; m < 2 && !whole; ++m) before[m] = floor_load_before(forcing, m == 0 ? load : mean_load);
    backend_.for_each(
        level_, SpreadLoadChanges<Patches>{places_, {now[0], now[1]}, {before[0], before[1]}, {loads_.data(), loads_.data() + places_.table_size()}});
  }
  std::size_t kind() const { return 4 * strips_force_ + Base::kind(); }

  // In the water; body(0), body(1) are what it makes of them.
  void form_bodies(std::span<const ForcingSample> forcing, RateChange a, RateChange b) {
    const AddWaterChange<Patches> add{places_, nodes_, {}, true, {bodies_[0].data(), bodies_[1].data()}, body_at_.data(), Base::strips(), {}, {}};
    Base::form_bodies(forcing, add, [of = std::array{a, b}](AddWaterChange<Patches>& to, const ForcingSample& sample) {
      for (std::size_t m = 0; m < 2; ++m) {
        to.now[m] = of[m].now(sample);
        to.before[m] = of[m].before(sample);
      }
    });
  }
  BodyLoadOf<real> body(int n) const {
    const bool sources = formed_ || (strips_force_ && Base::in_water());
    return {sources ? bodies_[static_cast<std::size_t>(n)].data() : strips_force_ ? strips_.data() : nullptr, body_at_.data()};
  }
  BodyLoadOf<real> mixed_body(const Backend& lane, int n, double weight) {
    return !formed_ || weight == 0 || weight == 1 ? body(weight == 1) : Base::mix_bodies(lane, n, weight);
  }

  // Where changes of what strips force with go, in a step; and after it.
  StripTables<Patches> change_strips() {
    strips_force_ = true;
    return {{strips_.data(), bodies_[0].data(), bodies_[1].data()}, body_at_.data()};
  }
  void strips_stand() {
    if (!strips_force_) return;
    strips_force_ = false;
    if (!Base::in_water()) return;  // nobody reads them before strips force anew
    for (Array<real>* a : {&strips_, &bodies_[0], &bodies_[1]}) backend_.for_each(static_cast<std::int64_t>(a->size()), SetZero{a->data()});
  }

 private:
  bool strips_force_ = false;
};

}  // namespace agwave::leapfrog4
