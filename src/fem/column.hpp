// SPDX-License-Identifier: Apache-2.0
// Depth and slope of the floor in a column, from the depths at its 5 x 5 GLL nodes: the one formula behind metrics, loads and notes.
#pragma once
#include "mesh/basis.hpp"
#include "mesh/mesh.hpp"

namespace agwave {

struct ColumnDepth {
  double h = 0, h_xi = 0, h_eta = 0;  // [m]; derivatives by the reference coordinates: divide by ax, ay for slopes
};

// By the five basis values and derivatives along x and along y.
inline ColumnDepth column_depth(const Mesh& mesh, int ex, int ey, const double* phi_x, const double* d_x, const double* phi_y, const double* d_y) {
  ColumnDepth at;
  for (int j = 0; j < D1D; ++j)
    for (int i = 0; i < D1D; ++i) {
      const double h = mesh.depth_at(P1D * ex + i, P1D * ey + j);
      at.h += phi_y[j] * phi_x[i] * h;
      at.h_xi += phi_y[j] * d_x[i] * h;
      at.h_eta += d_y[j] * phi_x[i] * h;
    }
  return at;
}

// At point (qx, qy) of the Q x Q Gauss-Legendre points.
template <int Q>
ColumnDepth column_depth(const Mesh& mesh, int ex, int ey, int qx, int qy) {
  constexpr auto& t = basis<Q>;
  return column_depth(mesh, ex, ey, t.B[qx], t.dB[qx], t.B[qy], t.dB[qy]);
}

}  // namespace agwave
