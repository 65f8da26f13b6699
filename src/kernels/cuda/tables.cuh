// SPDX-License-Identifier: Apache-2.0
// The basis tables as compile-time constants, and contraction of one fibre in registers. The tables are symmetric,
//   B[q][i] = B[Q-1-q][D-1-i],  dB[q][i] = -dB[Q-1-q][D-1-i],
// so even and odd parts of a fibre contract separately: half the constants and about two thirds of the products.
#pragma once
#include "mesh/basis.hpp"

namespace agwave::cuda_kernels {

// A fibre of N values between registers and where `at(n)` says; `every<Stride>`: in places so far apart.
template <int N, class At>
__device__ __forceinline__ void load(double (&v)[N], At at) {
#pragma unroll
  for (int n = 0; n < N; ++n) v[n] = at(n);
}
template <int N, class At>
__device__ __forceinline__ void store(const double (&v)[N], At at) {
#pragma unroll
  for (int n = 0; n < N; ++n) at(n) = v[n];
}
template <int Stride, class T>
__device__ __forceinline__ auto every(T* from) {
  return [from](int n) -> T& { return from[n * Stride]; };
}

enum class Table { B, dB, V };

template <int Q, Table T>
__device__ __forceinline__ constexpr double entry(int q, int i) {
  constexpr Basis<Q> t{};
  return T == Table::B ? t.B[q][i] : T == Table::dB ? t.dB[q][i] : t.V[q][i];
}

// out[q] = sum_i table[q][i] in[i];  I inputs, Q outputs
template <int Q, Table T, int I>
__device__ __forceinline__ void forward(const double (&in)[I], double (&out)[Q]) {
  constexpr double sign = T == Table::dB ? -1 : 1;
  double even[(I + 1) / 2], odd[I / 2];
#pragma unroll
  for (int i = 0; i < I / 2; ++i) {
    even[i] = in[i] + in[I - 1 - i];
    odd[i] = in[i] - in[I - 1 - i];
  }
  if (I % 2) even[I / 2] = in[I / 2];
#pragma unroll
  for (int q = 0; q < (Q + 1) / 2; ++q) {
    // table[q][i] in[i] + table[q][I-1-i] in[I-1-i] = E even + O odd with E, O = (table[q][i] +- table[q][I-1-i]) / 2
    double s = 0, t = 0;
#pragma unroll
    for (int i = 0; i < I / 2; ++i) {
      s += 0.5 * (entry<Q, T>(q, i) + entry<Q, T>(q, I - 1 - i)) * even[i];
      t += 0.5 * (entry<Q, T>(q, i) - entry<Q, T>(q, I - 1 - i)) * odd[i];
    }
    if (I % 2) s += entry<Q, T>(q, I / 2) * even[I / 2];
    out[q] = s + t;
    if (Q - 1 - q != q) out[Q - 1 - q] = sign * (s - t);
  }
}

// out[i] (+)= sum_q table[q][i] in[q]
template <int Q, Table T, int I, bool Add = false>
__device__ __forceinline__ void backward(const double (&in)[Q], double (&out)[I]) {
  constexpr double sign = T == Table::dB ? -1 : 1;
  double even[(I + 1) / 2], odd[I / 2 + 1];
#pragma unroll
  for (int i = 0; i < (I + 1) / 2; ++i) even[i] = 0;
#pragma unroll
  for (int i = 0; i < I / 2; ++i) odd[i] = 0;
#pragma unroll
  for (int q = 0; q < (Q + 1) / 2; ++q) {
    const bool middle = Q - 1 - q == q;
    const double plus = middle ? (sign > 0 ? in[q] : 0.0) : in[q] + sign * in[Q - 1 - q];
    const double minus = middle ? (sign > 0 ? 0.0 : in[q]) : in[q] - sign * in[Q - 1 - q];
#pragma unroll
    for (int i = 0; i < I / 2; ++i) {
      even[i] += 0.5 * (entry<Q, T>(q, i) + entry<Q, T>(q, I - 1 - i)) * plus;
      odd[i] += 0.5 * (entry<Q, T>(q, i) - entry<Q, T>(q, I - 1 - i)) * minus;
    }
    if (I % 2) even[I / 2] += entry<Q, T>(q, I / 2) * plus;
  }
#pragma unroll
  for (int i = 0; i < I / 2; ++i) {
    out[i] = (Add ? out[i] : 0.0) + (even[i] + odd[i]);
    out[I - 1 - i] = (Add ? out[I - 1 - i] : 0.0) + (even[i] - odd[i]);
  }
  if (I % 2) out[I / 2] = (Add ? out[I / 2] : 0.0) + even[I / 2];
}

}  // namespace agwave::cuda_kernels
