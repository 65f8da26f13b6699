// SPDX-License-Identifier: Apache-2.0
// From the uplift to the walls, from the walls to the sensors, on rank 0.
#include "boundary/reflection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "boundary/travel_time.hpp"
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

constexpr double least_reflection = 0.01;

struct Sender {
  int wall = -1;
  double coefficient = 0;
};
// The absorbing wall that a point of the boundary belongs to, and what it and its sponge send back of a long wave there; none inside, on rigid
// walls and where that is too little.
Sender sender(const BoundaryCase& b, const Sponge& sponge, const Medium& medium, const TravelMap& map, std::size_t n) {
  const std::size_t nx = map.x.size(), ny = map.y.size(), i = n % nx, j = n / nx;
  const bool on[] = {i == 0, i + 1 == nx, j == 0, j + 1 == ny};
  const double speed = map.speed[n], c = medium.fastest();
  for (int wall = 0; wall < 4; ++wall)
    if (const double back = (c - speed) / (c + speed) * sponge.left(wall, speed); on[wall] && b.absorbs(wall) && back >= least_reflection)
      return {wall, back};
  return {};
}

Reflection earliest_on(const TravelMap& map, const std::vector<double>& begin, const Sensors& sensors, const Medium& medium,
                       const BoundaryCase& boundary, const Sponge& sponge) {
  Reflection first{inf, "", "", 0};
  const Front direct = first_arrivals(map, begin);
  std::vector<double> sent(begin.size(), inf);
  for (std::size_t n = 0; n < sent.size(); ++n)
    if (sender(boundary, sponge, medium, map, n).wall >= 0) sent[n] = direct.time[n];
  const Front back = first_arrivals(map, sent);
  for (const auto* list : {&sensors.seafloor, &sensors.hydrophones, &sensors.surface})
    for (const Sensor& s : *list) {
      const double time = interpolate(map, back.time, s.x, s.y);
      if (!(time < first.time)) continue;
      const Sender from = sender(boundary, sponge, medium, map, back.origin[map.at(locate(map.x, s.x).k, locate(map.y, s.y).k)]);
      first = {time, wall_names[from.wall], s.name, from.coefficient};
    }
  return first;
}

}  // namespace

Reflection earliest_reflection(const Mesh& mesh, const std::vector<UpliftTerm>& uplift, const Sensors& sensors, const Medium& medium,
                               const BoundaryCase& boundary, const Sponge& sponge, const Comm& comm) {
  Reflection first{inf, "", "", 0};
  const bool walls = boundary.absorbs(0) || boundary.absorbs(1) || boundary.absorbs(2) || boundary.absorbs(3);
  if (boundary.surface != Surface::gravity || uplift.empty() || !walls) return first;
  const NodeGrid surface(mesh, comm, NodeGrid::Part::surface);
  const std::vector<double> depth = surface.gather_columns(mesh.depth);
  const std::vector<double> begin = surface.gather_columns(begin_times(mesh, uplift, comm));
  if (comm.root()) {
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
    first = earliest_on(map, start, sensors, medium, boundary, sponge);
  }
  first.time = comm.broadcast(first.time);
  first.coefficient = comm.broadcast(first.coefficient);
  first.wall = comm.broadcast(first.wall);
  first.sensor = comm.broadcast(first.sensor);
  return first;
}

std::string reflection_note(const Reflection& r, double end) {
  if (!(r.time < end)) return "";
  std::ostringstream out;
  out.precision(3);
  out << "note: a gravity wave sent back by the absorbing " << r.wall << " wall (reflection coefficient " << r.coefficient << ") can reach sensor "
      << r.sensor << " from about t = ";
  out.precision(4);
  out << r.time << " s (first arrival at sqrt(g h) over the case's bathymetry), before the end at " << end
      << " s; the walls absorb sound only: give a sponge (boundary.sponge), move the wall away, or end earlier, where that matters";
  return out.str();
}

}  // namespace agwave
