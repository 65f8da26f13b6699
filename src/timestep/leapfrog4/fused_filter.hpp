// SPDX-License-Identifier: Apache-2.0
// The damper of filter.hpp by the sweeps of the fused leapfrog, which take their field from where psi is: what is there waits where T was meanwhile. r is lost.
#pragma once
#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fading.hpp"
#include "timestep/leapfrog4/filter.hpp"
#include "timestep/leapfrog4/fused_sweeps.hpp"

namespace agwave::leapfrog4 {

// Of r = K x, the sum that makes X x.
template <class Patches>
AGWAVE_HD Patches::real by_own_steps(const Places<Patches>& places, const typename Patches::real* r, int i, int j, int k) {
  return places.weighted_sum(r, i, j, k, [](int halvings) { return weight_of_halvings(halvings); });
}

// n counts the nodes. r = K X^(m-1) P: the next power comes to where psi is, of which loss(i, j, k, place, F's term of P, what waits) gets what it makes.
template <class Patches, class Loss>
struct TakeTerm {
  NodeView v;
  Places<Patches> places;
  FilterTerm term;
  bool first, last;
  Loss loss;
  const Patches::real* r;
  Patches::real *psi, *T;
  AGWAVE_HD void operator()(std::int64_t n) const {
    using real = typename Patches::real;
    const auto [i, j, k] = v.locate(n);
    const std::int64_t place = places.place(i, j, k);
    real& waits = T[places.place_in_sums(i, j, k)];
    const double power = term.scale * v.inverse_mass(i, j, k) * by_own_steps(places, r, i, j, k);
    waits = loss(i, j, k, place, term.weight * power, first ? psi[place] : waits);
    places.put(i, j, k, last ? waits : static_cast<real>(power), psi);
  }
};
template <class Patches>
struct LossOfState {
  Places<Patches> places;
  double of_psi;
  double* P;
  AGWAVE_HD double operator()(int i, int j, int k, std::int64_t place, double lost, double psi) const {
    places.put(i, j, k, P[place] - lost, P);
    return psi - of_psi * lost;
  }
};
template <class Patches>
struct LossDue {  // of P, added up as the state lies
  Places<Patches> places;
  Patches::real* due;
  AGWAVE_HD Patches::real operator()(int i, int j, int k, std::int64_t place, double lost, Patches::real d) const {
    places.put(i, j, k, static_cast<Patches::real>(due[place] + lost), due);
    return d;
  }
};
template <class Patches>
struct PressureOfState {  // r = K P
  NodeView v;
  Places<Patches> places;
  double dt;
  const double *P, *r;
  AGWAVE_HD double operator()(int i, int j, int k) const {
    return filtered_pressure(v, i, j, k, P[places.place(i, j, k)], by_own_steps(places, r, i, j, k), dt);
  }
};
template <class Real>
struct PayDue {  // of the change of the state or, with the other sign, to it
  const Real* due;
  double of_psi, sign;
  Real *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    psi[n] = static_cast<Real>(psi[n] + sign * of_psi * due[n]);
    P[n] = static_cast<Real>(P[n] + sign * due[n]);
  }
};

// r = K P / unit is formed. step: as FilterTerm has it. Collective.
template <class Backend, class Sweeps, class Loss>
void take_terms(FusedSweeps<Backend, Sweeps>& sweeps, const NodeView& v, double step, double unit, const Loss& loss, Backend& backend) {
  constexpr int terms = static_cast<int>(filter_weights.size());
  for (int m = 1; m <= terms; ++m) {
    const FilterTerm term(m, m == 1 ? unit : 1, step);
    backend.for_each(
        v.size(), TakeTerm<typename Sweeps::Patches, Loss>{v, sweeps.places(), term, m == 1, m == terms, loss, sweeps.r(), sweeps.psi(), sweeps.T()});
    if (m == terms) return;
    sweeps.mix(sweeps.r(), 1, 0);
    sweeps.finish_exchange();
  }
}

// Of a state in double precision. balance(pressure, 1) before it and balance(pressure, -1) after it, if anybody asks for energies. Collective.
template <class Backend, class Sweeps, class Balance>
void filter_state(FusedSweeps<Backend, Sweeps>& sweeps, const NodeView& v, double step, bool energies, const Balance& balance, Backend& backend) {
  using Patches = typename Sweeps::Patches;
  const auto form_r = [&] {
    sweeps.finish_exchange();
    sweeps.mix(sweeps.r(), 0, 1);
    sweeps.finish_exchange();
  };
  const PressureOfState<Patches> pressure{v, sweeps.places(), sweeps.dt(), sweeps.P(), sweeps.r()};
  form_r();
  if (energies) balance(pressure, 1);
  take_terms(sweeps, v, step, 1, LossOfState<Patches>{sweeps.places(), 0.5 * sweeps.dt(), sweeps.P()}, backend);
  if (!energies) return;
  form_r();
  balance(pressure, -1);
}

// Of the change of a state (fused_changes.hpp), which owes as in strip_changes.hpp: what the state loses is taken from the change before a step and comes
// back after it, when it is that of the state without it.
template <class Backend, class Sweeps>
class FilterOfChange {
  using Patches = typename Sweeps::Patches;
  using real = typename Patches::real;

 public:
  FilterOfChange(FusedSweeps<Backend, Sweeps>& sweeps, Backend& backend) : sweeps_(sweeps), backend_(backend) {}

  void make_room() {
    if (due_.empty()) due_ = Array<real>(Backend::space, static_cast<std::size_t>(sweeps_.state_size()));
  }
  // What the state will owe; d = dt P is where psi is. Collective.
  void form(const NodeView& v, double step) {
    make_room();  // of who has not said before that it filters
    backend_.for_each(sweeps_.state_size(), SetZero{due_.data()});
    sweeps_.finish_exchange();
    sweeps_.mix(sweeps_.r(), 1, 0);
    sweeps_.finish_exchange();
    take_terms(sweeps_, v, step, sweeps_.dt(), LossDue<Patches>{sweeps_.places(), due_.data()}, backend_);
  }
  void pay() {  // before a step
    settle(-1);
    owes_ = true;
  }
  // After one; whether r is that of another change now.
  bool give_back() {
    if (!owes_) return false;
    sweeps_.finish_exchange();
    settle(1);
    owes_ = false;
    return true;
  }

 private:
  void settle(double sign) {
    backend_.for_each(sweeps_.state_size(), PayDue<real>{due_.data(), 0.5 * sweeps_.dt(), sign, sweeps_.psi(), sweeps_.P()});
  }

  FusedSweeps<Backend, Sweeps>& sweeps_;
  Backend& backend_;
  Array<real> due_;  // F P
  bool owes_ = false;
};

}  // namespace agwave::leapfrog4
