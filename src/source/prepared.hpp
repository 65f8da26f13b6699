// SPDX-License-Identifier: Apache-2.0
// Prepared files (layout in terrain/prepared.hpp): writing them, and reading the uplift in them.
#pragma once
#include <string>

#include "source/uplift_grid.hpp"

namespace agwave {

// `agwave prepare`: writes depths on the column nodes of the case's mesh (and its grids of uplift and sound speed, and every lon/lat of
// the case with its x, y) to an HDF5 file that `bathymetry: {type: prepared}` reads with neither netCDF nor PROJ.
void write_prepared(const Case& c, const std::string& path);

// Of source number `source`, made from the file `of`; the domain must outlive the result. Throws Error(input) when the file is unreadable or was prepared for
// another mesh, domain or source.
UpliftSlices read_prepared_uplift(const Case& c, const PreparedBathymetry& prepared, std::size_t source, const UpliftFile& of, const Domain& domain);

}  // namespace agwave
