// SPDX-License-Identifier: Apache-2.0
// Prepared input, written by `agwave prepare`: depths on the column nodes of one mesh, what the domain needs of other grids, and the map
// between lon/lat and metres, so that a machine with neither netCDF nor PROJ can run the case. HDF5:
//   attributes  format, elements_x, elements_y, order, size_x, size_y, clamped, geographic, lon_min .. lat_max,
//               projection, case_file, case, bathymetry, created, version
//   depth       [y][x] on the column nodes: GLL nodes for order 4, vertices for order 1 [m]
//   x_faces, y_faces   between element columns [m]; absent in older files, whose columns are even
//   places      [n][4] lon, lat, x, y of every geographic place in the case
//   lon, lat    [17][17] on Chebyshev points of the rectangle, [y][x]; their interpolant inverts the projection to 1e-12
//   uplift_N    group per grid source N: file, variable, geographic, x, y, values [time][y][x] or [y][x], times; in older files on the GLL nodes of the
//               mesh, which are refused: elements integrate it between them, where a polynomial through them is another uplift
//   sound_speed   group of a field of sound speed: file, variable, geographic, x, y, depth, values [depth][y][x], what of the file the domain needs
//   sediments   group of a grid of types of the sea floor: file, variable, geographic, x, y, values [y][x], likewise
#pragma once
#include <memory>
#include <vector>

#include "terrain/domain.hpp"

namespace agwave {

inline constexpr int prepared_format = 1;
inline constexpr int chebyshev_points = 17;

// x of all GLL nodes (order 4) or vertices (order 1) of the element columns; the mesh's own formula.
std::vector<double> column_nodes(double length, std::int64_t elements, int order, const Spacing& spacing = {});
// Chebyshev points of the second kind on [0, length], ascending.
std::vector<double> chebyshev_nodes(double length);

// These throw Error(input) when the file is unreadable or was prepared for another mesh or domain.
std::unique_ptr<Domain> make_prepared_domain(const Case& c, const PreparedBathymetry& prepared);
std::unique_ptr<Bathymetry> make_prepared_bathymetry(const Case& c, const PreparedBathymetry& prepared, const Domain& domain);

}  // namespace agwave
