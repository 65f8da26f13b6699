// SPDX-License-Identifier: Apache-2.0
// Reads walls, surface, sponges and the floor from the case file: a floor that is rigid, or what it is made of, everywhere, by depth or by type.
#include <algorithm>
#include <numbers>

#include "case/case_parts.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

SpongeCase read_sponge(const Section& sponge) {
  const bool matched = sponge.text("type") == "matched";
  return {{sponge.number("west"), sponge.number("east"), sponge.number("south"), sponge.number("north")},
          sponge.optional_number("reflection").value_or(matched ? 1e-4 : 0.01),
          sponge.mark(),
          matched};
}

// A spring that sound meets as such is no ground: a thousandth of the stiffness, or of the impedance, has been taken for the whole.
void require_slow_springs(const Section& floor, const FloorCase& f) {
  for (std::size_t n = 0; n < f.stiffness.size(); ++n) {
    const double most = 2 * std::numbers::pi * highest_corner * f.density[n] * f.sound_speed[n];
    if (f.stiffness[n] > most)
      floor.report("stiffness", "too stiff for the impedance density x sound_speed: the floor would be a spring for sound",
                   {text(f.stiffness[n]), text("at most ", rounded(most), " Pa/m, a corner of ", highest_corner, " Hz"),
                    "leave it out: the default puts the corner between sound and tsunamis"});
  }
}

FloorCase read_ground(const Section& floor) {
  FloorCase f{.depth = {}, .density = {floor.number("density")}, .sound_speed = {floor.number("sound_speed")}, .stiffness = {}, .mark = floor.mark()};
  if (const auto stiffness = floor.optional_number("stiffness")) f.stiffness = {*stiffness};
  return f;
}

// Lists of `count` depths or types.
void require_one_for_each(const Section& floor, const char* of, std::size_t count, FloorCase& f) {
  const auto match = [&](const char* key, const std::vector<double>& values) {
    if (count > 0 && !values.empty() && values.size() != count)
      floor.report(key, text("does not match boundary.floor.", of, std::string(of) == "type" ? "s" : ""),
                   {text(values.size(), " values"), text(count, ", one for each ", of)});
    return values.size() == count;
  };
  if (!match("density", f.density) || !match("sound_speed", f.sound_speed) || (floor.has("stiffness") && !match("stiffness", f.stiffness)))
    f.stiffness.clear();  // reported, or about to be
}

FloorCase read_by_depth(const Section& floor) {
  FloorCase f{floor.numbers("depth"), floor.numbers("density"), floor.numbers("sound_speed"), floor.numbers("stiffness"), floor.mark()};
  for (std::size_t n = 1; n < f.depth.size(); ++n)
    if (f.depth[n] <= f.depth[n - 1])
      floor.report("depth", text("entry ", n, " does not increase"),
                   {text(f.depth[n - 1], ", then ", f.depth[n]), "depths from shallow to deep", "sort them"});
  if (const Tree& list = *floor.tree("depth"); list.kind == Tree::Kind::list && list.items.size() < 2)
    floor.report("depth", "too few depths", {describe(list), "two or more", "leave depth out where the ground is the same everywhere"});
  require_one_for_each(floor, "depth", f.depth.size(), f);
  return f;
}

FloorCase read_by_type(const Section& floor, const std::filesystem::path& folder) {
  FloorCase f{{}, floor.numbers("density"), floor.numbers("sound_speed"), floor.numbers("stiffness"), floor.mark()};
  f.types = floor.numbers("types");
  f.file = resolve_path(folder, floor.text("file"));
  f.variable = floor.text("variable");
  f.file_mark = floor.mark("file");
  for (std::size_t n = 1; n < f.types.size(); ++n)
    if (std::find(f.types.begin(), f.types.begin() + static_cast<std::ptrdiff_t>(n), f.types[n]) != f.types.begin() + static_cast<std::ptrdiff_t>(n))
      floor.report("types", text("entry ", n, " stands there twice"), {text(f.types[n]), "each type once", "remove one of them"});
  require_one_for_each(floor, "type", f.types.size(), f);
  return f;
}

std::optional<FloorCase> read_floor(const Section& boundary, const std::filesystem::path& folder) {
  const Tree* const given = boundary.tree("floor");
  if (!given || given->kind != Tree::Kind::map) {
    static_cast<void>(boundary.text("floor"));
    return std::nullopt;
  }
  const std::string type = given->find("file") || given->find("types") ? "types" : given->find("depth") ? "depth" : "ground";
  const Section floor(boundary.findings(), given, given->line, boundary.mark("floor").key, "boundary.floor", type);
  FloorCase f = type == "types" ? read_by_type(floor, folder) : type == "depth" ? read_by_depth(floor) : read_ground(floor);
  require_slow_springs(floor, f);
  return f;
}

}  // namespace

BoundaryCase read_boundary(const Section& boundary, const std::filesystem::path& folder) {
  const auto wall = [&](const char* key) { return boundary.text(key) == "rigid" ? Wall::rigid : Wall::absorbing; };
  return {wall("west"),
          wall("east"),
          wall("south"),
          wall("north"),
          boundary.text("surface") == "rigid" ? Surface::rigid : Surface::gravity,
          read_sponge(boundary.section("sponge")),
          read_floor(boundary, folder)};
}

}  // namespace agwave
