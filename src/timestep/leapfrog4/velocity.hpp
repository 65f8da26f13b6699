// SPDX-License-Identifier: Apache-2.0
// The velocity of a potential, u = -M_u^-1 G psi, on the host: for who asks for it, and for those who go on with pressure and velocity.
#pragma once
#include <span>
#include <vector>

#include "fem/spaces.hpp"

namespace agwave::leapfrog4 {

// psi_L [NZ][NY][NX] -> u_E [NE][3][64]
std::vector<double> velocity_of(const SpacesSetup& setup, std::span<const double> psi);

// Throws Error(usage) where the water moves already: psi would follow from such a velocity only by solving for it, and not from one that turns.
void require_rest(std::span<const double> u);

}  // namespace agwave::leapfrog4
