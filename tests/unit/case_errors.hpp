// SPDX-License-Identifier: Apache-2.0
// Case files that are wrong, as tables: what is in the file, and what the message must say (exit code, line, key, the
// mistake recognised). The base file is right; a row replaces one of its lines or adds lines from line 6 on.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "case/case_file.hpp"
#include "error/error.hpp"

namespace agwave {

inline const std::vector<std::string> base = {
    "domain:",                                  // line 1
    "  size: [80000, 60000]",                   // 2
    "  bathymetry: {type: flat, depth: 4000}",  // 3
    "mesh: {elements: [4, 3, 2]}",              // 4
    "time: {end: 10}",                          // 5
};

inline std::string plus(const std::string& lines) {  // from line 6
  std::string text;
  for (const std::string& line : base) text += line + "\n";
  return text + lines + "\n";
}

inline std::string line(std::size_t number, const std::string& replacement, const std::string& more = "") {
  std::string text;
  for (std::size_t i = 0; i < base.size(); ++i) text += (i + 1 == number ? replacement : base[i]) + "\n";
  return text + more;
}

inline std::string floor(const std::string& bathymetry) { return line(3, "  bathymetry: {" + bathymetry + "}"); }
inline std::string source(const std::string& shape, const std::string& rest = "ramp: {type: linear, duration: 5}") {
  return plus("sources:\n  - shape: {" + shape + "}\n    " + rest);  // lines 7 and 8
}
inline std::string sensors(const std::string& lists) { return plus("sensors: {interval: 1, " + lists + "}"); }
inline const std::string lonlat = "  lonlat: {lon: [10, 20], lat: [35, 45]}";

struct Wrong {
  const char* name;
  std::string yaml;
  ExitCode code;
  std::vector<std::string> fragments;
};
inline void PrintTo(const Wrong& row, std::ostream* out) { *out << row.name; }

class CaseErrors : public testing::TestWithParam<Wrong> {};

// What parse_case throws: exit code and message.
inline std::pair<ExitCode, std::string> error_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  try {
    parse_case("c.yaml", yaml, overrides);
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  return {ExitCode::done, "no error"};
}

inline void expect_fragments(const std::string& message, const std::vector<std::string>& fragments) {
  for (const std::string& fragment : fragments) {
    EXPECT_NE(message.find(fragment), std::string::npos) << "'" << fragment << "' is not in:\n" << message;
  }
}

TEST_P(CaseErrors, AreNamed) {
  const auto [code, message] = error_of(GetParam().yaml);
  EXPECT_EQ(static_cast<int>(code), static_cast<int>(GetParam().code)) << message;
  expect_fragments(message, GetParam().fragments);
  EXPECT_EQ(message.find('\n'), std::string::npos) << "one mistake, one line:\n" << message;
}

inline constexpr ExitCode usage = ExitCode::usage;
inline const auto row_name = [](const testing::TestParamInfo<Wrong>& row) { return std::string(row.param.name); };

}  // namespace agwave
