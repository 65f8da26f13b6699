// SPDX-License-Identifier: Apache-2.0
// The uplift's box mirrored at each wall, and its distance from each sensor.
#include "fem/reflection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "error.hpp"

namespace agwave {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double part_of_largest = 0.01;  // less uplift than this makes no wave to speak of

// Limits in x and y of where the uplift is, over all ranks; min > max without uplift. Every second node is looked at.
std::array<Range, 2> uplift_box(const Mesh& mesh, const std::vector<UpliftTerm>& uplift, const Comm& comm) {
  const auto x = mesh.x_nodes(), y = mesh.y_nodes();
  const std::size_t nx = (x.size() + 1) / 2, ny = (y.size() + 1) / 2;
  std::vector<double> height(mesh.part.at_low(2) ? nx * ny : 0, 0.0);
  double largest = 0;
  for (std::size_t n = 0; n < height.size(); ++n) {
    for (const UpliftTerm& term : uplift) height[n] = std::max(height[n], std::abs(term.shape(x[2 * (n % nx)], y[2 * (n / nx)])));
    largest = std::max(largest, height[n]);
  }
  largest = comm.max(largest);
  std::array<Range, 2> box{Range{inf, -inf}, Range{inf, -inf}};
  for (std::size_t n = 0; n < height.size(); ++n) {
    if (!(height[n] > part_of_largest * largest)) continue;
    const double at[2] = {x[2 * (n % nx)], y[2 * (n / nx)]};
    for (int d = 0; d < 2; ++d) box[d] = {std::min(box[d].min, at[d]), std::max(box[d].max, at[d])};
  }
  for (Range& r : box) r = {comm.min(r.min), comm.max(r.max)};
  return box;
}

// Mean depth along a wall (direction d, high or low side), each element's GLL nodes by their weights.
double wall_depth(const Mesh& mesh, int d, bool high, const Comm& comm) {
  double sum = 0, length = 0;
  if (mesh.part.at_low(2) && (high ? mesh.part.at_high(d) : mesh.part.at_low(d))) {
    const int elements = d == 0 ? mesh.ny() : mesh.nx(), across = high ? (d == 0 ? mesh.NX() : mesh.NY()) - 1 : 0;
    for (int e = 0; e < elements; ++e)
      for (int i = 0; i < D1D; ++i) {
        const int along = 4 * e + i;
        sum += gll.w[i] * (d == 0 ? mesh.depth_at(across, along) : mesh.depth_at(along, across));
        length += gll.w[i];
      }
  }
  sum = comm.sum(sum);
  return sum / comm.sum(length);
}

double outside(const Range& range, double v) { return std::max({0.0, range.min - v, v - range.max}); }

}  // namespace

Reflection earliest_reflection(const Mesh& mesh, const std::vector<UpliftTerm>& uplift, const Sensors& sensors, const OceanCase& ocean,
                               const BoundaryCase& boundary, const Comm& comm) {
  Reflection first{inf, "", "", 0};
  if (boundary.surface != Surface::gravity || uplift.empty()) return first;
  const std::array<Range, 2> box = uplift_box(mesh, uplift, comm);
  const double deepest = comm.max(mesh.depth.empty() ? 0.0 : *std::max_element(mesh.depth.begin(), mesh.depth.end()));
  if (!(box[0].min <= box[0].max)) return first;
  double begin = inf;
  for (const UpliftTerm& term : uplift) begin = std::min(begin, std::max(0.0, term.begin));
  struct Side {
    const char* name;
    Wall wall;
    int d;
    bool high;
  };
  for (const Side& side : {Side{"west", boundary.west, 0, false}, Side{"east", boundary.east, 0, true}, Side{"south", boundary.south, 1, false},
                           Side{"north", boundary.north, 1, true}}) {
    if (side.wall != Wall::absorbing) continue;
    const double speed = std::sqrt(ocean.gravity * wall_depth(mesh, side.d, side.high, comm)), c = ocean.sound_speed;
    auto mirrored = box;
    const double shift = side.high ? 2 * mesh.size[side.d] : 0;
    mirrored[side.d] = {shift - box[side.d].max, shift - box[side.d].min};
    for (const auto* list : {&sensors.seafloor, &sensors.hydrophones, &sensors.surface})
      for (const Sensor& s : *list) {
        const double time = begin + std::hypot(outside(mirrored[0], s.x), outside(mirrored[1], s.y)) / std::sqrt(ocean.gravity * deepest);
        if (time < first.time) first = {time, side.name, s.name, (c - speed) / (c + speed)};
      }
  }
  return first;
}

std::string reflection_note(const Reflection& r, double end) {
  if (!(r.time < end)) return "";
  std::ostringstream out;
  out.precision(3);
  out << "note: a gravity wave sent back by the absorbing " << r.wall << " wall (reflection coefficient " << r.coefficient << ") can reach sensor "
      << r.sensor << " from t = ";
  out.precision(4);
  out << r.time << " s, before the end at " << end << " s; the walls absorb sound only: move the wall away, or end earlier, where that matters";
  return out.str();
}

}  // namespace agwave
