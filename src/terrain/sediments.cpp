// SPDX-License-Identifier: Apache-2.0
// Prepared files hold the window of the grid that the domain needs (group sediments: file, variable, geographic, x, y, values).
#include "terrain/sediments.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "error/error.hpp"
#include "files/checksum.hpp"
#include "terrain/grid_file.hpp"
#include "terrain/prepared_reader.hpp"

namespace agwave {
namespace {

Grid read_file(const FloorCase& floor, const Domain& domain) {
  const auto file = open_netcdf_grid(floor.file, floor.variable, GridKind::sediments, domain, floor.file_mark);
  const Extent need = domain_extent(domain, file->geographic());
  if (!file->covers(need))
    throw Error(ExitCode::input, text(to_string(floor.file_mark), ": ", floor.file, " does not cover the domain: the grid has ",
                                      extent_text(file->extent(), file->geographic()), ", the domain needs ", extent_text(need, file->geographic()),
                                      "; give a larger grid or a smaller domain"));
  return file->read(need, {0, 0});
}

Grid read_prepared(const Case& c, const PreparedBathymetry& prepared, const FloorCase& floor) {
  const PreparedReader reader(c, prepared);
  if (!reader.has("sediments")) reader.fail("holds no types of the sea floor (boundary.floor.file); run `agwave prepare` again with this case");
  const auto group = reader.group("sediments");
  const std::string file = reader.words(group.get(), "file"), variable = reader.words(group.get(), "variable");
  const auto base = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  if (base(file) != base(floor.file) || (!floor.variable.empty() && variable != floor.variable))
    reader.fail(text("was prepared with the sea floor of ", base(file), ": '", variable, "', the case has ", base(floor.file), ": '",
                     floor.variable.empty() ? variable : floor.variable, "'; run `agwave prepare` again"));
  std::vector<hsize_t> nx, ny, shape;
  Grid grid;
  grid.name = text(prepared.file, ": sediments");
  grid.geographic = reader.integer(group.get(), "geographic") != 0;
  grid.x = reader.array(group.get(), "x", nx);
  grid.y = reader.array(group.get(), "y", ny);
  grid.values = reader.array(group.get(), "values", shape);
  if (nx.size() != 1 || ny.size() != 1 || nx[0] < 2 || ny[0] < 2 || shape != std::vector{ny[0], nx[0]})
    reader.fail("has types of the sea floor in the wrong shape");
  return grid;
}

std::string listed(const std::vector<double>& types) {
  std::string all;
  for (const double type : types) all += text(all.empty() ? "" : ", ", type);
  return all;
}

}  // namespace

Grid read_sediments(const Case& c, const Domain& domain) {
  const FloorCase& floor = *c.boundary.floor;
  const auto* prepared = std::get_if<PreparedBathymetry>(&c.domain.bathymetry);
  return prepared ? read_prepared(c, *prepared, floor) : read_file(floor, domain);
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
