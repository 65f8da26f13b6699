// SPDX-License-Identifier: Apache-2.0
// Tables of subfaults as GeoClaw's CSVFault reads and writes them: a header line of names, each with its unit in parentheses or in SI units without,
//   longitude, latitude, depth, length, width, strike, dip, rake, slip, and if there are such, mu (or rigidity), rupture_time, rise_time
// then a row per subfault. Coordinates are those of the middle of the top edge (GeoClaw's default), or as `reference` says. Other columns do not count.
#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "case/csv.hpp"
#include "error/error.hpp"
#include "files/text_file.hpp"
#include "source/finite_fault.hpp"

namespace agwave {
namespace {

struct Quantity {
  std::string_view name, also;  // in lower case, blanks as underscores
  bool required;
  std::map<std::string_view, double> units;  // to SI; the first that is 1 stands without a unit
};

const Quantity quantities[] = {
    {"longitude", "lon", true, {{"degrees", 1}, {"deg", 1}, {"degree", 1}}},
    {"latitude", "lat", true, {{"degrees", 1}, {"deg", 1}, {"degree", 1}}},
    {"depth", "", true, {{"m", 1}, {"km", 1e3}}},
    {"length", "", true, {{"m", 1}, {"km", 1e3}}},
    {"width", "", true, {{"m", 1}, {"km", 1e3}}},
    {"strike", "", true, {{"degrees", 1}, {"deg", 1}, {"degree", 1}}},
    {"dip", "", true, {{"degrees", 1}, {"deg", 1}, {"degree", 1}}},
    {"rake", "", true, {{"degrees", 1}, {"deg", 1}, {"degree", 1}}},
    {"slip", "", true, {{"m", 1}, {"cm", 0.01}}},
    {"mu", "rigidity", false, {{"pa", 1}, {"gpa", 1e9}, {"dyne/cm^2", 0.1}, {"dyne/cm2", 0.1}}},
    {"rupture_time", "start", false, {{"s", 1}, {"sec", 1}}},
    {"rise_time", "rise", false, {{"s", 1}, {"sec", 1}}},
};
enum Number { longitude, latitude, depth, length, width, strike, dip, rake, slip, mu, rupture_time, rise_time };

struct Column {
  std::size_t place;
  double unit;
};

class Table {
 public:
  Table(Findings& findings, const std::string& file, const CsvTable& csv) : findings_(findings), file_(file) {
    for (std::size_t n = 0; n < csv.header.fields.size(); ++n) add(csv.header.fields[n], n, csv.header.line);
    std::vector<std::string_view> missing;
    for (std::size_t q = 0; q < std::size(quantities); ++q)
      if (quantities[q].required && !columns_.contains(q)) missing.push_back(quantities[q].name);
    if (!missing.empty() && !unknown_unit_)
      wrong(csv.header.line, "there is no column " + listed(missing), csv.names(),
            "longitude, latitude, depth, length, width, strike, dip, rake, slip, with units as in depth (km), or in SI units");
  }

  bool complete() const { return errors_ == 0; }

  std::optional<double> value(const CsvRow& row, std::size_t quantity) {
    const auto column = columns_.find(quantity);
    if (column == columns_.end()) return std::nullopt;
    const std::string& field = row.fields[column->second.place];
    const auto number = parse_number(field);
    if (!number || !std::isfinite(*number)) {
      wrong(row.line, text("column ", quantities[quantity].name, ": expected a number"), "'" + field + "'", "a number");
      return std::nullopt;
    }
    return *number * column->second.unit;
  }

  void wrong(int line, const std::string& what, const std::string& found, const std::string& allowed) {
    ++errors_;
    findings_.add({file_, line, ""}, what, {found, allowed, "", ExitCode::input});
  }

 private:
  void add(const std::string& heading, std::size_t place, int line) {
    const auto open = heading.find('('), close = heading.find(')');
    std::string name = trimmed(heading.substr(0, open));
    std::replace(name.begin(), name.end(), ' ', '_');
    const std::string unit = open == heading.npos || close == heading.npos ? "" : trimmed(heading.substr(open + 1, close - open - 1));
    for (std::size_t q = 0; q < std::size(quantities); ++q) {
      const Quantity& quantity = quantities[q];
      if (name != quantity.name && name != quantity.also) continue;
      if (columns_.contains(q)) wrong(line, "a column that is there already", "'" + heading + "'", text("one of ", quantity.name));
      const auto factor = quantity.units.find(unit);
      if (unit.empty() || factor != quantity.units.end()) {
        columns_[q] = {place, unit.empty() ? 1.0 : factor->second};
        return;
      }
      unknown_unit_ = true;
      wrong(line, text("column ", name, ": a unit that is not known"), "'" + unit + "'", listed(std::views::keys(quantity.units)));
    }
  }

  Findings& findings_;
  const std::string file_;
  std::map<std::size_t, Column> columns_;
  int errors_ = 0;
  bool unknown_unit_ = false;
};

}  // namespace

std::vector<LocatedSubfault> read_fault_csv(Findings& findings, const std::string& file, const Mark& mark, std::optional<Reference>& reference) {
  const auto csv =
      read_csv(findings, file, mark,
               {"table of subfaults", "a header line such as longitude,latitude,depth,length,width,strike,dip,rake,slip, then a line per subfault"});
  if (!csv) return {};
  if (!reference) reference = Reference::top;
  Table table(findings, file, *csv);
  std::vector<LocatedSubfault> list;
  for (const CsvRow& row : csv->rows) {
    if (!table.complete()) return {};  // the same complaint about every row would help nobody
    std::array<std::optional<double>, std::size(quantities)> v;
    for (std::size_t q = 0; q < v.size(); ++q) v[q] = table.value(row, q);
    if (!table.complete()) return {};
    const Subfault f{.place = {*v[longitude], *v[latitude], true},
                     .depth = *v[depth],
                     .strike = *v[strike],
                     .dip = *v[dip],
                     .rake = *v[rake],
                     .slip = *v[slip],
                     .length = *v[length],
                     .width = *v[width],
                     .start = v[rupture_time],
                     .rise = v[rise_time] && *v[rise_time] > 0 ? v[rise_time] : std::nullopt,
                     .moment = v[mu] ? std::optional(*v[mu] * *v[slip] * *v[length] * *v[width]) : std::nullopt};
    if (const std::string why = beyond_limits(f); !why.empty())
      table.wrong(row.line, "a subfault that cannot be", why, "units in the header: depth (km), length (km), width (km), slip (m)");
    else if (f.slip > 0)
      list.push_back({f, {file, row.line, ""}});
  }
  if (table.complete() && csv->whole && list.empty()) table.wrong(csv->header.line, "no subfaults that slip", "", "a row for each subfault");
  return list;
}

}  // namespace agwave
