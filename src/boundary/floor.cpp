// SPDX-License-Identifier: Apache-2.0
#include "boundary/floor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "error/error.hpp"
#include "fem/load.hpp"
#include "fem/spaces.hpp"
#include "terrain/sediments.hpp"

namespace agwave {
namespace {

double at_depth(const std::vector<double>& depths, const std::vector<double>& values, double depth) {
  const auto above = std::upper_bound(depths.begin(), depths.end(), depth);
  if (values.size() == 1 || above == depths.begin()) return values.front();
  if (above == depths.end()) return values.back();
  const auto n = static_cast<std::size_t>(above - depths.begin());
  const double part = (depth - depths[n - 1]) / (depths[n] - depths[n - 1]);
  return values[n - 1] + part * (values[n] - values[n - 1]);
}

Ground make_ground(double impedance, std::optional<double> stiffness) {
  return {impedance, stiffness.value_or(2 * std::numbers::pi / floor_corner_period * impedance)};
}

// Under the nodes of this rank's floor [NY][NX].
std::vector<Ground> grounds_of(const Mesh& mesh, const Case& c, const Domain& domain, std::string& fingerprint) {
  const FloorCase& floor = *c.boundary.floor;
  std::optional<Sediments> sediments;
  if (!floor.file.empty()) fingerprint = sediments.emplace(c, domain).fingerprint();
  std::vector<Ground> grounds;
  if (!mesh.part.at_low(2)) return grounds;
  const std::vector<double> x = mesh.x_nodes(), y = mesh.y_nodes();
  for (int j = 0; j < mesh.NY(); ++j)
    for (int i = 0; i < mesh.NX(); ++i)
      grounds.push_back(sediments ? ground_of(floor, sediments->entry(x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(j)]))
                                  : ground_at(floor, mesh.depth_at(i, j)));
  return grounds;
}

}  // namespace

Ground ground_at(const FloorCase& floor, double depth) {
  const auto here = [&](const std::vector<double>& values) { return at_depth(floor.depth, values, depth); };
  return make_ground(here(floor.density) * here(floor.sound_speed), floor.stiffness.empty() ? std::optional<double>() : here(floor.stiffness));
}

Ground ground_of(const FloorCase& floor, std::size_t entry) {
  return make_ground(floor.density[entry] * floor.sound_speed[entry], floor.stiffness.empty() ? std::optional<double>() : floor.stiffness[entry]);
}

std::vector<double> floor_areas(const Mesh& mesh, const Comm& comm) {
  UpliftTerm unit;
  unit.shape = [](double, double) { return 1.0; };
  unit.motion = Motion::normal;
  std::vector<double> areas = floor_load(mesh, unit, comm);
  if (areas.empty()) return areas;
  const auto& part = mesh.part;
  const std::vector<double> wx = assembled_weights(mesh.x_faces, part.first[0], part.count[0]),
                            wy = assembled_weights(mesh.y_faces, part.first[1], part.count[1]);
  auto area = areas.begin();
  for (const double along_y : wy)
    for (const double along_x : wx) {
      *area = std::max(*area, along_x * along_y);
      ++area;
    }
  return areas;
}

Floor make_floor(const Mesh& mesh, const Medium& medium, const Case& c, const Domain& domain, const Comm& comm) {
  Floor floor;
  if (!c.boundary.floor) return floor;
  floor.gives_way = true;
  std::vector<Ground> grounds;  // [NY][NX]
  comm.agree([&] { grounds = grounds_of(mesh, c, domain, floor.sediments); });
  floor.area = floor_areas(mesh, comm);
  const std::array<Floor::Span*, 5> spans{&floor.impedances, &floor.stiffnesses, &floor.reflections, &floor.corners, &floor.sinking};
  for (Floor::Span* span : spans) *span = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  if (mesh.part.at_low(2)) {
    const std::vector<double> x = mesh.x_nodes(), y = mesh.y_nodes();
    for (int j = 0; j < mesh.NY(); ++j)
      for (int i = 0; i < mesh.NX(); ++i) {
        const double depth = mesh.depth_at(i, j);
        const Ground ground = grounds[floor.impedance.size()];
        floor.impedance.push_back(ground.impedance);
        floor.stiffness.push_back(ground.stiffness);
        double c = medium.reference();
        if (medium.varies())
          medium.sound()->column(x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(j)], std::span(&depth, 1), std::span(&c, 1));
        const double water = medium.density() * c;
        const std::array<double, 5> values{ground.impedance, ground.stiffness, (ground.impedance - water) / (ground.impedance + water),
                                           ground.corner() / (2 * std::numbers::pi), medium.weight() / ground.stiffness};
        for (std::size_t n = 0; n < spans.size(); ++n) *spans[n] = {std::min(spans[n]->least, values[n]), std::max(spans[n]->most, values[n])};
      }
  }
  for (Floor::Span* span : spans) *span = {comm.min(span->least), comm.max(span->most)};
  return floor;
}

std::string to_text(const Floor& floor) {
  if (!floor.gives_way) return "rigid";
  const auto span = [](const Floor::Span& s, double scale = 1) {
    return s.most - s.least <= 1e-9 * std::abs(s.most) ? text(rounded(scale * s.most))
                                                       : text(rounded(scale * s.least), " to ", rounded(scale * s.most));
  };
  return text("gives way: impedance ", span(floor.impedances), " Pa s/m, sends back ", span(floor.reflections), " of sound above ",
              span(floor.corners), " Hz; stiffness ", span(floor.stiffnesses), " Pa/m, standing water sinks by ", span(floor.sinking, 100),
              " % of its height");
}

}  // namespace agwave
