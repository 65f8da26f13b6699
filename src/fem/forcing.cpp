// SPDX-License-Identifier: Apache-2.0
// The rank that owns the element of a point tells all others where it is; each takes the nodes that it holds.
#include "fem/forcing.hpp"

#include <cmath>

#include "error/error.hpp"
#include "fem/load.hpp"

namespace agwave {

std::vector<NodalForcing> floor_forcing(const Mesh& mesh, std::span<const UpliftTerm> terms, const Comm& comm) {
  std::vector<NodalForcing> all;
  std::vector<std::vector<double>> loads = floor_loads(mesh, terms, comm);
  for (std::size_t n = 0; n < terms.size(); ++n) all.push_back({.series = terms[n], .weights = std::move(loads[n])});
  return all;
}

namespace {

// Collective; the same on every rank.
std::vector<InElement> find_elements(const Mesh& mesh, std::span<const PointAt> points, std::span<const std::string> names, const Comm& comm) {
  constexpr std::size_t row = 6;
  std::vector<double> found(row * points.size(), 0.0);
  comm.agree([&] {
    for (std::size_t n = 0; n < points.size(); ++n) {
      const auto own = find_element(mesh, points[n], names[n]);
      for (std::size_t d = 0; own && d < 3; ++d) {
        found[row * n + d] = static_cast<double>(own->element[d]);
        found[row * n + 3 + d] = own->xi[d];
      }
    }
  });
  if (!found.empty()) comm.sum(found);  // of one rank's and zeros
  std::vector<InElement> all;
  for (std::size_t n = 0; n < points.size(); ++n) {
    InElement point{};
    for (std::size_t d = 0; d < 3; ++d) {
      point.element[d] = std::llround(found[row * n + d]);
      point.xi[d] = found[row * n + 3 + d];
    }
    all.push_back(point);
  }
  return all;
}

NodalForcing forcing_at(PointWeights nodes) { return {.list = std::move(nodes.node), .weights = std::move(nodes.weight)}; }

}  // namespace

std::vector<NodalForcing> sensor_forcing(const Mesh& mesh, std::span<const PointAt> points, std::span<const std::string> names, const Comm& comm) {
  std::vector<NodalForcing> all;
  for (const InElement& point : find_elements(mesh, points, names, comm)) all.push_back(forcing_at(weights_of(mesh, point)));
  return all;
}

std::vector<NodalForcing> point_forcing(const Mesh& mesh, std::span<const PointTerm> terms, const Comm& comm) {
  std::vector<PointAt> points;
  std::vector<std::string> names;
  comm.agree([&] {
    for (const PointTerm& term : terms) {
      if (!(term.x >= 0 && term.x <= mesh.size[0] && term.y >= 0 && term.y <= mesh.size[1]))
        throw Error(ExitCode::usage, text(term.name, ": x = ", term.x, " m, y = ", term.y, " m is outside the domain, x 0 to ", mesh.size[0],
                                          " m, y 0 to ", mesh.size[1], " m"));
      points.push_back({term.x, term.y, term.z, PointOn::depth});
      names.push_back(term.name);
    }
  });
  std::vector<NodalForcing> all;
  for (const InElement& point : find_elements(mesh, points, names, comm)) {
    const PointTerm& term = terms[all.size()];
    NodalForcing forcing = forcing_at(sound_weights_of(mesh, point));
    forcing.series = term;
    for (double& weight : forcing.weights) weight *= term.volume;
    all.push_back(std::move(forcing));
  }
  return all;
}

std::vector<NodalForcing> make_forcing(const Mesh& mesh, const SourceTerms& terms, const Comm& comm) {
  std::vector<NodalForcing> all = floor_forcing(mesh, terms.uplift, comm);
  for (NodalForcing& point : point_forcing(mesh, terms.points, comm)) all.push_back(std::move(point));
  return all;
}

}  // namespace agwave
