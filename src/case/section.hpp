// SPDX-License-Identifier: Apache-2.0
// A map of the case file seen through its group of the schema: typed, checked access to its keys. Construction reports
// unknown, duplicate and missing keys; a getter reports a wrong value. After a report a getter returns NaN, "" or an
// absent value, and the caller goes on, so that one pass finds every error.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "case/values.hpp"

namespace agwave {

class Section {
 public:
  // `map`: the value found, or null when the key is absent (`line`: the line to blame then, `reported`: its
  // absence is an error already reported); path: "sources[0].shape".
  Section(Findings& findings, const Tree* map, int line, std::string path, std::string_view group, std::string_view type = {}, bool reported = false);

  bool has(std::string_view key) const;          // present with a value
  const Tree* tree(std::string_view key) const;  // its value, or null
  Mark mark(std::string_view key = {}) const;    // of the key if present, else of the map
  Findings& findings() const { return *findings_; }
  void report(std::string_view key, const std::string& what, const Detail& detail = {}) const { findings_->add(mark(key), what, detail); }
  const std::string& type() const { return type_; }
  bool reported() const { return lenient_; }  // missing or wrong as a whole, and said so

  double number(std::string_view key) const;                          // the default when absent; NaN when wrong or the row's word
  std::optional<double> optional_number(std::string_view key) const;  // absent, wrong or the row's word: nullopt
  std::vector<double> numbers(std::string_view key) const;            // as many as the row says; empty when wrong, absent or the row's word
  std::string text(std::string_view key) const;                       // text and choices; "" when wrong or absent
  Section section(std::string_view key) const;                        // a map; typed by its key `type` when its group has one

 private:
  const Tree* value(const Row& row) const;  // the value given, else the default (parsed once), else null
  bool is_word(const Row& row, const Tree& value) const;
  void choose_type();
  void check_keys() const;
  void report_unknown(const std::string& key, const Mark& where) const;

  Findings* findings_;
  const Tree* map_;
  int line_;
  std::string path_;
  std::string_view group_;
  std::string type_;
  bool lenient_ = false;  // already reported as missing or wrong: what is absent from it is not reported again
};

using Geography = std::optional<LonLat>;  // domain.lonlat, if given; NaN when wrong
// Metres [x, y] or {lon, lat} of a map that may hold either; reports lon, lat without domain.lonlat and swapped ones.
Place read_lonlat(const Section& section, const Geography& geography);

// NaN, left by a value already reported, to 0; conversion of NaN would be undefined.
inline std::int64_t whole(double value) { return value == value ? static_cast<std::int64_t>(value) : 0; }
inline std::array<double, 2> pair(const std::vector<double>& v) { return v.size() == 2 ? std::array{v[0], v[1]} : std::array<double, 2>{}; }

}  // namespace agwave
