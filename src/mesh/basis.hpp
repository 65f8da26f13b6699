// SPDX-License-Identifier: Apache-2.0
// One-dimensional bases and quadrature on [-1, 1], as compile-time tables.
//   pressure: Lagrange basis on the D1D = 5 Gauss-Lobatto-Legendre (GLL) nodes
//   velocity: Lagrange basis on the L1D = 4 Gauss-Legendre (GL) nodes
//   B[q][i] = phi_i(x_q), dB[q][i] = phi_i'(x_q) at Q1D GL points; V[q][l] = psi_l(x_q) for the velocity basis,
// which is the identity for Q1D = 4 (quadrature collocated with the velocity nodes).
#pragma once

namespace agwave {

inline constexpr int D1D = 5;  // pressure nodes per direction
inline constexpr int P1D = 4;  // order of the pressure: nodes from one element to the next
inline constexpr int L1D = 4;  // velocity nodes per direction
inline constexpr int D3D = D1D * D1D * D1D;
inline constexpr int L3D = L1D * L1D * L1D;

namespace detail {
constexpr double square_root(double a) {  // Newton; converges to round-off for the values of order one used here
  double x = a > 1 ? a : 1;
  for (int k = 0; k < 60; ++k) x = 0.5 * (x + a / x);
  return x;
}

template <int N>
constexpr double lagrange(const double (&nodes)[N], int i, double x) {
  double value = 1;
  for (int m = 0; m < N; ++m)
    if (m != i) value *= (x - nodes[m]) / (nodes[i] - nodes[m]);
  return value;
}

template <int N>
constexpr double lagrange_derivative(const double (&nodes)[N], int i, double x) {
  double sum = 0;
  for (int n = 0; n < N; ++n) {
    if (n == i) continue;
    double term = 1 / (nodes[i] - nodes[n]);
    for (int m = 0; m < N; ++m)
      if (m != i && m != n) term *= (x - nodes[m]) / (nodes[i] - nodes[m]);
    sum += term;
  }
  return sum;
}
}  // namespace detail

template <int N>
struct Rule {
  double x[N], w[N];
};

constexpr Rule<5> gll_rule() {
  const double s = detail::square_root(3.0 / 7.0);
  return {{-1, -s, 0, s, 1}, {1.0 / 10, 49.0 / 90, 32.0 / 45, 49.0 / 90, 1.0 / 10}};
}

template <int Q>
constexpr Rule<Q> gauss_rule() {
  static_assert(Q == 4 || Q == 5, "quadrature is offered with 4 or 5 Gauss-Legendre points per direction");
  using detail::square_root;
  if constexpr (Q == 4) {
    const double r = 2.0 / 7.0 * square_root(6.0 / 5.0), a = square_root(3.0 / 7.0 - r), b = square_root(3.0 / 7.0 + r);
    const double wa = (18 + square_root(30.0)) / 36, wb = (18 - square_root(30.0)) / 36;
    return {{-b, -a, a, b}, {wb, wa, wa, wb}};
  } else {
    const double r = 2 * square_root(10.0 / 7.0), a = square_root(5 - r) / 3, b = square_root(5 + r) / 3;
    const double wa = (322 + 13 * square_root(70.0)) / 900, wb = (322 - 13 * square_root(70.0)) / 900;
    return {{-b, -a, 0, a, b}, {wb, wa, 128.0 / 225, wa, wb}};
  }
}

template <int Q>
struct Basis {
  Rule<Q> rule = gauss_rule<Q>();
  double B[Q][D1D]{}, dB[Q][D1D]{}, V[Q][L1D]{};

  constexpr Basis() {
    const auto gll = gll_rule();
    const auto gl = gauss_rule<L1D>();
    for (int q = 0; q < Q; ++q) {
      for (int i = 0; i < D1D; ++i) {
        B[q][i] = detail::lagrange<D1D>(gll.x, i, rule.x[q]);
        dB[q][i] = detail::lagrange_derivative<D1D>(gll.x, i, rule.x[q]);
      }
      for (int l = 0; l < L1D; ++l) V[q][l] = Q == L1D ? (q == l ? 1.0 : 0.0) : detail::lagrange<L1D>(gl.x, l, rule.x[q]);
    }
  }
};

template <int Q>
inline constexpr Basis<Q> basis{};

inline constexpr Rule<5> gll = gll_rule();

}  // namespace agwave
