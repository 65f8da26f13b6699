// SPDX-License-Identifier: Apache-2.0
// Both blocks on Lanes elements side by side in SIMD lanes, so that every arithmetic instruction is full whatever the vector width. Sum factorisation:
// tensor contractions, one direction at a time.
//   gradient:    z: a = B p, b = dB p;  y: B b, dB a, B a;  x: p_xi = dB(B B p), p_eta = B(dB B p), p_zeta = B(B dB p)
//   divergence:  the transposes in reverse order
#pragma once
#include "mesh/basis.hpp"

namespace agwave {

inline constexpr int Lanes = 8;
typedef double Vec __attribute__((vector_size(Lanes * sizeof(double))));

// out[(m N + n) S + s] = sum_k table[n][k] in[(m K + k) S + s]   (transposed: table[k][n])
template <int M, int K, int N, int S, bool Transposed, bool Add, class Table>
inline void contract(const Table& table, const Vec* in, Vec* out) {
  for (int m = 0; m < M; ++m)
    for (int s = 0; s < S; ++s) {
      Vec column[K];
      for (int k = 0; k < K; ++k) column[k] = in[(m * K + k) * S + s];
      for (int n = 0; n < N; ++n) {
        Vec sum = (Transposed ? table[0][n] : table[n][0]) * column[0];
        for (int k = 1; k < K; ++k) sum += (Transposed ? table[k][n] : table[n][k]) * column[k];
        Vec& to = out[(m * N + n) * S + s];
        to = Add ? to + sum : sum;
      }
    }
}

// With Q points a direction; values at the points are [component][Q^3].
template <int Q>
struct ElementLanes {
  static constexpr int Q3D = Q * Q * Q;
  static constexpr auto& t = basis<Q>;

  // Reference derivatives of p[125].
  static void derivatives(const Vec* p, Vec (&at_points)[3][Q3D]) {
    Vec a[Q * 25], b[Q * 25], c[Q * Q * 5];
    contract<1, 5, Q, 25, false, false>(t.B, p, a);
    contract<1, 5, Q, 25, false, false>(t.dB, p, b);
    contract<Q, 5, Q, 5, false, false>(t.B, a, c);
    contract<Q * Q, 5, Q, 1, false, false>(t.dB, c, at_points[0]);
    contract<Q, 5, Q, 5, false, false>(t.dB, a, c);
    contract<Q * Q, 5, Q, 1, false, false>(t.B, c, at_points[1]);
    contract<Q, 5, Q, 5, false, false>(t.B, b, c);
    contract<Q * Q, 5, Q, 1, false, false>(t.B, c, at_points[2]);
  }
  // The transpose: r[125] of contravariant fluxes.
  static void against_derivatives(const Vec (&flux)[3][Q3D], Vec* r) {
    Vec a[Q * 25], b[Q * 25], c[Q * Q * 5];
    contract<Q * Q, Q, 5, 1, true, false>(t.dB, flux[0], c);
    contract<Q, Q, 5, 5, true, false>(t.B, c, a);
    contract<Q * Q, Q, 5, 1, true, false>(t.B, flux[1], c);
    contract<Q, Q, 5, 5, true, true>(t.dB, c, a);
    contract<Q * Q, Q, 5, 1, true, false>(t.B, flux[2], c);
    contract<Q, Q, 5, 5, true, false>(t.B, c, b);
    contract<1, Q, 5, 25, true, false>(t.B, a, r);
    contract<1, Q, 5, 25, true, true>(t.dB, b, r);
  }
  // At a point, in place, D the entries of Metric (fem/geometry.hpp): w det J grad p of reference derivatives, and its transpose.
  static void weigh_gradient(const Vec (&D)[5], Vec& xi, Vec& eta, Vec& zeta) {
    xi = D[0] * xi + D[1] * zeta;
    eta = D[2] * eta + D[3] * zeta;
    zeta = D[4] * zeta;
  }
  static void make_flux(const Vec (&D)[5], Vec& x, Vec& y, Vec& z) {
    z = D[1] * x + D[3] * y + D[4] * z;
    x = D[0] * x;
    y = D[2] * y;
  }
  // Velocity functions: of values at their 64 nodes at the points, and the transpose. Both are the same places where Q is 4.
  static void to_points(const Vec* at_nodes, Vec (&at_points)[Q3D]) {
    if constexpr (Q == 4) {
      for (int q = 0; q < Q3D; ++q) at_points[q] = at_nodes[q];
    } else {
      Vec y[Q * 16], z[Q * Q * 4];
      contract<1, 4, Q, 16, false, false>(t.V, at_nodes, y);
      contract<Q, 4, Q, 4, false, false>(t.V, y, z);
      contract<Q * Q, 4, Q, 1, false, false>(t.V, z, at_points);
    }
  }
  static void against_velocities(const Vec (&at_points)[Q3D], Vec* at_nodes) {
    if constexpr (Q == 4) {
      for (int q = 0; q < Q3D; ++q) at_nodes[q] = at_points[q];
    } else {
      Vec y[Q * 16], z[Q * Q * 4];
      contract<Q * Q, Q, 4, 1, true, false>(t.V, at_points, z);
      contract<Q, Q, 4, 4, true, false>(t.V, z, y);
      contract<1, Q, 4, 16, true, false>(t.V, y, at_nodes);
    }
  }
};

}  // namespace agwave
