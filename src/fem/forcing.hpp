// SPDX-License-Identifier: Apache-2.0
// Forcing of the pressure at nodes: to the right-hand side of the pressure equation, tested with v, comes
//   a'(t) sum_n weight_n v(node_n)    [m3/s]
// the flux of volume into the water. The uplift of the floor is one case of it, weight_n = <S, v_n>; a point source of the volume V another,
// weight_n = V v_n(x), the transpose of what a sensor reads there.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "fem/points.hpp"
#include "mesh/mesh.hpp"
#include "source/uplift.hpp"

namespace agwave {

struct NodalForcing {
  TimeSeries series{};
  // This rank's nodes, (k NY + j) NX + i: those of the list, strictly ascending; without one, as many as there are weights from `first` on.
  std::int64_t first = 0;
  std::vector<std::int64_t> list{};
  std::vector<double> weights{};  // complete, and the same, on every rank that holds the node

  std::int64_t count() const { return static_cast<std::int64_t>(weights.size()); }
  std::int64_t node(std::int64_t n) const { return list.empty() ? first + n : list[static_cast<std::size_t>(n)]; }
};

// All collective, with one forcing a term on every rank.
std::vector<NodalForcing> floor_forcing(const Mesh& mesh, std::span<const UpliftTerm> terms, const Comm& comm);
// Water at a point as the velocity sees it, to degree 3: of degree 4 it would excite patterns of the elements (docs/theory.md, what to know before trusting a
// result). Throws Error(usage), beginning with the term's name, where the point is not in the water.
std::vector<NodalForcing> point_forcing(const Mesh& mesh, std::span<const PointTerm> terms, const Comm& comm);
// What a unit flux [m3/s] at each point forces, weight_n = v_n(x): the transpose of reading the pressure there. The series are the caller's.
std::vector<NodalForcing> sensor_forcing(const Mesh& mesh, std::span<const PointAt> points, std::span<const std::string> names, const Comm& comm);
// First the uplift, then the points.
std::vector<NodalForcing> make_forcing(const Mesh& mesh, const SourceTerms& terms, const Comm& comm);

}  // namespace agwave
