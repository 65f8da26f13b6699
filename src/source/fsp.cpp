// SPDX-License-Identifier: Apache-2.0
// FSP: lines that begin with % are a header of "KEY = value" pairs, with one more block of it before each segment of a model of
// several; the last header line names the columns of the rows that follow, a row per subfault. Lengths are in km, slip in m, times in
// s; 999 and -999 stand for a value that is not known. Size of the subfaults: Dx along strike and Dz along dip, of the segment or of
// the whole model, else LEN / Nx and WID / Nz of the whole model; a segment without Dx and Dz whose only subfault it is has the size LEN, WID,
// and one of more has to be covered by them. Columns of slip in time windows are not read: SLIP is their sum. Coordinates are those of
// "top-center" or of "center", which a header line says. Rows before the first names of columns are a header line broken in two.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "error/error.hpp"
#include "files/text_file.hpp"
#include "source/finite_fault.hpp"

namespace agwave {
namespace {

constexpr double km = 1e3;  // [m]

struct Header {  // of the model, then of the segment
  std::optional<double> strike, dip, rake, dx, dz, length, width, nx, nz, count, moment;
};

std::optional<double> number(std::string_view word) {
  const auto value = parse_number(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool known(double value) { return std::abs(value) != 999; }

// Some write KEY=value; == belongs to the name of a column.
std::vector<std::string> words_of(const std::string& line) {
  std::string spaced;
  for (std::size_t n = 0; n < line.size(); ++n) {
    const bool alone = line[n] == '=' && (n == 0 || line[n - 1] != '=') && (n + 1 == line.size() || line[n + 1] != '=');
    spaced += alone ? " = " : std::string(1, line[n]);
  }
  std::istringstream stream(spaced);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The value of "KEY = value" in a header line.
std::optional<double> value_of(const std::vector<std::string>& words, std::string_view key) {
  for (std::size_t n = 0; n + 2 < words.size(); ++n) {
    if (words[n] == key && words[n + 1] == "=") {
      const auto value = number(words[n + 2].ends_with(',') ? std::string_view(words[n + 2]).substr(0, words[n + 2].size() - 1) : words[n + 2]);
      return value && known(*value) ? value : std::nullopt;
    }
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(Findings& findings, const std::string& file, std::optional<Reference>& reference)
      : findings_(findings), file_(file), reference_(reference) {}

  std::vector<LocatedSubfault> read(const std::string& content, const Mark& mark) {
    std::istringstream stream(content);
    int nameless = 0;  // the first row without names of columns
    for (std::string line; std::getline(stream, line);) {
      ++line_;
      for (char& c : line)
        if (c == '\t' || c == '\r') c = ' ';
      const std::size_t first = line.find_first_not_of(' ');
      if (first == std::string::npos) continue;
      if (line[first] == '%') {
        header(line.substr(first + 1));
      } else if (columns_.empty()) {
        if (nameless == 0) nameless = line_;
      } else if (!row(words_of(line))) {
        break;  // the same complaint about every row would help nobody
      }
    }
    const std::size_t complaints = findings_.count();
    if (columns_.empty() && nameless > 0) line_ = nameless;
    if (columns_.empty() || (list_.empty() && complaints == complaints_)) {
      wrong(columns_.empty() ? "no line that names the columns" : "no subfaults", "", "% LAT LON X==EW Y==NS Z SLIP ..., then a row per subfault");
    } else if (!reference_ && !stated_ && complaints == complaints_) {
      findings_.add(mark, "the file does not say which point of the subfaults its coordinates are those of",
                    {file_, "'Coordinates are given for center' or 'top-center'", "give reference: top or reference: centroid", ExitCode::input});
    }
    if (!reference_) reference_ = stated_;
    share_moment();
    return std::move(list_);
  }

 private:
  void wrong(const std::string& what, const std::string& found, const std::string& allowed, const std::string& advice = "") {
    findings_.add({file_, std::max(line_, 1), ""}, what, {found, allowed, advice, ExitCode::input});
  }

  void header(const std::string& line) {
    const std::vector<std::string> words = words_of(line);
    if (line.find("Coordinates are given for") != std::string::npos)
      stated_ = line.find("top-center") != std::string::npos ? Reference::top : Reference::centroid;
    if (words.size() >= 2 && words[0] == "LAT" && words[1] == "LON") columns_ = words;
    if (words.size() >= 2 && words[0] == "SEGMENT") segment_ = Header{};
    Header& now = segment_ ? *segment_ : model_;
    const auto keep = [&](std::optional<double>& kept, std::string_view key) {
      if (const auto value = value_of(words, key)) kept = value;
    };
    keep(now.strike, segment_ ? "STRIKE" : "STRK");
    keep(now.dip, "DIP");
    keep(now.rake, "RAKE");
    keep(now.dx, "Dx");
    keep(now.dz, "Dz");
    if (segment_) keep(now.count, "Nsbfs");
    if (!segment_) {
      keep(now.nx, "Nx");
      keep(now.nz, "Nz");
      keep(now.moment, "Mo");  // of the whole model [N m]
    }
    if (words.empty() || words[0] != (segment_ ? "LEN" : "Size")) return;  // elsewhere LEN is that of a time window
    keep(now.length, "LEN");
    keep(now.width, "WID");
  }

  // The model's moment, where rows do not have their own: as of one rigidity.
  void share_moment() {
    double whole = 0;
    for (const auto& [f, mark] : list_) whole += f.slip * f.length * f.width;
    const bool rows_have = std::ranges::any_of(list_, [](const LocatedSubfault& l) { return l.subfault.moment.has_value(); });
    if (!model_.moment || rows_have || !(whole > 0)) return;
    for (auto& [f, mark] : list_) f.moment = *model_.moment * f.slip * f.length * f.width / whole;
  }

  // A column's value: absent when the file has no such column or does not know it; reported when it is no number.
  std::optional<double> column(const std::vector<std::string>& words, std::string_view name) {
    for (std::size_t n = 0; n < columns_.size() && n < words.size(); ++n) {
      if (columns_[n] != name) continue;
      const auto value = number(words[n]);
      if (!value) wrong(text("column ", name, ": expected a number"), "'" + words[n] + "'", "a number");
      return value && known(*value) ? value : std::nullopt;
    }
    return std::nullopt;
  }

  bool row(const std::vector<std::string>& words) {
    if (words.size() < columns_.size()) {
      wrong("expected a row of numbers", text(words.size(), " words"), text(columns_.size(), ", one for each column named in the header"));
      return false;
    }
    const std::size_t before = findings_.count();
    const Header none, &part = segment_ ? *segment_ : none;
    const auto lat = column(words, "LAT"), lon = column(words, "LON"), z = column(words, "Z"), slip = column(words, "SLIP");
    const auto rake_here = column(words, "RAKE"), start = column(words, "TRUP"), rise = column(words, "RISE");
    const auto moment = column(words, "SF_MOMENT");
    const auto strike = part.strike ? part.strike : model_.strike, dip = part.dip ? part.dip : model_.dip;
    const auto share = [](std::optional<double> whole, std::optional<double> parts) {
      return whole && parts && *parts >= 1 ? std::optional(*whole / *parts) : std::nullopt;
    };
    auto length = part.dx ? part.dx : model_.dx ? model_.dx : share(model_.length, model_.nx);
    auto width = part.dz ? part.dz : model_.dz ? model_.dz : share(model_.width, model_.nz);
    if (!part.dx && !part.dz && part.length && part.width && part.count) {
      const double area = *part.length * *part.width, covered = length && width ? *part.count * *length * *width : 0;
      if (*part.count == 1) {
        length = part.length, width = part.width;
      } else if (!(std::abs(covered - area) < 0.1 * area)) {
        wrong("the subfaults of this segment do not cover it", text(*part.count, " of the size of the whole model's, ", covered, " km2"),
              text("LEN x WID, ", area, " km2"), "give the segment Dx and Dz in its header lines");
        return false;
      }
    }
    const auto rake = rake_here ? rake_here : part.rake ? part.rake : model_.rake;
    if (findings_.count() > before) return true;
    const std::pair<const char*, bool> needed[] = {{"column LAT", lat.has_value()},
                                                   {"column LON", lon.has_value()},
                                                   {"column Z", z.has_value()},
                                                   {"column SLIP", slip.has_value()},
                                                   {"STRK or STRIKE", strike.has_value()},
                                                   {"DIP", dip.has_value()},
                                                   {"column RAKE, or RAKE", rake.has_value()},
                                                   {"Dx", length.has_value()},
                                                   {"Dz", width.has_value()}};
    for (const auto& [name, given] : needed) {
      if (given) continue;
      wrong(text("the file does not give ", name, " for this subfault"), "",
            "LAT, LON, Z, SLIP, RAKE of each subfault; STRK, DIP, Dx, Dz (or LEN, WID, Nx, Nz) in the header");
      return false;
    }
    const Subfault f{.place = {*lon, *lat, true},
                     .depth = *z * km,
                     .strike = *strike,
                     .dip = *dip,
                     .rake = *rake,
                     .slip = *slip,
                     .length = *length * km,
                     .width = *width * km,
                     .start = start,
                     .rise = rise && *rise > 0 ? rise : std::nullopt,
                     .moment = moment};
    if (const std::string why = beyond_limits(f); !why.empty()) {
      wrong("a subfault that cannot be", why, "LAT, LON in degrees, Z, Dx, Dz in km, SLIP in m, TRUP, RISE in s");
    } else if (*slip > 0) {
      list_.push_back({f, {file_, line_, ""}});
    }
    return true;
  }

  Findings& findings_;
  const std::string file_;
  std::optional<Reference>& reference_;
  std::optional<Reference> stated_;
  std::size_t complaints_ = findings_.count();
  int line_ = 0;
  Header model_;
  std::optional<Header> segment_;
  std::vector<std::string> columns_;
  std::vector<LocatedSubfault> list_;
};

}  // namespace

std::vector<LocatedSubfault> read_fsp(Findings& findings, const std::string& file, const Mark& mark, std::optional<Reference>& reference) {
  const auto content = read_whole(findings, file, mark, "finite-fault file");
  return content ? Reader(findings, file, reference).read(*content, mark) : std::vector<LocatedSubfault>{};
}

}  // namespace agwave
