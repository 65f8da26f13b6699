// SPDX-License-Identifier: Apache-2.0
// Whether steps in levels are stable on a mesh. That they are is known from spectra of small meshes, not from a proof, so the mesh itself is asked:
// steps from random data, unforced. With psi+ + psi- = (2 - Q) psi these are Chebyshev polynomials of Q, which stay bounded where its eigenvalues are
// real and in [0, 4] and grow exponentially with the number of steps for any other: by exp(sqrt(e)) a step beyond 4 + e, sooner than by powers of Q.
// Walls and sponges included.
#pragma once
#include <cstdint>

#include "comm/comm.hpp"
#include "mesh/mesh.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

struct Growth {
  double factor = 1;      // of the mean rate's norm over the second half of the steps; slow waves, which psi grows with, keep it
  double per_step = 1;    // likewise of one step
  double largest = 0;     // eigenvalue of Q that grows so; 4 where nothing does
  std::int64_t node = 0;  // of this rank, where the rate is largest
  bool here = false;      // and larger than on other ranks
};
// Of a stepper of the leapfrog that has not been used; leaves it at rest. Costs `steps` steps. Collective; the same on every processor grid.
Growth measure_growth(Stepper& stepper, const Mesh& mesh, double dt, int steps, const Comm& comm);

}  // namespace agwave
