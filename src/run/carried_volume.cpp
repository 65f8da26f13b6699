// SPDX-License-Identifier: Apache-2.0
#include "run/carried_volume.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

#include "error/error.hpp"
#include "fem/load.hpp"
#include "fem/points.hpp"

namespace agwave {
namespace {

constexpr std::int64_t wide = 8;  // columns: what is at work across so many is carried well
constexpr double differs = 0.05;

struct Columns {
  std::int64_t first, end;
  std::int64_t count() const { return end - first; }
};

// That a range has a part in.
Columns columns_in(const std::vector<double>& faces, const Range& range) {
  const auto first = std::upper_bound(faces.begin(), faces.end() - 1, range.min), last = std::lower_bound(faces.begin() + 1, faces.end(), range.max);
  return {std::max<std::int64_t>(0, first - faces.begin() - 1), std::min<std::int64_t>(last - faces.begin(), std::ssize(faces) - 1)};
}

// What the terms leave, by the points of the columns [m3]. Collective.
double carried(const Mesh& mesh, const std::vector<UpliftTerm>& terms, const Columns& x, const Columns& y, const Comm& comm) {
  double volume = 0;
  const auto &first = mesh.part.first, &count = mesh.part.count;
  for (std::int64_t ey = std::max(y.first, first[1]); ey < std::min(y.end, first[1] + count[1]) && mesh.part.at_low(2); ++ey)
    for (std::int64_t ex = std::max(x.first, first[0]); ex < std::min(x.end, first[0] + count[0]); ++ex)
      for (const FloorPoint& point : floor_points(mesh, static_cast<int>(ex - first[0]), static_cast<int>(ey - first[1])))
        for (const UpliftTerm& term : terms)
          volume += term.value(std::numeric_limits<double>::max()) * term.shape(point.x, point.y) * point.area(Motion::vertical);
  return comm.sum(volume);
}

}  // namespace

void add_slopes(std::vector<SourceFacts>& facts, const Mesh& mesh, const Comm& comm) {
  for (SourceFacts& source : facts) {
    if (source.over_slopes.empty()) continue;
    std::vector<double> more(source.over_slopes.size(), 0.0);  // of one rank's and zeros
    for (std::size_t n = 0; n < more.size() && mesh.part.at_low(2); ++n) {
      const ColumnPoint floor = column_point(mesh, source.over_slopes[n].x, source.over_slopes[n].y);
      if (!std::isnan(floor.depth)) more[n] = source.over_slopes[n].more(floor.h_x, floor.h_y);
    }
    comm.sum(more);
    source.lowest = source.highest = 0;
    for (std::size_t n = 0; n < more.size(); ++n) {
      const OverSlopes& at = source.over_slopes[n];
      source.volume += more[n];
      source.lowest = std::min(source.lowest, at.uplift + more[n] / at.area);
      source.highest = std::max(source.highest, at.uplift + more[n] / at.area);
    }
    source.over_slopes.clear();
  }
}

std::string carried_note(const Plan& plan, std::size_t n, const Comm& comm) {
  const SourceFacts& facts = plan.source_facts[n];
  if (!facts.where || std::isinf(facts.shortest_period)) return "";
  const std::vector<double>&x_faces = plan.mesh.x_faces, &y_faces = plan.mesh.y_faces;
  const Columns x = columns_in(x_faces, facts.where->x), y = columns_in(y_faces, facts.where->y);
  if (x.count() >= wide && y.count() >= wide) return "";
  std::vector<UpliftTerm> terms;
  std::ranges::copy_if(plan.sources.uplift, std::back_inserter(terms), [&](const UpliftTerm& term) { return term.source == n; });
  const LeftVolume own = left_volume(terms, {{x_faces[x.first], x_faces[x.end]}, {y_faces[y.first], y_faces[y.end]}});
  const double here = carried(plan.mesh, terms, x, y, comm);
  if (!(std::abs(here - own.net) > differs * own.gross)) return "";
  const auto volume = [](double v) {
    char words[32];
    std::snprintf(words, sizeof words, "%.3g m3", v);
    return std::string(words);
  };
  std::string finer;
  const auto advise = [&](const char* axis, const Columns& columns, const std::vector<double>& faces, const Range& where) {
    if (columns.count() >= wide) return;
    const double width = faces[columns.first + 1] - faces[columns.first];
    finer += text(finer.empty() ? "" : " and ", rounded(std::min((where.max - where.min) / 3, 0.5 * width)), " m along ", axis);
  };
  advise("x", x, x_faces, facts.where->x);
  advise("y", y, y_faces, facts.where->y);
  return text("warning: ", facts.name, " displaces ", volume(own.net), ", and the mesh makes ",
              std::abs(here) < 1e-3 * own.gross ? "nothing" : volume(here),
              " of it, as elements integrate it at four points along each side; give elements of at most ", finer, " there, or a wider source");
}

}  // namespace agwave
