// SPDX-License-Identifier: Apache-2.0
// Floor loads, integrated column by column and summed over ranks.
#include "fem/load.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "comm/exchange.hpp"
#include "device/backend.hpp"
#include "fem/column.hpp"
#include "fem/points.hpp"

namespace agwave {

namespace {

// What the water over the floor is lifted by: a slope that moves sideways lifts it too.
double rise(const UpliftTerm& term, double x, double y, double h_x, double h_y) {
  if (!term.displacement) return term.shape(x, y);
  const auto [east, north, up] = term.displacement(x, y);
  return up + east * h_x + north * h_y;
}

using Share = double[D1D][D1D];

// One column's share of the loads: 4 x 4 Gauss-Legendre points, as for u in the weak form. Lumping on the GLL nodes, as the
// masses are, would leave the floor plane an error of its own that converges one order slower: u carries no part of degree
// 4 across the floor, so a load that has one finds nothing to balance it but the lumped mass.
void integrate_column(const Mesh& mesh, std::span<const UpliftTerm> terms, int ex, int ey, Share* loads) {
  constexpr auto& t = basis<4>;
  for (const FloorPoint& point : floor_points(mesh, ex, ey))
    for (std::size_t n = 0; n < terms.size(); ++n) {
      const double amount = point.area(terms[n].motion) * rise(terms[n], point.x, point.y, point.h_x, point.h_y);
      for (int j = 0; j < D1D; ++j)
        for (int i = 0; i < D1D; ++i) loads[n][j][i] += t.B[point.qy][j] * t.B[point.qx][i] * amount;
    }
}

}  // namespace

std::array<FloorPoint, 16> floor_points(const Mesh& mesh, int ex, int ey) {
  constexpr auto& t = basis<4>;
  const double ax = mesh.ax(ex), ay = mesh.ay(ey);
  const double x_mid = mesh.x_faces[mesh.part.first[0] + ex] + ax, y_mid = mesh.y_faces[mesh.part.first[1] + ey] + ay;
  std::array<FloorPoint, 16> points{};
  for (int qy = 0; qy < L1D; ++qy)
    for (int qx = 0; qx < L1D; ++qx) {
      const auto [h, d_xi, d_eta] = column_depth<L1D>(mesh, ex, ey, qx, qy);
      const double slope2 = d_xi * d_xi / (ax * ax) + d_eta * d_eta / (ay * ay);
      const double plane = t.rule.w[qx] * t.rule.w[qy] * ax * ay;
      points[static_cast<std::size_t>(qy) * L1D + static_cast<std::size_t>(qx)] = {
          qx, qy, x_mid + ax * t.rule.x[qx], y_mid + ay * t.rule.x[qy], plane, plane * std::sqrt(1 + slope2), d_xi / ax, d_eta / ay};
    }
  return points;
}

std::vector<std::vector<double>> floor_loads(const Mesh& mesh, std::span<const UpliftTerm> terms, const Comm& comm) {
  if (!mesh.part.at_low(2)) return std::vector<std::vector<double>>(terms.size());
  constexpr std::size_t together = 8;  // terms at a point share what they have in common (source/fault.cpp); each takes four more loads of memory
  std::vector<std::vector<double>> loads;
  // A share per quarter around a node, of which each comes from one column, summed in one order: the same bits on every processor grid.
  const auto nodes = static_cast<std::size_t>(mesh.NX()) * mesh.NY();
  Partition floor = mesh.part;  // the exchange among the floor ranks alone is that of a mesh one node high
  floor.grid[2] = 1;
  floor.coords[2] = 0;
  Cpu cpu;
  Exchange<Cpu> exchange(floor, mesh.NX(), mesh.NY(), 1, comm);
  for (std::size_t first = 0; first < terms.size(); first += together) {
    const std::span<const UpliftTerm> batch = terms.subspan(first, std::min(together, terms.size() - first));
    std::vector<std::array<std::vector<double>, 4>> quarters(batch.size());
    for (auto& quarter : quarters) quarter.fill(std::vector<double>(nodes, 0.0));
    for (int ey = 0; ey < mesh.ny(); ++ey)
      for (int ex = 0; ex < mesh.nx(); ++ex) {
        Share shares[together] = {};
        integrate_column(mesh, batch, ex, ey, shares);
        for (std::size_t n = 0; n < batch.size(); ++n)
          for (int j = 0; j < D1D; ++j)
            for (int i = 0; i < D1D; ++i)
              quarters[n][i / P1D + 2 * (j / P1D)][static_cast<std::size_t>(P1D * ey + j) * mesh.NX() + P1D * ex + i] = shares[n][j][i];
      }
    for (auto& quarter : quarters) {
      for (std::vector<double>& q : quarter) {
        exchange.start(cpu, q.data());
        exchange.finish(cpu, q.data());
      }
      std::vector<double>& load = loads.emplace_back(nodes);
      for (std::size_t n = 0; n < nodes; ++n) load[n] = (quarter[0][n] + quarter[1][n]) + (quarter[2][n] + quarter[3][n]);
    }
  }
  return loads;
}

double vertical_part(const Mesh& mesh, double x, double y) {
  const ColumnPoint c = column_point(mesh, x, y);
  return 1 / std::sqrt(1 + c.h_x * c.h_x + c.h_y * c.h_y);
}

}  // namespace agwave
