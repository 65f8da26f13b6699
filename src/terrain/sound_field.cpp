// SPDX-License-Identifier: Apache-2.0
// Reads the window of a field of sound speed that a domain needs, and checks what a reader of numbers cannot see: another quantity, another unit, a
// field that does not begin at the surface. Prepared files hold that window as it is (group sound_speed: file, variable, geographic, x, y, depth, values).
#include <cmath>
#include <filesystem>

#include "case/schema.hpp"
#include "error/error.hpp"
#include "terrain/grid_file.hpp"
#include "terrain/prepared_reader.hpp"
#include "terrain/sound_speed.hpp"

namespace agwave {
namespace {

[[noreturn]] void refuse(const SoundField& field, const Grid& grid, const std::string& what) {
  throw Error(ExitCode::input, text(to_string(field.mark), ": ", grid.name, " ", what));
}

void refuse_other_quantities(const SoundField& field, const Grid& grid, const Domain& domain) {
  const std::size_t nx = grid.x.size(), ny = grid.y.size();
  for (std::size_t n = 0; n < grid.values.size(); ++n) {
    const double c = grid.values[n];
    if (c >= slowest_sound && c <= fastest_sound) continue;
    const auto [x, y] = node_xy(grid, domain, n % nx, n / nx % ny);
    const char* const looks = c >= 1e-3 * slowest_sound && c <= 1e-3 * fastest_sound ? "; it looks like km/s: multiply it by 1000"
                              : c > -3 && c < 45 ? "; it looks like a temperature: scripts/sound_speed.py makes a speed of it"
                                                 : "";
    refuse(field, grid,
           text("has the speed ", c, " m/s at ", place_text(domain, x, y), ", depth ", grid.times[n / nx / ny], " m; in sea water it is ",
                slowest_sound, " to ", fastest_sound, " m/s", looks));
  }
}

Grid read_file(const SoundField& field, const Domain& domain) {
  const auto file = open_netcdf_grid(field.file, field.variable, GridKind::sound_speed, domain, field.mark);
  const Extent need = domain_extent(domain, file->geographic());
  if (!file->covers(need))
    throw Error(ExitCode::input, text(to_string(field.mark), ": ", field.file, " does not cover the domain: the field has ",
                                      extent_text(file->extent(), file->geographic()), ", the domain needs ", extent_text(need, file->geographic()),
                                      "; give a larger field or a smaller domain"));
  return file->read(need, {0, 0});
}

Grid read_prepared(const Case& c, const PreparedBathymetry& prepared, const SoundField& field) {
  const PreparedReader reader(c, prepared);
  const auto group = reader.group("sound_speed");
  const std::string file = reader.words(group.get(), "file"), variable = reader.words(group.get(), "variable");
  const auto base = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  if (base(file) != base(field.file) || (!field.variable.empty() && variable != field.variable))
    reader.fail(text("was prepared with the sound speed of ", base(file), ": '", variable, "', the case has ", base(field.file), ": '",
                     field.variable.empty() ? variable : field.variable, "'; run `agwave prepare` again"));
  std::vector<hsize_t> nx, ny, nz, shape;
  Grid grid;
  grid.name = text(prepared.file, ": sound_speed");
  grid.deep = true;
  grid.geographic = reader.integer(group.get(), "geographic") != 0;
  grid.x = reader.array(group.get(), "x", nx);
  grid.y = reader.array(group.get(), "y", ny);
  grid.times = reader.array(group.get(), "depth", nz);
  grid.values = reader.array(group.get(), "values", shape);
  if (nx.size() != 1 || ny.size() != 1 || nz.size() != 1 || shape != std::vector{nz[0], ny[0], nx[0]})
    reader.fail("has a sound speed of the wrong shape");
  return grid;
}

}  // namespace

Grid read_sound_field(const Case& c, const Domain& domain) {
  const auto& field = std::get<SoundField>(c.ocean.sound);
  const auto* prepared = std::get_if<PreparedBathymetry>(&c.domain.bathymetry);
  Grid grid = prepared ? read_prepared(c, *prepared, field) : read_file(field, domain);
  if (grid.times.size() < 2) refuse(field, grid, "has one depth alone; interpolation needs two or more");
  if (grid.times.front() > 0)
    refuse(field, grid,
           text("begins at a depth of ", grid.times.front(),
                " m and nothing is assumed above; give it a level at depth 0, as "
                "`scripts/sound_speed.py` does"));
  require_complete(grid, domain, field.mark);
  fill_missing(grid);
  refuse_other_quantities(field, grid, domain);
  const char* const unit = grid.geographic ? " degrees" : " m";
  refuse_uneven(grid, grid.x, grid.geographic ? "longitude" : "x", unit, field.mark);
  refuse_uneven(grid, grid.y, grid.geographic ? "latitude" : "y", unit, field.mark);
  refuse_uneven(grid, grid.times, "depth", " m", field.mark);
  return grid;
}

}  // namespace agwave
