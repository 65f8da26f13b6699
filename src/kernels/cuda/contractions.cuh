// SPDX-License-Identifier: Apache-2.0
// Tensor contractions in shared memory, shared by the CUDA-core variants. A block works on NB elements side by side; each
// thread takes one fibre, reads it whole and writes the contracted fibre:
//   out[e][(m N + n) S + s] = sum_k table[n][k] in[e][(m K + k) S + s]        Transposed: table[k][n]
// Tables are compile-time constants (fem/basis.hpp), so they become constant-bank operands.
#pragma once
#include "fem/basis.hpp"

namespace agwave::cuda_kernels {

enum class Table { B, dB, V };

template <int Q, Table T, bool Transposed>
__device__ __forceinline__ constexpr double entry(int n, int k) {
  constexpr Basis<Q> t{};
  const int row = Transposed ? k : n, column = Transposed ? n : k;
  return T == Table::B ? t.B[row][column] : T == Table::dB ? t.dB[row][column] : t.V[row][column];
}

template <int Q, Table T, bool Transposed, int K, int N>
__device__ __forceinline__ void contract_fibre(const double (&in)[K], double (&out)[N]) {
#pragma unroll
  for (int n = 0; n < N; ++n) {
    double sum = entry<Q, T, Transposed>(n, 0) * in[0];
#pragma unroll
    for (int k = 1; k < K; ++k) sum += entry<Q, T, Transposed>(n, k) * in[k];
    out[n] = sum;
  }
}

// in, out: arrays of NB elements, IN and OUT doubles apart.
template <int Q, Table T, bool Transposed, int M, int K, int N, int S, int NB, int IN, int OUT, bool Add = false>
__device__ __forceinline__ void contract(const double* s_in, double* s_out) {
  for (int task = threadIdx.x; task < NB * M * S; task += blockDim.x) {
    const int e = task / (M * S), m = task / S % M, s = task % S;
    const double* in = s_in + e * IN + m * K * S + s;
    double* out = s_out + e * OUT + m * N * S + s;
    double r_in[K], r_out[N];
#pragma unroll
    for (int k = 0; k < K; ++k) r_in[k] = in[k * S];
    contract_fibre<Q, T, Transposed>(r_in, r_out);
#pragma unroll
    for (int n = 0; n < N; ++n) out[n * S] = Add ? out[n * S] + r_out[n] : r_out[n];
  }
}

}  // namespace agwave::cuda_kernels
