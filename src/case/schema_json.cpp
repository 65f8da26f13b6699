// SPDX-License-Identifier: Apache-2.0
// The schema as JSON Schema (draft 7, https://json-schema.org/draft-07), for editors that check and complete case files. A group with types
// becomes one alternative per type; relations between keys, such as intervals that must divide each other, are left to `agwave check`.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "case/schema.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

using Json = nlohmann::ordered_json;

// Words of the case file as what YAML makes of them: numbers, true, false, or text.
Json scalar(std::string_view word) {
  Json value = Json::parse(word, nullptr, false);
  if (value.is_number() || value.is_boolean()) return value;
  return word == "''" ? Json("") : Json(std::string(word));
}

Json words(const Row& row) {
  Json list = Json::array();
  for (const std::string_view word : split_choices(row.choices)) list.push_back(scalar(word));
  return Json{{"enum", list}};
}

Json number(const Row& row) {
  const bool whole = row.kind == Kind::integer || row.kind == Kind::integers;
  Json range{{"type", whole ? "integer" : "number"}};
  if (std::isfinite(row.min)) range["minimum"] = row.min;
  if (std::isfinite(row.max)) range["maximum"] = row.max;
  return row.zero ? Json{{"anyOf", {range, Json{{"const", 0}}}}} : range;
}

Json numbers(const Row& row) {
  Json list{{"type", "array"}, {"items", number(row)}};
  if (row.count > 0) list["minItems"] = list["maxItems"] = row.count;
  return list;
}

Json group(std::span<const Row> rows);

// The map that a key holds, or for a list (`ending` is []) its entries.
std::span<const Row> rows_of(const Row& row, const char* ending) { return rows_at(text(row.group, row.group.empty() ? "" : ".", row.key, ending)); }

Json nested(const Row& row, const char* ending) {
  const std::span<const Row> rows = rows_of(row, ending);
  return rows.empty() ? Json{{"type", *ending ? "array" : "object"}} : group(rows);
}

// What a row asks for, or a word, or a map that says it by a rule.
Json or_else(const Row& row, Json asked) {
  Json any = Json::array({std::move(asked)});
  if (!row.choices.empty()) any.push_back(words(row));
  if (!rows_of(row, "").empty()) any.push_back(nested(row, ""));
  return any.size() == 1 ? any[0] : Json{{"anyOf", any}};
}

Json value(const Row& row) {
  switch (row.kind) {
    case Kind::map:
      return nested(row, "");
    case Kind::list: {
      const Json entry = nested(row, "[]");
      const Json list{{"type", "array"}, {"items", entry}};
      return row.group == "sensors" ? Json{{"anyOf", {list, entry}}} : list;  // one {file:} or {grid:} may stand alone
    }
    case Kind::number:
    case Kind::integer:
      return or_else(row, number(row));
    case Kind::place:
    case Kind::numbers:
    case Kind::integers:
      return or_else(row, numbers(row));
    case Kind::text:
    case Kind::path:
      return Json{{"type", {"string", "number"}}};
    case Kind::paths:
      return Json{{"type", "array"}, {"items", {{"type", {"string", "number"}}}}};
    case Kind::choice: {
      if (rows_of(row, "").empty()) return words(row);
      return Json{{"anyOf", {words(row), nested(row, "")}}};
    }
  }
  return {};
}

std::vector<std::string_view> types_of(std::span<const Row> rows) {
  std::vector<std::string_view> types;
  const auto add = [&](std::string_view list) {
    for (const std::string_view type : split_choices(list))
      if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  };
  for (const Row& row : rows)
    if (row.key == "type") add(row.choices);
  for (const Row& row : rows) add(row.type);
  return types;
}

Json alternative(std::span<const Row> rows, std::string_view type) {
  Json properties = Json::object(), needed = Json::array();
  for (const Row& row : rows) {
    if (!has_type(row, type)) continue;
    Json property = row.key == "type" ? Json{{"const", std::string(type)}} : value(row);
    property["description"] = std::string(row.doc) + (row.unit.empty() ? "" : " [" + std::string(row.unit) + "]");
    if (row.fallback == required)
      needed.push_back(row.key);
    else if (row.fallback != optional)
      property["default"] = scalar(row.fallback);
    properties[std::string(row.key)] = std::move(property);
  }
  Json map{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!needed.empty()) map["required"] = needed;
  return map;
}

Json group(std::span<const Row> rows) {
  const std::vector<std::string_view> types = types_of(rows);
  if (types.empty()) return alternative(rows, "");
  Json list = Json::array();
  for (const std::string_view type : types) list.push_back(alternative(rows, type));
  return list.size() == 1 ? list[0] : Json{{"anyOf", list}};
}

}  // namespace

std::string schema_json() {
  Json whole{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "agwave case file"}};
  whole.update(group(group_rows("")));
  return whole.dump(1) + "\n";
}

}  // namespace agwave
