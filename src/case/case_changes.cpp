// SPDX-License-Identifier: Apache-2.0
#include "case/case_changes.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <ranges>
#include <regex>

#include "case/schema.hpp"
#include "files/text_file.hpp"

namespace agwave {
namespace {

void flatten_into(const Tree& tree, const std::string& path, CaseKeys& keys) {
  const auto scalar = [](const Tree& t) { return t.kind == Tree::Kind::scalar || t.kind == Tree::Kind::null; };
  if (tree.kind == Tree::Kind::map) {
    for (std::size_t n = 0; n < tree.items.size(); ++n) flatten_into(tree.items[n], path.empty() ? tree.keys[n] : path + "." + tree.keys[n], keys);
  } else if (tree.kind == Tree::Kind::list && !std::all_of(tree.items.begin(), tree.items.end(), scalar)) {
    for (std::size_t n = 0; n < tree.items.size(); ++n) flatten_into(tree.items[n], text(path, "[", n, "]"), keys);
  } else if (tree.kind == Tree::Kind::list) {
    keys.push_back({path, "[" + listed(std::views::transform(tree.items, &Tree::scalar)) + "]", tree.line});
  } else if (tree.kind == Tree::Kind::scalar) {
    keys.push_back({path, tree.scalar, tree.line});
  }
}

// "sources[0].ramp.order" -> its default, or "" when it has none.
std::string default_of(const std::string& path) {
  std::string group = std::regex_replace(path, std::regex(R"(\[\d+)"), "[");
  const auto dot = group.rfind('.');
  const std::string key = dot == std::string::npos ? group : group.substr(dot + 1);
  group.resize(dot == std::string::npos ? 0 : dot);
  for (const Row& row : rows_at(group))
    if (row.key == key && row.fallback != required && row.fallback != optional) return std::string(row.fallback == "''" ? "" : row.fallback);
  return "";
}

std::vector<std::string> words(const std::string& value) {
  std::vector<std::string> all(1);
  for (const char c : value)
    if (c == ' ' || c == ',' || c == '[' || c == ']')
      all.emplace_back(1, c), all.emplace_back();
    else
      all.back() += c;
  return all;
}

// Words that are numbers are compared as numbers.
bool same_value(const std::string& a, const std::string& b) {
  const auto same = [](const std::string& x, const std::string& y) {
    char *x_end = nullptr, *y_end = nullptr;
    const double u = std::strtod(x.c_str(), &x_end), v = std::strtod(y.c_str(), &y_end);
    return x == y || (!x.empty() && !y.empty() && *x_end == 0 && *y_end == 0 && u == v);
  };
  return std::ranges::equal(words(a), words(b), same);
}

}  // namespace

CaseKeys flatten(const Tree& tree) {
  CaseKeys keys;
  flatten_into(tree, "", keys);
  return keys;
}

bool may_change(std::string_view key) {
  for (const std::string_view free :
       {"title", "time", "output", "solver.device", "solver.variant", "solver.precision", "solver.exchange", "parallel"})
    if (key == free || (key.starts_with(free) && key[free.size()] == '.')) return true;
  return false;
}

void compare_keys(const CaseKeys& now, const CaseKeys& then, Findings& findings, const Kept& kept) {
  std::map<std::string, CaseKey> first;
  for (const CaseKey& key : now) first.emplace(key.path, key);
  std::map<std::string, std::string> second;
  for (const CaseKey& key : then) second.emplace(key.path, key.value);
  // Files of one kind for ParaView are numbered by their interval and share one mesh: those that there are must stay right.
  const auto has_files = [&](const std::string& kind) {
    const auto interval = second.find("output." + kind + "_interval");
    return interval != second.end() && !same_value(interval->second, "0");
  };
  const auto fixed = [&](const std::string& path) {
    return !may_change(path) || path == "output.arrival_threshold" ||
           (path == "output.cells_per_edge" && (has_files("seafloor") || has_files("volume"))) ||
           (path == "output.seafloor_interval" && has_files("seafloor")) || (path == "output.volume_interval" && has_files("volume"));
  };
  const auto compare = [&](const std::string& path, const std::string& found, const std::string& wanted, int line) {
    if (!fixed(path) || same_value(found, wanted)) return;
    findings.add(findings.mark(line, path), text("changed since ", kept.since),
                 {found.empty() ? "nothing" : found, wanted.empty() ? "nothing" : wanted,
                  text(wanted.empty() ? "remove" : "restore", " it, or ", kept.otherwise)});
  };
  for (const auto& [path, key] : first) {
    const auto old = second.find(path);
    compare(path, key.value, old == second.end() ? default_of(path) : old->second, key.line);
  }
  for (const auto& [path, value] : second)
    if (!first.contains(path)) compare(path, default_of(path), value, 1);
}

}  // namespace agwave
