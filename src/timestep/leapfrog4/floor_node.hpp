// SPDX-License-Identifier: Apache-2.0
// A node in a step of the leapfrog that may stand on a floor that gives way (boundary/floor.hpp): p = Z v + k u, u' = v. With the spring's pressure w = k u
//   psi_tt = A psi + f - C (psi_t - w),   w_t = l (psi_t - w),   C = M^-1 area / Z,   l = k / Z
// The damper is a wall (leapfrog4.hpp) that meets psi_t - w in place of psi_t, with the kappa of the element's own impedance. w is taken with P, at the
// completed time, and both by the means of a step: with h = l dt/2 and P, w before it, P', w' after it
//   C (P + P' - w - w')/2 = C/(1 + h) ((P + P')/2 - w),   w' = w + 2h/(1 + h) ((P + P')/2 - w)
// so the spring is a load and a smaller damping: the bilinear transform of the impedance, passive and hence stable with any l, at rest where P = w, and
// of order two in l dt. P is the rate of what lags behind the smooth psi by e (psi_t - w): with l/(1 + l e) and C/(1 + 2 l e) for l and C the floor has the
// impedance of Z and k for the smooth one, to order one in l e, and its displacement, which is carried, is that of w + e w_t.
// All that a node's step needs besides A psi and A q is known at the node itself. So what the floor does to it is the work of a load as well, its push, for
// who can add loads but nothing else (fused_floor.hpp).
#pragma once
#include "timestep/floor_layer.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"

namespace agwave::leapfrog4 {

struct FloorNode : NodeAt {
  double stiffness = 0, spring = 0, corner = 0;             // k; w; l dt, as it is put in
  double floor_damping = 0, floor_lag = 0, floor_felt = 0;  // its parts of damping, lag and felt,
  double floor_mass = 0, floor_rest = 0;                    // of mass and rest
  AGWAVE_HD FloorNode(const NodeView& v, int i, int j, int k, double dt, int halvings) : NodeAt(v, i, j, k, dt, halvings) {}

  // `own`: S of a wall of the water's impedance in place of the floor.
  AGWAVE_HD void stand_on(const FloorView& floor, std::int64_t n, double P, double own, double dt) {
    const double along = floor.area[n] / floor.impedance[n] * inverse_mass * dt, exact = floor.corner(n) * dt;
    const WallAt wall(along, own * inverse_mass * dt);
    const double met = along / (1 + 2 * exact * wall.lag);
    corner = exact / (1 + exact * wall.lag);
    floor_damping = met / (1 + 0.5 * corner);
    floor_lag = wall.lag;
    floor_felt = wall.kappa * along;
    stiffness = floor.stiffness[n];
    spring = (floor.spring(n) - late() * P) / (1 - late());
    lag += floor_lag;
    floor_rest = wall.rest;
    rest += floor_rest;
    felt += floor_felt;
    gain *= (1 + wall.rest * wall.kappa) / (1 + wall.rest);
    floor_mass = (damping + met) * lag + 1 - mass;
    mass += floor_mass;
    damping += floor_damping;
  }

  AGWAVE_HD double next_rate(double P, double increase) const { return NodeAt::next_rate(P, increase + floor_damping * spring); }
  // What the floor moves by from P to the next rate [m].
  AGWAVE_HD double sinks(double P, double next) const {
    const double by_mean = corner / (1 + 0.5 * corner) * (0.5 * (P + next) - spring);
    return (by_mean + late() * (next - P - by_mean)) / stiffness;
  }
  // Loads that a rigid floor would need to make the same of a sum of K psi less other loads: the q of dividing by its rest too, the step from P to the next rate.
  AGWAVE_HD double push_on_q(double sum) const { return floor_rest / (1 + rest) * sum; }
  AGWAVE_HD double push(double P, double next, double dt) const {
    return (floor_damping * (spring - 0.5 * (P + next)) - floor_mass * (next - P)) / (dt * inverse_mass);
  }
  AGWAVE_HD double second_derivative(double q, double P, double dt) const {
    const double spring_then = spring + (0.5 + lag) * corner * (P - spring);  // in the middle of the step
    return (gain * q - felt / dt * P + floor_felt / dt * spring_then) / (1 + felt * (0.5 + lag));
  }
  AGWAVE_HD double pressure(double P, double before, double after, double dt) const {
    return NodeAt::pressure(P, before, after, dt) - late() * (P - spring);
  }
  AGWAVE_HD double pressure_by_rate() const { return (1 - 2 * late()) / (1 - late()); }  // by P, beside it w too follows from the displacement
  AGWAVE_HD double potential(double psi, double P, double before, double after, double dt) const {
    return NodeAt::potential(psi, P, before, after, dt) - floor_lag * dt * spring;
  }

 private:
  AGWAVE_HD double late() const { return floor_lag * corner; }  // e l: k u = w + e l (P - w)
};

}  // namespace agwave::leapfrog4
