// SPDX-License-Identifier: Apache-2.0
// Uplift slices from a prepared file: the window of the grid that the domain needs, so that they are those of the grid itself.
#include <utility>

#include "error/error.hpp"
#include "source/prepared.hpp"
#include "terrain/window.hpp"

namespace agwave {

UpliftSlices read_prepared_uplift(const Case& c, const PreparedBathymetry& prepared, std::size_t source, const UpliftFile& of, const Domain& domain) {
  const std::string group = text("uplift_", source);
  Grid grid = read_prepared_window(c, prepared, {GridKind::uplift, group.c_str(), "uplift", of.file, of.variable, of.mark});
  return slices_of(std::move(grid), domain);
}

}  // namespace agwave
