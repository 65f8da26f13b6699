// SPDX-License-Identifier: Apache-2.0
// The elements of sponges' strips, which keep a velocity of their own (fading.hpp, matched.hpp): gradients in them, and what that velocity forces nodes with.
// An element at a time, by a team (device/backend.hpp), in memory of its own.
#pragma once
#include "timestep/sponge_layer.hpp"

namespace agwave::leapfrog4 {

// What a team works in. From columns of nodes to points the field is contracted along z, x, y, and along x, y, z on the way back.
struct StripScratch {
  static constexpr int column = D1D * D1D, line = L1D * D1D;  // nodes of a level, [j][i]; [j][qx], and [qy][i] on the way back
  double B[L1D][D1D], dB[L1D][D1D];                           // close by, for threads index it differently
  double in_z[4][L1D][column];                                // at the points' heights, of two fields: values; slopes along z
  double in_xz[6][L1D][line];                                 // at their x, likewise: values; slopes along x; along z
  double flux[3][L3D];                                        // contravariant, times the weights
  double lost[L3D + column], parts[L1D * L1D];                // of the energy, for sums
  // Of matched strips: P; its sums over columns and over rows; patterns across x, y, z; the least mass under each column of nodes, then of all.
  double rates[D1D][column], over_z[column], over_x[D1D][D1D], pattern[3][D1D], least[column];
};

// The elements of the strips, numbered [ez][column of the list], with four points along each axis.
struct StripElements {
  ElementView v;
  sponge_detail::Columns columns;
  const std::int32_t* number;  // of a column in the list, or -1
  Basis<L1D> t;
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
  AGWAVE_HD Metric metric_of(const Place& p, int l) const { return v.point(p.ex, p.ey, p.ez, l, t.rule.x, t.rule.w); }
  AGWAVE_HD double mass_of(const Place& p, int l) const { return v.velocity_mass(p.ex, p.ey, p.ez, l, t.rule.w); }

  template <class Team>
  AGWAVE_HD void begin(const Team& team, StripScratch& s) const {  // once, before elements
    team.each(L1D * D1D, [&](int n) {
      s.B[n / D1D][n % D1D] = t.B[n / D1D][n % D1D];
      s.dB[n / D1D][n % D1D] = t.dB[n / D1D][n % D1D];
    });
  }
  // A column's values to the points' heights, of field 0 or 1.
  AGWAVE_HD void put_column(StripScratch& s, int field, int n, const double (&values)[D1D]) const {
    for (int qz = 0; qz < L1D; ++qz) {
      double value = 0, slope = 0;
      for (int k = 0; k < D1D; ++k) {
        value += t.B[qz][k] * values[k];
        slope += t.dB[qz][k] * values[k];
      }
      s.in_z[2 * field][qz][n] = value;
      s.in_z[2 * field + 1][qz][n] = slope;
    }
  }
  // A row of nodes, task n of `rows`: a task's own loop over points finds B in registers, and reads what it contracts once.
  static constexpr int rows = L1D * D1D;  // [qz][j]
  AGWAVE_HD void contract_x(StripScratch& s, int field, int n) const {
    const int qz = n / D1D, j = n % D1D;
    double values[D1D], slopes[D1D];
    for (int i = 0; i < D1D; ++i) {
      values[i] = s.in_z[2 * field][qz][j * D1D + i];
      slopes[i] = s.in_z[2 * field + 1][qz][j * D1D + i];
    }
    for (int qx = 0; qx < L1D; ++qx) {
      double value = 0, xi = 0, zeta = 0;
      for (int i = 0; i < D1D; ++i) {
        value += t.B[qx][i] * values[i];
        xi += t.dB[qx][i] * values[i];
        zeta += t.B[qx][i] * slopes[i];
      }
      s.in_xz[3 * field][qz][j * L1D + qx] = value;
      s.in_xz[3 * field + 1][qz][j * L1D + qx] = xi;
      s.in_xz[3 * field + 2][qz][j * L1D + qx] = zeta;
    }
  }
  // What multiplies 1 / M_u at a point, physical.
  AGWAVE_HD void gradient(const StripScratch& s, int field, int l, const Metric& m, double (&g)[3]) const {
    const int qx = l % L1D, qy = l / L1D % L1D, qz = l / (L1D * L1D);
    double xi = 0, eta = 0, zeta = 0;
    for (int j = 0; j < D1D; ++j) {
      const double B = s.B[qy][j];
      xi += B * s.in_xz[3 * field + 1][qz][j * L1D + qx];
      eta += s.dB[qy][j] * s.in_xz[3 * field][qz][j * L1D + qx];
      zeta += B * s.in_xz[3 * field + 2][qz][j * L1D + qx];
    }
    weighted_gradient(m, xi, eta, zeta, g);
  }
  AGWAVE_HD double gradient_z(const StripScratch& s, int field, int l, const Metric& m) const {  // along z alone
    const int qx = l % L1D, qy = l / L1D % L1D, qz = l / (L1D * L1D);
    double zeta = 0;
    for (int j = 0; j < D1D; ++j) zeta += s.B[qy][j] * s.in_xz[3 * field + 2][qz][j * L1D + qx];
    return m.zz * zeta;
  }
  AGWAVE_HD static void put_flux(StripScratch& s, int l, const Metric& m, const double* u) {  // of the element, [3][64]
    double flux[3];
    contravariant_flux(m, u[l], u[L3D + l], u[2 * L3D + l], flux);
    for (int c = 0; c < 3; ++c) s.flux[c][l] = flux[c];
  }
  // f(column, what the element adds to G^T v on its five levels), from scratch's flux.
  template <class Team, class F>
  AGWAVE_HD void divergence(const Team& team, StripScratch& s, F&& f) const {
    team.each(3 * L1D * L1D, [&](int n) {  // [component][qz][qy]
      const int c = n / (L1D * L1D), qz = n / L1D % L1D, qy = n % L1D;
      double flux[L1D];
      for (int qx = 0; qx < L1D; ++qx) flux[qx] = s.flux[c][n % (L1D * L1D) * L1D + qx];
      for (int i = 0; i < D1D; ++i) {
        double sum = 0;
        for (int qx = 0; qx < L1D; ++qx) sum += (c == 0 ? t.dB[qx][i] : t.B[qx][i]) * flux[qx];
        s.in_xz[c][qz][qy * D1D + i] = sum;
      }
    });
    team.each(2 * rows, [&](int n) {  // across or up, [qz][i]
      const bool up = n >= rows;
      const int qz = n % rows / D1D, i = n % D1D;
      double first[L1D], second[L1D];
      for (int qy = 0; qy < L1D; ++qy) {
        first[qy] = s.in_xz[up ? 2 : 0][qz][qy * D1D + i];
        second[qy] = up ? 0 : s.in_xz[1][qz][qy * D1D + i];
      }
      for (int j = 0; j < D1D; ++j) {
        double sum = 0;
        for (int qy = 0; qy < L1D; ++qy) sum += t.B[qy][j] * first[qy] + t.dB[qy][j] * second[qy];
        s.in_z[up][qz][j * D1D + i] = sum;
      }
    });
    team.each(StripScratch::column, [&](int n) {
      double force[D1D] = {};
      for (int qz = 0; qz < L1D; ++qz)
        for (int k = 0; k < D1D; ++k) force[k] += t.B[qz][k] * s.in_z[0][qz][n] + t.dB[qz][k] * s.in_z[1][qz][n];
      f(n, force);
    });
  }
  // The sum of the first n of scratch's lost, where it is asked for.
  template <class Team>
  AGWAVE_HD void sum_lost(const Team& team, StripScratch& s, int n, double* lost, std::int64_t e) const {
    if (!lost) return;
    constexpr int parts = L1D * L1D;
    team.each(parts, [&](int m) {
      double part = 0;
      for (int at = m; at < n; at += parts) part += s.lost[at];
      s.parts[m] = part;
    });
    team.each(1, [&](int) {
      double sum = 0;
      for (const double part : s.parts) sum += part;
      lost[e] = sum;
    });
  }
};

// G^T v at a node, of the elements within a box that may reach beyond the mesh.
struct StripForces : StripElements {
  const double* forces;
  struct Range {
    int first, end;
  };
  // A column of nodes in the up to four columns of elements that have it.
  struct Column {
    const double* from[2][2];  // its lowest node; null: no such element
    std::int64_t layer;        // from one element to the one above
    AGWAVE_HD double at(int k, Range z, int nz) const {
      const int above = last(k, z, nz), below = first(k, z);
      double all = 0;
      for (int b = 0; b < 2; ++b)
        for (int a = 0; a < 2; ++a)
          if (from[b][a])
            for (int ez = below; ez <= above; ++ez) all += from[b][a][ez * layer + (k - P1D * ez) * D1D * D1D];
      return all;
    }
  };
  AGWAVE_HD Column column(int i, int j, Range x, Range y) const {
    Column of{{}, columns.count * D3D};
    for (int b = 0; b < 2; ++b)
      for (int a = 0; a < 2; ++a) {
        const int ex = first(i, x) + a, ey = first(j, y) + b;
        const std::int64_t number = ex <= last(i, x, v.nx) && ey <= last(j, y, v.ny) ? at(ex, ey, 0) : -1;
        of.from[b][a] = number < 0 ? nullptr : forces + number * D3D + (j - P1D * ey) * D1D + i - P1D * ex;
      }
    return of;
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
