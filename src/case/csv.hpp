// SPDX-License-Identifier: Apache-2.0
// Comma-separated text with a header line: '#' begins a comment line, fields may be "quoted" (with "" for a quote),
// blank lines, a byte-order mark and CRLF line ends are ignored. A quoted field does not run over a line end.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "case/findings.hpp"

namespace agwave {

struct CsvRow {
  int line = 0;
  std::vector<std::string> fields{};
};

struct CsvTable {
  CsvRow header;  // names in lower case
  std::vector<CsvRow> rows;
  bool whole = true;  // no row was left out
  std::optional<std::size_t> column(const std::string& name) const;
  std::string names() const;  // of the header, 'name,x,y', for messages
};

struct CsvKind {      // for messages
  const char* what;   // sensor list
  const char* begin;  // what it begins with: a header line such as name,x,y, then a line per sensor
};

// Reads the table; rows whose number of fields differs from the header's, and other faults, are reported as input
// errors of `path` and left out. Absent when the file cannot be read (reported at `mark`), has no header, or one that semicolons or tabs divide.
std::optional<CsvTable> read_csv(Findings& findings, const std::string& path, const Mark& mark, const CsvKind& kind);

}  // namespace agwave
