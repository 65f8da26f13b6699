// SPDX-License-Identifier: Apache-2.0
// parse_case: text -> tree -> overrides -> sections checked against the schema -> Case. Everything wrong with the file is
// reported together; only a syntax error, after which nothing can be trusted, ends the reading at once.
#include "case/case_file.hpp"

#include <algorithm>
#include <cstdio>
#include <regex>
#include <string_view>

#include "case/case_changes.hpp"
#include "case/case_parts.hpp"
#include "case/schema.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

constexpr std::size_t max_bytes = 64u << 20;

// Length of the UTF-8 character that `bytes` begins with, 0 when it is none (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
  const unsigned first = at(0), second = at(1);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xF0 && first < 0xF5 ? 4 : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((at(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);  // surrogates, above U+10FFFF
  return overlong || beyond ? 0 : length;
}

// Where the first character begins that is none; the end where all are.
std::size_t end_of_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && utf8_length(bytes.substr(at, 4)) > 0) at += utf8_length(bytes.substr(at, 4));
  return at;
}

// Titles and names go to HDF5 attributes, which are UTF-8.
void require_utf8(const std::string& file, const std::string& source) {
  const std::size_t at = end_of_utf8(source);
  if (at == source.size()) return;
  char byte[8];
  std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned char>(source[at]));
  throw Error(ExitCode::usage, text(file, ":", 1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'),
                                    ": not UTF-8 text; found the byte ", byte, "; save the file as UTF-8 (iconv -f latin1 -t utf-8)"));
}

std::string_view line_of(std::string_view source, int line) {  // from 1; empty beyond the end
  for (; line > 1 && !source.empty(); --line) source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  return source.substr(0, source.find('\n'));
}

Tree parse_text(const std::string& file, const std::string& source) {
  if (source.size() > max_bytes) {
    throw Error(ExitCode::usage, text(file, ": the case file is too large; found ", source.size(),
                                      " bytes; allowed: at most 64 MB; give long lists of sensors as CSV files"));
  }
  require_utf8(file, source);
  try {
    Tree root = parse_tree(source);
    if (root.kind == Tree::Kind::map) return root;
    const int line = root.kind == Tree::Kind::null ? 1 : root.line;
    throw Error(ExitCode::usage, text(file, ":", line, ": a case file is a map of keys; found ", describe(root),
                                      "; begin with 'domain:', see configs/quickstart.yaml"));
  } catch (const YamlError& e) {
    const bool tab = line_of(source, e.line).find('\t') != std::string_view::npos;
    throw Error(ExitCode::usage,
                text(file, ":", e.line, ":", e.column, ": YAML syntax: ", e.what(), "; ",
                     tab ? "there is a tab in this line: indent with spaces" : "check indentation, brackets and quotes here or just above"));
  }
}

void apply_overrides(Tree& root, const std::vector<std::string>& overrides, Findings& findings) {
  for (const std::string& item : overrides) {
    const std::size_t equals = item.find('=');
    const Mark mark{"--set", 0, item.substr(0, equals)};
    if (end_of_utf8(item) < item.size()) {
      findings.add({"--set", 0, ""}, "not UTF-8 text", {"", "", "give it as UTF-8"});
      continue;
    }
    if (equals == std::string::npos || equals == 0) {
      findings.add(mark, "not an override", {"'" + item + "'", "key.path=value, for example mesh.elements=[32,24,4]"});
      continue;
    }
    if (item.find_first_not_of(" \t", equals + 1) == std::string::npos) {
      findings.add(mark, "no value", {"'" + item + "'", "key.path=value", "give one, or =~ to leave the key out"});
      continue;
    }
    try {
      set_value(root, item.substr(0, equals), item.substr(equals + 1));
    } catch (const std::runtime_error& e) {
      findings.add(mark, e.what(), {"", "", "give key.path=value with the keys of the case file"});
    }
  }
}

// A path in --set counts from where the command is typed, one in the file (which has a line) from the file's folder. All are brought to the latter, so
// that a case means the same whoever asks, a restart from another folder included.
void relate_to_folder(Tree& path, const std::filesystem::path& folder) {
  if (path.kind != Tree::Kind::scalar || path.line != 0 || path.scalar.empty() || std::filesystem::path(path.scalar).is_absolute()) return;
  path.scalar = std::filesystem::absolute(path.scalar).lexically_normal().lexically_proximate(std::filesystem::absolute(folder).lexically_normal());
}

void relate_paths(Tree& tree, const std::string& group, const std::filesystem::path& folder) {
  if (tree.kind == Tree::Kind::list)
    for (Tree& entry : tree.items) relate_paths(entry, group + "[]", folder);
  if (tree.kind != Tree::Kind::map) return;
  const auto rows = rows_at(group);
  for (std::size_t n = 0; n < tree.items.size(); ++n) {
    const auto row = std::ranges::find_if(rows, [&](const Row& r) { return r.key == tree.keys[n]; });
    Tree& value = tree.items[n];
    if (row != rows.end() && row->kind == Kind::path)
      relate_to_folder(value, folder);
    else if (row != rows.end() && row->kind == Kind::paths)
      for (Tree& entry : value.items) relate_to_folder(entry, folder);
    else
      relate_paths(value, group.empty() ? tree.keys[n] : group + "." + tree.keys[n], folder);
  }
}

// The case file as it was, and what --set changed, so that outputs tell exactly what ran.
std::string source_with_overrides(std::string source, const std::vector<std::string>& overrides) {
  if (!overrides.empty() && !source.empty() && source.back() != '\n') source += '\n';
  for (std::string item : overrides) {
    std::replace_if(
        item.begin(), item.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    source += "# --set " + item + "\n";
  }
  return source;
}

SolverCase read_solver(const Section& solver) {
  const int quadrature = solver.text("quadrature") == "5" ? 5 : 4;
  SolverCase result{solver.text("device"), solver.text("variant"), solver.text("exchange"), quadrature,
                    solver.mark(),         solver.mark("variant"), solver.mark("device"),   solver.mark("exchange")};
  result.single = solver.text("precision") == "single";
  result.precision_mark = solver.mark("precision");
  const bool plain = result.variant.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  const Tree* given = solver.tree("variant");
  if (given && given->kind == Tree::Kind::scalar && (!plain || result.variant.empty())) {
    const char* allowed = "auto, or small letters, digits and '-'";
    solver.report("variant", "not a variant name", {describe(*given), allowed, "see `agwave info` for the names"});
  }
  return result;
}

ParallelCase read_parallel(const Section& parallel) {
  ParallelCase result{std::nullopt, parallel.mark("grid"), std::nullopt, parallel.mark("group")};
  if (const std::optional<double> group = parallel.optional_number("group")) result.group = static_cast<int>(whole(*group));
  const std::vector<double> grid = parallel.numbers("grid");
  if (grid.size() != 3) return result;
  result.grid = {static_cast<int>(grid[0]), static_cast<int>(grid[1]), static_cast<int>(grid[2])};
  return result;
}

}  // namespace

std::string resolve_path(const std::filesystem::path& folder, const std::string& path) {
  return path.empty() ? "" : (folder / path).lexically_normal().string();
}

std::vector<std::string> input_files(const Case& c) {
  const std::filesystem::path folder = std::filesystem::path(c.file).parent_path();
  std::vector<std::string> files{c.file};
  for (const CaseKey& key : c.keys) {
    const std::size_t dot = key.path.rfind('.');
    if (dot == std::string::npos || key.path == "output.directory") continue;
    const auto rows = rows_at(std::regex_replace(key.path.substr(0, dot), std::regex(R"(\[\d+)"), "["));
    const std::string_view last = std::string_view(key.path).substr(dot + 1);
    if (std::ranges::any_of(rows, [&](const Row& row) { return row.kind == Kind::path && row.key == last; }))
      files.push_back(resolve_path(folder, key.value));
  }
  if (const auto* grid = std::get_if<GridBathymetry>(&c.domain.bathymetry)) {
    files.push_back(grid->file);
    files.insert(files.end(), grid->coarser.begin(), grid->coarser.end());
  }
  return files;
}

Case parse_case(const std::string& file, const std::string& source, const std::vector<std::string>& overrides) {
  Tree tree = parse_text(file, source);
  Findings findings(file);
  const std::filesystem::path path(file), folder = path.parent_path();
  if (!overrides.empty()) {
    apply_overrides(tree, overrides, findings);
    relate_paths(tree, "", folder.empty() ? "." : folder);
  }
  tree.line = 1;  // the line to blame for a missing section

  const Section root(findings, &tree, 1, "", "");
  Case result;
  result.file = file;
  result.source = source_with_overrides(source, overrides);
  result.keys = flatten(tree);
  result.title = root.text("title");
  result.domain = read_domain(root.section("domain"), folder);
  result.mesh = read_mesh(root.section("mesh"));
  result.ocean = read_ocean(root.section("ocean"), folder);
  result.boundary = read_boundary(root.section("boundary"), folder);
  const Geography& geography = result.domain.lonlat;
  result.sources = read_sources(root, geography, folder);
  read_sensors(root.section("sensors"), geography, folder, result);
  const Section output = root.section("output");
  result.solver = read_solver(root.section("solver"));
  read_time(root.section("time"), output, result);
  const std::string directory = output.has("directory") ? output.text("directory") : "results/" + path.stem().string();
  result.output.directory = resolve_path(folder, directory);
  result.parallel = read_parallel(root.section("parallel"));
  result.p2o = read_p2o(root, result.time);
  findings.raise();
  return result;
}

}  // namespace agwave
