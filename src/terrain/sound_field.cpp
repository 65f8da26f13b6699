// SPDX-License-Identifier: Apache-2.0
// Reads the window of a field of sound speed that a domain needs, and checks what a reader of numbers cannot see: another quantity, another unit, a
// field that does not begin at the surface. Prepared files hold that window as it is (group sound_speed: file, variable, geographic, x, y, depth, values).
#include "case/schema.hpp"
#include "error/error.hpp"
#include "files/text_file.hpp"
#include "terrain/sound_speed.hpp"
#include "terrain/window.hpp"

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

}  // namespace

Grid read_sound_field(const Case& c, const Domain& domain) {
  const auto& field = std::get<SoundField>(c.ocean.sound);
  if (begins_as_text(field.file))
    throw Error(ExitCode::input,
                text(to_string(field.mark), ": ", field.file, ": is text, and not netCDF; a table of depth and c has a name that ends in .csv"));
  Grid grid = read_window(c, domain, {GridKind::sound_speed, "sound_speed", "sound speed", field.file, field.variable, field.mark});
  if (grid.times.size() < 2) refuse(field, grid, "has one depth alone; interpolation needs two or more");
  if (grid.times.front() > 0)
    refuse(field, grid,
           text("begins at a depth of ", grid.times.front(),
                " m and nothing is assumed above; give it a level at depth 0, as "
                "`scripts/sound_speed.py` does"));
  require_complete(grid, domain, field.mark);
  fill_missing(grid);
  refuse_other_quantities(field, grid, domain);
  refuse_uneven(grid, field.mark);
  return grid;
}

}  // namespace agwave
