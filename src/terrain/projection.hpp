// SPDX-License-Identifier: Apache-2.0
// The domain rectangle and its map projection: a plain rectangle in metres, or a lon/lat box seen through a transverse
// Mercator projection about its own centre (scale 1 there, 1 + x^2/2R^2 at x metres from the central meridian).
#pragma once
#include <memory>
#include <string>

#include "terrain/domain.hpp"

namespace agwave {

std::unique_ptr<Domain> make_plain_domain(std::array<double, 2> size);

// Rectangle about the projected centre; its sides are the projected lengths (straight, end to end) of the mid-parallel
// and the mid-meridian. Throws Error(usage) for a box that the projection cannot hold, or in a build without PROJ.
std::unique_ptr<Domain> make_projected_domain(const LonLat& box, const Mark& mark);

}  // namespace agwave
