// SPDX-License-Identifier: Apache-2.0
// Both blocks on one element as their definition reads, with dense tables of all 125 basis gradients and 64 velocity
// functions at the Q^3 quadrature points. Shared by the `reference` variant and velocities of the potential form.
//   G p:    g[c][l] = sum_q psi[q][l] (w det J J^-T sum_i dphi[.][q][i] p[i])_c
//   G^T u:  r[i]    = sum_q dphi[.][q][i] . (w det J J^-1 sum_l psi[q][l] u[.][l])
#pragma once
#include <memory>

#include "fem/geometry.hpp"
#include "mesh/basis.hpp"

namespace agwave {

template <int Q>
class ElementOperator {
 public:
  static constexpr int Q3D = Q * Q * Q;

  ElementOperator() : tables_(std::make_unique<Tables>()) {
    constexpr auto& t = basis<Q>;
    for (int q = 0; q < Q3D; ++q) {
      const int qx = q % Q, qy = q / Q % Q, qz = q / (Q * Q);
      for (int i = 0; i < D3D; ++i) {
        const int ix = i % D1D, iy = i / D1D % D1D, iz = i / (D1D * D1D);
        tables_->dphi[0][q][i] = t.dB[qx][ix] * t.B[qy][iy] * t.B[qz][iz];
        tables_->dphi[1][q][i] = t.B[qx][ix] * t.dB[qy][iy] * t.B[qz][iz];
        tables_->dphi[2][q][i] = t.B[qx][ix] * t.B[qy][iy] * t.dB[qz][iz];
      }
      for (int l = 0; l < L3D; ++l) tables_->psi[q][l] = t.V[qx][l % L1D] * t.V[qy][l / L1D % L1D] * t.V[qz][l / (L1D * L1D)];
    }
  }

  // metric[Q3D], p[125] -> g[3][64]
  void gradient(const Metric* metric, const double* p, double* g) const {
    for (int n = 0; n < 3 * L3D; ++n) g[n] = 0;
    for (int q = 0; q < Q3D; ++q) {
      double dp[3], at_q[3];
      for (int d = 0; d < 3; ++d) dp[d] = dot<D3D>(tables_->dphi[d][q], p);
      weighted_gradient(metric[q], dp[0], dp[1], dp[2], at_q);
      for (int c = 0; c < 3; ++c) add<L3D>(at_q[c], tables_->psi[q], g + c * L3D);
    }
  }

  // metric[Q3D], u[3][64] -> r[125]
  void divergence(const Metric* metric, const double* u, double* r) const {
    for (int i = 0; i < D3D; ++i) r[i] = 0;
    for (int q = 0; q < Q3D; ++q) {
      double at_q[3], flux[3];
      for (int c = 0; c < 3; ++c) at_q[c] = dot<L3D>(tables_->psi[q], u + c * L3D);
      contravariant_flux(metric[q], at_q[0], at_q[1], at_q[2], flux);
      for (int d = 0; d < 3; ++d) add<D3D>(flux[d], tables_->dphi[d][q], r);
    }
  }

 private:
  struct Tables {
    double dphi[3][Q3D][D3D];
    double psi[Q3D][L3D];
  };
  template <int N>
  static double dot(const double* a, const double* b) {
    double lanes[4] = {};  // four partial sums, so that the loop can use SIMD without reordering a single sum
    int n = 0;
    for (; n + 4 <= N; n += 4)
      for (int m = 0; m < 4; ++m) lanes[m] += a[n + m] * b[n + m];
    double sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    for (; n < N; ++n) sum += a[n] * b[n];
    return sum;
  }
  template <int N>
  static void add(double factor, const double* a, double* to) {
    for (int n = 0; n < N; ++n) to[n] += factor * a[n];
  }

  std::unique_ptr<Tables> tables_;
};

}  // namespace agwave
