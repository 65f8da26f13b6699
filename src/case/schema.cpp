// SPDX-License-Identifier: Apache-2.0
// Look-ups in the schema, the nearest known word (optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours cost 1) and the reference page. See schema.hpp; the rows are in schema_rows.cpp.
#include "case/schema.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "error/error.hpp"
#include "files/text_file.hpp"

namespace agwave {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

std::string words(std::string_view choices) { return listed(split_choices(choices)); }

}  // namespace

std::span<const Row> group_rows(std::string_view group) {
  static const auto groups = [] {
    std::unordered_map<std::string_view, std::span<const Row>> map;
    const auto all = schema();
    for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
      while (last < all.size() && all[last].group == all[first].group) ++last;
      map[all[first].group] = all.subspan(first, last - first);
    }
    return map;
  }();
  const auto found = groups.find(group);
  if (found == groups.end()) throw std::logic_error(text("schema: no group '", group, "'"));
  return found->second;
}

namespace {
bool same_part(std::string_view pattern, std::string_view part) {
  if (pattern == part) return true;
  if (pattern.ends_with("[]")) {
    pattern.remove_suffix(2);
    if (part.ends_with("[]")) part.remove_suffix(2);
  }
  return pattern == "*" || pattern == part;
}

bool matches(std::string_view pattern, std::string_view path) {
  const std::size_t dot = pattern.find('.'), end = path.find('.');
  if (!same_part(pattern.substr(0, dot), path.substr(0, end)) || (dot == pattern.npos) != (end == path.npos)) return false;
  return dot == pattern.npos || matches(pattern.substr(dot + 1), path.substr(end + 1));
}
}  // namespace

std::span<const Row> rows_at(std::string_view path) {
  for (const bool star : {false, true})  // `*` stands for keys without a group of their own
    for (const Row& row : schema())
      if ((row.group.find('*') != row.group.npos) == star && matches(row.group, path)) return group_rows(row.group);
  return {};
}

bool has_type(const Row& row, std::string_view type) {
  if (row.type.empty() || type.empty()) return true;
  // without building a list of types, because this runs for every sensor
  for (std::size_t at = row.type.find(type); at != row.type.npos; at = row.type.find(type, at + 1)) {
    const std::size_t end = at + type.size();
    if ((at == 0 || row.type[at - 1] == '|') && (end == row.type.size() || row.type[end] == '|')) return true;
  }
  return false;
}

const Row& find_row(std::string_view group, std::string_view type, std::string_view key) {
  for (const Row& row : group_rows(group)) {
    if (row.key == key && has_type(row, type)) return row;
  }
  throw std::logic_error(text("schema: no key '", key, "' in group '", group, "' of type '", type, "'"));
}

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> result;
  while (!choices.empty()) {
    const std::size_t bar = choices.find('|');
    result.push_back(choices.substr(0, bar));
    choices = bar == std::string_view::npos ? std::string_view{} : choices.substr(bar + 1);
  }
  return result;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  if (word.size() > 64) return best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(lower(word), candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string describe_allowed(const Row& row) {
  const std::string unit = row.unit.empty() ? "" : " " + std::string(row.unit);
  const std::string range = text(row.zero ? "0, or " : "", row.min, " to ", row.max, unit);
  const std::string word = row.choices.empty() ? "" : " or the word " + words(row.choices);
  const std::string how_many = row.count > 0 ? text(row.count, " ") : "";
  switch (row.kind) {
    case Kind::map:
      return "a map of keys";
    case Kind::list:
      return "a list";
    case Kind::place:
      return "[x, y] in m, or {lon: , lat: } with domain.lonlat";
    case Kind::number:
      return "a number, " + range + word;
    case Kind::integer:
      return "an integer, " + range + word;
    case Kind::numbers:
      return "a list of " + how_many + "numbers, " + range + word;
    case Kind::integers:
      return "a list of " + how_many + "integers, " + range + word;
    case Kind::text:
      return "text";
    case Kind::path:
      return "a path";
    case Kind::paths:
      return "a list of paths";
    case Kind::choice:
      return words(row.choices);
  }
  return "";
}

std::string schema_reference() {
  std::string page;
  std::string_view group = "-";
  for (const Row& row : schema()) {
    if (row.group != group) {
      group = row.group;
      page += text(page.empty() ? "" : "\n", "## ", group.empty() ? "Top level" : group, "\n\n");
      page += "| key | of type | allowed | default | meaning |\n|---|---|---|---|---|\n";
    }
    const bool word = row.fallback == required || row.fallback == optional;
    const std::string fallback = !row.shown.empty() ? std::string(row.shown) : word ? std::string(row.fallback) : text("`", row.fallback, "`");
    page += text("| `", row.key, "` | ", words(row.type), " | ", describe_allowed(row), " | ", fallback, " | ", row.doc, " |\n");
  }
  return page;
}

}  // namespace agwave
