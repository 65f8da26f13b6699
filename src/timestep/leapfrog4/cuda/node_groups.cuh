// SPDX-License-Identifier: Apache-2.0
// The nodes of a level as the fused leapfrog's node warps share them out: in groups of neighbours along x. How a group is read and written, and the sum of the
// parts that patches and chunks have of it.
#pragma once
#include <type_traits>

#include "timestep/leapfrog4/cuda/node_copies.cuh"

namespace agwave::leapfrog4 {

// Neighbours along x, 16 bytes of them.
template <class T>
struct alignas(16) GroupOf {
  static constexpr int n = 16 / sizeof(T);
  T v[n];
};

template <Form form, class T>
class NodeGroups : protected NodeCopies<form, T> {
 protected:
  using Base = NodeCopies<form, T>;
  using Group = GroupOf<T>;
  static constexpr int N = Group::n;
  using Base::g_, Base::in_of, Base::lane_, Base::PY, Base::role_threads, Base::s_, Base::thread_, Base::west_size, NodeCopies<form, T>::NodeCopies;
  using Patches = typename Base::Patches;

  // Groups of a level: passes of as many rows as the threads have groups for, then the last row with the east side, of which each warp takes a level.
  using VectorOf = std::conditional_t<N == 4, float4, double2>;
  static constexpr int in_row = box_row / N, rows_in_pass = role_threads / in_row, passes = (PY - 1) / rows_in_pass;
  static_assert(passes * rows_in_pass == PY - 1 && in_row + (PY + N - 1) / N <= 32);
  __device__ int group(int n) const { return N * (n < passes ? thread_ + n * role_threads : passes * role_threads + lane_); }
  __device__ bool has(int n) const { return n < passes || N * (passes * role_threads + lane_) < Patches::level_size; }
  __device__ static Group get(const T* at) { return *reinterpret_cast<const Group*>(at); }
  __device__ static void put(T* at, const Group& v) { *reinterpret_cast<Group*>(at) = v; }
  __device__ static Group read(const T* table) { return as_group(__ldg(reinterpret_cast<const VectorOf*>(table))); }
  // What is found while the sweep runs.
  __device__ static Group read_now(const T* values) { return as_group(__ldcg(reinterpret_cast<const VectorOf*>(values))); }
  __device__ static Group as_group(const VectorOf& v) {
    Group g;
    g.v[0] = v.x, g.v[1] = v.y;
    if constexpr (N == 4) g.v[2] = v.z, g.v[3] = v.w;
    return g;
  }
  template <class F>
  __device__ static __forceinline__ void each(F&& f) {  // place in the group
#pragma unroll
    for (int m = 0; m < N; ++m) f(m);
  }
  __device__ static __forceinline__ void scale(Group& a, const Group& b) {
    each([&](int m) { a.v[m] *= b.v[m]; });
  }
  __device__ static __forceinline__ void add(Group& a, const Group& b) {
    each([&](int m) { a.v[m] += b.v[m]; });
  }
  __device__ __forceinline__ void take_load(Group& sum, const T* load, std::int64_t at) const {
    const Group f = read(load + at);
    each([&](int m) { sum.v[m] -= f.v[m]; });
  }
  __device__ __forceinline__ void take_floor_load(Group& sum, const LevelOf<T>* s_rates, int loads, int at) const {
    const Group a = get(s_rates[0] + at);
    if (loads == 1) {
      each([&](int m) { sum.v[m] -= a.v[m]; });
    } else {
      const Group b = get(s_rates[1] + at);
      each([&](int m) { sum.v[m] -= fma(g_.load.weight, b.v[m] - a.v[m], a.v[m]); });
    }
  }

  // The parts of a group of nodes, added: along z, then x, then y. A level alone has another chunk's part behind its own.
  template <bool Alone>
  __device__ __forceinline__ Group sum_of(const Batch& b, int n, int e) const {
    const auto over_chunks = [&](const T* level, int stride) { return Alone && b.other != 0 ? level[0] + level[stride] : level[0]; };
    const T* const s_own = in_of(b).sums[e] + group(n);
    Group sum = get(s_own);
    if (Alone && b.other != 0) add(sum, get(s_own + two_sweep::level_stride));
    if (n < passes || lane_ < in_row) {  // in a row
      const int at = thread_ % in_row, y = n < passes ? n * rows_in_pass + thread_ / in_row : PY - 1;
      if (at == 0) sum.v[0] += over_chunks(&s_.west[e][y], west_size);
      if (n == passes || (n == 0 && y == 0)) {
        const int side = n == passes;
        Group across;
        each([&](int m) { across.v[m] = over_chunks(&s_.rows[side][e][N * at + m], box_row); });
        if (at == 0) across.v[0] += over_chunks(&s_.corners[side][0][e], 1);
        add(sum, across);
      }
    } else {  // of the east side
      const int y = N * (lane_ - in_row);
      each([&](int m) {
        if (y + m < PY) sum.v[m] += over_chunks(&s_.east[e][y + m], west_size);
      });
      if (y == 0 || y == PY - 1) {
        const int side = y > 0;
        sum.v[0] += over_chunks(&s_.corners[side][2][e], 1) + over_chunks(&s_.corners[side][1][e], 1);
      }
    }
    return sum;
  }
};

}  // namespace agwave::leapfrog4
