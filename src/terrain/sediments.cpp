// SPDX-License-Identifier: Apache-2.0
#include "terrain/sediments.hpp"

#include <algorithm>
#include <cmath>

#include "error/error.hpp"
#include "files/checksum.hpp"
#include "files/text_file.hpp"
#include "terrain/window.hpp"

namespace agwave {

Grid read_sediments(const Case& c, const Domain& domain) {
  const FloorCase& floor = *c.boundary.floor;
  return read_window(c, domain, {GridKind::sediments, "sediments", "sea floor", floor.file, floor.variable, floor.file_mark});
}

Sediments::Sediments(const Case& c, const Domain& domain)
    : types_(c.boundary.floor->types), mark_(c.boundary.floor->file_mark), domain_(domain), grid_(read_sediments(c, domain)) {}

std::size_t Sediments::entry(double x, double y) const {
  const auto [gx, gy] = to_grid(grid_, domain_, x, y);
  const Cell cx = locate(grid_.x, gx), cy = locate(grid_.y, gy);
  if (!cx.inside || !cy.inside) throw Error(ExitCode::input, text(to_string(mark_), ": ", grid_.name, " does not cover ", place_text(domain_, x, y)));
  const double type = grid_.at(cy.k + (cy.t > 0.5), cx.k + (cx.t > 0.5));
  const auto found = std::find(types_.begin(), types_.end(), type);
  if (found != types_.end()) return static_cast<std::size_t>(found - types_.begin());
  if (std::isnan(type))
    throw Error(ExitCode::input, text(to_string(mark_), ": ", grid_.name, " has no value nearest to ", place_text(domain_, x, y),
                                      "; every place of the domain needs a type, land too: fill the grid (cdo setmisstonn)"));
  throw Error(ExitCode::input,
              text(to_string(mark_), ": ", grid_.name, " has the type ", type, " at ", place_text(domain_, x, y), ", and boundary.floor.types are ",
                   listed(types_),
                   type == std::floor(type) ? "; add it, with a density and a sound_speed" : "; types are whole numbers: is it another variable?"));
}

std::string Sediments::fingerprint() const { return checksum_of_values({grid_.x, grid_.y, grid_.values}); }

}  // namespace agwave
