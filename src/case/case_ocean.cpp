// SPDX-License-Identifier: Apache-2.0
// Reads the water from the case file: a sound speed as one number, or how it differs by depth and place.
#include <filesystem>

#include "case/case_parts.hpp"
#include "case/csv.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

constexpr Row depth_row{
    .key = "depth", .unit = "m", .fallback = required, .min = 0, .max = 12000, .advice = "depth is positive downward", .doc = "Of a point"};
constexpr Row speed_row{.key = "c", .unit = "m/s", .fallback = required, .min = slowest_sound, .max = fastest_sound, .doc = "Speed of sound"};

// Depths from the surface down. What check_number has reported is NaN and compares false.
class ProfileReader {
 public:
  ProfileReader(Findings& findings, const Mark& mark, ExitCode code) : findings_(findings), code_(code) {
    profile_.mark = mark, profile_.from_file = code == ExitCode::input;
  }

  void add(const Tree& depth, const Tree& speed, const Mark& depth_mark, const Mark& speed_mark) {
    const double d = check_number(findings_, depth_row, depth, depth_mark, code_), c = check_number(findings_, speed_row, speed, speed_mark, code_);
    if (profile_.depth.empty() && d > 0)
      findings_.add(depth_mark, "the profile does not reach the surface",
                    {text(d), "a first depth of 0 m", "give the speed at the surface: nothing is assumed above the first depth", code_});
    if (!profile_.depth.empty() && d <= profile_.depth.back())
      findings_.add(depth_mark, "does not increase", {text(profile_.depth.back(), ", then ", d), "depths from the surface down", "sort them", code_});
    profile_.depth.push_back(d);
    profile_.speed.push_back(c);
  }
  SoundProfile take() {
    if (profile_.depth.size() < 2)
      findings_.add(profile_.mark, "too few points", {text(profile_.depth.size()), "two or more", "give one number for a constant speed", code_});
    return std::move(profile_);
  }

 private:
  Findings& findings_;
  ExitCode code_;
  SoundProfile profile_;
};

SoundProfile read_list(const Section& sound) {
  const Tree& list = *sound.tree("profile");
  const Mark mark = sound.mark("profile");
  ProfileReader reader(sound.findings(), mark, ExitCode::usage);
  for (std::size_t n = 0; n < list.items.size(); ++n) {
    const Tree& point = list.items[n];
    const Mark here = sound.findings().mark(point.line, text(mark.key, "[", n, "]"));
    if (point.kind == Tree::Kind::list && point.items.size() == 2)
      reader.add(point.items[0], point.items[1], here, here);
    else
      sound.findings().add(here, "expected a point", {describe(point), "[depth, c]"});
  }
  if (list.kind == Tree::Kind::list) return reader.take();
  sound.report("profile", "expected a list of points", {describe(list), "[[0, 1520], [1000, 1485], ...]"});
  return {};
}

SoundProfile read_table(Findings& findings, const std::string& file, const Mark& mark) {
  const std::optional<CsvTable> table = read_csv(findings, file, mark, {"table of sound speeds", "a header line depth,c, then a line per depth"});
  if (!table) return {};
  if (!table->column("depth") || !table->column("c")) {
    findings.add({file, table->header.line, ""}, "wrong columns in the header line",
                 {table->names(), "depth,c", "begin the file with this line", ExitCode::input});
    return {};
  }
  if (!table->whole) return {};  // the points beside one that is missing are no profile
  ProfileReader reader(findings, mark, ExitCode::input);
  for (const CsvRow& row : table->rows) {
    const auto value = [&](const char* column) {
      return Tree{.kind = Tree::Kind::scalar, .line = row.line, .scalar = row.fields[*table->column(column)]};
    };
    reader.add(value("depth"), value("c"), {file, row.line, "depth"}, {file, row.line, "c"});
  }
  return reader.take();
}

SoundCase read_sound(const Section& ocean, const std::filesystem::path& folder) {
  const Tree& map = *ocean.tree("sound_speed");
  const char* type = map.find("profile") ? "profile" : map.find("file") ? "file" : map.find("type") ? "munk" : nullptr;
  const Mark mark = ocean.mark("sound_speed");
  if (!type) {
    ocean.report("sound_speed", "does not say what the speed is", {describe(map), "a number, {profile: [[0, 1520], ...]}, {file: } or {type: munk}"});
    return {};
  }
  const Section sound(ocean.findings(), &map, map.line, mark.key, "ocean.sound_speed", type);
  if (map.find("profile")) return read_list(sound);
  if (map.find("file")) {
    const std::string file = resolve_path(folder, sound.text("file"));
    const bool table = std::filesystem::path(file).extension() == ".csv";
    if (table && sound.has("variable"))
      sound.report("variable", "a table has no variables", {"'" + sound.text("variable") + "'", "netCDF files with it", "remove the key"});
    if (table) return read_table(ocean.findings(), file, sound.mark("file"));
    return SoundField{file, sound.text("variable"), sound.mark("file")};
  }
  static_cast<void>(sound.text("type"));
  return MunkSound{sound.number("axis"), sound.number("scale"), sound.number("speed"), sound.number("perturbation"), mark};
}

}  // namespace

OceanCase read_ocean(const Section& ocean, const std::filesystem::path& folder) {
  OceanCase result;
  result.density = ocean.number("density");
  result.gravity = ocean.number("gravity");
  const Tree* const sound = ocean.tree("sound_speed");
  if (sound && sound->kind == Tree::Kind::map)
    result.sound = read_sound(ocean, folder);
  else
    result.sound_speed = ocean.number("sound_speed");
  return result;
}

}  // namespace agwave
