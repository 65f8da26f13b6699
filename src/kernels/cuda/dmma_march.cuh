// SPDX-License-Identifier: Apache-2.0
// What the tensor-core pencils with four and with five points have in common: a warp's shared memory, the way of p into it, and the way of f back
// to the nodes. S, the shape, says where the line i = 8 of each array lies beside its rows i = 0..7: p_line(k, j), line(qz, j) of a and b,
// c_line(qz, qy) of c.
#pragma once
#include "kernels/cuda/dmma.cuh"
#include "kernels/cuda/pencil_march.cuh"

namespace agwave::cuda_kernels {

template <class S>
struct DmmaMemory {
  static constexpr int per_warp = 2 * S::P + 2 * S::A + 3 * S::C + 2 * S::carry;
  static constexpr std::size_t bytes = static_cast<std::size_t>(March::warps) * per_warp * sizeof(double);
  double *p, *a, *b, *c, *carry;
  __device__ __forceinline__ explicit DmmaMemory(double* s_warp)
      : p(s_warp), a(p + S::at_a), b(a + S::A), c(p + 2 * S::P + 2 * S::A), carry(c + 3 * S::C) {}
  __device__ double* p_of(int ez) const { return p + (ez & 1 ? S::odd_p : 0); }
  __device__ double* c_of(int k) const { return c + k * S::C; }
};

// Five levels of a layer, whose first node is `from`: 45 fibres (j, i).
template <class S>
__device__ __forceinline__ void fetch_pressure(const PencilArgs& a, const double* from, std::int64_t level, int lane, int width, double* s_to) {
  for (int n = lane; n < March::fibres; n += 32) {
    const int j = n < 40 ? n >> 3 : n - 40, i = n < 40 ? n & 7 : 8;
    if (i >= width) continue;
    const double* fibre = from + static_cast<std::int64_t>(j) * a.NX + i;
#pragma unroll
    for (int k = 0; k < D1D; ++k) copy_async<8>(s_to + (n < 40 ? S::at(k, j, i) : S::p_line(k, j)), fibre + k * level);
  }
  close_copy_group();
}

template <class S>
__device__ __forceinline__ void divergence_along_y(const TableFragment& BT, const TableFragment& DT, int row, int j4, const DmmaMemory<S>& s) {
  constexpr int Q = S::Q;
#pragma unroll
  for (int q = 0; q < Q + 1; ++q) {  // plane qz = q; q = Q: the line i = 8, n = qz
    const auto in = [&](int field) {
      return [&, field](int m, int n) { return s.c_of(field)[q < Q ? S::at(Q * q + m, n) : S::c_line(S::any(n), m)]; };
    };
    double c[2] = {0, 0}, d[2] = {0, 0};
    apply_table<Q>(c, BT, in(0));
    apply_table<Q>(c, DT, in(1));
    apply_table<Q>(d, BT, in(2));
    if (row >= D1D) continue;
    if (q < Q) {
      store_pair(s.a + S::at(q, row, 2 * j4), c);
      store_pair(s.b + S::at(q, row, 2 * j4), d);
    } else {
      for (int n = 0; n < 2; ++n) {
        if (2 * j4 + n >= Q) continue;
        s.a[S::line(2 * j4 + n, row)] = c[n];
        s.b[S::line(2 * j4 + n, row)] = d[n];
      }
    }
  }
}

// To r of the layer whose first node is `to`; level 4 goes to the next layer, if there is one.
template <class S>
__device__ __forceinline__ void divergence_along_z(const PencilArgs& a, double* to, std::int64_t level, int width, int ez, bool first, bool last,
                                                   const TableFragment& BT, const TableFragment& DT, int row, int j4, const DmmaMemory<S>& s) {
#pragma unroll
  for (int j = 0; j < 6; ++j) {  // j = 5: the line i = 8, n = j
    const auto in = [&](const double* s_from) { return [&, s_from](int k, int n) { return s_from[j < 5 ? S::at(k, j, n) : S::line(k, n)]; }; };
    double* s_level = s.carry + (ez & 1) * S::carry + 8 * j + 2 * j4;
    const double2 below = row == 0 && !first ? *reinterpret_cast<const double2*>(s_level) : double2{0, 0};
    double c[2] = {below.x, below.y};
    apply_table<S::Q>(c, BT, in(s.a));
    apply_table<S::Q>(c, DT, in(s.b));
    if (row == 4) store_pair(s_level + (ez & 1 ? -S::carry : S::carry), c);
    if (row < 4 || (row == 4 && last))
      for (int n = 0; n < 2; ++n) {
        const int jj = j < 5 ? j : 2 * j4 + n, i = j < 5 ? 2 * j4 + n : 8;
        if (jj < 5 && i < width) atomicAdd(to + row * level + static_cast<std::int64_t>(jj) * a.NX + i, c[n]);
      }
  }
}

}  // namespace agwave::cuda_kernels
