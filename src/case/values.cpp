// SPDX-License-Identifier: Apache-2.0
// Scalar checks against the schema, with the table of unit mistakes; see values.hpp.
#include "case/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace agwave {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// A value outside its range that would be inside after multiplication by `factor` was probably given in `wrong`.
struct UnitMistake {
  std::string_view unit, wrong;
  double factor, max;  // only for rows whose limits are below max: almost anything is a plausible coordinate in cm
};
constexpr UnitMistake unit_mistakes[] = {
    {"m", "km", 1e3, inf},        {"m", "cm", 1e-2, 2e4},       {"m", "mm", 1e-3, 2e4},      {"m/s", "km/s", 1e3, inf},
    {"kg/m3", "g/cm3", 1e3, inf}, {"m/s2", "cm/s2", 1e-2, inf}, {"Pa/m", "kPa/m", 1e3, inf}, {"Pa/m", "MPa/m", 1e6, inf},
};

std::string quote(const std::string& word) { return "'" + (word.size() > 60 ? word.substr(0, 57) + "..." : word) + "'"; }

std::optional<double> to_number(std::string_view word) {
  const std::string_view bare = !word.empty() && (word[0] == '+' || word[0] == '-') ? word.substr(1) : word;
  if (bare == ".inf" || bare == ".Inf" || bare == ".INF") return word[0] == '-' ? -inf : inf;
  if (word == ".nan" || word == ".NaN" || word == ".NAN") return nan;
  // from_chars also reads "inf" and "nan", which are words in YAML
  if (bare.empty() || !((bare[0] >= '0' && bare[0] <= '9') || bare[0] == '.')) return std::nullopt;
  double value = 0;
  const auto result = std::from_chars(bare.data(), bare.data() + bare.size(), value);
  if (result.ptr != bare.data() + bare.size() || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) value = bare.find("e-") != bare.npos || bare.find("E-") != bare.npos ? 0 : inf;
  return word[0] == '-' ? -value : value;
}

bool in_range(const Row& row, double v) { return (v >= row.min && v <= row.max) || (row.zero && v == 0); }

// What to do about a number out of range.
std::string range_advice(const Row& row, double v) {
  if (!std::isfinite(v)) return "";
  if (row.unit == "degrees north" && v >= -180 && v <= 360) return "looks like a longitude: are lon and lat swapped?";
  for (const double turn : {-360.0, 360.0})
    if (row.unit == "degrees east" && in_range(row, v + turn)) return text("the same longitude is ", v + turn, ": give that");
  if (in_range(row, -v)) return text(row.advice.empty() ? std::string_view("the sign is wrong") : row.advice, ": give ", -v);
  for (const UnitMistake& mistake : unit_mistakes) {
    const double limit = std::max(std::abs(row.min), std::abs(row.max));
    if (row.unit == mistake.unit && limit <= mistake.max && v != 0 && in_range(row, v * mistake.factor)) {
      return text("looks like ", mistake.wrong, ": give ", row.unit, " (", v * mistake.factor, ")");
    }
  }
  return "";
}

// What to do about text where a number belongs.
std::string word_advice(const Row& row, const Tree& value) {
  const std::string& word = value.scalar;
  if (value.quoted && to_number(word)) return "remove the quotes";
  const std::size_t begin = word.find_first_not_of("+-");
  const std::string bare = begin == std::string::npos ? "" : word.substr(begin);
  if (bare == "inf" || bare == "Inf" || bare == "infinity") return row.max == inf ? "infinity is written .inf" : "give a finite number";
  if (bare == "nan" || bare == "NaN") return "give a number";
  const std::size_t end = bare.find_first_not_of("0123456789.,eE+-_ ");
  const bool digits = !bare.empty() && bare[0] >= '0' && bare[0] <= '9';
  if (digits && end == std::string::npos && bare.find(',') != bare.npos) return "write the decimal point as '.', and no thousands separators";
  if (digits && end != std::string::npos) return row.unit.empty() ? "give the number alone" : text("give the number alone, in ", row.unit);
  return "";
}

}  // namespace

std::string describe(const Tree& value) {
  switch (value.kind) {
    case Tree::Kind::null:
      return "nothing";
    case Tree::Kind::list:
      return text("a list of ", value.items.size());
    case Tree::Kind::map:
      return "a map";
    case Tree::Kind::scalar:
      return !value.quoted && to_number(value.scalar) ? value.scalar.substr(0, 60) : quote(value.scalar);
  }
  return "";
}

double check_number(Findings& findings, const Row& row, const Tree& value, const Mark& mark, ExitCode code) {
  const bool whole = row.kind == Kind::integer || row.kind == Kind::integers;
  Row one = row;  // describes one entry, also where the row is a list
  if (row.kind == Kind::numbers || row.kind == Kind::place) one.kind = Kind::number;
  if (row.kind == Kind::integers) one.kind = Kind::integer;
  const auto fail = [&](const char* what, const std::string& advice) {
    findings.add(mark, what, {describe(value), describe_allowed(one), advice, code});
    return nan;
  };
  if (value.kind != Tree::Kind::scalar) return fail(whole ? "expected an integer" : "expected a number", "");
  const std::optional<double> number = value.quoted ? std::nullopt : to_number(value.scalar);
  if (!number) return fail(whole ? "expected an integer" : "expected a number", word_advice(row, value));
  if (std::isnan(*number)) return fail("not a number", "give a number");
  if (std::isinf(*number) && row.max != inf) return fail("not finite", "give a finite number");
  if (whole && std::isfinite(*number) && *number != std::floor(*number)) return fail("expected an integer", "");
  if (!in_range(row, *number)) return fail("out of range", range_advice(row, *number));
  return *number;
}

std::string check_text(Findings& findings, const Row& row, const Tree& value, const Mark& mark) {
  if (value.kind != Tree::Kind::scalar) {
    findings.add(mark, row.kind == Kind::choice ? "expected a word" : "expected text", {describe(value), describe_allowed(row)});
    return "";
  }
  if (row.kind == Kind::path && value.scalar.empty())
    findings.add(mark, "the path is empty", {"''", describe_allowed(row), "give one, or leave the key out"});
  if (row.kind != Kind::choice) return value.scalar;
  const auto choices = split_choices(row.choices);
  if (std::ranges::count(choices, value.scalar) > 0) return value.scalar;
  const std::string_view near = nearest(value.scalar, choices);
  std::string advice(row.advice);
  if (advice.empty() && !near.empty()) advice = text("did you mean '", near, "'?");
  findings.add(mark, "unknown choice", {describe(value), describe_allowed(row), advice});
  return "";
}

}  // namespace agwave
