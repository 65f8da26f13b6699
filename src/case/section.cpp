// SPDX-License-Identifier: Apache-2.0
// Checked access to a map of the case file; see section.hpp.
#include "case/section.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "error/error.hpp"
#include "files/text_file.hpp"

namespace agwave {
namespace {

std::string join(const std::string& path, std::string_view key) { return path.empty() ? std::string(key) : agwave::text(path, ".", key); }

// Defaults are YAML text in the schema; parsed once each and kept for the life of the program.
const Tree& parsed_default(std::string_view fallback) {
  static std::map<std::string_view, Tree> cache;
  const auto found = cache.find(fallback);
  return found != cache.end() ? found->second : cache.emplace(fallback, parse_tree(std::string(fallback))).first->second;
}

bool typed(std::string_view group) { return group_rows(group).front().key == "type"; }

}  // namespace

Section::Section(Findings& findings, const Tree* map, int line, std::string path, std::string_view group, std::string_view type, bool reported)
    : findings_(&findings), map_(map), line_(map ? map->line : line), path_(std::move(path)), group_(group), type_(type), lenient_(reported) {
  if (map_ && map_->kind != Tree::Kind::map) {
    if (map_->kind != Tree::Kind::null) report({}, "expected a map of keys", {describe(*map_), "key: value"});
    lenient_ = lenient_ || map_->kind != Tree::Kind::null;
    map_ = nullptr;
  }
  if (typed(group_) && !lenient_) choose_type();
  check_keys();
}

void Section::choose_type() {
  const Tree* given = tree("type");
  if (given) type_ = check_text(*findings_, find_row(group_, {}, "type"), *given, mark("type"));
  lenient_ = type_.empty();
  if (!given) {
    const Row& row = find_row(group_, {}, "type");
    report("type", "missing: a type must be given", {"", describe_allowed(row), "add 'type: ...'"});
  }
}

void Section::check_keys() const {
  const std::span<const Row> rows = group_rows(group_);
  std::map<std::string_view, int> first;
  for (std::size_t i = 0; map_ && i < map_->keys.size(); ++i) {
    const std::string& key = map_->keys[i];
    const Mark where = findings_->mark(map_->items[i].line, join(path_, key));
    const auto [seen, fresh] = first.emplace(key, map_->items[i].line);
    bool known = false;
    for (const Row& row : rows) known = known || (row.key == key && has_type(row, type_));
    if (!fresh) {
      findings_->add(where, "duplicate key",
                     {seen->second > 0 ? agwave::text("it on line ", seen->second, " too") : "it twice", "each key once", "remove one of the two"});
    } else if (!known) {
      report_unknown(key, where);
    }
  }
  if (lenient_) return;
  for (const Row& row : rows) {
    if (row.fallback != required || row.key == "type" || !has_type(row, type_) || first.count(row.key)) continue;
    report(row.key, "missing", {"", describe_allowed(row), agwave::text("add '", row.key, ": ...' (", row.doc, ")")});
  }
}

void Section::report_unknown(const std::string& key, const Mark& where) const {
  std::vector<std::string_view> keys;
  std::string elsewhere, other_type;
  for (const Row& row : group_rows(group_)) {
    if (has_type(row, type_))
      keys.push_back(row.key);
    else if (row.key == key)
      other_type = row.type;
  }
  for (const Row& row : schema()) {
    if (row.key == key && row.group.find('[') == row.group.npos) elsewhere = join(std::string(row.group), row.key);
  }
  const std::string name = key.size() > 60 ? key.substr(0, 57) + "..." : key;
  const std::size_t colon = key.find(':');
  const std::string_view near = nearest(key.substr(0, colon), keys);
  std::string advice;
  if (colon != std::string::npos && !near.empty()) {
    advice = agwave::text("a space is missing after ':' in '", name, "'");
  } else if (!other_type.empty()) {
    advice = "it belongs to type " + listed(split_choices(other_type), " or ");
  } else if (!near.empty()) {
    advice = agwave::text("did you mean '", near, "'?");
  } else if (!elsewhere.empty()) {
    advice = agwave::text("did you mean '", elsewhere, "'?");
  }
  Mark shown = where;
  shown.key = join(path_, name);
  findings_->add(shown, "unknown key", {"'" + name + "'", listed(keys), advice});
}

const Tree* Section::tree(std::string_view key) const { return map_ ? map_->find(key) : nullptr; }

bool Section::has(std::string_view key) const {
  const Tree* found = tree(key);
  return found && found->kind != Tree::Kind::null;
}

Mark Section::mark(std::string_view key) const {
  const Tree* found = tree(key);
  return findings_->mark(found ? found->line : line_, key.empty() ? path_ : join(path_, key));
}

const Tree* Section::value(const Row& row) const {
  if (const Tree* given = tree(row.key)) return given;
  if (row.fallback == required || row.fallback == optional) return nullptr;
  return &parsed_default(row.fallback);
}

bool Section::is_word(const Row& row, const Tree& value) const {
  return value.kind == Tree::Kind::scalar && std::ranges::count(split_choices(row.choices), value.scalar) > 0;
}

double Section::number(std::string_view key) const { return optional_number(key).value_or(std::numeric_limits<double>::quiet_NaN()); }

std::optional<double> Section::optional_number(std::string_view key) const {
  const Row& row = find_row(group_, type_, key);
  const Tree* given = value(row);
  if (!given || is_word(row, *given)) return std::nullopt;
  const double number = check_number(*findings_, row, *given, mark(key));
  return number == number ? std::optional(number) : std::nullopt;
}

std::vector<double> Section::numbers(std::string_view key) const {
  const Row& row = find_row(group_, type_, key);
  const Tree* given = value(row);
  if (!given || is_word(row, *given)) return {};
  const auto count = static_cast<std::size_t>(row.count);
  if (given->kind != Tree::Kind::list || (count > 0 && given->items.size() != count)) {
    const char* what = given->kind == Tree::Kind::list ? "wrong number of entries" : "expected a list";
    report(key, what, {describe(*given), describe_allowed(row)});
    return {};
  }
  std::vector<double> result;
  bool right = true;
  for (std::size_t i = 0; i < given->items.size(); ++i) {
    const Mark where = findings_->mark(given->items[i].line, agwave::text(mark(key).key, "[", i, "]"));
    result.push_back(check_number(*findings_, row, given->items[i], where));
    right = right && result.back() == result.back();
  }
  return right ? result : std::vector<double>{};
}

std::string Section::text(std::string_view key) const {
  const Row& row = find_row(group_, type_, key);
  const Tree* given = value(row);
  return given ? check_text(*findings_, row, *given, mark(key)) : "";
}

Section Section::section(std::string_view key) const {
  const std::string_view group =
      group_rows(join(std::string(group_), key)).front().group;  // the schema's own copy of the name, which outlives this call
  const bool reported = !tree(key) && (lenient_ || find_row(group_, type_, key).fallback == required);
  return Section(*findings_, tree(key), line_, mark(key).key, group, {}, reported);
}

Place read_lonlat(const Section& section, const Geography& geography) {
  const double lon = section.number("lon"), lat = section.number("lat");
  const auto inside = [](Range range, double v) { return v >= range.min && v <= range.max; };
  const auto [lons, lats] = geography.value_or(LonLat{});
  if (!geography) {
    const char* advice = "give x, y, or give the domain as domain.lonlat";
    section.report("lon", "lon, lat need domain.lonlat", {"domain.size", "x, y in metres from the south-west corner", advice});
  } else if (inside(lons, lat) && inside(lats, lon) && !(inside(lons, lon) && inside(lats, lat))) {
    const std::string allowed = agwave::text("lon ", lons.min, " to ", lons.max, ", lat ", lats.min, " to ", lats.max);
    section.report("lon", "lon and lat look swapped", {agwave::text("lon ", lon, ", lat ", lat), allowed, "swap them"});
  }
  return {lon, lat, true};
}

}  // namespace agwave
