// SPDX-License-Identifier: Apache-2.0
// The FP64 tensor-core instruction mma.sync.aligned.m8n8k4.row.col.f64, C[8][8] += A[8][4] B[4][8], contractions with
// a basis table built on it, and the shared-memory layout that feeds it. Lane maps, with row = lane / 4 and j = lane % 4:
//   A[row][j]    B[j][row]    C[row][2 j], C[row][2 j + 1]
// A table with 5 columns takes one instruction for the first four and a rank-1 update, 2 fused multiply-adds per lane, for
// the fifth: cheaper than a second instruction that is three quarters padding.
#pragma once
#include "kernels/cuda/copy_async.cuh"
#include "mesh/basis.hpp"

namespace agwave::cuda_kernels {

struct Dmma {
  static constexpr int compute_capability = 80;
  __device__ static void multiply_add(double (&c)[2], double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c[0]), "+d"(c[1]) : "d"(a), "d"(b));
  }
};

// Two products at once with one operand B, C_n += A_n B: the 16-row shapes of compute capability 9.0, which run at twice the rate of the
// one above there; two of that on older devices. `multiply_add_8`: A_n = [a_n, x_n], B = [b; y], eight columns instead of four.
struct DmmaPair {
  __device__ static void multiply_add_4(double (&c0)[2], double (&c1)[2], double a0, double a1, double b) {
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(c0[0]), "+d"(c0[1]), "+d"(c1[0]), "+d"(c1[1])
        : "d"(a0), "d"(a1), "d"(b));
#else
    Dmma::multiply_add(c0, a0, b);
    Dmma::multiply_add(c1, a1, b);
#endif
  }
  __device__ static void multiply_add_8(double (&c0)[2], double (&c1)[2], double a0, double a1, double b, double x0, double x1, double y) {
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c0[0]), "+d"(c0[1]), "+d"(c1[0]), "+d"(c1[1])
        : "d"(a0), "d"(a1), "d"(x0), "d"(x1), "d"(b), "d"(y));
#else
    Dmma::multiply_add(c0, a0, b);
    Dmma::multiply_add(c1, a1, b);
    Dmma::multiply_add(c0, x0, y);
    Dmma::multiply_add(c1, x1, y);
#endif
  }
};

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
