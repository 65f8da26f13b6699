// SPDX-License-Identifier: Apache-2.0
// What the plain leapfrog does at a node, as functors for a backend. r = K psi, less the forcing that has been added to it.
#pragma once
#include "fem/spaces.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"

namespace agwave::leapfrog4 {

struct Node {  // of the mesh, by its number
  NodeView v;
  double dt;
  AGWAVE_HD void mass(std::int64_t n, double& inverse, double& C_dt) const {
    int i, j, k;
    v.locate(n, i, j, k);
    inverse = v.inverse_mass(i, j, k);
    C_dt = dt * v.damping(i, j, k) * inverse;
  }
};

struct SecondDerivative : Node {  // q, with as much of the damping as is in it or, `whole`, with all of it
  const double *r, *P;
  bool whole;
  double* q;
  AGWAVE_HD void operator()(std::int64_t n) const {
    double inverse, C_dt;
    mass(n, inverse, C_dt);
    q[n] = second_derivative(-r[n] * inverse, P[n], whole ? C_dt : Damping(C_dt).in_q, dt);
  }
};

struct Advance : Node {  // s = K q
  const double *r, *s;
  double *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    double inverse, C_dt;
    mass(n, inverse, C_dt);
    const Damping damping(C_dt);
    const double q = second_derivative(-r[n] * inverse, P[n], damping.in_q, dt);
    P[n] = next_rate(P[n], dt * q - dt * dt * dt / 12 * s[n] * inverse, damping);
    psi[n] += dt * P[n];
  }
};

struct Complete {  // the state at the time between both q
  double dt;
  const double *psi, *P, *before, *after;
  double *p, *potential;
  AGWAVE_HD void operator()(std::int64_t n) const {
    p[n] = P[n] - dt / 24 * (after[n] - before[n]);
    potential[n] = psi[n] - 0.5 * dt * P[n] - dt * dt / 16 * (after[n] + before[n]);
  }
};

struct Begin : Node {  // psi odd in time about the initial pressure p, r = K p; what moves already is in `load` [m3/s]
  const double *p, *r, *load;
  double *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    double inverse, C_dt;
    mass(n, inverse, C_dt);
    const double mean = p[n] - dt * dt / 24 * r[n] * inverse, moved = dt * load[n] * inverse;
    P[n] = mean + moved;
    psi[n] = dt * (0.5 * mean + moved);
  }
};

struct Scale {
  const double* factor;  // [NX] along x
  const double* factor_y;
  int NX, NY;
  double *a, *b, *c, *d;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const double f = factor[n % NX] * factor_y[n / NX % NY];
    a[n] *= f, b[n] *= f, c[n] *= f, d[n] *= f;
  }
};

struct Product {  // over owned nodes
  NodeView v;
  const double *a, *b;
  AGWAVE_HD double operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(n, i, j, k);
    return v.owned(i, j, k) ? a[n] * b[n] : 0.0;
  }
};

}  // namespace agwave::leapfrog4
