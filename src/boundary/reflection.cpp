// SPDX-License-Identifier: Apache-2.0
// From the uplift to the walls, from the walls to the sensors, on rank 0.
#include "boundary/reflection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "boundary/strip.hpp"
#include "boundary/travel_time.hpp"
#include "error/duration.hpp"
#include "error/error.hpp"
#include "fem/node_grid.hpp"
#include "terrain/grid.hpp"

namespace agwave {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double part_of_largest = 0.01;  // less uplift than this makes no wave to speak of
constexpr std::size_t most_points = 500;  // of a map, along each axis
constexpr double most_looked_at = 40000;  // squares of a rank's block

// When the uplift begins at this rank's column nodes of the map, which are each second one; infinite where it never does. On large
// blocks the uplift is looked at once per square of nodes. Collective.
std::vector<double> begin_times(const Mesh& mesh, const std::vector<UpliftTerm>& uplift, const Comm& comm) {
  const auto x = mesh.x_nodes(), y = mesh.y_nodes();
  const std::size_t nx = x.size(), ny = y.size();
  std::vector<double> begin(nx * ny, inf);
  const std::size_t side = 2 * static_cast<std::size_t>(std::ceil(std::sqrt(0.25 * static_cast<double>(nx * ny) / most_looked_at)));
  std::vector<double> height;  // [square][term]
  for (std::size_t j = 0; j < ny; j += side)
    for (std::size_t i = 0; i < nx; i += side)
      for (const UpliftTerm& term : uplift) height.push_back(std::abs(term.shape(x[i], y[j])));
  const double largest = comm.max(height.empty() ? 0.0 : *std::max_element(height.begin(), height.end()));
  std::size_t n = 0;
  for (std::size_t j = 0; j < ny; j += side)
    for (std::size_t i = 0; i < nx; i += side) {
      double first = inf;
      for (const UpliftTerm& term : uplift)
        if (height[n++] > part_of_largest * largest) first = std::min(first, std::max(0.0, term.begin));
      for (std::size_t b = j; b < std::min(j + side, ny); ++b)
        for (std::size_t a = i; a < std::min(i + side, nx); ++a) begin[b * nx + a] = first;
    }
  return begin;
}

std::vector<std::size_t> thinned(std::size_t n) {
  std::vector<std::size_t> kept;
  const std::size_t m = std::min(n, most_points);
  for (std::size_t i = 0; i < m; ++i) kept.push_back(m == n ? i : (i * (n - 1) + (m - 1) / 2) / (m - 1));
  return kept;
}

double interpolate(const TravelMap& map, const std::vector<double>& values, double x, double y) {
  const Cell cx = locate(map.x, x), cy = locate(map.y, y);
  const auto row = [&](std::size_t j) { return (1 - cx.t) * values[map.at(cx.k, j)] + cx.t * values[map.at(cx.k + 1, j)]; };
  return (1 - cy.t) * row(cy.k) + cy.t * row(cy.k + 1);
}

constexpr double least_reflection = 0.01, good_reflection = 0.02;

struct Waves {
  const TravelMap& map;
  const std::vector<double>& begin;
  const Medium& medium;
  const Sponge& sponge;
  Front direct;
  double period;
};

// The width of where the uplift counts, as of a circle, over the speed of long waves there.
double period_of(const TravelMap& map, const std::vector<double>& begin) {
  double area = 0, speed = 0;
  for (std::size_t j = 0; j + 1 < map.y.size(); ++j)
    for (std::size_t i = 0; i + 1 < map.x.size(); ++i) {
      if (!std::isfinite(begin[map.at(i, j)])) continue;
      const double cell = (map.x[i + 1] - map.x[i]) * (map.y[j + 1] - map.y[j]);
      area += cell;
      speed += cell * map.speed[map.at(i, j)];
    }
  return area > 0 ? std::sqrt(4 * area / std::numbers::pi) / (speed / area) : inf;
}

// Of the front at a place of a wall, from the wall's normal: sin = speed dT/ds along the wall.
double angle_at(const Waves& w, int wall, std::size_t i, std::size_t j) {
  const bool along_y = wall < 2;
  const auto& s = along_y ? w.map.y : w.map.x;
  const std::size_t n = along_y ? j : i, low = n > 0 ? n - 1 : n, high = std::min(n + 1, s.size() - 1);
  const auto at = [&](std::size_t k) { return along_y ? w.map.at(i, k) : w.map.at(k, j); };
  const double rise = (w.direct.time[at(high)] - w.direct.time[at(low)]) / (s[high] - s[low]);
  return std::asin(std::min(0.999, std::abs(w.map.speed[w.map.at(i, j)] * rise)));
}

double sent_back(const Waves& w, const Sponge& sponge, int wall, std::size_t i, std::size_t j) {
  const double speed = w.map.speed[w.map.at(i, j)], sound = w.medium.column(w.map.x[i], w.map.y[j], speed * speed / w.medium.gravity()).mean;
  return strip_reflection(sponge, wall, speed, sound, angle_at(w, wall, i, j), w.period);
}

// Width and reflection of the narrowest strip that leaves little of what comes to a place of a wall; zeros where none does.
std::array<double, 2> enough(const Waves& w, int wall, std::size_t i, std::size_t j) {
  if (!w.sponge.at(wall)) return {0, 0};
  for (const double factor : {1.0, 1.25, 1.5, 2.0, 3.0, 4.0})
    for (const double reflection : {w.sponge.reflection, 0.01, 0.001}) {
      const double width = factor * w.sponge.width[wall];
      if (reflection <= w.sponge.reflection && sent_back(w, with_strip(w.sponge, wall, width, reflection), wall, i, j) < good_reflection)
        return {width, reflection};
    }
  return {0, 0};
}

// What reaches the sensors from one wall: a reflection for each that some of it reaches.
std::vector<Reflection> from_wall(const Waves& w, int wall, const Sensors& sensors) {
  const std::size_t nx = w.map.x.size(), ny = w.map.y.size();
  if (nx == 0 || ny == 0) return {};  // no places, no waves
  std::vector<double> sent(nx * ny, inf), back(nx * ny, 0.0);
  const std::size_t length = wall < 2 ? ny : nx;
  for (std::size_t n = 0; n < length; ++n) {
    const std::size_t i = wall < 2 ? (wall == 0 ? 0 : nx - 1) : n, j = wall < 2 ? n : (wall == 2 ? 0 : ny - 1), at = w.map.at(i, j);
    if (!std::isfinite(w.direct.time[at])) continue;
    back[at] = sent_back(w, w.sponge, wall, i, j);
    if (back[at] >= least_reflection) sent[at] = w.direct.time[at];
  }
  const Front front = first_arrivals(w.map, sent);
  std::vector<Reflection> all;
  std::map<std::size_t, std::array<double, 2>> strips;
  for (const auto* list : {&sensors.seafloor, &sensors.hydrophones, &sensors.surface})
    for (const Sensor& s : *list) {
      const double time = interpolate(w.map, front.time, s.x, s.y);
      if (!std::isfinite(time)) continue;
      const std::size_t from = front.origin[w.map.at(locate(w.map.x, s.x).k, locate(w.map.y, s.y).k)], i = from % nx, j = from / nx;
      Reflection r{time, wall_names[wall], s.name, back[from], angle_at(w, wall, i, j), w.period, w.sponge.width[wall]};
      const auto [known, first] = strips.try_emplace(from);  // many sensors hear from one place
      if (first) known->second = enough(w, wall, i, j);
      r.enough_width = known->second[0], r.enough_reflection = known->second[1];
      all.push_back(r);
    }
  return all;
}

void share(Reflection& r, const Comm& comm) {
  for (double* value : {&r.time, &r.coefficient, &r.angle, &r.period, &r.strip, &r.enough_width, &r.enough_reflection})
    *value = comm.broadcast(*value);
  r.wall = comm.broadcast(r.wall);
  r.sensor = comm.broadcast(r.sensor);
}

// By wall, on rank 0; empty where no wave comes back.
std::array<std::vector<Reflection>, 4> reflections(const Mesh& mesh, const std::vector<UpliftTerm>& uplift, const Sensors& sensors,
                                                   const Medium& medium, const BoundaryCase& boundary, const Sponge& sponge, const Comm& comm) {
  std::array<std::vector<Reflection>, 4> all;
  const bool walls = boundary.absorbs();
  if (boundary.surface != Surface::gravity || uplift.empty() || !walls) return all;
  const NodeGrid surface(mesh, comm, NodeGrid::Part::surface);
  const std::vector<double> depth = surface.gather_columns(mesh.depth);
  const std::vector<double> begin = surface.gather_columns(begin_times(mesh, uplift, comm));
  if (!comm.root()) return all;
  TravelMap map;
  const std::vector<double> x = surface.x(mesh), y = surface.y(mesh);
  const auto columns = thinned(x.size()), rows = thinned(y.size());
  std::vector<double> start;
  for (const std::size_t i : columns) map.x.push_back(x[i]);
  for (const std::size_t j : rows) map.y.push_back(y[j]);
  for (const std::size_t j : rows)
    for (const std::size_t i : columns) {
      map.speed.push_back(std::sqrt(medium.gravity() * depth[j * x.size() + i]));
      start.push_back(begin[j * x.size() + i]);
    }
  const Waves waves{map, start, medium, sponge, first_arrivals(map, start), period_of(map, start)};
  for (int wall = 0; wall < 4; ++wall)
    if (boundary.absorbs(wall)) all[wall] = from_wall(waves, wall, sensors);
  return all;
}

}  // namespace

std::vector<Reflection> wall_reflections(const Mesh& mesh, const std::vector<UpliftTerm>& uplift, const Sensors& sensors, const Medium& medium,
                                         const BoundaryCase& boundary, const Sponge& sponge, double end, const Comm& comm) {
  const auto all = reflections(mesh, uplift, sensors, medium, boundary, sponge, comm);
  std::vector<Reflection> strongest;
  for (const auto& of_wall : all) {
    Reflection worst{inf, "", "", 0};
    for (const Reflection& r : of_wall)
      if (r.time < end && (r.coefficient > worst.coefficient || (r.coefficient == worst.coefficient && r.time < worst.time))) worst = r;
    share(worst, comm);
    if (std::isfinite(worst.time)) strongest.push_back(worst);
  }
  return strongest;
}

std::string reflection_note(const Reflection& r, double end) {
  const std::string note =
      text("note: of long waves (period ", duration(r.period), ") the ", r.wall, " wall", r.strip > 0 ? " behind its sponge" : "",
           " sends back up to ", rounded(r.coefficient), " at ", std::round(r.angle * 180 / std::numbers::pi), " degrees, to sensor ", r.sensor,
           " from about t = ", rounded(r.time, 4), " s (at sqrt(g h) over the case's bathymetry), before the end at ", rounded(end, 4), " s");
  if (r.strip == 0)
    return note + "; the wall absorbs sound only: give a sponge (boundary.sponge), move the wall away, or end earlier, where that matters";
  if (r.coefficient < good_reflection) return note + "; the strip is wide enough";
  if (r.enough_width > 0)
    return text(note, "; a strip of ", std::ceil(r.enough_width), " m with reflection: ", rounded(r.enough_reflection, 6), " would leave less than ",
                good_reflection);
  return note + "; no strip up to four times as wide helps at this angle: move the wall away, or end earlier, where that matters";
}

}  // namespace agwave
