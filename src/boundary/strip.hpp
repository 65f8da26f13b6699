// SPDX-License-Identifier: Apache-2.0
// What a wall with the sponge before it sends back of a plane wave, at an angle. Where pressure and velocity fade alike a wave at normal incidence does not
// notice the strip, but for one at an angle it is another medium, since its wave number along the wall stays what it is outside. A matched strip is one by
// as much as what moves across its normal fades too.
#pragma once
#include "boundary/sponge.hpp"

namespace agwave {

// |R| of a wave of this speed [m/s], angle from the wall's normal [rad, below pi/2] and period [s], for a wall that absorbs sound (p = rho c u) behind
// the sponge of `wall`, or without one. The water is as deep in the strip as outside.
double strip_reflection(const Sponge& sponge, int wall, double speed, double sound_speed, double angle, double period);

}  // namespace agwave
