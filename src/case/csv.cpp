// SPDX-License-Identifier: Apache-2.0
// Reads small tables of comma-separated text; see csv.hpp.
#include "case/csv.hpp"

#include <algorithm>
#include <sstream>

#include "error/error.hpp"
#include "files/text_file.hpp"

namespace agwave {
namespace {

// The fields of a line; absent when a quote is not closed or text follows a closed one.
std::optional<std::vector<std::string>> split(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t", at);
    if (begin != std::string::npos && line[begin] == '"') {
      std::string field;
      std::size_t i = begin + 1;
      for (; i < line.size() && (line[i] != '"' || (i + 1 < line.size() && line[i + 1] == '"')); ++i) {
        field += line[i];
        if (line[i] == '"') ++i;
      }
      if (i >= line.size()) return std::nullopt;
      at = line.find_first_not_of(" \t", i + 1);
      if (at != std::string::npos && line[at] != ',') return std::nullopt;
      fields.push_back(field);
    } else {
      const std::size_t comma = line.find(',', at);
      fields.push_back(trimmed(line.substr(at, comma == std::string::npos ? comma : comma - at)));
      at = comma;
    }
    if (at == std::string::npos) return fields;
    ++at;
  }
}

}  // namespace

std::optional<std::size_t> CsvTable::column(const std::string& name) const {
  const auto found = std::ranges::find(header.fields, name);
  return found == header.fields.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - header.fields.begin()));
}

std::string CsvTable::names() const { return "'" + listed(header.fields, ",") + "'"; }

std::optional<CsvTable> read_csv(Findings& findings, const std::string& path, const Mark& mark, const CsvKind& kind) {
  std::string content;
  if (const std::string why = read_text_file(path, content); !why.empty()) {
    const Detail detail{"'" + path + "' (" + why + ")", "a CSV file", base_of_paths(mark), ExitCode::input};
    findings.add(mark, text("cannot read the ", kind.what), detail);
    return std::nullopt;
  }
  const auto wrong = [&](int line, const char* what, const std::string& found, const std::string& allowed, const char* advice = "") {
    findings.add({path, line, ""}, what, {found, allowed, advice, ExitCode::input});
  };
  CsvTable table;
  std::istringstream stream(std::move(content));
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.ends_with('\r')) line.pop_back();
    const std::string bare = trimmed(line);
    if (bare.empty() || bare[0] == '#') continue;
    std::optional<std::vector<std::string>> fields = split(line);
    if (!fields) {
      wrong(number, "a quote is not closed, or text follows it", "'" + bare.substr(0, 60) + "'", "\"field\",field");
      table.whole = false;
    } else if (table.header.line == 0) {
      for (std::string& name : *fields) name = lower(name);
      table.header = {number, std::move(*fields)};
      if (table.header.fields.size() == 1 && table.header.fields[0].find_first_of(";\t") != std::string::npos) {
        wrong(number, "wrong columns in the header line", table.names(), kind.begin, "separate the columns by commas");
        return std::nullopt;
      }
    } else if (fields->size() != table.header.fields.size()) {
      wrong(number, "wrong number of fields", text(fields->size(), " in '", bare.substr(0, 60), "'"),
            text(table.header.fields.size(), ", as in the header line"));
      table.whole = false;
    } else {
      table.rows.push_back({number, std::move(*fields)});
    }
  }
  if (table.header.line > 0) return table;
  wrong(1, "the file is empty", "", kind.begin);
  return std::nullopt;
}

}  // namespace agwave
