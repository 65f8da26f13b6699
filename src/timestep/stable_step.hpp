// SPDX-License-Identifier: Apache-2.0
// The largest stable step of an integrator on a mesh, from element-local bounds.
// An eigenvalue of the semi-discrete system solves  lambda^2 + sigma lambda + omega^2 = 0  with
//   sigma = x.Sx / x.M_p x,  omega^2 = x.G^T M_u^-1 G x / x.M_p x   for its own eigenvector x.
// Both quotients are ratios of sums over elements, so (sigma, omega^2) lies in the convex hull of the elements' own joint
// numerical ranges. The step is stable when the integrator keeps or damps every mode of that hull. On a box mesh the bound is attained
// (mirroring an element's worst mode through its faces gives a global mode); on sheared meshes it errs on the safe side.
// Only maxima over elements enter, so every processor grid finds the same step to the last bit.
#pragma once
#include <string>
#include <vector>

#include "boundary/floor.hpp"
#include "comm/comm.hpp"
#include "fem/spaces.hpp"
#include "timestep/integrator.hpp"

namespace agwave {

// Bounds on omega^2 [1/s^2] of the columns of a rank, over all layers of the whole mesh; a patch has the largest of its columns.
struct ColumnBounds {
  int nx = 0, ny = 0;
  std::vector<double> omega2;                              // [ny][nx]
  double patch(int ex, int ey, int wide, int deep) const;  // of columns [ex, ex + wide) x [ey, ey + deep), as far as they are here
};

struct StableStep {
  double dt = 0;             // largest stable step [s]
  double omega = 0;          // bound on the largest wave frequency [1/s]
  double damping = 0;        // bound on the largest damping rate of walls and floor [1/s]; 0 without absorbing walls, over a rigid floor
  bool walls_limit = false;  // they, not the waves alone, set dt
  bool floor = false;        // the floor is among them
  double x = 0, y = 0;       // centre of the column with the largest frequency bound [m]
  double waves_only = 0;     // the step that the waves alone would allow [s]
  ColumnBounds columns;

  std::string set_by() const { return !walls_limit ? "shortest waves" : floor ? "absorbing walls and floor" : "absorbing walls"; }
};

StableStep stable_step(const SpacesSetup& setup, const Integrator& integrator, const Comm& comm, const Floor& floor = {});

// The step of a run: divides `interval` [s] (the sampling interval) and is at most safety * limit.
// A given step above the limit, or one that does not divide, is Error(usage) with the largest allowed value.
struct StepChoice {
  double dt;
  std::int64_t per_interval;
};
StepChoice choose_step(const TimeCase& time, double interval, const StableStep& limit);

// Largest dt for which the integrator is stable for all roots of lambda^2 + r sigma lambda + r omega2 = 0, r in (0, 1], along the
// closed polygon of points given.
double largest_step(const Integrator& integrator, const std::vector<SpectrumPoint>& hull);

}  // namespace agwave
