// SPDX-License-Identifier: Apache-2.0
// Both blocks with the dense gradient on INT8 tensor cores, at the accuracy that S slices of 8 bits give (kernels/slices.hpp), after TCOVFEM (Ichimura et
// al.) and the Ozaki scheme. For element e, with one power of two as scale for its pressures and one for its fluxes:
//   g[e][.][q]  = metric_e(q) sum_i A[.][q][i] p_e[i]                            (kernels/dense_gradient.hpp)
//   r_e[i]      = sum_(d,q) A[d][q][i] f_e[d][q],   f_e[.][q] = metric_e(q)^T u[e][.][q]
//   p_L[k][j][i] nodes, u_E, g_E[e][c][q], table[block][tile][step][slice][lane] (int8_table.hpp)
// A warp takes eight elements, the columns of operand B. Its lanes read, scale and slice what they hold of it themselves, so a slice lives in registers
// and nowhere else: 16 S of them in the gradient, 24 S in the divergence, plus 4 S sums. Slices of the matrix come from L1, 48 KiB x S for both blocks;
// warps of a block keep pace with each other, so that they find there what one of them has fetched. No shared memory.
// Per element 2 x 192 x 128 x S (S + 1) / 2 multiply-adds of 8 bits.
#pragma once
#include "kernels/cuda/int8_table.hpp"
#include "kernels/cuda/mma.cuh"
#include "kernels/cuda/pencil_geometry.cuh"

namespace agwave::cuda_kernels {

struct Int8Args {
  ElementView v;
  int NX, NY;
  int x0, y0, z0, nx, ny;  // first element of the box and its size
  std::int64_t count;      // of its elements
  const ImmaA* table;
  int matrix_exponent;
  const double *p, *u;
  double *g, *r;
};

struct Int8Launch {
  static constexpr int warps = 6, threads = 32 * warps, blocks = 2;  // of a multiprocessor: while one slices, the other multiplies
};

// An element of the box.
struct Int8Element {
  int ex, ey, ez;
  bool exists;
  __device__ __forceinline__ Int8Element(const Int8Args& a, std::int64_t n) : exists(n < a.count) {
    const std::int64_t in = exists ? n : 0, layer = static_cast<std::int64_t>(a.nx) * a.ny;
    const int z = static_cast<int>(in / layer), column = static_cast<int>(in - z * layer);
    ex = a.x0 + column % a.nx;
    ey = a.y0 + column / a.nx;
    ez = a.z0 + z;
  }
  __device__ std::int64_t node(const Int8Args& a, int n) const {  // n = (iz 5 + iy) 5 + ix
    return (static_cast<std::int64_t>(P1D * ez + n / (D1D * D1D)) * a.NY + P1D * ey + n / D1D % D1D) * a.NX + P1D * ex + n % D1D;
  }
  __device__ std::int64_t values(const Int8Args& a, int d) const {  // of component d in u and g
    return (((static_cast<std::int64_t>(ez) * a.v.ny + ey) * a.v.nx + ex) * 3 + d) * L3D;
  }
  __device__ Metric metric_at(const Int8Args& a, int qx, int qy, int qz) const {
    const std::int64_t at = (static_cast<std::int64_t>(ey) * a.v.nx + ex) * L1D * L1D + qy * L1D + qx;
    const double w = weight<L1D>(qx) * weight<L1D>(qy) * weight<L1D>(qz), s = a.v.s_mid[ez] - a.v.ds[ez] * point<L1D>(qz);
    return metric(w, a.v.ax[ex], a.v.ay[ey], a.v.ds[ez], s, a.v.h[at], a.v.h_xi[at], a.v.h_eta[at]);
  }
};

// Eight vectors as operand B, in slices. x: what the lane holds of its vector (element lane / 4), every fourth place. Returns the vector's scale.
template <int S, int N>
__device__ __forceinline__ int slice_vectors(const double (&x)[N], std::uint32_t (&b)[S][N / 4]) {
  std::uint32_t largest = 0;
#pragma unroll
  for (int n = 0; n < N; ++n) largest = magnitude(x[n]) > largest ? magnitude(x[n]) : largest;
#pragma unroll
  for (int mask = 1; mask < 4; mask *= 2) {  // over the four lanes of the vector
    const std::uint32_t other = __shfl_xor_sync(0xffffffffu, largest, mask);
    largest = other > largest ? other : largest;
  }
  const int exponent = scale_exponent(largest);
  const double shift = shift_of<S>(exponent);
#pragma unroll
  for (int n = 0; n < N; n += 4) {
    const std::uint64_t four[4] = {digits<S>(x[n], shift), digits<S>(x[n + 1], shift), digits<S>(x[n + 2], shift), digits<S>(x[n + 3], shift)};
#pragma unroll
    for (int k = 0; k < S; ++k) b[k][n / 4] = four_digits(four, k);
  }
  return exponent;
}

// sum[t] = sum over slices i + j = t + S - 1 of tile_i b_j;  tile: the lane's entry of the first fragment.
template <int S, int Registers>
__device__ __forceinline__ void multiply_tile(const ImmaA* __restrict__ tile, const std::uint32_t (&b)[S][Registers], std::int32_t (&sum)[S][4]) {
#pragma unroll
  for (int t = 0; t < S; ++t)
#pragma unroll
    for (int h = 0; h < 4; ++h) sum[t][h] = 0;
#pragma unroll
  for (int step = 0; step < Registers / 2; ++step)
#pragma unroll
    for (int i = 0; i < S; ++i) {
      const ImmaA a = tile[(step * S + i) * 32];
#pragma unroll
      for (int j = S - 1 - i; j < S; ++j) Imma::multiply_add(sum[i + j - (S - 1)], a, b[j][2 * step], b[j][2 * step + 1]);
    }
}

// Scales of the two vectors whose products the lane gets.
struct ScalePair {
  double of[2];
  template <int S>
  __device__ static ScalePair from(int exponent, int j, int matrix_exponent) {
    ScalePair pair;
#pragma unroll
    for (int n = 0; n < 2; ++n) pair.of[n] = unit_of<S>(__shfl_sync(0xffffffffu, exponent, 4 * (2 * j + n)), matrix_exponent);
    return pair;
  }
};

template <int S>
__device__ __forceinline__ double product(const std::int32_t (&sum)[S][4], int h, const ScalePair& scales) {
  return combine<S>([&](int level) { return sum[level][h]; }) * scales.of[h % 2];
}

template <int S>
__device__ __forceinline__ void int8_gradient(const Int8Args& a, const ImmaLane& lane, std::int64_t first, const ImmaA* table) {
  std::uint32_t b[S][Int8Shape::node_places / 16];
  int exponent;
  {
    const Int8Element mine(a, first + lane.b_column());
    double p[Int8Shape::node_places / 4];
#pragma unroll
    for (int n = 0; n < Int8Shape::node_places / 4; ++n) {
      const int node = node_in_place(4 * n + lane.j);
      p[n] = mine.exists && node >= 0 ? a.p[mine.node(a, node)] : 0.0;
    }
    exponent = slice_vectors<S>(p, b);
  }
  const ScalePair scales = ScalePair::from<S>(exponent, lane.j, a.matrix_exponent);
  const Int8Element out[2] = {{a, first + lane.c_column(0)}, {a, first + lane.c_column(1)}};
#pragma unroll 1
  for (int qz = 0; qz < L1D; ++qz) {
    double derivative[3][4];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      __syncthreads();  // keeps pace, no more
      std::int32_t sum[S][4];
      multiply_tile<S>(table + (3 * qz + d) * Int8Shape::gradient_steps * S * 32, b, sum);
#pragma unroll
      for (int h = 0; h < 4; ++h) derivative[d][h] = product<S>(sum, h, scales);
    }
#pragma unroll
    for (int h = 0; h < 4; ++h) {
      const Int8Element& e = out[h % 2];
      const int row = lane.c_row(h);
      double at_q[3];
      weighted_gradient(e.metric_at(a, row % L1D, row / L1D, qz), derivative[0][h], derivative[1][h], derivative[2][h], at_q);
#pragma unroll
      for (int d = 0; d < 3; ++d)
        if (e.exists) a.g[e.values(a, d) + qz * L1D * L1D + row] = at_q[d];
    }
  }
}

template <int S>
__device__ __forceinline__ void int8_divergence(const Int8Args& a, const ImmaLane& lane, std::int64_t first, const ImmaA* table) {
  constexpr int points = L3D / 4;  // of a lane: those with qx = j
  std::uint32_t b[S][Int8Shape::value_places / 16];
  int exponent;
  {
    const Int8Element mine(a, first + lane.b_column());
    double f[3 * points];
#pragma unroll
    for (int n = 0; n < points; ++n) {
      double u[3], flux[3];
#pragma unroll
      for (int d = 0; d < 3; ++d) u[d] = mine.exists ? a.u[mine.values(a, d) + 4 * n + lane.j] : 0.0;
      contravariant_flux(mine.metric_at(a, lane.j, n % L1D, n / L1D), u[0], u[1], u[2], flux);
#pragma unroll
      for (int d = 0; d < 3; ++d) f[d * points + n] = flux[d];
    }
    exponent = slice_vectors<S>(f, b);
  }
  const ScalePair scales = ScalePair::from<S>(exponent, lane.j, a.matrix_exponent);
  const Int8Element out[2] = {{a, first + lane.c_column(0)}, {a, first + lane.c_column(1)}};
#pragma unroll 1
  for (int tile = 0; tile < Int8Shape::divergence_tiles; ++tile) {
    __syncthreads();
    std::int32_t sum[S][4];
    multiply_tile<S>(table + tile * Int8Shape::divergence_steps * S * 32, b, sum);
#pragma unroll
    for (int h = 0; h < 4; ++h) {
      const int node = node_in_place(tile * Int8Shape::rows + lane.c_row(h));
      if (out[h % 2].exists && node >= 0) atomicAdd(a.r + out[h % 2].node(a, node), product<S>(sum, h, scales));
    }
  }
}

template <int S>
__global__ void __launch_bounds__(Int8Launch::threads, Int8Launch::blocks) int8_kernel(Int8Args a) {
  const ImmaLane lane(threadIdx.x & 31);
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * Int8Launch::warps + (threadIdx.x >> 5)) * Int8Shape::group;
  if (first >= a.count) return;
  const ImmaA* const mine = a.table + (threadIdx.x & 31);
  int8_gradient<S>(a, lane, first, mine);
  int8_divergence<S>(a, lane, first, mine + Int8Shape::fragments * S * 32);
}

}  // namespace agwave::cuda_kernels
