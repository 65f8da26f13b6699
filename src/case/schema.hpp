// SPDX-License-Identifier: Apache-2.0
// The schema of the case file: one row per key, from which parsing, defaults, range checks, unknown-key suggestions and
// the reference page all come. A group is the path of a map; `[]` stands for an entry of a list and `*` for seafloor or
// surface. In a group with a key `type`, the other rows name the types that they belong to.
#pragma once
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agwave {

enum class Kind { map, list, place, number, integer, numbers, integers, text, path, paths, choice };

inline constexpr double farthest = 2e7;                              // [m] half the Earth's circumference: no coordinate is farther
inline constexpr double highest_corner = 1;                          // [Hz] of a floor's springs: above it sound would meet them
inline constexpr double slowest_sound = 1300, fastest_sound = 1700;  // [m/s] in sea water, at any depth and place
inline constexpr std::string_view required = "required";             // Row::fallback of a key that must be given
inline constexpr std::string_view optional = "optional";             // Row::fallback of a key whose absence is a value of its own

struct Row {
  std::string_view group{};
  std::string_view type{};  // "flat|cosine": types that have this key; empty: all
  std::string_view key{};
  Kind kind = Kind::number;
  std::string_view unit{};
  std::string_view fallback{};  // the default as YAML, or `required`, or `optional`
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();  // of each number
  std::string_view choices{};  // "a|b": the words allowed (besides the numbers, for number kinds)
  int count = 0;               // numbers, integers: how many; 0: any
  bool zero = false;           // 0 is allowed too ("off"), below min
  std::string_view advice{};   // what to do about a wrong sign or choice
  std::string_view shown{};    // what the reference page says instead of the default
  std::string_view doc{};
};

std::span<const Row> schema();                            // every row, groups together, in the order of the file
std::span<const Row> group_rows(std::string_view group);  // the rows of one group
// Those of the map at `path`, "[]" standing for an entry of a list, which may also stand alone; none where the schema has no such map.
std::span<const Row> rows_at(std::string_view path);
const Row& find_row(std::string_view group, std::string_view type, std::string_view key);  // throws std::logic_error
bool has_type(const Row& row, std::string_view type);                                      // type empty: true

std::vector<std::string_view> split_choices(std::string_view choices);
// The candidate nearest to `word` in edit distance (a swap of neighbours counts 1), or "" when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
// "numbers from 500 to 2e+07 m": what a row allows, in words.
std::string describe_allowed(const Row& row);
// The whole schema as Markdown tables, one per group.
std::string schema_reference();
// And as a JSON Schema.
std::string schema_json();

}  // namespace agwave
