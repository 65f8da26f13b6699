// SPDX-License-Identifier: Apache-2.0
// What node warps of the two-sweep kernel read and store: where a patch's nodes and their sums lie, the batches of levels in which they come, and
// the copies that bring and take them. What is done with them: staging.cuh.
#pragma once
#include <cuda.h>

#include "kernels/cuda/copy_async.cuh"
#include "timestep/two_sweep/cuda/shared.cuh"

namespace agwave::two_sweep {

struct SweepMaps {  // of p: boxes of a patch's level, of its east side on four levels; of p_next: of what a patch stores of a level
  CUtensorMap p, p_east, p_next;
};
inline constexpr int stored_rows = 4 * Patches::EY;  // what the next patch does not have

template <bool A>
class NodeCopies {
 protected:
  static constexpr int PX = Patches::PX, PY = Patches::PY, level_size = Patches::level_size, nodes = PX * PY, role_threads = 32 * node_warps;

  // Levels m .. m + count - 1, or one alone: at the end of a chunk, with another chunk's part of the sums `other` levels away (0: there is none).
  struct Batch {
    int m, count, other;
    bool alone;
    __device__ int sums() const { return other == 0 ? count : 2; }  // levels of sums to read
  };

  struct Node {  // in the patch, in the mesh
    int x, y, i, j;
    bool exists, own;  // in the mesh; not left to the next patch
  };

  __device__ NodeCopies(const SweepArgs<Patches>& g, const SweepMaps& maps, Shared<A>& s)
      : g_(g),
        maps_(maps),
        p_(g.patches),
        v_(g.nodes),
        s_(s),
        thread_(threadIdx.x - 32 * element_warps),
        warp_(thread_ / 32),
        lane_(thread_ % 32),
        summed_(!A || g.staged) {}

  __device__ static int first_i(const Work& c) { return c.patch_x * box_row; }
  __device__ static int first_j(const Work& c) { return c.patch_y * stored_rows; }
  __device__ Node node(const Work& c, int x, int y) const {
    const int i = first_i(c) + x, j = first_j(c) + y;
    const bool exists = i < v_.NX && j < v_.NY;
    return {x, y, i, j, exists, exists && (x < PX - 1 || c.patch_x == p_.px - 1) && (y < PY - 1 || c.patch_y == p_.py - 1)};
  }
  __device__ static bool in_box(const Node& at) { return at.x < PX - 1 && at.y < stored_rows; }  // stored by a tensor copy
  __device__ std::int64_t node_at(const Work& c, const Node& at, int m) const { return v_.at(at.i, at.j, 4 * c.ez + m); }
  __device__ std::int64_t node_level() const { return static_cast<std::int64_t>(v_.NY) * v_.pitch; }
  // What the tensor copies leave out of p'.
  __device__ void store_beside_box(const Work& c, const Node& at, int m, double p) const {
    if (A && at.own && !in_box(at) && stores_level(c, m)) g_.p_next[node_at(c, at, m)] = p;
  }
  __device__ static bool stores_level(const Work& c, int m) { return m < 4 || !c.last || c.top; }
  __device__ bool has_gravity(const Work& c, int m) const { return m == 4 && c.ez == v_.NZ / 4 - 1 && g_.inverse_surface; }
  __device__ std::int64_t across_x(int x) const { return x == 0 ? -p_.patch_sums() : p_.patch_sums(); }  // from a patch's sums to its neighbour's
  __device__ std::int64_t across_y(int y) const {
    const std::int64_t row = static_cast<std::int64_t>(p_.px + 2) * p_.patch_sums();
    return y == 0 ? -row : row;
  }
  __device__ static int corner_x(int lane) { return lane & 4 ? PX - 1 : 0; }  // of 16 lanes, the lower two bits are a level
  __device__ static int corner_y(int lane) { return lane & 8 ? PY - 1 : 0; }
  // Where sums of field a come to. Those of b follow two levels apart if the level is alone.
  __device__ Level* sums_of(int step, const Batch& batch) const { return s_.in_a_of(batch.alone && batch.m == 4 ? step + 1 : step); }
  __device__ bool loaded(const Work& c, const Batch& batch) const { return batch.m == 0 && c.ez == 0 && v_.floor && g_.load; }

  __device__ static int x_of(int n) { return n < box_row * PY ? n % box_row : PX - 1; }
  __device__ static int y_of(int n) { return n < box_row * PY ? n / box_row : n - box_row * PY; }

  // The load on the floor, where another chunk's sums would come.
  __device__ __forceinline__ void fetch_load(const Work& c, Level* s_sums) const {
    const std::int64_t level = static_cast<std::int64_t>(v_.NX) * v_.NY;
    const auto copy = [&](int x, int y) {
      const Node at = node(c, x, y);
      const double* load = g_.load + static_cast<std::int64_t>(at.j) * v_.NX + at.i;
      if (!at.exists) return;
      copy_async<8>(&s_sums[1][Patches::column(x, y)], load);
      copy_async<8>(&s_sums[3][Patches::column(x, y)], load + level);
    };
    for (int y = warp_; y < PY; y += node_warps) copy(lane_, y);
    if (thread_ < PY) copy(PX - 1, thread_);
  }

  // A lane's corner of one level in the patches across x, across y and across both.
  __device__ __forceinline__ void fetch_corners(const double* a, const double* b) const {
    const int x = corner_x(lane_), y = corner_y(lane_);
    const std::int64_t to[3] = {across_x(x) + Patches::column(PX - 1 - x, y), across_y(y) + Patches::column(x, PY - 1 - y),
                                across_x(x) + across_y(y) + Patches::column(PX - 1 - x, PY - 1 - y)};
#pragma unroll
    for (int q = 0; q < 3; ++q) {
      copy_async<8>(&s_.corners[q][0][lane_], a + to[q]);
      copy_async<8>(&s_.corners[q][1][lane_], b + to[q]);
    }
  }
  // All node warps have read what the batch before left in these places.
  __device__ void fetch(const Work& c, int step, const Batch& batch) const {
    const int levels = summed_ ? batch.sums() : 0;
    const int levels_a = !A && !batch.alone ? 4 : levels;  // elements need the patch's own part of r1 of all
    const std::int64_t up = batch.other < 0 ? -level_size : level_size;
    const double *in_a = g_.in_a + c.sums + batch.m * level_size, *in_b = g_.in_b + c.sums + batch.m * level_size;
    const int f = lane_ / 4 % 2, e = lane_ % 4;  // field and level of a lane's copy
    const double* from = (f == 0 ? in_a : in_b) + e * up;
    std::uint64_t* const arrived = &s_.batch_arrived;
    Level* const s_sums = sums_of(step, batch);
    if (warp_ == 0) {
      if (lane_ == 0) {
        expect_copies(arrived,
                      8 * (batch.count * box_row * PY + 4 * PY * 2 + (levels_a + levels) * level_size + levels * 2 * (west_size + 2 * box_row)));
        copy_box_in(s_.p_east[0][0], &maps_.p_east, first_i(c) + PX - 1, first_j(c), 4 * c.ez + batch.m, arrived);
        wait_until_read<1>();  // sums of field b come to where p' of two layers before has been stored from
      }
      __syncwarp();
      if (lane_ < 8) {
        if (f == 0 && e < batch.count)
          copy_box_in(s_.level_of(step, c, batch.m + e, 0), &maps_.p, first_i(c), first_j(c), 4 * c.ez + batch.m + e, arrived);
        if (f == 1 && e < levels) copy_in(batch.alone ? s_sums[2 + e] : s_.level_of(step, c, batch.m + e, 1), from, 8 * level_size, arrived);
      }
      if (lane_ < 16 && e < levels) fetch_corners(in_a + e * up, in_b + e * up);
    } else if (warp_ == 1) {
      if (lane_ < levels_a) copy_in(s_sums[e], from, 8 * level_size, arrived);
      if (lane_ < PY) {
        const std::int64_t east = across_x(PX - 1) + Patches::column(0, lane_);
        for (int n = 0; n < levels; ++n) {
          copy_async<8>(&s_.sides[0][0][n][lane_], in_a + n * up + east);
          copy_async<8>(&s_.sides[0][1][n][lane_], in_b + n * up + east);
        }
      }
    } else if (warp_ == 2) {
      const int y = lane_ / 8 == 0 ? 0 : PY - 1;
      if (lane_ < 16 && e < levels) copy_in(s_.sides[1 + lane_ / 8][f][e], from + across_y(y) + Patches::column(0, PY - 1 - y), 8 * box_row, arrived);
    } else if (lane_ < 8 && e < levels) {
      copy_in(s_.west[f][e], from + across_x(0) + Patches::column(PX - 1, 0), 8 * west_size, arrived);
    }
    if (loaded(c, batch)) fetch_load(c, s_sums);
    close_copy_group();
  }
  // What the patch stores of p', by one thread; nodes on its far sides are stored as they are staged.
  __device__ void store(const Work& c, int step, const Batch& batch) const {
    for (int m = batch.m; m < batch.m + batch.count; ++m)
      if (stores_level(c, m)) copy_box_out(&maps_.p_next, first_i(c), first_j(c), 4 * c.ez + m, s_.level_of(step, c, m, 1));
    close_copies_out();
  }

  __device__ void find_inverse(const Work& c) const {  // zero beyond the mesh, where pressures stay zero
    constexpr int most = (nodes + role_threads - 1) / role_threads;
    double column[most], surface[most];
#pragma unroll
    for (int q = 0; q < most; ++q) {
      const int n = thread_ + q * role_threads;
      const Node at = node(c, x_of(n), y_of(n));
      const std::int64_t from = static_cast<std::int64_t>(at.j) * v_.NX + at.i;
      column[q] = n < nodes && at.exists ? __ldg(g_.inverse_column + from) : 0;
      surface[q] = n < nodes && at.exists && g_.inverse_surface ? __ldg(g_.inverse_surface + from) : 0;
    }
#pragma unroll
    for (int q = 0; q < most; ++q) {
      const int n = thread_ + q * role_threads;
      if (n >= nodes) break;
      s_.inverse[n] = column[q];
      s_.inverse_surface[n] = surface[q];
    }
  }

  const SweepArgs<Patches>& g_;
  const SweepMaps& maps_;
  const Patches& p_;
  const NodeView& v_;
  Shared<A>& s_;
  int thread_, warp_, lane_;
  bool summed_;  // there are sums to stage from
};

}  // namespace agwave::two_sweep
