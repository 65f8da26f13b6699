// SPDX-License-Identifier: Apache-2.0
#include "boundary/sponge.hpp"

#include <algorithm>
#include <cmath>

#include "error/error.hpp"
#include "mesh/spacing.hpp"

namespace agwave {

namespace {

constexpr double most_faded = 0.1;         // sigma times the interval of a strip; where two meet both fade
constexpr double most_of_element = 0.5;    // what sound may cross between two dampings: of the narrowest element, whose nodes carry no shorter waves,
constexpr double most_of_depth = 1.0 / 6;  // or of the greatest depth
constexpr double most_stretched = 0.25;    // sigma dt; at 0.4 the fastest waves of a mesh grow
constexpr double least_width_of_depth = 1;  // of a matched strip; in one a fifth as wide as the water is deep waves grow
constexpr double most_depths = 40;  // of the deepest over the shallowest in matched strips, up to where random data have been seen not to grow

// How deep in the strip, 0 at its inner edge to 1 at the wall; 0 outside.
double depth_in(const Sponge& sponge, int wall, double size, double at) {
  if (!sponge.at(wall)) return 0;
  const double from_wall = wall % 2 == 0 ? at : size - at;
  return std::clamp(1 - from_wall / sponge.width[wall], 0.0, 1.0);
}

void require_widths(const Mesh& mesh, const SpongeCase& given, double deepest) {
  std::string errors;
  const auto add = [&](const std::string& what) { errors += (errors.empty() ? "" : "\n") + to_string(given.mark) + what; };
  for (int wall = 0; wall < 4; ++wall) {
    const double width = given.width[wall];
    const auto& faces = wall < 2 ? mesh.x_faces : mesh.y_faces;
    const std::size_t last = faces.size() - 1, two = std::min<std::size_t>(2, last);
    const double least = wall % 2 == 0 ? faces[two] - faces[0] : faces[last] - faces[last - two];
    if (width > 0 && width < least * (1 - 1e-12))
      add(text(".", wall_names[wall], ": ", width, " m is less than two element columns; give at least ", std::ceil(least), " m, or more elements"));
    else if (given.matched && width > 0 && width < least_width_of_depth * deepest)
      add(text(".", wall_names[wall], ": ", width, " m is less than the water is deep, ", rounded(deepest),
               " m, where a matched strip is not known to be stable; ", "give at least ", std::ceil(least_width_of_depth * deepest),
               " m, or type: fading"));
  }
  for (int axis = 0; axis < 2; ++axis) {
    const double both = given.width[2 * axis] + given.width[2 * axis + 1];
    if (both >= mesh.size[axis])
      add(text(": ", wall_names[2 * axis], " and ", wall_names[2 * axis + 1], " are ", both, " m wide together and leave nothing of the domain's ",
               mesh.size[axis], " m; give narrower ones, or a larger domain"));
  }
  if (!errors.empty()) throw Error(ExitCode::usage, errors);
}

// Over a flat floor as little fades across as keeps random data from growing; where the floor is another along the normal nothing goes in unchanged anyway,
// and what travels across has to fade for the layer not to make it grow.
double fading_across(const Mesh& mesh, const Sponge& sponge, const SpongeCase& given, const Comm& comm) {
  const std::vector<double> x = mesh.x_nodes(), y = mesh.y_nodes();
  double shallowest = INFINITY, deepest = 0;
  for (std::size_t j = 0; j < y.size(); ++j)
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!in_strip(sponge, mesh.size, x[i], y[j])) continue;
      const double depth = mesh.depth[j * x.size() + i];
      shallowest = std::min(shallowest, depth);
      deepest = std::max(deepest, depth);
    }
  shallowest = -comm.max(-shallowest);
  deepest = comm.max(deepest);
  comm.agree([&] {
    if (deepest > most_depths * shallowest)
      throw Error(ExitCode::usage, text(to_string(given.mark), ": depths in the strips differ by a factor of ", rounded(deepest / shallowest),
                                        ", from ", rounded(shallowest), " to ", rounded(deepest), " m; matched ones are known to be stable up to ",
                                        most_depths, "; give a larger domain.bathymetry.min_depth, strips elsewhere, or type: fading"));
  });
  return 0.03 + 0.2 * (1 - shallowest / deepest);
}

}  // namespace

// The way in and out takes exp(-2 sigma_max width / (3 speed)).
double Sponge::left(int wall, double wave_speed) const { return at(wall) ? std::exp(-2 * rate[wall] * width[wall] / (3 * wave_speed)) : 1.0; }

Sponge with_strip(Sponge sponge, int wall, double width, double reflection) {
  sponge.width[wall] = width;
  sponge.reflection = reflection;
  sponge.rate[wall] = -1.5 * sponge.speed * std::log(reflection) / width;
  return sponge;
}

Sponge make_sponge(const Mesh& mesh, const Medium& medium, double sound_speed, const BoundaryCase& boundary, const Comm& comm) {
  Sponge sponge;
  sponge.width = boundary.sponge.width;
  if (!sponge.any()) return sponge;
  const double deepest = comm.max(*std::max_element(mesh.depth.begin(), mesh.depth.end()));
  comm.agree([&] { require_widths(mesh, boundary.sponge, deepest); });
  sponge.matched = boundary.sponge.matched;
  sponge.speed = sponge.matched ? sound_speed : std::sqrt(medium.gravity() * deepest);
  sponge.reflection = boundary.sponge.reflection;
  for (int wall = 0; wall < 4; ++wall)
    if (sponge.at(wall)) sponge = with_strip(sponge, wall, sponge.width[wall], sponge.reflection);
  if (sponge.matched) sponge.across = fading_across(mesh, sponge, boundary.sponge, comm);
  const double narrowest = std::min(widths_between(mesh.x_faces).least, widths_between(mesh.y_faces).least);
  sponge.unheard = std::max(most_of_element * narrowest, most_of_depth * deepest) / sound_speed;
  return sponge;
}

void set_step(Sponge& sponge, double sound_speed, double dt) {
  if (!sponge.any()) return;
  if (sponge.matched) {
    sponge.every = 1;
    for (double& rate : sponge.rate) rate = std::min(rate, most_stretched / (sponge.meet() ? 2 * dt : dt));  // where they meet both sigmas act
    return;
  }
  double interval = sponge.unheard;
  for (int wall = 0; wall < 4; ++wall)
    if (sponge.at(wall)) interval = std::min({interval, most_faded / sponge.rate[wall], 0.1 * sponge.width[wall] / sound_speed});
  sponge.every = std::max<std::int64_t>(1, static_cast<std::int64_t>(interval / dt * (1 + 1e-9)));
}

std::vector<double> sponge_damping(const Sponge& sponge, int axis, double size, const std::vector<double>& at) {
  std::vector<double> damping;
  for (const double x : at) {
    double rate = 0;
    for (const int wall : {2 * axis, 2 * axis + 1}) {
      const double depth = depth_in(sponge, wall, size, x);
      rate += sponge.rate[wall] * depth * depth;
    }
    damping.push_back(rate * sponge.interval);
  }
  return damping;
}

std::vector<double> sponge_factors(const Sponge& sponge, int axis, double size, const std::vector<double>& at) {
  std::vector<double> factors = sponge_damping(sponge, axis, size, at);
  for (double& factor : factors) factor = std::exp(-factor);
  return factors;
}

StripReach::StripReach(const Mesh& mesh, const Sponge& sponge, int axis)
    : faces_(axis == 0 ? mesh.x_faces : mesh.y_faces),
      first_(mesh.part.first[axis]),
      low_(sponge.width[2 * axis]),
      high_(faces_.back() - sponge.width[2 * axis + 1]) {}

bool StripReach::in_mesh(std::int64_t element) const {
  if (element < 0 || element > static_cast<std::int64_t>(faces_.size()) - 2) return false;
  return faces_[static_cast<std::size_t>(element)] < low_ || faces_[static_cast<std::size_t>(element) + 1] > high_;
}

bool StripReach::node(int i) const { return element(i / P1D) || (i % P1D == 0 && element(i / P1D - 1)); }

namespace {
// Strips whose rate set_step has cut.
std::string narrow_note(const Sponge& sponge) {
  std::string note;
  for (int wall = 0; wall < 4; ++wall) {
    if (!sponge.matched || !sponge.at(wall) || sponge.left(wall, sponge.speed) <= sponge.reflection * (1 + 1e-9)) continue;
    const double enough = -1.5 * sponge.speed * std::log(sponge.reflection) / sponge.rate[wall];
    note += text(note.empty() ? "" : "\n", "note: boundary.sponge.", wall_names[wall], ": a strip of ", sponge.width[wall], " m leaves ",
                 rounded(sponge.left(wall, sponge.speed), 2), " of sound at normal incidence, not reflection: ", sponge.reflection,
                 ", since it can damp no more in a step; give at least ", std::ceil(enough), " m, or a shorter step");
  }
  return note;
}
}  // namespace

bool in_strip(const Sponge& sponge, std::array<double, 2> size, double x, double y) {
  for (int wall = 0; wall < 4; ++wall)
    if (depth_in(sponge, wall, size[wall / 2], wall < 2 ? x : y) > 0) return true;
  return false;
}

std::string sponge_note(const Sponge& sponge, std::array<double, 2> size, const Sensors& sensors) {
  std::string narrow = narrow_note(sponge);
  std::string names;
  int count = 0;
  for (const auto* list : {&sensors.seafloor, &sensors.hydrophones, &sensors.surface})
    for (const Sensor& s : *list)
      if (in_strip(sponge, size, s.x, s.y) && ++count <= 5) names += (names.empty() ? "" : ", ") + s.name;
  if (count == 0) return narrow;
  return text(narrow, narrow.empty() ? "" : "\n", "warning: waves fade at sensor", count > 1 ? "s " : " ", names,
              count > 5 ? text(" and ", count - 5, " more").c_str() : "", ", inside a sponge (boundary.sponge)");
}

}  // namespace agwave
