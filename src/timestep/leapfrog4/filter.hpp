// SPDX-License-Identifier: Apache-2.0
// A damper of what a step hardly resolves, between steps. Kinks in time excite waves that no mesh carries (docs/theory.md). RK4 damps what turns by a radian a
// step or more; the leapfrog damps nothing, so here its rate P loses them. With X = M^-1 sum of (w d_e)^2/12 K_e over the elements e, where d_e is the step of
// an element's own column and w d_e no more than the longest that is stable there, X has its eigenvalues in [0, 1], in levels too:
//   P -= F P,  psi -= dt/2 F P,        F = 40 X^3 - 88 X^4 + 49 X^5
// From X = 0.5 on F is 0.3 to 1.1, and below 0.1 at most 40 X^3: as RK4's own damping it is of order six in d_e omega. The completed potential psi - dt/2 P
// stays where it is. Where all columns take one step and walls are rigid, X commutes with the step, so that its energy only falls.
#pragma once
#include <array>
#include <cmath>
#include <span>

#include "fem/spaces.hpp"
#include "timestep/leapfrog4/fading.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/state_pointwise.hpp"

namespace agwave::leapfrog4 {

inline constexpr std::array<double, 5> filter_weights{0, 0, 40, -88, 49};  // of X, X^2, ..

// The part of X that elements of columns of so many halvings have, over that of those without any.
AGWAVE_HD double weight_of_halvings(int halvings) { return std::ldexp(1.0, -2 * halvings); }

struct FilterTerm {  // the m-th: weight X^m P
  double scale;      // of M^-1 sum of weight_of_halvings K_e, applied to unit X^(m-1) P, in X^m P
  double weight;
  // step: w d_e of columns without halvings
  FilterTerm(int m, double unit, double step) : scale(step * step / (12 * unit)), weight(filter_weights[static_cast<std::size_t>(m - 1)]) {}
};

// The pressure of a completed state at a node: p = P + X P / 2 with w = 1, as of the steps that the columns take.
// KP: the sum there of weight_of_halvings K_e P
AGWAVE_HD double filtered_pressure(const NodeView& v, int i, int j, int k, double P, double KP, double dt) {
  return P + dt * dt / 24 * KP * v.inverse_mass(i, j, k);
}
template <class Pressure>
struct PressureEnergy {  // over owned nodes
  NodeView v;
  Pressure p;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    if (!v.owned(i, j, k)) return 0;
    const double at = p(i, j, k);
    return 0.5 * v.mass(i, j, k) * at * at;
  }
};
// What a filter takes of the budget (Stepper::filter): of the pressure p before it, times 1, and after it, times -1. The budget asks for the powers of a
// step at the pressure before it, but for half of the step the other does the work and is damped. answers: a StateView on a backend
template <class Backend, class Pressure, class View>
void take_balance(Fading<Backend>& fading, const NodeView& v, const Pressure& p, View& answers, std::span<const ForcingSample> forcing, double dt,
                  double factor) {
  fading.take(v.size(), PressureEnergy<Pressure>{v, p}, factor);
  for (const ForcingSample& sample : forcing)
    if (const state::ForcedNodes nodes = answers.forced(sample.term); nodes.count > 0)
      fading.take(nodes.count, state::ForcingProduct<Pressure>{v, nodes, p}, factor * 0.5 * dt * sample.rate[load]);
  answers.losses(p, [&](auto, std::int64_t n, const auto& loss) { fading.take(n, loss, -factor * 0.5 * dt); });
}

}  // namespace agwave::leapfrog4
