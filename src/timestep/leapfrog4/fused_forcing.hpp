// SPDX-License-Identifier: Apache-2.0
// What forces the fused leapfrog: tables and bodies (forcing_tables.hpp) at two rates, and what strips of sponges force with (fading.hpp).
#pragma once
#include <span>

#include "timestep/leapfrog4/forcing_tables.hpp"
#include "timestep/leapfrog4/strip_patches.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Patches>
class FusedForcing : public ForcingTables<Backend, Patches> {
  using Base = ForcingTables<Backend, Patches>;
  using Base::backend_, Base::bodies_, Base::body_at_, Base::formed_, Base::level_, Base::loaded_, Base::loads_, Base::nodes_, Base::places_,
      Base::pushed_, Base::strips_;

 public:
  // As ForcingTables has it.
  FusedForcing(const StepperSetup& setup, const NodeView& nodes, const Places<Patches>& places, bool mixes, const typename Base::Answers& answers,
               const Fading<Backend>& fading, Backend& backend)
      : Base(setup, nodes, places, mixes, answers, fading.touched(), backend, false), patches_(fading, nodes, places) {}

  // A floor that gives way adds to them (fused_floor.hpp).
  void form_tables(const FloorLoad& a, const FloorLoad& b) {
    loaded_ = a.terms + b.terms > 0 || pushed_;
    if (loaded_) backend_.for_each(level_, SpreadLoads<Patches>{places_, {a, b}, {loads_.data(), loads_.data() + places_.table_size()}});
  }

  // In the water at two rates: of the strips, and of sources.
  void form_body(std::span<const ForcingSample> forcing, Rate a, Rate b) {
    const AddWaterTerm<Patches> add{places_, nodes_, {}, true, {{bodies_[0].data(), bodies_[1].data()}, body_at_.data()}, Base::strips(), {}};
    Base::form_bodies(forcing, add, [a, b](AddWaterTerm<Patches>& to, const ForcingSample& sample) {
      to.rate[0] = sample.rate[a];
      to.rate[1] = sample.rate[b];
    });
  }
  BodyLoad of_strips() const { return {Base::strips(), body_at_.data()}; }
  BodyLoad body(int n) const { return Base::in_water() ? BodyLoad{bodies_[static_cast<std::size_t>(n)].data(), body_at_.data()} : of_strips(); }
  BodyLoad mixed_body(const Backend& lane, int n, double weight) {
    return !formed_ || weight == 0 || weight == 1 ? body(weight == 1) : Base::mix_bodies(lane, n, weight);
  }

  void rest() {  // nothing forces the water, nor do the strips
    if (!strips_.empty()) strips_.zero();
    for (Array<double>& a : bodies_)
      if (!a.empty()) a.zero();
    assembled_ = true;
  }
  void strips_changed() { assembled_ = false; }
  bool assembled() const { return assembled_; }
  // What the strips force their nodes with, as all ranks that hold them add it up, in an array of sums of `exchange` that nobody needs. spread(n, f) calls
  // f(0) .. f(n - 1) of SpreadForces, or of what is made of it. Collective.
  template <class Perimeters, class F>
  void assemble(double* sums, Perimeters& exchange, F&& spread) {
    patches_.sum(backend_, exchange, sums);
    const StripPlaces<Patches> strips = strip_places();
    spread(strips.stretches(), SpreadForces<Patches>{strips, sums, {{strips_.data(), bodies_[0].data()}, body_at_.data()}, bodies_[1].data()});
    assembled_ = true;
  }
  StripPlaces<Patches> strip_places() const { return patches_.places(); }
  OfColumns<Patches> touched() const { return patches_.touched(); }

 private:
  StripPatches<Backend, Patches> patches_;
  bool assembled_ = true;  // strips_ is that of the fading
};

}  // namespace agwave::leapfrog4
