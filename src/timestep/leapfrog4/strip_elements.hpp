// SPDX-License-Identifier: Apache-2.0
// The elements of sponges' strips, which keep a velocity of their own (fading.hpp, matched.hpp): gradients in them, and what that velocity forces nodes with.
// An element at a time, by a team (device/backend.hpp), in memory of its own.
#pragma once
#include "timestep/sponge_layer.hpp"

namespace agwave::leapfrog4 {

struct FourPoints {  // along an axis
  double B[L1D][D1D], dB[L1D][D1D], x[L1D], w[L1D];
};
inline FourPoints four_points() {
  constexpr auto& t = basis<4>;
  constexpr auto rule = gauss_rule<4>();
  FourPoints to;
  for (int q = 0; q < L1D; ++q) {
    for (int i = 0; i < D1D; ++i) {
      to.B[q][i] = t.B[q][i];
      to.dB[q][i] = t.dB[q][i];
    }
    to.x[q] = rule.x[q];
    to.w[q] = rule.w[q];
  }
  return to;
}

// What a team works in.
struct StripScratch {
  double B[L1D][D1D], dB[L1D][D1D];    // close by, for threads index it differently
  double values[D3D], rates[D3D];      // of the nodes: what a gradient is taken of; P
  double along[2][D1D * D1D][L1D];     // [values, slopes along x][k 5 + j][qx], and the way back
  double across[3][D1D][L1D * L1D];    // [values, slopes along x, y][k][qy 4 + qx], likewise
  double flux[3][L3D];                 // contravariant, times the weights; before that, velocities
  double lost[D3D], parts[L1D * L1D];  // of the energy, for sums
  // Of matched strips: what a line's velocity keeps, and what turns its gradient; gradients of sums along z; patterns across x, y, z; masses.
  double keep[3][L1D * L1D], turn[3][L1D * L1D], vertical[L3D], pattern[3][D1D], least[D1D * D1D];
};

// The elements of the strips, numbered [ez][column of the list], with four points along each axis.
struct StripElements {
  ElementView v;
  sponge_detail::Columns columns;
  const std::int32_t* number;  // of a column in the list, or -1
  FourPoints t;
  AGWAVE_HD std::int64_t at(int ex, int ey, int ez) const {
    const std::int32_t column = number[ey * v.nx + ex];
    return column < 0 ? -1 : ez * columns.count + column;
  }
  struct Place {
    int ex, ey, ez;
    std::int64_t column;  // of the list
  };
  AGWAVE_HD Place place(std::int64_t e) const {
    const std::int64_t ez = quotient(e, columns.count), at = e - ez * columns.count;
    const std::int32_t column = columns.list[at], ey = column / v.nx;
    return {column - ey * v.nx, ey, static_cast<int>(ez), at};
  }
  AGWAVE_HD Metric metric_of(const Place& p, int l) const { return v.point(p.ex, p.ey, p.ez, l, t.x, t.w); }
  AGWAVE_HD double mass_of(const Place& p, int l) const { return v.velocity_mass(p.ex, p.ey, p.ez, l, t.w); }

  template <class Team>
  AGWAVE_HD void begin(const Team& team, StripScratch& s) const {
    team.each(L1D * D1D, [&](int n) {
      s.B[n / D1D][n % D1D] = t.B[n / D1D][n % D1D];
      s.dB[n / D1D][n % D1D] = t.dB[n / D1D][n % D1D];
    });
  }
  // f(node, i, j, k) of the element's nodes and where they are in the mesh.
  template <class Team, class F>
  AGWAVE_HD void nodes(const Team& team, const Place& p, F&& f) const {
    team.each(D3D, [&](int n) { f(n, P1D * p.ex + n % D1D, P1D * p.ey + n / D1D % D1D, P1D * p.ez + n / (D1D * D1D)); });
  }
  // f(point, g): of scratch's values, g = what multiplies 1 / M_u, physical.
  template <class Team, class F>
  AGWAVE_HD void gradient(const Team& team, StripScratch& s, const Place& p, F&& f) const {
    team.each(D1D * D1D * L1D, [&](int n) {
      const int qx = n % L1D, row = n / L1D;
      double value = 0, slope = 0;
      for (int i = 0; i < D1D; ++i) {
        value += s.B[qx][i] * s.values[row * D1D + i];
        slope += s.dB[qx][i] * s.values[row * D1D + i];
      }
      s.along[0][row][qx] = value;
      s.along[1][row][qx] = slope;
    });
    team.each(D1D * L1D * L1D, [&](int n) {
      const int line = n % (L1D * L1D), qx = line % L1D, qy = line / L1D, k = n / (L1D * L1D);
      double value = 0, xi = 0, eta = 0;
      for (int j = 0; j < D1D; ++j) {
        const double along = s.along[0][k * D1D + j][qx];
        value += s.B[qy][j] * along;
        xi += s.B[qy][j] * s.along[1][k * D1D + j][qx];
        eta += s.dB[qy][j] * along;
      }
      s.across[0][k][line] = value;
      s.across[1][k][line] = xi;
      s.across[2][k][line] = eta;
    });
    team.each(L3D, [&](int l) {
      const int line = l % (L1D * L1D), qz = l / (L1D * L1D);
      double xi = 0, eta = 0, zeta = 0, g[3];
      for (int k = 0; k < D1D; ++k) {
        xi += s.B[qz][k] * s.across[1][k][line];
        eta += s.B[qz][k] * s.across[2][k][line];
        zeta += s.dB[qz][k] * s.across[0][k][line];
      }
      weighted_gradient(metric_of(p, l), xi, eta, zeta, g);
      f(l, g);
    });
  }
  template <class Team>
  AGWAVE_HD void put_flux(const Team& team, StripScratch& s, const Place& p, const double* u) const {  // of the element, [3][64]
    team.each(L3D, [&](int l) {
      double flux[3];
      contravariant_flux(metric_of(p, l), u[l], u[L3D + l], u[2 * L3D + l], flux);
      for (int c = 0; c < 3; ++c) s.flux[c][l] = flux[c];
    });
  }
  // f(node, what the element adds to G^T v there), from scratch's flux.
  template <class Team, class F>
  AGWAVE_HD void divergence(const Team& team, StripScratch& s, F&& f) const {
    team.each(D1D * L1D * L1D, [&](int n) {
      const int line = n % (L1D * L1D), k = n / (L1D * L1D);
      double of_x = 0, of_y = 0, of_z = 0;
      for (int qz = 0; qz < L1D; ++qz) {
        const int l = qz * L1D * L1D + line;
        of_x += s.B[qz][k] * s.flux[0][l];
        of_y += s.B[qz][k] * s.flux[1][l];
        of_z += s.dB[qz][k] * s.flux[2][l];
      }
      s.across[0][k][line] = of_x;
      s.across[1][k][line] = of_y;
      s.across[2][k][line] = of_z;
    });
    team.each(D1D * D1D * L1D, [&](int n) {
      const int qx = n % L1D, row = n / L1D, j = row % D1D, k = row / D1D;
      double slopes = 0, values = 0;
      for (int qy = 0; qy < L1D; ++qy) {
        const int line = qy * L1D + qx;
        slopes += s.B[qy][j] * s.across[0][k][line];
        values += s.dB[qy][j] * s.across[1][k][line] + s.B[qy][j] * s.across[2][k][line];
      }
      s.along[0][row][qx] = values;
      s.along[1][row][qx] = slopes;
    });
    team.each(D3D, [&](int n) {
      const int i = n % D1D, row = n / D1D;
      double force = 0;
      for (int qx = 0; qx < L1D; ++qx) force += s.B[qx][i] * s.along[0][row][qx] + s.dB[qx][i] * s.along[1][row][qx];
      f(n, force);
    });
  }
  // The sum of scratch's lost.
  template <class Team>
  AGWAVE_HD void sum_lost(const Team& team, StripScratch& s, double* to) const {
    constexpr int parts = L1D * L1D;
    team.each(parts, [&](int n) {
      double part = 0;
      for (int m = n; m < D3D; m += parts) part += s.lost[m];
      s.parts[n] = part;
    });
    team.each(1, [&](int) {
      double sum = 0;
      for (const double part : s.parts) sum += part;
      *to = sum;
    });
  }
};

struct ElementForces : StripElements {  // of v alone
  const double* u;                      // [element][3][64]
  double* forces;                       // [element][125]
  template <class Team>
  AGWAVE_HD void operator()(std::int64_t e, const Team& team, StripScratch& s) const {
    begin(team, s);
    put_flux(team, s, place(e), u + e * 3 * L3D);
    divergence(team, s, [&](int n, double force) { forces[e * D3D + n] = force; });
  }
};

// G^T v at a node, of the elements within a box that may reach beyond the mesh.
struct StripForces : StripElements {
  const double* forces;
  struct Range {
    int first, end;
  };
  AGWAVE_HD double sum(int i, int j, int k, Range x, Range y, Range z) const {
    double all = 0;
    for (int ez = first(k, z); ez <= last(k, z, v.nz); ++ez)
      for (int ey = first(j, y); ey <= last(j, y, v.ny); ++ey)
        for (int ex = first(i, x); ex <= last(i, x, v.nx); ++ex)
          if (const std::int64_t e = at(ex, ey, ez); e >= 0) all += forces[e * D3D + ((k - P1D * ez) * D1D + j - P1D * ey) * D1D + i - P1D * ex];
    return all;
  }

 private:
  AGWAVE_HD static int first(int node, Range r) {  // of the elements that have the node
    const int e = node > 0 && node % P1D == 0 ? node / P1D - 1 : node / P1D;
    return e > r.first ? e : r.first;
  }
  AGWAVE_HD static int last(int node, Range r, int elements) {
    const int end = r.end < elements ? r.end : elements;
    return node / P1D < end ? node / P1D : end - 1;
  }
};

}  // namespace agwave::leapfrog4
