// SPDX-License-Identifier: Apache-2.0
// What forces the fused leapfrog, as its sweeps take it: of the floor a table of one level of all patches, at two rates; in the water, by sources there and
// by the strips of sponges (fading.hpp), the values of all nodes of the patches that have any.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "device/for_each_in_fours.hpp"
#include "device/set_zero.hpp"
#include "timestep/leapfrog4/forced_patches.hpp"
#include "timestep/leapfrog4/fused_floor_loads.hpp"
#include "timestep/leapfrog4/fused_levels_pointwise.hpp"
#include "timestep/leapfrog4/strip_patches.hpp"
#include "timestep/leapfrog4/watched_nodes.hpp"
#include "timestep/state_view_impl.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Patches>
class FusedForcing {
 public:
  using Answers = BackendView<Backend, InSums<Patches>>;

  // mixes: columns step in levels, which take forcing between its two rates. All but `setup` stays longer than this.
  FusedForcing(const StepperSetup& setup, const NodeView& nodes, const Places<Patches>& places, bool mixes, const Answers& answers,
               const Fading<Backend>& fading, Backend& backend)
      : backend_(backend),
        answers_(answers),
        fading_(fading),
        nodes_(nodes),
        places_(places),
        level_(static_cast<std::int64_t>(nodes.NX) * nodes.NY),
        pushed_(setup.floor && setup.floor->gives_way && !places.below),
        strips_(fading, nodes, places),
        floor_(setup, nodes, !places.below, answers, backend, false) {
    if (floor_.any() || pushed_) loads_ = zeros(2 * places_.table_size());
    place_bodies(setup, mixes);
  }

  bool in_water() const { return !floor_.water_terms().empty(); }  // some terms
  bool in_water_now() const { return formed_; }                    // water_body_ is more than that of the strips somewhere
  FloorLoad floor_load(std::span<const ForcingSample> forcing, Rate which) { return floor_.at(forcing, which); }
  // Whether they are needed. A floor that gives way adds to them (fused_floor.hpp).
  bool form_tables(const FloorLoad& a, const FloorLoad& b) {
    const bool needed = a.terms + b.terms > 0 || pushed_;
    if (needed) backend_.for_each(level_, SpreadLoads<Patches>{places_, {a, b}, {loads_.data(), loads_.data() + places_.table_size()}});
    return needed;
  }
  double* pushed_table(int n) { return loads_.data() + n * places_.table_size(); }
  FloorLoadOf<double> table(bool loaded, int n) const { return {loaded ? loads_.data() + n * places_.table_size() : nullptr}; }
  // Forcing at the first rate where the second has no weight, at the second where it has all of it, else between both.
  FloorLoadOf<double> mixed_table(bool loaded, double weight) const {
    if (!loaded || weight == 0 || weight == 1) return table(loaded, weight == 1);
    return {table(true, 0).values, table(true, 1).values, weight};
  }

  // In the water at two rates: of the strips, and of sources, which begins anew wherever one has been.
  void form_body(std::span<const ForcingSample> forcing, Rate a, Rate b) {
    const auto forces = [&](const ForcingSample& sample) { return floor_.in_water(sample.term); };
    const bool any = std::any_of(forcing.begin(), forcing.end(), forces);
    if (!any && !formed_) return;
    formed_ = any;
    AddWaterTerm<Patches> add{places_,
                              nodes_,
                              {},
                              true,
                              {{water_body_[0].data(), water_body_[1].data()}, body_at_.data()},
                              strip_body_.empty() ? nullptr : strip_body_.data(),
                              {}};
    const auto each = [&](int term) {
      add.nodes = answers_.forced(term);
      backend_.for_each(add.nodes.count, add);
    };
    for (const int term : floor_.water_terms()) each(term);
    add.begins = false;
    for (const ForcingSample& sample : forcing)
      if (forces(sample)) {
        add.rate[0] = sample.rate[a];
        add.rate[1] = sample.rate[b];
        each(sample.term);
      }
  }
  BodyLoad of_strips() const { return {strip_body_.empty() ? nullptr : strip_body_.data(), body_at_.data()}; }
  BodyLoad body(int n) const { return in_water() ? BodyLoad{water_body_[n].data(), body_at_.data()} : of_strips(); }
  // Mixed by a lane of work in place n of two.
  BodyLoad mixed_body(const Backend& lane, int n, double weight) {
    if (!formed_ || weight == 0 || weight == 1) return body(weight == 1);
    Array<double>& to = water_body_[2 + n];
    for_each_in_fours(lane, static_cast<std::int64_t>(to.size()), MixForcing{weight, water_body_[0].data(), water_body_[1].data(), to.data()});
    return {to.data(), body_at_.data()};
  }

  void rest() {  // nothing forces the water, nor do the strips
    if (!strip_body_.empty()) strip_body_.zero();
    for (Array<double>& a : water_body_)
      if (!a.empty()) a.zero();
    assembled_ = true;
  }
  void strips_changed() { assembled_ = false; }
  bool assembled() const { return assembled_; }
  // What the strips force their nodes with, as all ranks that hold them add it up, in an array of sums of `exchange` that nobody needs. spread(n, f) calls
  // f(0) .. f(n - 1) of SpreadForces, or of what is made of it. Collective.
  template <class Perimeters, class F>
  void assemble(double* sums, Perimeters& exchange, F&& spread) {
    strips_.sum(backend_, exchange, sums);
    const StripPlaces<Patches> strips = strip_places();
    spread(strips.size(), SpreadForces<Patches>{strips, sums, {{strip_body_.data(), water_body_[0].data()}, body_at_.data()}, water_body_[1].data()});
    assembled_ = true;
  }
  StripPlaces<Patches> strip_places() const { return strips_.places(); }
  OfColumns<Patches> touched() const { return strips_.touched(); }

 private:
  Array<double> zeros(std::int64_t n) {
    Array<double> a(Backend::space, static_cast<std::size_t>(n));
    backend_.for_each(n, SetZero{a.data()});
    return a;
  }

  // Patches that strips touch, or sources in the water.
  void place_bodies(const StepperSetup& setup, bool mixes) {
    ForcedPatches<Patches> patches(places_);
    for (const std::int32_t column : fading_.touched()) patches.add(column);
    for (const int term : floor_.water_terms()) patches.add(setup.forcing[static_cast<std::size_t>(term)]);
    const std::int64_t size = patches.size();
    if (size == 0) return;
    body_at_ = Array<std::int64_t>(Backend::space, patches.at());
    if (fading_.any()) strip_body_ = zeros(size);
    for (int n = 0; n < (mixes ? 4 : 2) && in_water(); ++n) water_body_[n] = zeros(size);
  }

  Backend& backend_;
  const Answers& answers_;  // for where terms force
  const Fading<Backend>& fading_;
  NodeView nodes_;
  Places<Patches> places_;
  std::int64_t level_;
  bool pushed_;
  StripPatches<Backend, Patches> strips_;
  FloorLoads<Backend, Answers> floor_;
  Array<double> loads_;                       // tables at two rates
  Array<std::int64_t> body_at_;               // BodyLoad
  Array<double> strip_body_, water_body_[4];  // forcing by the strips alone; with sources at two rates, and of both mixed, twice
  bool assembled_ = true;                     // strip_body_ is that of fading_
  bool formed_ = false;
};

}  // namespace agwave::leapfrog4
