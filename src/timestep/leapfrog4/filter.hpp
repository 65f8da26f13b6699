// SPDX-License-Identifier: Apache-2.0
// A damper of what a step hardly resolves, between steps. Kinks in time excite waves that no mesh carries (docs/theory.md). RK4 damps what turns by a radian a
// step or more; the leapfrog damps nothing, so here its rate P loses them. With X = dt^2/12 M^-1 K of the shortest step of all columns, whose eigenvalues lie in
// [0, 1],
//   P -= C P,  psi -= dt/2 C P,        C = 40 X^3 - 88 X^4 + 49 X^5
// From X = 0.5 on C is 0.3 to 1.1, and below 0.1 at most 40 X^3: as RK4's own damping it is of order six in dt omega. The completed potential psi - dt/2 P
// stays where it is. Where all columns take one step and walls are rigid, X commutes with the step, so that its energy only falls.
#pragma once
#include <array>

#include "fem/spaces.hpp"

namespace agwave::leapfrog4 {

inline constexpr std::array<double, 5> filter_weights{0, 0, 40, -88, 49};  // of X, X^2, ..

struct FilterTerm {  // the m-th: weight X^m P
  double scale;      // of M^-1 K, applied to unit X^(m-1) P, in X^m P
  double weight;
  FilterTerm(int m, double unit, double finest) : scale(finest * finest / (12 * unit)), weight(filter_weights[static_cast<std::size_t>(m - 1)]) {}
};

// Of the pressure of a completed state, at a node: p = P + dt^2/24 M^-1 K P.  KP: the sum there of K P
AGWAVE_HD double pressure_energy(const NodeView& v, int i, int j, int k, double P, double KP, double dt) {
  const double p = P + dt * dt / 24 * KP * v.inverse_mass(i, j, k);
  return 0.5 * v.mass(i, j, k) * p * p;
}

}  // namespace agwave::leapfrog4
