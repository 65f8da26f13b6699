// SPDX-License-Identifier: Apache-2.0
// The elements of sponges' strips, which keep a velocity of their own (fading.hpp, matched.hpp): gradients in them, and what that velocity forces nodes with.
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

// What a thread needs of it at a point, or of a node: taken out once, since threads that index constants differently wait for each other.
struct AtPoint {
  double B[D1D], dB[D1D];
  AGWAVE_HD AtPoint(const FourPoints& t, int q) {
    for (int i = 0; i < D1D; ++i) {
      B[i] = t.B[q][i];
      dB[i] = t.dB[q][i];
    }
  }
};
struct OfNode {
  double B[L1D], dB[L1D];
  AGWAVE_HD OfNode(const FourPoints& t, int i) {
    for (int q = 0; q < L1D; ++q) {
      B[q] = t.B[q][i];
      dB[q] = t.dB[q][i];
    }
  }
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
  AGWAVE_HD void place(std::int64_t e, int& ex, int& ey, int& ez) const {
    const std::int32_t column = columns.list[e % columns.count];
    ex = column % v.nx;
    ey = column / v.nx;
    ez = static_cast<int>(e / columns.count);
  }

  // What multiplies 1 / M_u, physical, at the four points of a line along z. values: of the element's nodes
  AGWAVE_HD void gradient_of_line(int ex, int ey, int ez, int qx, int qy, const double* values, double (&gradient)[L1D][3]) const {
    const AtPoint x(t, qx), y(t, qy);
    double value[D1D] = {}, xi[D1D] = {}, eta[D1D] = {};  // on the five levels
    for (int k = 0; k < D1D; ++k)
      for (int j = 0; j < D1D; ++j) {
        double along = 0, slope = 0;
        for (int i = 0; i < D1D; ++i) {
          const double psi = values[(k * D1D + j) * D1D + i];
          along += x.B[i] * psi;
          slope += x.dB[i] * psi;
        }
        value[k] += y.B[j] * along;
        xi[k] += y.B[j] * slope;
        eta[k] += y.dB[j] * along;
      }
    for (int qz = 0; qz < L1D; ++qz) {
      double of_xi = 0, of_eta = 0, of_zeta = 0;
      for (int k = 0; k < D1D; ++k) {
        of_xi += t.B[qz][k] * xi[k];
        of_eta += t.B[qz][k] * eta[k];
        of_zeta += t.dB[qz][k] * value[k];
      }
      weighted_gradient(v.point(ex, ey, ez, (qz * L1D + qy) * L1D + qx, t.x, t.w), of_xi, of_eta, of_zeta, gradient[qz]);
    }
  }
};

// Values of every element's nodes. Field: double operator()(i, j, k)
template <class Field>
struct GatherNodes : StripElements {
  Field field;
  double* values;                                    // [element][125]
  AGWAVE_HD void operator()(std::int64_t n) const {  // [element][node]
    const int node = static_cast<int>(n % D3D);
    int ex, ey, ez;
    place(n / D3D, ex, ey, ez);
    values[n] = field(P1D * ex + node % D1D, P1D * ey + node / D1D % D1D, P1D * ez + node / (D1D * D1D));
  }
};

struct FormFlux : StripElements {  // contravariant, times the weights
  const double* u;
  double* flux;
  AGWAVE_HD void operator()(std::int64_t n) const {  // [element][point]
    const int l = static_cast<int>(n % L3D);
    const std::int64_t e = n / L3D, at = e * 3 * L3D + l;
    int ex, ey, ez;
    place(e, ex, ey, ez);
    double f[3];
    contravariant_flux(v.point(ex, ey, ez, l, t.x, t.w), u[at], u[at + L3D], u[at + 2 * L3D], f);
    for (int c = 0; c < 3; ++c) flux[at + c * L3D] = f[c];
  }
};

// What each element adds to G^T v, [element][125], a line of five nodes along z at a time.
struct ElementForces : StripElements {
  const double* flux;
  double* forces;
  AGWAVE_HD void operator()(std::int64_t n) const {  // [element][j][i]
    const int i = static_cast<int>(n % D1D), j = static_cast<int>(n / D1D % D1D);
    const std::int64_t e = n / (D1D * D1D);
    const double* const f = flux + e * 3 * L3D;
    const OfNode x(t, i), y(t, j);
    double sum[D1D] = {};
    for (int qz = 0; qz < L1D; ++qz) {
      double across = 0, up = 0;
      for (int qy = 0; qy < L1D; ++qy) {
        double of_x = 0, of_y = 0, of_z = 0;
        for (int qx = 0; qx < L1D; ++qx) {
          const int l = (qz * L1D + qy) * L1D + qx;
          of_x += x.dB[qx] * f[l];
          of_y += x.B[qx] * f[L3D + l];
          of_z += x.B[qx] * f[2 * L3D + l];
        }
        across += y.B[qy] * of_x + y.dB[qy] * of_y;
        up += y.B[qy] * of_z;
      }
      for (int k = 0; k < D1D; ++k) sum[k] += t.B[qz][k] * across + t.dB[qz][k] * up;
    }
    for (int k = 0; k < D1D; ++k) forces[e * D3D + (k * D1D + j) * D1D + i] = sum[k];
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
