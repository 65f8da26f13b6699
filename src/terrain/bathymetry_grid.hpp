// SPDX-License-Identifier: Apache-2.0
// Depth from an elevation grid (GEBCO, ETOPO): smoothed and clamped on the grid once, then interpolated at any node,
// so that the depth of a node does not depend on which rank asks for it.
#pragma once
#include <memory>

#include "terrain/domain.hpp"

namespace agwave {

// The domain must outlive the result. Throws Error(input): unreadable, wrong, not covering, gaps, land without min_depth.
std::unique_ptr<Bathymetry> make_grid_bathymetry(const GridBathymetry& grid, const Domain& domain);

}  // namespace agwave
