// SPDX-License-Identifier: Apache-2.0
// Which reader serves which case: domains and bathymetries by what the case says and what this build can do.
#include "terrain/domain.hpp"

#include "files/version.hpp"
#include "terrain/prepared.hpp"

namespace agwave {

std::unique_ptr<Domain> make_domain(const Case& c) {
  if (c.domain.size) return make_plain_domain(*c.domain.size);
  const auto* prepared = std::get_if<PreparedBathymetry>(&c.domain.bathymetry);
  if (prepared && !has_proj) return make_prepared_domain(c, *prepared);
  return make_projected_domain(c.domain.lonlat.value(), c.domain.mark);
}

std::unique_ptr<Bathymetry> make_bathymetry(const Case& c, const Domain& domain) {
  if (const auto* grid = std::get_if<GridBathymetry>(&c.domain.bathymetry)) return make_grid_bathymetry(*grid, domain);
  if (const auto* prepared = std::get_if<PreparedBathymetry>(&c.domain.bathymetry)) return make_prepared_bathymetry(c, *prepared, domain);
  return make_analytic_bathymetry(c.domain.bathymetry, domain.size, c.domain.bathymetry_mark);
}

}  // namespace agwave
