// SPDX-License-Identifier: Apache-2.0
#include "source/source_facts.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>

#include "error/error.hpp"

namespace agwave {
namespace {

constexpr int samples = 64;        // along each axis of the domain, and again of where the uplift is
constexpr int most_looks = 8;      // from all of Earth to 50 m
constexpr double counts = 0.01;    // of the largest: what belongs to the source
constexpr std::size_t places = 4;  // at which the motion is looked at
constexpr int most_times = 16384, frequencies = 1024;

struct Box : FloorArea {
  double at_x(int i) const { return x.min + (i + 0.5) * (x.max - x.min) / samples; }
  double at_y(int j) const { return y.min + (j + 0.5) * (y.max - y.min) / samples; }
  double cell() const { return size() / (samples * samples); }
  bool holds(double px, double py) const { return px >= x.min && px <= x.max && py >= y.min && py <= y.max; }
};

// All of the domain where nothing of the area is in it.
Box in_domain(const FloorArea& area, const Domain& domain) {
  const auto cut = [](const Range& r, double size) { return Range{std::max(r.min, 0.0), std::min(r.max, size)}; };
  const Box box{{cut(area.x, domain.size[0]), cut(area.y, domain.size[1])}};
  return box.x.max > box.x.min && box.y.max > box.y.min ? box : Box{{{0, domain.size[0]}, {0, domain.size[1]}}};
}

struct Sampled {
  std::vector<double> left, moved;  // [samples][samples]: uplift in the end; what all terms move, whichever way [m]
};

Sampled sample(const std::vector<UpliftTerm>& terms, const Box& box) {
  Sampled s{std::vector<double>(samples * samples), std::vector<double>(samples * samples)};
  for (int n = 0; n < samples * samples; ++n)
    for (const UpliftTerm& term : terms) {
      const double height = term.shape(box.at_x(n % samples), box.at_y(n / samples));
      s.left[n] += term.value(std::numeric_limits<double>::max()) * height;
      s.moved[n] += std::abs(height);
    }
  return s;
}

// The smallest box of whole cells with all that counts, and with the cells around it, whose middles what counts may not reach.
Box where_it_counts(const Box& all, const std::vector<double>& moved) {
  const double least = counts * *std::ranges::max_element(moved);
  int low[2] = {samples, samples}, high[2] = {-1, -1};
  for (int n = 0; n < samples * samples; ++n) {
    if (moved[n] < least) continue;
    const int at[2] = {n % samples, n / samples};
    for (int a = 0; a < 2; ++a) low[a] = std::min(low[a], at[a]), high[a] = std::max(high[a], at[a]);
  }
  if (high[0] < 0) return all;
  for (int a = 0; a < 2; ++a) low[a] = std::max(low[a] - 1, 0), high[a] = std::min(high[a] + 1, samples - 1);
  const double dx = (all.x.max - all.x.min) / samples, dy = (all.y.max - all.y.min) / samples;
  return {{{all.x.min + low[0] * dx, all.x.min + (high[0] + 1) * dx}, {all.y.min + low[1] * dy, all.y.min + (high[1] + 1) * dy}}};
}

struct Seen {
  Box box;
  Sampled samples;                      // in it
  LeftVolume left;                      // beyond it too
  std::vector<OverSlopes> over_slopes;  // likewise
};

bool moves_slopes(const UpliftTerm& term) { return term.motion == Motion::normal || term.displacement; }

// What slopes add to at a place that stands for an area.
OverSlopes over_slopes(const std::vector<UpliftTerm>& terms, double x, double y, double uplift, double area) {
  OverSlopes at{.x = x, .y = y, .area = area, .uplift = uplift};
  for (const UpliftTerm& term : terms) {
    const double amount = term.value(std::numeric_limits<double>::max());
    if (term.displacement) {
      const auto u = term.displacement(x, y);
      at.east += amount * u[0], at.north += amount * u[1];
    } else if (term.motion == Motion::normal) {
      at.normal += amount * term.shape(x, y);
    }
  }
  return at;
}

// Looks closer until what counts fills most of what is looked at.
Seen look(const std::vector<UpliftTerm>& terms, const FloorArea& all) {
  Seen seen{{all}, sample(terms, {all}), {}, {}};
  const bool slopes = std::ranges::any_of(terms, moves_slopes);
  const auto add = [&](const Box& but) {
    for (int n = 0; n < samples * samples; ++n) {
      const double x = seen.box.at_x(n % samples), y = seen.box.at_y(n / samples);
      if (but.holds(x, y)) continue;
      if (slopes) seen.over_slopes.push_back(over_slopes(terms, x, y, seen.samples.left[n], seen.box.cell()));
      seen.left.net += seen.samples.left[n] * seen.box.cell();
      seen.left.gross += std::abs(seen.samples.left[n]) * seen.box.cell();
    }
  };
  for (int looks = 1; looks < most_looks; ++looks) {
    const Box closer = where_it_counts(seen.box, seen.samples.moved);
    if (looks > 1 && closer.size() > 0.8 * seen.box.size()) break;
    add(closer);
    seen.box = closer;
    seen.samples = sample(terms, closer);
  }
  add({{{INFINITY, INFINITY}, {}}});
  return seen;
}

// Places that move most, some apart.
std::vector<std::array<double, 2>> most_moved(const Box& box, const std::vector<double>& moved) {
  std::vector<std::array<double, 2>> chosen;
  for (int quarter = 0; quarter < static_cast<int>(places); ++quarter) {
    int best = -1;
    for (int n = 0; n < samples * samples; ++n)
      if (2 * (n % samples) / samples == quarter % 2 && 2 * (n / samples) / samples == quarter / 2 && (best < 0 || moved[n] > moved[best])) best = n;
    chosen.push_back({box.at_x(best % samples), box.at_y(best / samples)});
  }
  return chosen;
}

void look_at_uplift(const std::vector<UpliftTerm>& terms, const Domain& domain, SourceFacts& facts) {
  const Seen seen = look(terms, in_domain(facts.where.value_or(FloorArea{}), domain));
  const auto [low, high] = std::ranges::minmax(seen.samples.left);
  facts.lowest = std::min(0.0, low), facts.highest = std::max(0.0, high);
  facts.volume += seen.left.net;
  facts.over_slopes = seen.over_slopes;
  facts.where = seen.box;
  std::vector<const TimeSeries*> series;
  for (const UpliftTerm& term : terms) series.push_back(&term);
  facts.shortest_period = std::numeric_limits<double>::infinity();
  for (const auto& [x, y] : most_moved(seen.box, seen.samples.moved)) {
    std::vector<double> weights;
    for (const UpliftTerm& term : terms) weights.push_back(term.shape(x, y));
    facts.shortest_period = std::min(facts.shortest_period, shortest_period(series, weights));
  }
}

std::string outside_note(const Case& c, const Domain& domain, std::size_t n, const SourceFacts& facts) {
  std::string where;
  if (domain.geographic() && c.domain.lonlat) {
    const Range lon = c.domain.lonlat->lon, lat = c.domain.lonlat->lat;
    const auto in = [](const Range& range, double v) { return v >= range.min && v <= range.max; };
    const auto in_lon = [&](double v) { return in(lon, v) || in(lon, v + 360) || in(lon, v - 360); };
    const std::vector<Place> all = c.sources[n].shape->places();
    if (!all.empty()) where = text(", about lon ", all[0].x, ", lat ", all[0].y);
    if (std::ranges::any_of(all, [&](const Place& p) { return p.geographic && in_lon(p.y) && in(lat, p.x) && !(in_lon(p.x) && in(lat, p.y)); }))
      where += "; longitude and latitude look swapped: the other way round it is inside";
  }
  const double percent = 100 * facts.inside;
  return text(to_string(c.sources[n].mark), ": ",
              percent < 0.1  ? "nothing"
              : percent < 10 ? text(std::round(10 * percent) / 10, " %")
                             : text(std::round(percent), " %"),
              " of this ", facts.type, " is inside the domain", where);
}

// What moves nothing, or only after the end.
std::string idle_note(const Case& c, std::size_t n, const SourceFacts& f) {
  const std::string where = to_string(c.sources[n].mark) + ": ";
  if (std::isinf(f.shortest_period))
    return text("warning: ", where, "moves nothing at any of ", samples, " x ", samples,
                " places in the domain: its amplitude is 0, or it is narrower than what lies between them");
  if (f.begin >= c.time.end)
    return text("warning: ", where, "begins to move at t = ", rounded(f.begin, 6), " s, and the run ends at ", rounded(c.time.end, 6),
                " s: nothing moves");
  if (f.end > c.time.end)
    return text("note: ", where, "moves until t = ", rounded(f.end, 6), " s, and the run ends at ", rounded(c.time.end, 6), " s");
  return "";
}

// Stress drops of earthquakes are 0.3 to 50 MPa (Allmann and Shearer, 2009); slower and rougher ones a little beyond.
std::string size_note(const Case& c, std::size_t n, const FaultFacts& f) {
  constexpr double least = 0.03e6, most = 100e6;
  if (!(f.moment > 0) || (f.stress_drop >= least && f.stress_drop <= most)) return "";
  return text("warning: ", to_string(c.sources[n].mark), ": a mean slip of ", rounded(f.mean_slip), " m over ", rounded(f.area * 1e-6),
              " km2 has a stress drop of ", rounded(f.stress_drop * 1e-6),
              " MPa; those of earthquakes are 0.3 to 50 MPa. Lengths, widths and slips are in metres",
              f.stress_drop > most ? ": 120 km is 120e3" : "");
}

}  // namespace

double OverSlopes::more(double h_x, double h_y) const {
  return area * (normal * (std::sqrt(1 + h_x * h_x + h_y * h_y) - 1) + east * h_x + north * h_y);
}

LeftVolume left_volume(const std::vector<UpliftTerm>& terms, const FloorArea& area) { return look(terms, area).left; }

double shortest_period(const std::vector<const TimeSeries*>& terms, const std::vector<double>& weights) {
  double begin = INFINITY, end = -INFINITY, shortest = INFINITY;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (weights[k] == 0) continue;
    begin = std::min(begin, terms[k]->begin), end = std::max(end, terms[k]->end);
    shortest = std::min(shortest, terms[k]->end - terms[k]->begin);
  }
  if (!(end > begin)) return INFINITY;
  const double dt = std::max(shortest / 512, (end - begin) / most_times);
  std::vector<double> rate(static_cast<std::size_t>(std::ceil((end - begin) / dt)));
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (weights[k] == 0) continue;
    const auto first = static_cast<std::size_t>((terms[k]->begin - begin) / dt), last = static_cast<std::size_t>((terms[k]->end - begin) / dt);
    for (std::size_t i = first; i <= last && i < rate.size(); ++i)
      rate[i] += weights[k] * terms[k]->rate(begin + (static_cast<double>(i) + 0.5) * dt);
  }
  const double lowest = std::numbers::pi / (end - begin), highest = std::numbers::pi / (2 * dt);  // angular frequencies
  std::vector<double> omega, size;
  for (int n = 0; n <= frequencies; ++n) {
    omega.push_back(lowest * std::pow(highest / lowest, static_cast<double>(n) / frequencies));
    const std::complex<double> turn = std::polar(1.0, -omega.back() * dt);
    std::complex<double> sum = 0, phase = 1;
    for (const double r : rate) sum += r * phase, phase *= turn;
    size.push_back(std::abs(sum));
  }
  const double at_rest = std::abs(std::accumulate(rate.begin(), rate.end(), 0.0)), largest = std::max(at_rest, *std::ranges::max_element(size));
  std::size_t last = size.size() - 1;
  while (last > 0 && size[last] < counts * largest) --last;
  return 2 * std::numbers::pi / omega[last];
}

std::vector<SourceFacts> source_facts(const Case& c, const Domain& domain, const SourceTerms& made) {
  std::vector<SourceFacts> all;
  for (std::size_t n = 0; n < c.sources.size(); ++n) {
    const SourceCase& source = c.sources[n];
    SourceFacts facts{.name = text("sources[", n, "]"), .type = source.type};
    SourceTerms terms;
    std::ranges::copy_if(made.uplift, std::back_inserter(terms.uplift), [&](const UpliftTerm& term) { return term.source == n; });
    std::ranges::copy_if(made.points, std::back_inserter(terms.points), [&](const PointTerm& term) { return term.source == n; });
    facts.begin = INFINITY, facts.end = -INFINITY;
    const auto lasts = [&](const TimeSeries& s) { facts.begin = std::min(facts.begin, s.begin), facts.end = std::max(facts.end, s.end); };
    for (const UpliftTerm& term : terms.uplift) lasts(term);
    for (const PointTerm& term : terms.points) {
      lasts(term);
      facts.volume += term.volume;
      facts.shortest_period = shortest_period({&term}, {1.0});
    }
    if (facts.begin > facts.end) facts.begin = facts.end = 0;  // nothing moves
    source.shape->add_facts(source, domain, facts);
    if (!terms.uplift.empty()) look_at_uplift(terms.uplift, domain, facts);
    all.push_back(facts);
  }
  return all;
}

std::vector<std::string> source_notes(const Case& c, const Domain& domain, const std::vector<SourceFacts>& facts) {
  constexpr double nothing = 1e-3, most = 0.5;
  std::vector<std::string> notes;
  std::string errors;
  for (std::size_t n = 0; n < facts.size(); ++n) {
    const double moved = std::max(std::abs(facts[n].lowest), std::abs(facts[n].highest));
    const bool wide = !facts[n].fault && moved > nothing * std::abs(c.sources[n].amplitude);  // all of the domain may be little of a source
    if (facts[n].inside < nothing && !wide)
      errors += text(errors.empty() ? "" : "\n", outside_note(c, domain, n, facts[n]), "; move the domain or the source, or remove it");
    else if (facts[n].inside < most)
      notes.push_back(text("warning: ", outside_note(c, domain, n, facts[n]), ": the rest moves no water"));
    if (const std::string note = idle_note(c, n, facts[n]); !note.empty()) notes.push_back(note);
    if (facts[n].fault)
      if (const std::string note = size_note(c, n, *facts[n].fault); !note.empty()) notes.push_back(note);
  }
  if (!errors.empty()) throw Error(ExitCode::usage, errors);
  return notes;
}

}  // namespace agwave
