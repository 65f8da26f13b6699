// SPDX-License-Identifier: Apache-2.0
// Strips of sponges (fading.hpp) under the leapfrog of changes (fused_changes.hpp). A damping D makes X' = D X of the state X = (psi, P), so what a step
// begins with is no longer what the step before has ended with. With x = X - X_before carried and a step S, forced by f,
//   X_next = S X' + f = X + S (X' - X_before) + f - f_before,     X' - X_before = x - due,     due = X - D X
// so a damped state owes: `due` is taken from x before the next step and comes back after it, when x is X_next - X'. Nothing else changes, not even what walls
// add up. P = d / dt is at hand. psi is not, and in the strips alone it has to be known: there it is the sum of its changes, in double precision. It owes
// nothing, in matched strips or in fading ones, where all that fades of the velocity is taken from v.
#pragma once
#include <array>
#include <cstdint>
#include <utility>

#include "device/for_each_in_fours.hpp"
#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fading.hpp"
#include "timestep/leapfrog4/fused_transfer.hpp"
#include "timestep/leapfrog4/strip_changes_pointwise.hpp"
#include "timestep/leapfrog4/strip_patches.hpp"

namespace agwave::leapfrog4 {

inline const StateArray strip_potential_array{"strip_potential", StateArray::Items::node_rows, "half a step ahead"};
inline const StateArray rate_due_array{"strip_rate_due", StateArray::Items::node_rows, "for damping, until after the next step"};
inline const StateArray strip_force_array{"strip_force", StateArray::Items::node_rows, "of the last step"};

template <class Backend, class Patches>
class StripChanges {
  using real = typename Patches::real;

 public:
  StripChanges(const StepperSetup& setup, const Spaces& spaces, const NodeView& nodes, const Places<Patches>& places, Backend& backend)
      : backend_(backend), nodes_(nodes), places_(places), fading_(setup, spaces, backend, false), patches_(fading_, nodes, places) {
    if (!any()) return;
    for (Kept& kept : kept_) kept.values = Array<double>(Backend::space, static_cast<std::size_t>(count()));
    forces_before_ = zeros<double>(backend_, count());
    rest();
  }

  bool any() const { return fading_.any(); }
  const Fading<Backend>& fading() const { return fading_; }
  StateArrays with_strips(StateArrays arrays) const {  // those of a leapfrog without strips, and what they add
    for (const Kept& kept : kept_)
      if (any()) arrays.push_back(*kept.array);
    return fading_.with_rest(arrays);
  }
  bool has(const StateArray& array) { return array == rest_array || array == corner_array || find(array) != nullptr; }

  void rest() {
    if (!any()) return;
    fading_.rest();
    for (Kept& kept : kept_) zero(kept);
    owes_ = false;
    forces_stand_ = true;
  }
  // Of the state that the first step ends with, whose change comes after it.
  void begin(const real* psi) { follow_with(psi, true); }

  void damp(const real* change, double dt) {
    const StripState<Patches> state = this->state(change, dt);
    if (fading_.matched()) {
      owe(fading_.stretched(), change, dt);
      fading_.stretch(state);
    } else {
      fading_.fade(state, dt);
      owe(FadedRate{fading_.nodes()}, change, dt);
    }
    owes_ = true;
    forces_stand_ = false;
  }
  bool owes() const { return owes_; }
  void pay(real* P) {  // before a step
    if (owes_) settle(P, -1);
  }
  void pay_change(real* d, double dt) {  // likewise of d = dt P, for who reads P from it; with -dt it is as it was
    if (owes_) settle(d, -dt);
  }
  void receive(const real* psi, real* P) {  // after one
    if (owes_)
      for_each_in_fours(backend_, count(), Receive<Patches>{{of_strips(), false, psi, potential()}, rate_due(), P});
    else
      follow_with(psi, false);
    owes_ = false;
  }
  // Of the state as it was before the damping, to what it is now: at nodes of a list, or at all if it is null.
  template <class At>  // NodeOfChange or FloorNodeOfChange
  void damp_pressure(const At& at, const WatchedPart& part, real* sums) {
    const sponge_detail::Columns fades = fading_.nodes();
    const bool fade = !fading_.matched();
    backend_.for_each(part.count, DampPressure<At, Patches>{at, part, fade ? fades.x : nullptr, fade ? fades.y : nullptr, values(kept_[1]), sums});
  }

  bool forces_stand() const { return forces_stand_; }  // they are those of the last step
  // By how much they change, to places of `to`; sums: an array of `exchange` that nobody needs. Collective.
  template <class Perimeters>
  void form_forces(const real* change, double dt, Perimeters& exchange, real* sums, const StripTables<Patches>& to) {
    fading_.form_forces(state(change, dt));
    patches_.sum(backend_, exchange, sums);
    std::swap(kept_[2].values, forces_before_);
    backend_.for_each(patches_.places().stretches(), SpreadForceChanges<Patches>{patches_.places(), sums, forces_before_.data(), forces(), to});
    forces_stand_ = true;
  }

  void get(const StateArray& array, std::int64_t first, std::span<double> values, FusedTransfer<Backend, Patches>& transfer) {
    if (const Kept* const kept = find(array))
      transfer.fetch(this->values(*kept), first * nodes_.NX, values);
    else
      fading_.get(array, first, values);
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values, FusedTransfer<Backend, Patches>& transfer) {
    owes_ = true;
    forces_stand_ = false;
    if (Kept* const kept = find(array))
      transfer.bring(ToStrips<Patches>{nodes_, places_, 0, nullptr, patches_.numbers(), kept->values.data()}, first * nodes_.NX, values);
    else
      fading_.set(array, first, values);
  }

 private:
  struct Kept {
    const StateArray* array;
    Array<double> values;
  };

  std::int64_t count() const { return patches_.places().size(); }
  double* potential() { return kept_[0].values.data(); }
  double* rate_due() { return kept_[1].values.data(); }
  double* forces() { return kept_[2].values.data(); }
  StripValues<Patches> values(const Kept& kept) const { return {places_, patches_.numbers(), kept.values.data()}; }
  void zero(Kept& kept) { backend_.for_each(count(), SetZero{kept.values.data()}); }
  Kept* find(const StateArray& array) {
    for (Kept& kept : kept_)
      if (array == *kept.array) return &kept;
    return nullptr;
  }
  StripState<Patches> state(const real* change, double dt) { return {values(kept_[0]), rate_due(), change, 1 / dt, fading_.matched() ? 0 : dt}; }
  OfStrips of_strips() const { return {patches_.places().patches, places_.patch_sums()}; }
  template <class Damped>
  void owe(const Damped& damped, const real* change, double dt) {
    backend_.for_each(patches_.places().stretches(), Owe<Patches, Damped>{patches_.places(), damped, dt, change, potential(), rate_due()});
  }
  void settle(real* P, double sign) { for_each_in_fours(backend_, count(), Settle<Patches>{of_strips(), rate_due(), sign, P}); }
  void follow_with(const real* psi, bool begins) { for_each_in_fours(backend_, count(), Follow<Patches>{of_strips(), begins, psi, potential()}); }

  Backend& backend_;
  NodeView nodes_;
  Places<Patches> places_;
  Fading<Backend> fading_;
  StripPatches<Backend, Patches> patches_;
  std::array<Kept, 3> kept_{{{&strip_potential_array, {}}, {&rate_due_array, {}}, {&strip_force_array, {}}}};
  Array<double> forces_before_;  // those of the step before: to read and write one array is several times slower on a GPU
  bool owes_ = false, forces_stand_ = true;
};

}  // namespace agwave::leapfrog4
