// SPDX-License-Identifier: Apache-2.0
// The text grids of GeoClaw (clawpack.org, topography and dtopo data). Rows run from west to east, the northern first.
//   topo2, topo3   six header lines, each a number and a label in either order: columns, rows, west, south, cell size (one, or of x and y on
//                  one line or on two labelled dx and dy), value for no data; then the elevations, up. West and south are those of the first nodes, unless the labels say
//                  xllcorner, yllcorner: corners of cells about the nodes then (as in ESRI's format, whose header this is)
//   dtopo1         a line "t x y dz" per node, a whole grid for each time
//   dtopo3         nine header lines: mx, my, mt, west, south, t0, dx, dy, dt; then mt grids of dz
// An uplift at one time has no history: it is static, and needs a ramp.
#include <cmath>
#include <limits>

#include "case/findings.hpp"
#include "error/error.hpp"
#include "files/text_file.hpp"
#include "terrain/grid_file.hpp"

namespace agwave {
namespace {

constexpr double most_values = 4e9;

// Words of a text, with the line that they are on.
class Words {
 public:
  explicit Words(const std::string& content) : at_(content.data()), end_(at_ + content.size()) {}

  int line() const { return line_; }
  std::string_view next() {  // "" at the end
    while (at_ < end_ && blank(*at_)) line_ += *at_++ == '\n';
    const char* begin = at_;
    while (at_ < end_ && !blank(*at_)) ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }
  std::vector<std::string_view> rest_of_line() {  // of one that is not blank
    std::vector<std::string_view> words{next()};
    const auto more = [&] {
      while (at_ < end_ && blank(*at_) && *at_ != '\n') ++at_;
      return at_ < end_ && *at_ != '\n';
    };
    while (more()) words.push_back(next());
    return words;
  }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }
  const char *at_, *end_;
  int line_ = 1;
};

class GeoclawGrid final : public GridFile {
 public:
  GeoclawGrid(const std::string& path, const std::string& format, const Domain& domain, const Mark& mark) : path_(path), mark_(mark) {
    name_ = path + (format.starts_with('d') ? ": dz" : ": elevation");
    std::string content;
    if (const std::string why = read_text_file(path, content); !why.empty())
      throw Error(ExitCode::input, text(to_string(mark), ": cannot read ", path, " (", why, "); ", base_of_paths(mark)));
    characters_ = content.size();
    Words words(content);
    if (format == "dtopo1") {
      read_lines(words);
    } else if (format == "dtopo3") {
      read_dtopo3(words);
    } else {
      read_topo(words);
    }
    set_axes(x_values_, AxisFrame::unknown, y_values_, AxisFrame::unknown, t_values_.size() > 1 ? t_values_ : std::vector<double>{}, domain);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const override {
    throw Error(ExitCode::input, text(to_string(mark_), ": ", path_, ": ", message));
  }
  [[noreturn]] void fail_at(int line, const std::string& message) const {
    throw Error(ExitCode::input, text(to_string(mark_), ": ", path_, ":", line, ": ", message));
  }

  double number(Words& words, const char* what) const {
    const std::string_view word = words.next();
    if (word.empty()) fail_at(words.line(), text("the file ends where ", what, " should be"));
    return number(words, word, what);
  }
  double number(const Words& words, std::string_view word, const char* what) const {
    const auto value = parse_number(word);
    if (!value) fail_at(words.line(), text("expected a number, ", what, "; found '", word.substr(0, 40), "'"));
    return *value;
  }

  // The numbers of a header line, a label among them or not.
  std::vector<double> header(Words& words, const char* what, std::string* label = nullptr) const {
    std::vector<double> numbers;
    for (const std::string_view word : words.rest_of_line()) {
      if (const auto value = parse_number(word)) {
        numbers.push_back(*value);
      } else if (label) {
        *label = word;
      }
    }
    if (numbers.empty()) fail_at(words.line(), text("expected a header line with ", what));
    return numbers;
  }

  std::size_t count(Words& words, const char* what) const {
    const double n = header(words, what)[0];
    if (!(n >= 1) || n != std::floor(n) || n > 1e9) fail_at(words.line(), text("expected ", what, ", an integer above 0; found ", n));
    return static_cast<std::size_t>(n);
  }

  double spacing(Words& words, double v, const char* what) const {
    if (!(v > 0) || !std::isfinite(v)) fail_at(words.line(), text("expected ", what, " above 0; found ", v));
    return v;
  }

  static std::vector<double> nodes(double first, double step, std::size_t n) {
    std::vector<double> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = first + step * static_cast<double>(i);
    return v;
  }

  // Before anything is allocated for them: a value takes two characters at least.
  void check_total(const Words& words, std::size_t nx, std::size_t ny, std::size_t grids) const {
    const double total = static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(grids);
    if (total > most_values) fail(text("has ", total, " values; cut out the region of the domain first"));
    if (total > 0.5 * static_cast<double>(characters_) + 1)
      fail_at(words.line(), text("the header promises ", total, " values; the file, of ", characters_, " characters, is too short for them"));
  }

  // [time][y][x] with rows from the north: the y axis is handed on as it is read, descending.
  void read_values(Words& words, std::size_t grids, double none) {
    values_.resize(x_values_.size() * y_values_.size() * grids);
    for (double& v : values_) {
      v = number(words, "a value of the grid");
      if (v == none || !std::isfinite(v)) v = std::numeric_limits<double>::quiet_NaN();
    }
    if (const std::string_view word = words.next(); !word.empty())
      fail_at(words.line(), text("more values than the header says, ", values_.size(), "; found '", word.substr(0, 40), "'"));
  }

  void read_topo(Words& words) {
    std::string x_label, y_label;
    const std::size_t nx = count(words, "the number of columns"), ny = count(words, "the number of rows");
    double west = header(words, "the western end (xlower)", &x_label)[0], south = header(words, "the southern end (ylower)", &y_label)[0];
    std::string next;
    std::vector<double> cell = header(words, "the cell size"), last = header(words, "the value for no data", &next);
    if (next == "dy" || next == "DY") {
      cell.push_back(last[0]);
      last = header(words, "the value for no data");
    }
    const double dx = spacing(words, cell[0], "a cell size"), dy = spacing(words, cell.back(), "a cell size");
    const double none = last[0];
    check_total(words, nx, ny, 1);
    if (lower(x_label) == "xllcorner") west += 0.5 * dx;
    if (lower(y_label) == "yllcorner") south += 0.5 * dy;
    x_values_ = nodes(west, dx, nx);
    y_values_ = nodes(south + dy * static_cast<double>(ny - 1), -dy, ny);
    read_values(words, 1, none);
  }

  void read_dtopo3(Words& words) {
    const std::size_t nx = count(words, "mx"), ny = count(words, "my"), nt = count(words, "mt");
    const double west = header(words, "xlower")[0], south = header(words, "ylower")[0], start = header(words, "t0")[0];
    const double dx = spacing(words, header(words, "dx")[0], "dx"), dy = spacing(words, header(words, "dy")[0], "dy"), dt = header(words, "dt")[0];
    if (nt > 1) spacing(words, dt, "dt");
    check_total(words, nx, ny, nt);
    x_values_ = nodes(west, dx, nx);
    y_values_ = nodes(south + dy * static_cast<double>(ny - 1), -dy, ny);
    t_values_ = nodes(start, dt, nt);
    read_values(words, nt, std::numeric_limits<double>::quiet_NaN());
  }

  void read_lines(Words& words) {
    std::vector<std::array<double, 3>> places;
    std::vector<int> lines;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      std::array<double, 3> place{number(words, word, "t")};
      lines.push_back(words.line());
      place[1] = number(words, "x"), place[2] = number(words, "y");
      for (const int d : {0, 1, 2})
        if (!std::isfinite(place[d])) fail_at(lines.back(), text(std::string(1, "txy"[d]), " is ", place[d], "; expected a finite number"));
      values_.push_back(number(words, "dz"));
      places.push_back(place);
    }
    if (places.empty()) fail("is empty; expected lines of t, x, y, dz");
    // the first row and the first column give the axes, which the rest must repeat
    for (std::size_t n = 0; n < places.size() && places[n][0] == places[0][0] && places[n][2] == places[0][2]; ++n) x_values_.push_back(places[n][1]);
    for (std::size_t n = 0; n < places.size() && places[n][0] == places[0][0]; n += x_values_.size()) y_values_.push_back(places[n][2]);
    const std::size_t nx = x_values_.size(), size = nx * y_values_.size();
    for (std::size_t n = 0; n < places.size(); n += size) t_values_.push_back(places[n][0]);
    const double slack[] = {0, 1e-6 * std::abs(x_values_.back() - x_values_[0]), 1e-6 * std::abs(y_values_.back() - y_values_[0])};
    for (std::size_t n = 0; n < places.size(); ++n) {
      const double expected[] = {t_values_[n / size], x_values_[n % nx], y_values_[n / nx % y_values_.size()]};
      for (const int d : {0, 1, 2}) {
        if (std::abs(places[n][d] - expected[d]) <= slack[d]) continue;
        fail_at(lines[n], text("not the next node of a grid: ", "txy"[d], " is ", places[n][d], ", not ", expected[d],
                               "; rows run from west to east, the northern first, a whole grid for each time"));
      }
    }
    if (places.size() != size * t_values_.size())
      fail_at(lines.back(), text("the last grid has ", places.size() % size, " nodes, the others have ", size));
  }

  void read_block(Grid& grid, std::size_t x0, std::size_t n, std::size_t column, std::size_t y0) const override {
    const std::size_t ny = grid.y.size(), nt = std::max<std::size_t>(times_.size(), 1);
    for (std::size_t k = 0; k < nt; ++k)
      for (std::size_t j = 0; j < ny; ++j) {
        const std::size_t row = y_.reversed ? y_.size - 1 - (y0 + j) : y0 + j;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t at = x_.reversed ? x_.size - 1 - (x0 + i) : x0 + i;
          grid.values[(k * ny + j) * grid.x.size() + column + i] = values_[(k * y_.size + row) * x_.size + at];
        }
      }
  }

  std::string path_;
  Mark mark_;
  std::size_t characters_ = 0;  // of the file
  std::vector<double> x_values_, y_values_, t_values_, values_;
};

}  // namespace

std::unique_ptr<GridFile> open_geoclaw_grid(const std::string& path, const std::string& format, const Domain& domain, const Mark& mark) {
  return std::make_unique<GeoclawGrid>(path, format, domain, mark);
}

}  // namespace agwave
