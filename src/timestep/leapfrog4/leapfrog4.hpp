// SPDX-License-Identifier: Apache-2.0
// Leapfrog of order 4 for the potential form (Dablain 1986; Shubin and Bell 1987). With psi = int p dt the velocity follows from one nodal field,
// rho u = -grad psi, and the two first-order equations become, in the same discrete operators,
//   M psi_tt + K psi + S psi_t = f(t),   K = G^T M_u^-1 G        in short  psi_tt = A psi + f - C psi_t,   A = -M^-1 K,  C = M^-1 S
// psi is kept in the middle of the steps, half a step ahead of the completed state at t, and P, its mean rate over the step around t:
//   q    = (A psi + f - C P) / (1 + dt C / 2)                    psi_tt at t + dt/2, of the second order at walls
//   P'   = P + dt (q + f_m - f) + dt^3/12 A q                    f_m: mean of f about t + dt/2 under a hat two steps wide
//   psi' = psi + dt P'
// so two operators a step, stable for dt omega <= sqrt(12). From P the pressure follows to order 4 and, p being even about the middle between two
// psi, with an error 16 times less than at the places of psi:   p = P - dt/24 (q' - q) = P - dt^2/24 p_tt.
// Both psi and P are carried: psi grows under lifted water, and p as a difference of two psi would lose what it grows by.
// Walls: q with C in it is stable as long as dt C stays below about 2.6; what C is more than `most_explicit` / dt damps P implicitly and alone,
//   (1 + dt C2 / 2) P' = (1 - dt C2 / 2) P + ...,   stable always, of order 2 with a larger error.
#pragma once
#include "device/host_device.hpp"
#include "timestep/integrator.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

extern const Integrator leapfrog4_integrator;

namespace leapfrog4 {

// What is carried: psi half a step ahead [Pa s] and its mean rate P [Pa]. Besides, for who goes on with another integrator and for questions before
// the first step, the completed state itself: p, and psi at its time.
inline const StateArray ahead_array{"potential_ahead", StateArray::Items::node_rows, "half a step ahead"};
inline const StateArray rate_array{"potential_rate", StateArray::Items::node_rows, "mean over a step"};
inline const StateArray potential_array{"potential", StateArray::Items::node_rows, "physical"};
inline const StateArrays state_arrays{ahead_array, rate_array, pressure_array, potential_array};

enum Rate { load, mean_load, load_after, mean_load_before };  // f at t + dt/2, its hat mean there, f at t + 3/2 dt, the hat mean about t - dt/2

inline constexpr double most_explicit = 2.4;

struct Damping {  // of a node, times dt
  double in_q, alone;
  AGWAVE_HD explicit Damping(double C_dt) : in_q(C_dt < most_explicit ? C_dt : most_explicit), alone(C_dt - in_q) {}
};

// psi_tt of a node, from A psi + f and P.
AGWAVE_HD double second_derivative(double rate, double P, double C_dt, double dt) { return (rate - C_dt / dt * P) / (1 + 0.5 * C_dt); }

// P' of a node; increase: dt (q + f_m - f) + dt^3/12 A q.
AGWAVE_HD double next_rate(double P, double increase, const Damping& damping) {
  return ((1 - 0.5 * damping.alone) * P + increase) / (1 + 0.5 * damping.alone);
}

}  // namespace leapfrog4
}  // namespace agwave
