// SPDX-License-Identifier: Apache-2.0
// Leapfrog of order 4 for the potential form (Dablain 1986; Shubin and Bell 1987). With psi = int p dt the velocity follows from one nodal field,
// rho u = -grad psi, and the two first-order equations become, in the same discrete operators,
//   M psi_tt + K psi + S psi_t = f(t),   K = G^T M_u^-1 G        in short  psi_tt = A psi + f - C psi_t,   A = -M^-1 K,  C = M^-1 S
// psi is kept in the middle of the steps, half a step ahead of the completed state at t, and P, its mean rate over the step around t:
//   q    = A psi + f                                             at t + dt/2
//   (m + dt C/2) P' = (m - dt C/2) P + dt (q + f_m - f) + dt^3/12 A q        f_m: mean of f about t + dt/2 under a hat two steps wide
//   psi' = psi + dt P'
// so two operators a step, stable for dt omega <= sqrt(12). From P the pressure follows to order 4 and, p being even about the middle between two
// psi, with an error 16 times less than at the places of psi:   p = P - dt/24 (psi_tt' - psi_tt).
// Both psi and P are carried: psi grows under lifted water, and p as a difference of two psi would lose what it grows by.
//
// Walls. All matrices of the scheme are symmetric, and C only adds to what damps, so it is stable whatever C is: walls never set the step. But A q
// takes q = psi_tt + C psi_t for psi_tt, as if the wall's nodes stood b behind a smooth psi, b = [(1 + dt^2/12 A)^-1 dt^2/12 C psi_t] = e psi_t there.
// What they damp has to be the rate of the smooth one. To order two in e dt,
//   b = e psi_t - e^2/2 psi_tt,  by dividing q by 1 + x at the wall before A is applied to it
//   psi_t + b_t = psi_t + e psi_tt + e^2/2 psi_ttt: the mass m = 1 + C e, and what it lacks of e^2/2 psi_ttt is what dividing q has moved
// where 2 x = C e and e = dt^2/12 C kappa / (1 + x kappa), kappa the corner entry of (1 + dt^2/12 A)^-1 on one element across the wall. Both keep the
// symmetry, and since K <= 12/dt^2 M the stiffness with the divided q is at most 3/dt^2 (1 + x) M <= 3/dt^2 m M: stable whatever x is.
// What a plane pulse leaves behind stands in docs/theory.md. Where columns step in levels (local_steps/) a wall damps at the coarsest step; behind a wall
// of finer columns, which move as psi+ + psi- = (2 - Q) psi with Q close to 2 - 2 cos(dt sqrt(-A)), b is [(dt^2 Q^-1 + A^-1) C psi_t], kappa that corner,
// and b is matched to order one. Columns of two halvings and more have waves that come back within the coarsest step, which see the damping as if it stood
// still and answer it with a psi_tt of their own: nothing is corrected by that there, b = 0 and the pressure at the wall is P.
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "fem/spaces.hpp"
#include "timestep/integrator.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

struct Variant;  // timestep/variants.hpp

extern const Integrator leapfrog4_integrator;

namespace leapfrog4 {

void offer(Variant& v);  // fills in what all variants of the leapfrog are and do

// What is carried: psi half a step ahead [Pa s] and its mean rate P [Pa]. Besides, for who goes on with another integrator and for questions before
// the first step, the completed state itself: p, and psi at its time.
inline const StateArray ahead_array{"potential_ahead", StateArray::Items::node_rows, "half a step ahead"};
inline const StateArray rate_array{"potential_rate", StateArray::Items::node_rows, "mean over a step"};
inline const StateArray potential_array{"potential", StateArray::Items::node_rows, "physical"};
inline const StateArrays state_arrays{ahead_array, rate_array, pressure_array, potential_array};
// With sponges also what of the velocity no potential gives (fading.hpp).
inline const StateArray rest_array{"velocity_rest", StateArray::Items::elements, "physical"};
inline const StateArrays faded_arrays{ahead_array, rate_array, pressure_array, potential_array, rest_array};
inline constexpr double bytes_of_strip_element = 8.0 * (3 * L3D + D3D + 1);  // what an element in a sponge keeps besides (fading.hpp)
// And what is kept of all nodes of the patches that strips touch (forcing_tables.hpp; in single precision strip_changes.hpp, too): patches are larger than
// strips and have the nodes between them twice.
inline constexpr double places_of_strip_element = 1.5 * P1D * P1D * P1D;
inline constexpr double bytes_of_strip_forces = 8 * places_of_strip_element, bytes_of_strip_changes = (4 * 8 + 4) * places_of_strip_element;
inline const StateArray corner_array{"potential_sum", StateArray::Items::node_rows, "over steps, where two matched strips meet"};

enum Rate { load, mean_load, load_after, mean_load_before };  // f at t + dt/2, its hat mean there, f at t + 3/2 dt, the hat mean about t - dt/2

// Forcing of the step before the first one, in which water at rest gets what moves already.
inline std::vector<ForcingSample> step_before(std::span<const ForcingSample> first) {
  std::vector<ForcingSample> before;
  for (const ForcingSample& sample : first)
    if (sample.rate[mean_load_before] != 0) before.push_back({sample.term, {0, sample.rate[mean_load_before], 0, 0}});
  return before;
}

// kappa of a wall that damps by C dt = damping: the sum over the modes of one element, whose poles lie beyond the stable steps (C dt = 5.1).
AGWAVE_HD double kappa(double damping) {
  const double x = damping * damping;
  return 0.05 + 0.37156063 / (1 - x / 26.1796548) + 0.39976617 / (1 - x / 28.2145643) + 0.07843937 / (1 - x / 130.963202) +
         0.10023383 / (1 - x / 486.07115);
}

// Behind a wall of columns that step more finely; the modes are cut off before they have moved on by a whole period.
AGWAVE_HD double kappa_of_finer(double damping) {
  const auto mode = [damping](double pole) {
    double x2 = 12 * damping * damping / pole;  // (dt omega)^2
    if (x2 > 25) x2 = 25;
    return x2 < 0.01 ? 1 + x2 / 20 + x2 * x2 / 504 : 12 * (1 / (2 - 2 * cos(sqrt(x2))) - 1 / x2);
  };
  return 0.05 + 0.37156063 * mode(26.1796548) + 0.39976617 * mode(28.2145643) + 0.07843937 * mode(130.963202) + 0.10023383 * mode(486.07115);
}

// Of a wall along one axis that damps by C dt = damping; `own`: as one of the water's own impedance would.
struct WallAt {
  double kappa, lag, rest;  // lag: e / dt; rest: x, what q is divided by beyond 1
  AGWAVE_HD explicit WallAt(double damping) : WallAt(damping, damping) {}
  AGWAVE_HD WallAt(double damping, double own) : kappa(leapfrog4::kappa(own)) {
    const double g = 1 / kappa;
    lag = damping / (6 * (g + std::sqrt(g * g + damping * damping / 6)));
    rest = 0.5 * damping * lag;
  }
};

struct NodeAt {                                                   // what a step of dt needs to know of a node
  double inverse_mass, damping = 0, lag = 0, mass = 1, rest = 0;  // 1 / M_p; dt C; e / dt; m; x
  double felt = 0, gain = 1;                                      // of q: q = gain^-1 (psi_tt + felt / dt psi_t), psi the smooth one
  int halvings = 0;                                               // of the coarsest step (local_steps/)
  AGWAVE_HD NodeAt(const NodeView& v, int i, int j, int k, double dt, int halvings_ = 0)
      : inverse_mass(v.inverse_mass(i, j, k)), halvings(halvings_) {
    if (!v.absorbs(i, j)) return;
    double rates[2];
    v.damping(i, j, k, rates[0], rates[1]);
    for (const double rate : rates) {
      const double along = rate * dt * inverse_mass;
      damping += along;
      if (halvings > 0) {
        if (halvings == 1) lag += kappa_of_finer(along) * along / 12;
        felt += along;
        continue;
      }
      const WallAt wall(along);
      lag += wall.lag;
      rest += wall.rest;
      felt += wall.kappa * along;
      gain *= (1 + wall.rest * wall.kappa) / (1 + wall.rest);
    }
    mass = 1 + damping * lag;
  }
  AGWAVE_HD double inverse_mass_of_q() const { return inverse_mass / (1 + rest); }
  // Of the smooth psi in the middle of a step, from A psi + f and the rate P of half a step before.
  AGWAVE_HD double second_derivative(double q, double P, double dt) const {
    if (damping == 0) return q;
    return (gain * q - felt / dt * P) / (1 + felt * (0.5 + lag));
  }
  // increase: dt (q + f_m - f) + dt^3/12 A q
  AGWAVE_HD double next_rate(double P, double increase) const { return ((mass - 0.5 * damping) * P + increase) / (mass + 0.5 * damping); }
  AGWAVE_HD double rate_after_rest(double increase) const { return increase / (mass + 0.5 * damping); }
  // Smooth pressure and potential of the completed state from P, psi half a step ahead and psi_tt half a step before and after.
  AGWAVE_HD double pressure(double P, double before, double after, double dt) const {
    if (damping == 0) return P - dt * (1.0 / 24 * (after - before));
    if (halvings > 1) return P;
    return P + dt * (lag * mean(before, after) - (1.0 / 24 + 0.5 * lag * lag) * (after - before));
  }
  AGWAVE_HD double pressure_by_rate() const { return 1; }  // what it changes by with P alone
  // In finer levels psi_tt has waves of up to (2^h sqrt(12) / dt)^2 psi: there the potential is of order two, rather than theirs magnified.
  AGWAVE_HD double potential(double psi, double P, double before, double after, double dt) const {
    if (halvings > 0) return psi + dt * (lag - 0.5) * P;
    return psi + dt * (lag - 0.5) * P + dt * dt * (0.5 * lag * lag - 0.125) * mean(before, after);
  }

 private:
  // At a wall both come from a psi_t half a step old, corrected for psi_tt but not for psi_ttt.
  AGWAVE_HD double mean(double before, double after) const {
    return 0.5 * (after + before) + felt * (1.0 / 6 + 0.5 * lag * (1 + lag)) / (1 + felt * (0.5 + lag)) * (after - before);
  }
};

}  // namespace leapfrog4
}  // namespace agwave
