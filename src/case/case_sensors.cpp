// SPDX-License-Identifier: Apache-2.0
// Reads the three lists of sensors. An entry is one sensor in metres or degrees, a CSV file of them, a line of hydrophones, or a regular grid, which
// is kept as it is until the domain size is known. Whether a sensor lies in the domain is checked then too.
#include <array>
#include <cmath>
#include <unordered_map>

#include "case/case_parts.hpp"
#include "case/csv.hpp"
#include "error/error.hpp"
#include "files/text_file.hpp"

namespace agwave {
namespace {

constexpr std::int64_t max_sensors = 1'000'000;

class ListReader {
 public:
  ListReader(const Section& sensors, const char* key, const Geography& geography, const std::filesystem::path& folder)
      : sensors_(sensors),
        findings_(sensors.findings()),
        key_(key),
        geography_(geography),
        folder_(folder),
        deep_(key_ == "hydrophones"),
        group_(deep_ ? "sensors.hydrophones[]" : "sensors.*[]") {}

  void read() {
    if (!sensors_.has(key_)) return;
    const Tree& given = *sensors_.tree(key_);
    const std::string path = "sensors." + key_;
    if (given.kind == Tree::Kind::list) {
      for (std::size_t i = 0; i < given.items.size(); ++i) read_entry(given.items[i], text(path, "[", i, "]"));
    } else if (given.kind == Tree::Kind::map && (given.find("file") || given.find("grid") || (deep_ && given.find("line")))) {
      // the short form {file: ..., grid: ..., line: ...}: as a list of one entry for each key
      for (std::size_t i = 0; i < given.keys.size(); ++i) {
        const std::string& key = given.keys[i];
        if (key != "file" && key != "grid" && !(deep_ && key == "line")) {
          const Detail detail{"'" + key + "'", deep_ ? "file, line" : "file, grid", "begin each sensor with '- '"};
          findings_.add(findings_.mark(given.items[i].line, text(path, ".", key)), "unknown key", detail);
          continue;
        }
        Tree entry{.kind = Tree::Kind::map, .line = given.items[i].line, .keys = {key}, .items = {given.items[i]}};
        read_entry(entry, path);
      }
    } else {
      const char* grid = deep_ ? " or {line: {from: , to: , count: }}" : " or {grid: {counts: , margin: }}";
      const char* advice = given.kind == Tree::Kind::map ? "begin each sensor with '- '" : "";
      sensors_.report(key_, "expected a list", {describe(given), text("a list of sensors, {file: sensors.csv}", grid), advice});
    }
    check_names();
  }

  std::vector<SensorCase> list;
  std::vector<SensorGrid> grids;

 private:
  void read_entry(const Tree& entry, const std::string& path) {
    const bool file = entry.find("file") != nullptr, grid = !deep_ && entry.find("grid") != nullptr;
    const bool lonlat = entry.find("lon") || entry.find("lat");
    if (deep_ && entry.find("grid")) {
      const Mark mark = findings_.mark(entry.find("grid")->line, path + ".grid");
      const Detail detail{"'grid'", "single hydrophones, {file: hydrophones.csv} or {line: {from: , to: , count: }}", "list them, each with its z"};
      return findings_.add(mark, "hydrophones have no grids", detail);
    }
    const Tree* line = deep_ ? entry.find("line") : nullptr;
    const Section section(findings_, &entry, entry.line, path, group_, file ? "file" : grid ? "grid" : line ? "line" : lonlat ? "lonlat" : "metres");
    if (section.reported()) return;
    if (line) return read_line(*line, path + ".line");
    if (file) return read_file(section);
    if (grid) return read_grid(section);
    SensorCase sensor;
    sensor.mark = section.mark();
    sensor.name = section.text("name");
    if (section.has("name") && sensor.name.empty() && section.tree("name")->kind == Tree::Kind::scalar) {
      section.report("name", "the name is empty", {"''", "text", "give each sensor a name"});
    }
    sensor.place = lonlat ? read_lonlat(section, geography_) : Place{section.number("x"), section.number("y"), false};
    if (deep_) sensor.z = section.number("z");
    list.push_back(std::move(sensor));
  }

  void read_grid(const Section& entry) {
    const Section section = entry.section("grid");
    const auto [nx, ny] = pair(section.numbers("counts"));
    grids.push_back({{static_cast<int>(nx), static_cast<int>(ny)}, section.number("margin"), entry.mark("grid")});
  }

  void read_line(const Tree& line, const std::string& path) {
    const bool lonlat = line.find("lon") || line.find("lat");
    const Section section(findings_, &line, line.line, path, "sensors.hydrophones[].line", lonlat ? "lonlat" : "metres");
    if (section.reported()) return;
    std::array<std::array<double, 2>, 3> ends{};  // [x, y, z][first, last]
    if (lonlat) {
      if (!geography_)
        section.report("lon", "lon, lat need domain.lonlat", {"domain.size", "from: [x, y, z], to: [x, y, z] in metres", "give from and to"});
      for (int d = 0; d < 3; ++d) ends[d] = pair(section.numbers(std::array{"lon", "lat", "z"}[d]));
      ends[0][1] = ends[0][0] + std::remainder(ends[0][1] - ends[0][0], 360);  // the short way, over the date line too
    } else {
      for (const int end : {0, 1}) {
        const char* key = end == 0 ? "from" : "to";
        const std::vector<double> place = section.numbers(key);
        if (place.size() != ends.size()) return;  // reported
        if (!(place[2] < 0))
          section.report(key, "this end is not below the sea surface", {text("z = ", place[2]), "z below 0", "z is up, 0 at the sea surface"});
        for (int d = 0; d < 3; ++d) ends[d][end] = place[d];
      }
    }
    const auto count = static_cast<int>(whole(section.number("count")));
    const std::size_t digits = text(count).size();
    const std::string name = section.text("name");
    for (int n = 0; n < count; ++n) {
      const double t = static_cast<double>(n) / (count - 1);
      const auto at = [&](int d) { return ends[d][0] + t * (ends[d][1] - ends[d][0]); };
      list.push_back({name + padded(n + 1, digits), {at(0), at(1), lonlat}, at(2), section.mark()});
    }
  }

  void read_file(const Section& entry) {
    const std::string file = resolve_path(folder_, entry.text("file"));
    if (file.empty()) return;
    const std::optional<CsvTable> table =
        read_csv(findings_, file, entry.mark("file"), {"sensor list", "a header line such as name,x,y, then a line per sensor"});
    if (!table) return;
    const auto wrong = [&](const char* what, const std::string& found, const std::string& allowed, const char* advice = "") {
      findings_.add({file, table->header.line, ""}, what, {found, allowed, advice, ExitCode::input});
    };
    const bool metres = table->column("x") && table->column("y"), lonlat = table->column("lon") && table->column("lat");
    if (!table->column("name") || metres == lonlat || (deep_ && !table->column("z"))) {
      const char* allowed = deep_ ? "name,x,y,z or name,lon,lat,z, in any order" : "name,x,y or name,lon,lat, in any order";
      return wrong("wrong columns in the header line", table->names(), allowed, "begin the file with a header line");
    }
    for (std::size_t n = 0; n < table->header.fields.size(); ++n) {
      const std::string& name = table->header.fields[n];
      const bool known = name == "name" || (name == "z" && deep_) || (metres ? name == "x" || name == "y" : name == "lon" || name == "lat");
      if (known && table->column(name) == n) continue;
      const std::string allowed = text("name, ", metres ? "x, y" : "lon, lat", deep_ ? ", z" : "");
      const char* advice =
          name == "z" ? "these lie on the floor or the surface: remove the column, or list them as hydrophones" : "remove the column";
      wrong(known ? "a column that is there already" : "unknown column", "'" + name + "'", allowed, advice);
    }
    if (!metres && !geography_) return wrong("lon, lat need domain.lonlat", "domain.size", "x, y in metres from the south-west corner");
    if (table->rows.size() > static_cast<std::size_t>(max_sensors))
      return entry.report("file", "too many sensors", {text(table->rows.size()), text("at most ", max_sensors)});
    if (table->rows.empty() && table->whole) wrong("no sensor in the file", "a header line alone", "a line for each sensor");
    for (const CsvRow& row : table->rows) read_row(*table, row, file);
  }

  void read_row(const CsvTable& table, const CsvRow& row, const std::string& file) {
    const bool lonlat = table.column("lon").has_value();
    const std::string& name = row.fields[*table.column("name")];
    const auto number = [&](const char* column) {
      const Tree value{.kind = Tree::Kind::scalar, .line = row.line, .scalar = row.fields[*table.column(column)]};
      return check_number(findings_, find_row(group_, lonlat ? "lonlat" : "metres", column), value, {file, row.line, column}, ExitCode::input);
    };
    if (name.empty()) findings_.add({file, row.line, "name"}, "the name is empty", {"''", "text", "give each sensor a name", ExitCode::input});
    SensorCase sensor{name, {number(lonlat ? "lon" : "x"), number(lonlat ? "lat" : "y"), lonlat}, 0, {file, row.line, name}};
    if (deep_) sensor.z = number("z");
    list.push_back(std::move(sensor));
  }

  void check_names() const {
    std::unordered_map<std::string_view, const SensorCase*> first;
    for (const SensorCase& sensor : list) {
      if (sensor.name.empty()) continue;
      const auto [seen, fresh] = first.emplace(sensor.name, &sensor);
      if (fresh) continue;
      Mark other = seen->second->mark;
      if (other.line > 0) other.key.clear();
      findings_.add(sensor.mark, "duplicate sensor name",
                    {text("'", sensor.name, "', also at ", to_string(other)), "each name once in sensors." + key_, "rename one of the two",
                     findings_.blames(sensor.mark)});
    }
  }

  const Section& sensors_;
  Findings& findings_;
  const std::string key_;
  const Geography& geography_;
  const std::filesystem::path& folder_;
  const bool deep_;  // hydrophones: with z, without grids
  const std::string_view group_;
};

}  // namespace

void read_sensors(const Section& sensors, const Geography& geography, const std::filesystem::path& folder, Case& result) {
  ListReader seafloor(sensors, "seafloor", geography, folder), hydrophones(sensors, "hydrophones", geography, folder),
      surface(sensors, "surface", geography, folder);
  for (ListReader* reader : {&seafloor, &hydrophones, &surface}) reader->read();

  SensorCases& out = result.sensors;
  out.mark = sensors.mark();
  out.interval = sensors.optional_number("interval");
  double total = static_cast<double>(seafloor.list.size() + hydrophones.list.size() + surface.list.size());
  for (const ListReader* reader : {&seafloor, &surface}) {
    for (const SensorGrid& grid : reader->grids) total += static_cast<double>(grid.counts[0]) * grid.counts[1];
  }
  if (total > static_cast<double>(max_sensors)) {
    const std::string allowed = text("at most ", max_sensors, " in all");
    sensors.report({}, "too many sensors", {text(total), allowed, "use output.surface_interval for maps"});
  }
  const bool some = sensors.has("seafloor") || sensors.has("hydrophones") || sensors.has("surface");
  if (some && total > 0 && !sensors.has("interval")) {
    sensors.report("interval", "missing: sensors need a sampling interval", {"", "a number of seconds", "add 'interval: 0.5'"});
  }
  out.seafloor = std::move(seafloor.list);
  out.hydrophones = std::move(hydrophones.list);
  out.surface = std::move(surface.list);
  result.seafloor_grids = std::move(seafloor.grids);
  result.surface_grids = std::move(surface.grids);
}

}  // namespace agwave
