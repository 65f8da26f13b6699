// SPDX-License-Identifier: Apache-2.0
// What the floor hears of a propagation (run/propagation.hpp) under the leapfrog of changes, where all columns take the same step: the force K psi is the sum
// of that of its changes, in double precision.
#pragma once
#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_pointwise.hpp"

namespace agwave::leapfrog4 {

template <class Patches>
struct AddForceOfFloor {  // K of what is carried; n counts the columns
  Places<Patches> places;
  const typename Patches::real* r;
  double* sums;
  AGWAVE_HD void operator()(std::int64_t n) const { sums[n] += places.sum(r, static_cast<int>(n % places.NX), static_cast<int>(n / places.NX), 0); }
};
template <class At>
struct HearFloorOfChanges : At {  // as HearFloor; sums: K psi but for that of the last change, r
  using real = typename At::real;
  const real* r;
  const double* sums;
  double of_rate, of_force;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = static_cast<int>(n % this->v.NX), j = static_cast<int>(n / this->v.NX);
    const double mass = this->node_at(i, j, 0).inverse_mass_of_q(), force = sums[n] + this->places.sum(r, i, j, 0);
    to[n] += of_rate * this->psi[this->places.place(i, j, 0)] / this->dt + of_force * mass * force;
  }
};

template <class Backend, class Patches>
class ChangeHearing {
  using real = typename Patches::real;

 public:
  ChangeHearing(bool hears, std::int64_t columns, Backend& backend) : columns_(hears ? columns : 0), backend_(backend) {
    force_ = Array<double>(Backend::space, static_cast<std::size_t>(columns_));
    rest();
  }
  void rest() { backend_.for_each(columns_, SetZero{force_.data()}); }
  // Before a step, r = K of what it begins with.
  void add_force(const Places<Patches>& places, const real* r) { backend_.for_each(columns_, AddForceOfFloor<Patches>{places, r, force_.data()}); }
  // After one, as StateView::hear.
  template <class At>
  void hear(const At& node, const real* r, double of_rate, double of_force, double* to) {
    backend_.for_each(columns_, HearFloorOfChanges<At>{node, r, force_.data(), of_rate, of_force, to});
  }

 private:
  std::int64_t columns_;
  Backend& backend_;
  Array<double> force_;  // [NY][NX] of the floor, but for that of the last change
};

}  // namespace agwave::leapfrog4
