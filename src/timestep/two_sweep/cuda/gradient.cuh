// SPDX-License-Identifier: Apache-2.0
// The gradient of a staged pressure at the points of a lane's plane of one element, in two orders. Row after row of nodes the loop is short, and
// the code of a layer stays small: sweep A, which waits for memory, is fastest so. Rows that are mirror images taken together, as their sum and their
// difference, need 413 FP64 instructions instead of 445 and a tenth fewer of all, but three times the code: sweep B, which computes, is fastest so.
#pragma once
#include "timestep/two_sweep/cuda/basis.cuh"
#include "timestep/two_sweep/cuda/shared.cuh"

namespace agwave::two_sweep {

template <class T>
struct PointVectorsOf {  // at the lane's 4 x 4 points: [qy][parts along z]
  T x[4][4], y[4][4], z[4][4];
};
using PointVectors = PointVectorsOf<double>;

// Keeps the compiler from computing an address anew wherever it is used.
template <class T>
__device__ __forceinline__ T* keep(T* pointer) {
  auto s = static_cast<unsigned>(__cvta_generic_to_shared(pointer));
  asm volatile("" : "+r"(s));
  return static_cast<T*>(__cvta_shared_to_generic(s));
}

// Read where it is written, not where its value is needed.
__device__ __forceinline__ double load_in_place(const double* s_from) {
  double value;
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(s_from))));
  return value;
}

// One column of nodes of the layer's plane: those of the lane, or those shared with the next element. Its rows are `row` apart.
struct NodeColumn {
  const double *s_bottom, *s_inner, *s_top;  // levels 0, 1..3 and 4
  int row;
  __device__ __forceinline__ NodeColumn(const double* bottom, const double* inner, const double* top, int row_)
      : s_bottom(keep(bottom)), s_inner(keep(inner)), s_top(keep(top)), row(row_) {}
  __device__ __forceinline__ void load(double (&v)[5], int rows = 0) const {
    const int at = rows * row;
    v[0] = load_in_place(s_bottom + at);
    v[1] = load_in_place(s_inner + at);
    v[2] = load_in_place(s_inner + at + level_stride);
    v[3] = load_in_place(s_inner + at + 2 * level_stride);
    v[4] = load_in_place(s_top + at);
  }
  __device__ __forceinline__ void next_row() {
    for (const double** s : {&s_bottom, &s_inner, &s_top}) *s += row;
  }
};

// Along x: value and derivative at the lane's point on each level, from the shared node and the lane's difference to it.
using Levels = double[5][2];
__device__ __forceinline__ void product_along_x(Levels& c, const double (&difference)[5], const double (&shared)[5], double table) {
#pragma unroll
  for (int k = 0; k < 5; ++k) {
    c[k][0] = shared[k];
    c[k][1] = 0;
  }
  cuda_kernels::DmmaPair::multiply_add_4(c[0], c[4], difference[0], difference[4], table);
  cuda_kernels::DmmaPair::multiply_add_4(c[1], c[3], difference[1], difference[3], table);
  cuda_kernels::Dmma::multiply_add(c[2], difference[2], table);
}

// Along z: what B is to be applied to along y for p_xi and p_zeta (`x`, `z`), and dB for p_eta (`y`).
struct RowParts {
  Parts x, y, z;
  __device__ __forceinline__ explicit RowParts(const Levels& c) {
    Fibre({c[0][1], c[1][1], c[2][1], c[3][1], c[4][1]}).values(x);
    const Fibre fibre({c[0][0], c[1][0], c[2][0], c[3][0], c[4][0]});
    fibre.values(y);
    fibre.derivatives(z);
  }
};

// Along y: to[q] += table[q] along.
template <int Q>
__device__ __forceinline__ void contract_along_y(double (*to)[4], const double* table, const Parts& along) {
#pragma unroll
  for (int q = 0; q < Q; ++q)
#pragma unroll
    for (int s = 0; s < 4; ++s) to[q][s] = fma(table[q], along[s], to[q][s]);
}

// p_xi, p_eta, p_zeta, row after row.
__device__ __forceinline__ void gradient_by_rows(PointVectors& d, NodeColumn own, NodeColumn next, double table) {
  d = {};
  double node[5], shared[5];
  next.load(shared);
  own.load(node);
#pragma unroll 1  // rows take turns: what runs in a layer must fit into the instruction cache
  for (int j = 0; j < 5; ++j) {
    Levels c;
#pragma unroll
    for (int k = 0; k < 5; ++k) node[k] -= shared[k];
    product_along_x(c, node, shared, table);
    if (j < 4) {  // the last row once more, unused
      own.next_row();
      next.next_row();
    }
    const RowParts along(c);
    const double* row = c_tables.rows[j];
    // The next row's nodes are asked for in between.
    contract_along_y<4>(d.x, row, along.x);
    next.load(shared);
    contract_along_y<4>(d.z, row, along.z);
    own.load(node);
    contract_along_y<4>(d.y, row + 4, along.y);
  }
}

// The same from rows i and 4 - i together: B keeps the parity along y, dB turns it, so half the points are enough until the end.
__device__ __forceinline__ void gradient_by_pairs(PointVectors& d, NodeColumn own, NodeColumn next, double table) {
  d = {};  // even points in [0..1], odd ones in [2..3]
  const auto add_even = [&](const Levels& c, const double* row) {
    const RowParts along(c);
    contract_along_y<2>(d.x, row, along.x);
    contract_along_y<2>(d.z, row, along.z);
    contract_along_y<2>(d.y + 2, row + 2, along.y);
  };
  Levels c;
  {
    double node[5], shared[5];
    next.load(shared, 2);
    own.load(node, 2);
#pragma unroll
    for (int k = 0; k < 5; ++k) node[k] -= shared[k];
    product_along_x(c, node, shared, table);
    add_even(c, c_tables.pairs[2]);
  }
  int apart = 4;
#pragma unroll 1
  for (int i = 0; i < 2; ++i) {
    double low[5], low_shared[5], high[5], high_shared[5], sum[5], sum_shared[5], difference[5], difference_shared[5];
    next.load(low_shared);
    own.load(low);
    next.load(high_shared, apart);
    own.load(high, apart);
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      sum_shared[k] = low_shared[k] + high_shared[k];
      sum[k] = (low[k] + high[k]) - sum_shared[k];
      difference_shared[k] = low_shared[k] - high_shared[k];
      difference[k] = (low[k] - high[k]) - difference_shared[k];
    }
    Levels c_odd;
    product_along_x(c, sum, sum_shared, table);
    product_along_x(c_odd, difference, difference_shared, table);
    add_even(c, c_tables.pairs[i]);
    apart -= 2;
    own.next_row();
    next.next_row();
    const RowParts along(c_odd);
    contract_along_y<2>(d.x + 2, c_tables.pairs[i] + 4, along.x);
    contract_along_y<2>(d.z + 2, c_tables.pairs[i] + 4, along.z);
    contract_along_y<2>(d.y, c_tables.pairs[i] + 6, along.y);
  }
  const auto points_of_parts = [](double(&f)[4][4]) {
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      const double even[2] = {f[0][s], f[1][s]}, odd[2] = {f[2][s], f[3][s]};
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        f[q][s] = even[q] + odd[q];
        f[3 - q][s] = even[q] - odd[q];
      }
    }
  };
  points_of_parts(d.x);
  points_of_parts(d.y);
  points_of_parts(d.z);
}

}  // namespace agwave::two_sweep
