// SPDX-License-Identifier: Apache-2.0
#include "terrain/window.hpp"

#include "error/error.hpp"
#include "terrain/prepared_reader.hpp"

namespace agwave {
namespace {

Grid read_file(const Domain& domain, const WindowAsked& asked) {
  const auto file = open_netcdf_grid(asked.file, asked.variable, asked.kind, domain, asked.mark);
  const Extent need = domain_extent(domain, file->geographic());
  if (!file->covers(need))
    throw Error(ExitCode::input, text(to_string(asked.mark), ": ", asked.file, " does not cover the domain: the grid has ",
                                      extent_text(file->extent(), file->geographic()), ", the domain needs ", extent_text(need, file->geographic()),
                                      "; give a larger grid or a smaller domain"));
  return file->read(need, {0, 0});
}

}  // namespace

Grid read_prepared_window(const Case& c, const PreparedBathymetry& prepared, const WindowAsked& asked) {
  const PreparedReader reader(c, prepared);
  const auto group = reader.group(asked.group);
  const bool uplift = asked.kind == GridKind::uplift;
  reader.require_file(group.get(), asked.file, asked.variable, text("the ", asked.what, " of "), uplift ? text(" as ", asked.group) : "");
  if (uplift && H5Aexists(group.get(), "first_i") > 0)
    reader.fail(
        "holds the uplift on the nodes of the mesh, as older versions wrote it, and elements need it between them; run `agwave prepare` again");
  Grid grid;
  grid.name = text(prepared.file, ": ", asked.group);
  grid.deep = asked.kind == GridKind::sound_speed;
  grid.geographic = reader.integer(group.get(), "geographic") != 0;
  std::vector<hsize_t> nx, ny, nz{1}, shape;
  grid.x = reader.array(group.get(), "x", nx);
  grid.y = reader.array(group.get(), "y", ny);
  const bool timed = uplift && H5Lexists(group.get(), "times", H5P_DEFAULT) > 0;
  if (grid.deep || timed) grid.times = reader.array(group.get(), timed ? "times" : "depth", nz);
  grid.values = reader.array(group.get(), "values", shape);
  if (!grid.deep && !timed) shape.insert(shape.begin(), 1);
  if (nx.size() != 1 || ny.size() != 1 || nz.size() != 1 || nx[0] < 2 || ny[0] < 2 || shape != std::vector{nz[0], ny[0], nx[0]})
    reader.fail(text("has a ", asked.what, " of the wrong shape"));
  return grid;
}

Grid read_window(const Case& c, const Domain& domain, const WindowAsked& asked) {
  const auto* prepared = std::get_if<PreparedBathymetry>(&c.domain.bathymetry);
  return prepared ? read_prepared_window(c, *prepared, asked) : read_file(domain, asked);
}

}  // namespace agwave
