// SPDX-License-Identifier: Apache-2.0
// Lumped floor loads. The slope jumps between columns, so normal motion is integrated column by column and summed.
#include "fem/load.hpp"

#include <cmath>

#include "backend.hpp"
#include "fem/exchange.hpp"
#include "fem/points.hpp"
#include "fem/spaces.hpp"

namespace agwave {

namespace {

// |grad h|^2 at GLL node (i, j) of column (ex, ey), from that column's own polynomial.
double slope_squared(const Mesh& mesh, int ex, int ey, int i, int j) {
  double d_xi = 0, d_eta = 0;
  for (int m = 0; m < D1D; ++m) {
    d_xi += detail::lagrange_derivative<D1D>(gll.x, m, gll.x[i]) * mesh.depth_at(4 * ex + m, 4 * ey + j);
    d_eta += detail::lagrange_derivative<D1D>(gll.x, m, gll.x[j]) * mesh.depth_at(4 * ex + i, 4 * ey + m);
  }
  const double h_x = d_xi / mesh.ax(ex), h_y = d_eta / mesh.ay(ey);
  return h_x * h_x + h_y * h_y;
}

}  // namespace

std::vector<double> floor_load(const Mesh& mesh, const UpliftTerm& term, const Comm& comm) {
  if (!mesh.part.at_low(2)) return {};
  const std::vector<double> x = mesh.x_nodes(), y = mesh.y_nodes();
  const int NX = mesh.NX(), NY = mesh.NY();
  std::vector<double> load(static_cast<std::size_t>(NX) * NY, 0.0);
  if (term.motion == Motion::vertical) {
    const std::vector<double> wx = assembled_weights(mesh.x_faces, mesh.part.first[0], mesh.part.count[0]);
    const std::vector<double> wy = assembled_weights(mesh.y_faces, mesh.part.first[1], mesh.part.count[1]);
    for (int j = 0; j < NY; ++j)
      for (int i = 0; i < NX; ++i) load[static_cast<std::size_t>(j) * NX + i] = wx[i] * wy[j] * term.shape(x[i], y[j]);
    return load;
  }
  for (int ey = 0; ey < mesh.ny(); ++ey)
    for (int ex = 0; ex < mesh.nx(); ++ex)
      for (int j = 0; j < D1D; ++j)
        for (int i = 0; i < D1D; ++i) {
          const double area = gll.w[i] * gll.w[j] * mesh.ax(ex) * mesh.ay(ey) * std::sqrt(1 + slope_squared(mesh, ex, ey, i, j));
          load[static_cast<std::size_t>(4 * ey + j) * NX + 4 * ex + i] += area * term.shape(x[4 * ex + i], y[4 * ey + j]);
        }
  Partition floor = mesh.part;  // the exchange among the floor ranks alone is that of a mesh one node high
  floor.grid[2] = 1;
  floor.coords[2] = 0;
  Cpu cpu;
  Exchange<Cpu> exchange(floor, NX, NY, 1, comm);
  exchange.start(cpu, load.data());
  exchange.finish(cpu, load.data());
  return load;
}

double vertical_part(const Mesh& mesh, double x, double y) {
  const ColumnPoint c = column_point(mesh, x, y);
  return 1 / std::sqrt(1 + c.h_x * c.h_x + c.h_y * c.h_y);
}

}  // namespace agwave
