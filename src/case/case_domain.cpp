// SPDX-License-Identifier: Apache-2.0
// Reads the domain from the case file, and checks what ranges alone cannot: a sea floor that stays below the surface.
#include "case/case_parts.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

MarginBathymetry read_margin(const Section& shape) {
  const MarginBathymetry margin{shape.number("shelf_depth"), shape.number("abyssal_depth"), shape.number("trench_depth"), shape.number("shelf_edge"),
                                shape.number("slope_width"), shape.number("trench_width"),  shape.number("undulation"),   shape.number("wavelength")};
  if (margin.shelf_depth >= margin.abyssal_depth) {
    shape.report("shelf_depth", "the shelf is not shallower than the abyssal plain",
                 {text(margin.shelf_depth), text("less than abyssal_depth, ", margin.abyssal_depth, " m"), ""});
  }
  if (margin.trench_depth < margin.abyssal_depth) {
    const std::string allowed = text("at least abyssal_depth, ", margin.abyssal_depth, " m");
    shape.report("trench_depth", "the trench is shallower than the abyssal plain",
                 {text(margin.trench_depth), allowed, "give abyssal_depth for no trench"});
  }
  return margin;
}

GridBathymetry read_grid(const Section& shape, const std::filesystem::path& folder) {
  GridBathymetry grid{
      "", shape.text("variable"), shape.optional_number("min_depth"), shape.number("smoothing"), shape.mark("file"), shape.text("format")};
  grid.blend = shape.number("blend");
  if (shape.has("file") == shape.has("files")) {
    const bool both = shape.has("file");
    shape.report("file", both ? "both file and files are given" : "missing",
                 {"", "file: grid.nc, or files: [finest.nc, ..., coarsest.nc]", both ? "remove one" : "add 'file: ...'"});
    return grid;
  }
  if (shape.has("file")) {
    grid.file = resolve_path(folder, shape.text("file"));
    return grid;
  }
  grid.mark = shape.mark("files");
  const Tree& list = *shape.tree("files");
  for (const Tree& entry : list.items)
    if (entry.kind == Tree::Kind::scalar && !entry.scalar.empty()) grid.coarser.push_back(resolve_path(folder, entry.scalar));
  if (list.kind != Tree::Kind::list || list.items.empty() || grid.coarser.size() != list.items.size()) {
    shape.report("files", "expected a list of files", {describe(list), "[finest.nc, ..., coarsest.nc]"});
    return grid;
  }
  grid.file = grid.coarser.front();
  grid.coarser.erase(grid.coarser.begin());
  return grid;
}

BathymetryCase read_bathymetry(const Section& shape, const std::filesystem::path& folder) {
  const std::string& type = shape.type();
  if (type == "flat") return FlatBathymetry{shape.number("depth")};
  if (type == "cosine") return CosineBathymetry{shape.number("depth"), shape.number("amplitude"), pair(shape.numbers("waves"))};
  if (type == "gaussian") {
    const GaussianBathymetry hill{shape.number("depth"), shape.number("height"), pair(shape.numbers("center")), pair(shape.numbers("radius"))};
    if (hill.height >= hill.depth) {
      const std::string allowed = text("less than depth, ", hill.depth, " m");
      shape.report("height", "the summit is above the sea surface", {text(hill.height), allowed});
    }
    return hill;
  }
  if (type == "margin") return read_margin(shape);
  if (type == "grid") return read_grid(shape, folder);
  if (type == "prepared") return PreparedBathymetry{resolve_path(folder, shape.text("file")), shape.mark("file")};
  return FlatBathymetry{};
}

}  // namespace

Range read_range(const Section& section, std::string_view key) {
  const std::vector<double> limits = section.numbers(key);
  const auto [min, max] = pair(limits);
  if (!limits.empty() && min >= max) {
    const char* advice = min == max     ? "give two different values"
                         : key == "lon" ? "swap the two, or over the date line add 360 to the second"
                                        : "swap the two";
    section.report(key, "not increasing", {text("[", min, ", ", max, "]"), "[smaller, larger]", advice});
  }
  return {min, max};
}

DomainCase read_domain(const Section& domain, const std::filesystem::path& folder) {
  DomainCase result;
  result.mark = domain.mark();
  result.bathymetry_mark = domain.mark("bathymetry");
  if (domain.has("size") == domain.has("lonlat") && !domain.reported()) {
    const char* found = domain.has("size") ? "both" : "neither";
    const char* allowed = "size: [x, y] in m, or lonlat: {lon: [w, e], lat: [s, n]}";
    domain.report({}, "exactly one of size and lonlat must be given", {found, allowed});
  }
  if (domain.has("size")) result.size = pair(domain.numbers("size"));
  if (domain.has("lonlat")) {
    const Section lonlat = domain.section("lonlat");
    result.lonlat = LonLat{read_range(lonlat, "lon"), read_range(lonlat, "lat")};
  }
  result.bathymetry = read_bathymetry(domain.section("bathymetry"), folder);
  return result;
}

}  // namespace agwave
