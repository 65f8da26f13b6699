// SPDX-License-Identifier: Apache-2.0
// The gradient on the reference element as one dense matrix, at the velocity nodes (Q1D = 4), for variants that multiply with it:
//   A[(d 64 + q)][i] = d phi_i / d xi_d (x_q)    192 rows, 125 columns, the same for every element
//   G p = metric (A p_E),   G^T u = A^T (metric^T u_E),   with the pointwise metric of fem/geometry.hpp
#pragma once
#include <vector>

#include "mesh/basis.hpp"

namespace agwave {

inline constexpr int gradient_rows = 3 * L3D;

inline std::vector<double> dense_gradient() {  // [192][125]
  constexpr auto& t = basis<L1D>;
  std::vector<double> a;
  a.reserve(gradient_rows * D3D);
  for (int d = 0; d < 3; ++d)
    for (int q = 0; q < L3D; ++q)
      for (int i = 0; i < D3D; ++i) {
        const int at[3][2] = {{q % L1D, i % D1D}, {q / L1D % L1D, i / D1D % D1D}, {q / (L1D * L1D), i / (D1D * D1D)}};
        double product = 1;
        for (int k = 0; k < 3; ++k) product *= (k == d ? t.dB : t.B)[at[k][0]][at[k][1]];
        a.push_back(product);
      }
  return a;
}

}  // namespace agwave
