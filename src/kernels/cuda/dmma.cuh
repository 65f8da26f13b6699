// SPDX-License-Identifier: Apache-2.0
// Contractions with a basis table on FP64 tensor cores (mma.cuh), and the shared-memory layout that feeds them.
// A table with 5 columns takes one instruction for the first four and a rank-1 update, 2 fused multiply-adds per lane, for
// the fifth: cheaper than a second instruction that is three quarters padding.
#pragma once
#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/mma.cuh"
#include "mesh/basis.hpp"

namespace agwave::cuda_kernels {

// Basis tables where lanes with different indices can read them.
template <int Q>
__constant__ Basis<Q> c_basis{};

// One table as operand A: rows m (8, padded with zeros), the first four columns as the lane's fragment, the fifth apart.
struct TableFragment {
  double first;  // T[row][j]
  double fifth;  // T[row][4], 0 for tables with four columns
};

// Rows of `table` (T[m][k] = table(m, k)) for m < M, k < K, K = 4 or 5.
template <int M, int K, class Entry>
__device__ TableFragment table_fragment(Entry entry) {
  const int row = (threadIdx.x & 31) >> 2, j = threadIdx.x & 3;
  return {row < M ? entry(row, j) : 0.0, K == 5 && row < M ? entry(row, K - 1) : 0.0};
}

// C[m][n] += sum_k T[m][k] in(k, n), with any addressing; n = 0..7.
template <int K, class In>
__device__ __forceinline__ void apply_table(double (&c)[2], const TableFragment& t, In in) {
  const int row = (threadIdx.x & 31) >> 2, j = threadIdx.x & 3;
  Dmma::multiply_add(c, t.first, in(j, row));
  if constexpr (K == 5) {
    c[0] += t.fifth * in(4, 2 * j);
    c[1] += t.fifth * in(4, 2 * j + 1);
  }
}

// Rows of eight nodes in shared memory, in planes of five or one after the other. Operand loads take 4 rows x 4 columns per
// half warp, stores 2 rows x 8 columns per quarter warp (16 bytes a lane): with row and plane strides of 8 mod 16 and columns
// 0..3 and 4..7 swapped in every second pair of rows, both touch every 8-byte bank once. Rows 8..15 also swap pairs, so that
// their column 4 leaves room for the ninth nodes beside it.
struct RowsOfEight {
  static constexpr int plane = 40;
  static constexpr int P = 5 * plane + 5 * 8, carry = 6 * 8;  // p on five levels and their lines of ninth nodes; what a layer leaves to the next
  __device__ static int p_line(int k, int j) { return 5 * plane + at(k, j); }
  // Place of column i in row r of plane q; of column i in row n.
  __device__ static int at(int q, int r, int i) { return q * plane + r * 8 + (i ^ (((q ^ r) & 2) << 1)); }
  __device__ static int at(int n, int i) { return n * 8 + (i ^ ((n & 2) << 1) ^ ((n & 8) >> 2)); }
};

__device__ __forceinline__ void store_pair(double* s_to, const double (&c)[2]) { *reinterpret_cast<double2*>(s_to) = {c[0], c[1]}; }

}  // namespace agwave::cuda_kernels
