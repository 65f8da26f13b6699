// SPDX-License-Identifier: Apache-2.0
// The nodes' part of the two-sweep kernel: forms the staged pressures of a layer, from
//   p_a = p + c_a dt M_p^-1 (r_a - S p_before + g_a),  p_b = p + c_b dt M_p^-1 (r_b - S p_a + g_b)
//   sweep A: p_before = p2, kept on the walls;  p_b = p' is stored       sweep B: p_before = p;  p_b = p2 is kept on the walls
// where (r_a, r_b) = (r3, r4) in sweep A and (r1, r1 + (r2 - r1)) in sweep B, each the sum over all patches and chunks that share the node,
// in the order of timestep/two_sweep_layout.hpp. Every warp has five tasks of 4 levels per layer:
//   4 rows of nodes inside the patch, y = 1 + warp + 4 task; there are 15, the last warp takes the 4 corners instead of the 16th
//   a side of the perimeter, without its corners: west, east, south, north
// What they need comes while the layer before is worked on: the patch's sums, as they lie, by bulk copies, the rest by cp.async. The levels of
// chunks' ends come directly.
#pragma once
#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/two_sweep_shared.cuh"

namespace agwave::two_sweep {

template <bool A>
class NodeRole {
  static constexpr int PX = Patches::PX, PY = Patches::PY, level_size = Patches::level_size;
  static constexpr int rows = 4, side = rows, tasks = rows + 1;
  static_assert(PY - 2 == rows * node_warps - 1);

  struct Pair {
    double a, b;
  };
  __device__ static Pair add(Pair u, Pair v) { return {u.a + v.a, u.b + v.b}; }
  __device__ static Pair parts(double in_a, double in_b) { return {in_a, A ? in_b : in_a + in_b}; }

  struct Place {  // of a node: in the patch, in the mesh
    int x, y, i, j;
    bool active, exists, own;  // a task of this lane; in the mesh; not left to the next patch
  };

 public:
  __device__ NodeRole(const SweepArgs<Patches>& g, const SweepTables& tables, Shared<A>& s)
      : g_(g),
        tables_(tables),
        p_(g.patches),
        v_(g.nodes),
        s_(s),
        warp_(threadIdx.x / 32 - element_warps),
        lane_(threadIdx.x % 32),
        summed_(!A || g.staged) {}

  // Asks for what the next layer needs: its tasks' values once the warp has read those of the layer before, sums once all node warps have.
  __device__ void fetch(int step) const {
    const Work& c = s_.work_of(step);
    if (c.valid) {
      __syncwarp();
      fetch_rows(c);
      fetch_side(c);
      meet();
      fetch_sums(c, step);
    }
    close_copy_group();
  }
  __device__ static void meet() { asm volatile("bar.sync 15, %0;" ::"n"(32 * node_warps) : "memory"); }  // of all node warps
  // A layer's weights in two steps: from memory into a register of one warp's lanes, from there where all can read them.
  __device__ double weight(int step) const {
    const Work& c = s_.work_of(step);
    if (warp_ > 0 || !c.valid || lane_ >= 5 + layer_values) return 0;
    return __ldg(lane_ < 5 ? g_.inverse_wz + 4 * c.ez + lane_ : tables_.layers + c.ez * layer_values + lane_ - 5);
  }
  __device__ void put_weight(int step, double value) const {
    if (warp_ == 0 && lane_ < 5 + layer_values) s_.weights[step % 4].inverse_wz[lane_] = value;
  }
  // `elements_have_read`: waits until they have the staged pressures of the layer before.
  template <class Wait>
  __device__ void layer(int step, Wait elements_have_read) {
    const Work& c = s_.work_of(step);
    wait_for_copies<0>();
    __syncwarp();
    if (!c.valid) return elements_have_read();
    const double next_weight = weight(step + 1);
    if (c.new_patch) find_inverse(c);
    if (summed_) wait_for_arrival(&s_.sums_arrived, step % 2);
    elements_have_read();
    const bool shared_top = c.last && c.shared_above;
    const int count = shared_top ? 3 : 4;
    if (c.first) level(c, step, 0, c.shared_below ? -level_size : 0);
    if (summed_ && c.full)
      stage_full(c, step, count);
    else
      stage_any(c, step, count);
    if (shared_top) level(c, step, 4, level_size);
    put_weight(step + 1, next_weight);
  }

 private:
  __device__ void fetch_sums(const Work& c, int step) const {
    if (warp_ > 0 || lane_ > 0 || !summed_) return;
    constexpr int bytes = 4 * level_size * 8;
    expect_copies(&s_.sums_arrived, 2 * bytes);
    copy_in(s_.in_a_of(step)[0], g_.in_a + c.sums + level_size, bytes, &s_.sums_arrived);
    copy_in(s_.in_b[0], g_.in_b + c.sums + level_size, bytes, &s_.sums_arrived);
  }
  __device__ bool corners(int task) const { return warp_ == node_warps - 1 && task == rows - 1; }
  __device__ Place place(const Work& c, int x, int y, bool active) const {
    const int i = c.patch_x * 4 * Patches::EX + x, j = c.patch_y * 4 * Patches::EY + y;
    const bool exists = active && i < v_.NX && j < v_.NY;
    return {x, y, i, j, active, exists, exists && (x < PX - 1 || c.patch_x == p_.px - 1) && (y < PY - 1 || c.patch_y == p_.py - 1)};
  }
  __device__ Place place(const Work& c, int task) const {
    if (task < rows)
      return corners(task) ? place(c, lane_ & 4 ? PX - 1 : 0, lane_ & 8 ? PY - 1 : 0, lane_ < 16)  // level corner_level()
                           : place(c, lane_, 1 + warp_ + node_warps * task, lane_ > 0);
    if (along_y()) return place(c, warp_ == 0 ? 0 : PX - 1, lane_, lane_ > 0 && lane_ < PY - 1);
    return place(c, lane_, warp_ == 2 ? 0 : PY - 1, lane_ > 0);
  }
  __device__ int corner_level() const { return 1 + lane_ % 4; }
  __device__ double* corner_slot() const { return &s_.rows[rows * node_warps - 1][0][lane_]; }  // [value][16 lanes]: p, then as fetch_corners asks
  __device__ bool along_y() const { return warp_ < 2; }                                         // the side: west or east
  __device__ void find_inverse(const Work& c) {
#pragma unroll 1
    for (int task = 0; task < tasks; ++task) {
      const Place at = place(c, task);
      s_.inverse[warp_][task][lane_] = at.exists ? __ldg(g_.inverse_column + static_cast<std::int64_t>(at.j) * v_.NX + at.i) : 0;
    }
  }
  __device__ std::int64_t to_x(const Place& at) const {  // to the same node's part in the neighbouring patch
    return (at.x == 0 ? -p_.patch_sums() : p_.patch_sums()) + Patches::column(PX - 1 - at.x, at.y) - Patches::column(at.x, at.y);
  }
  __device__ std::int64_t to_y(const Place& at) const {
    const std::int64_t patch_row = static_cast<std::int64_t>(p_.px + 2) * p_.patch_sums();
    return (at.y == 0 ? -patch_row : patch_row) + Patches::column(at.x, PY - 1 - at.y) - Patches::column(at.x, at.y);
  }
  __device__ static Place across_x(const Place& at) { return {PX - 1 - at.x, at.y, at.i, at.j, true, true, false}; }  // as that patch sees it
  __device__ std::int64_t sums_at(const Work& c, const Place& at, int m) const { return c.sums + m * level_size + Patches::column(at.x, at.y); }
  __device__ std::int64_t node_at(const Work& c, const Place& at, int m) const { return v_.at(at.i, at.j, 4 * c.ez + m); }
  __device__ std::int64_t node_level() const { return static_cast<std::int64_t>(v_.NY) * v_.pitch; }
  // Staged pressures of field a on a level; those of b follow `to_b(m)` apart.
  __device__ double* staged(const Work& c, int m) const { return m > 0 && m < 4 ? s_.inner[0][m - 1] : s_.between[m == 0 ? c.bottom : c.above()][0]; }
  __device__ static int to_b(int m) { return m > 0 && m < 4 ? 3 * plane : plane; }
  __device__ static bool stores_level(const Work& c, int m) { return m < 4 || !c.last || c.top; }

  // p on 4 levels, 16 bytes a lane.
  __device__ void fetch_rows(const Work& c) const {
    const int n = lane_ % 16 * 2, e = lane_ / 16, i = c.patch_x * 4 * Patches::EX + n, j = c.patch_y * 4 * Patches::EY + 1 + warp_;
    const double* from = g_.p + v_.at(i, j, 4 * c.ez + 1 + e);
    const std::int64_t up = 2 * node_level(), next = static_cast<std::int64_t>(node_warps) * v_.pitch;
    const bool row_exists = i < p_.pitch();
    double* s = &s_.rows[warp_][e][n];
#pragma unroll
    for (int task = 0; task < rows; ++task) {
      if (corners(task)) {
        fetch_corners(c);
      } else if (row_exists && j + node_warps * task < v_.NY) {
        copy_async<16>(s + task * node_warps * 128, from + task * next);
        copy_async<16>(s + task * node_warps * 128 + 64, from + task * next + up);
      }
    }
  }
  // p, then in_a and in_b of the neighbours along x, y and both.
  __device__ void fetch_corners(const Work& c) const {
    const Place at = place(c, rows - 1);
    if (!at.exists) return;
    double* s = corner_slot();
    const int m = corner_level();
    copy_async<8>(s, g_.p + node_at(c, at, m));
    if (!summed_) return;
    const std::int64_t from = sums_at(c, at, m), x = from + to_x(at), beside[3] = {x, from + to_y(at), x + to_y(across_x(at))};
#pragma unroll
    for (int q = 0; q < 3; ++q) {
      copy_async<8>(s + (1 + 2 * q) * 16, g_.in_a + beside[q]);
      copy_async<8>(s + (2 + 2 * q) * 16, g_.in_b + beside[q]);
    }
  }
  __device__ void fetch_side(const Work& c) const {
    const Place at = place(c, side);
    if (!at.exists) return;
    double* s = &s_.sides[warp_][0][0][lane_];
    const double* p = g_.p + node_at(c, at, 1);
    const std::int64_t up = node_level(), beside = sums_at(c, at, 1) + (along_y() ? to_x(at) : to_y(at));
    const double *a = g_.in_a + beside, *b = g_.in_b + beside;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      copy_async<8>(s + e * 96, p + e * up);
      if (summed_) {
        copy_async<8>(s + e * 96 + 32, a + e * level_size);
        copy_async<8>(s + e * 96 + 64, b + e * level_size);
      }
    }
  }

  __device__ Pair own_sums(int step, const Place& at, int m) const {
    const int n = (m - 1) * level_size + Patches::column(at.x, at.y);
    return parts(s_.in_a_of(step)[0][n], s_.in_b[0][n]);
  }
  __device__ Pair corner_sums(int step, const Place& at, int m) const {
    const double* s = corner_slot();
    const auto part = [&](int q) { return parts(s[(1 + 2 * q) * 16], s[(2 + 2 * q) * 16]); };
    return add(add(own_sums(step, at, m), part(0)), add(part(1), part(2)));
  }
  __device__ Pair side_sums(int step, const Place& at, int m) const {
    const double* s = &s_.sides[warp_][m - 1][0][lane_];
    return add(own_sums(step, at, m), parts(s[32], s[64]));
  }
  __device__ void stage_any(const Work& c, int step, int count) const {
#pragma unroll 1
    for (int task = 0; task < tasks; ++task) {
      const Place at = place(c, task);
      if (!at.active) continue;
#pragma unroll 1
      for (int m = 1; m <= count; ++m) {
        if (corners(task)) {
          if (m == corner_level()) stage(c, at, step, m, task, *corner_slot(), corner_sums(step, at, m));
        } else if (task < rows) {
          stage(c, at, step, m, task, s_.rows[warp_ + node_warps * task][m - 1][lane_], own_sums(step, at, m));
        } else {
          stage(c, at, step, m, task, s_.sides[warp_][m - 1][0][lane_], side_sums(step, at, m));
        }
      }
    }
  }

  // Where all nodes of the patch exist: damped ones are on its sides and corners.
  __device__ __forceinline__ void stage_full(const Work& c, int step, int count) const {
    const double* s_weights = s_.weights[step % 4].inverse_wz;
    double* const top = staged(c, 4);
    const double ca_dt = g_.ca_dt, cb_dt = g_.cb_dt;
    const auto put = [&](double* s, int b, double inverse, double p, Pair r, double* p_next) {
      const double p_b = fma(cb_dt * inverse, r.b, p);
      s[0] = fma(ca_dt * inverse, r.a, p);
      s[b] = p_b;
      if (A && p_next) *p_next = p_b;
    };
    const bool stores_top = stores_level(c, 4);
    const double* const surface = c.ez == v_.NZ / 4 - 1 ? g_.inverse_surface : nullptr;  // inverse mass of level 4, where it has gravity
    const std::int64_t up = node_level();
    {
      const int y = 1 + warp_, n = y * 32 + lane_, i = c.patch_x * 4 * Patches::EX + lane_, j = c.patch_y * 4 * Patches::EY + y;
      const double *s_a = s_.in_a_of(step)[0] + n, *s_b = s_.in_b[0] + n, *s_p = &s_.rows[warp_][0][lane_], *s_inverse = &s_.inverse[warp_][0][lane_];
      double *s_to = s_.inner[0][0] + y * PX + lane_, *s_top = top + y * PX + lane_;
      double* p_next = A ? g_.p_next + v_.at(i, j, 4 * c.ez + 1) : nullptr;
      const int many = corners(rows - 1) ? rows - 1 : rows;
#pragma unroll 1
      for (int task = 0; task < many; ++task) {
        double p[4];
        Pair r[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          p[e] = s_p[e * 32];
          r[e] = parts(s_a[e * level_size], s_b[e * level_size]);
        }
        const double inverse = *s_inverse;
        if (lane_ > 0) {
#pragma unroll
          for (int e = 0; e < 3; ++e) put(s_to + e * plane, 3 * plane, inverse * s_weights[1 + e], p[e], r[e], p_next + e * up);
          if (count == 4)
            put(s_top, plane, surface ? __ldg(surface + static_cast<std::int64_t>(j + node_warps * task) * v_.NX + i) : inverse * s_weights[4], p[3],
                r[3], stores_top ? p_next + 3 * up : nullptr);
        }
        s_a += node_warps * 32;
        s_b += node_warps * 32;
        s_p += node_warps * 128;
        s_inverse += 32;
        s_to += node_warps * PX;
        s_top += node_warps * PX;
        if (A) p_next += static_cast<std::int64_t>(node_warps) * v_.pitch;
      }
    }
    const auto inverse = [&](const Place& at, int task, int m) {
      return m == 4 && surface ? __ldg(surface + static_cast<std::int64_t>(at.j) * v_.NX + at.i) : s_.inverse[warp_][task][lane_] * s_weights[m];
    };
    if (corners(rows - 1)) {
      const Place at = place(c, rows - 1);
      const int m = corner_level();
      if (at.active && m <= count) {
        const double p = *corner_slot();
        const Pair r = corner_sums(step, at, m);
        if (c.walls)
          stage(c, at, step, m, rows - 1, p, r);
        else
          put(staged(c, m) + at.y * PX + at.x, to_b(m), inverse(at, rows - 1, m), p, r,
              A && at.own && stores_level(c, m) ? g_.p_next + node_at(c, at, m) : nullptr);
      }
    }
    const Place at = place(c, side);
    if (!at.active) return;
    if (c.walls) {
#pragma unroll 1
      for (int m = 1; m <= count; ++m) stage(c, at, step, m, side, s_.sides[warp_][m - 1][0][lane_], side_sums(step, at, m));
      return;
    }
    const int n = at.y * PX + at.x;
    double* p_next = A && at.own ? g_.p_next + node_at(c, at, 1) : nullptr;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int m = 1 + e;
      if (m == 4 && count < 4) break;
      put((m == 4 ? top : s_.inner[0][e]) + n, to_b(m), inverse(at, side, m), s_.sides[warp_][e][0][lane_], side_sums(step, at, m),
          p_next && (m < 4 || stores_top) ? p_next + e * up : nullptr);
    }
  }

  // One level on its own, straight from global memory: the lowest of a chunk, or one shared with the chunk above; `between` leads to the
  // other chunk's part, 0: there is none.
  __device__ void level(const Work& c, int step, int m, int between) const {
#pragma unroll 1
    for (int task = 0; task < tasks; ++task) {
      const Place at = place(c, task);
      if (!at.active || (corners(task) && corner_level() > 1)) continue;
      const std::int64_t n = sums_at(c, at, m);
      const auto chunks_part = [&](std::int64_t from) {
        const Pair own = parts(__ldg(g_.in_a + from), __ldg(g_.in_b + from));
        return between == 0 ? own : add(own, parts(__ldg(g_.in_a + from + between), __ldg(g_.in_b + from + between)));
      };
      Pair r = {0, 0};
      if (at.exists && summed_) {
        r = chunks_part(n);
        if (task == side) r = add(r, chunks_part(n + (along_y() ? to_x(at) : to_y(at))));
        if (corners(task)) {
          const std::int64_t x = n + to_x(at), y = n + to_y(at);
          r = add(add(r, chunks_part(x)), add(chunks_part(y), chunks_part(x + to_y(across_x(at)))));
        }
      }
      if constexpr (!A)
        if (m == 0) s_.lowest_r1[step % 2][at.y * PX + at.x] = at.exists ? __ldg(g_.in_a + n) : 0;
      stage(c, at, step, m, task, at.exists ? __ldg(g_.p + node_at(c, at, m)) : 0, r);
    }
  }

  // On level m of the layer.
  __device__ void stage(const Work& c, const Place& at, int step, int m, int task, double p, Pair r) const {
    Pair to = {p, p};
    if (summed_) {
      const int k = 4 * c.ez + m;
      const double inverse = s_.inverse[warp_][task][lane_] * s_.weights[step % 4].inverse_wz[m];
      const bool outer = (m == 0 && k == 0 && g_.load) || (m == 4 && k == v_.NZ - 1 && g_.inverse_surface);
      if (c.walls || outer)
        to = at.exists ? stage_at_boundary(at.i, at.j, k, r, p, inverse) : Pair{0, 0};
      else
        to = {fma(g_.ca_dt * inverse, r.a, p), fma(g_.cb_dt * inverse, r.b, p)};
    }
    if (A && at.own && stores_level(c, m)) g_.p_next[node_at(c, at, m)] = to.b;
    double* s = staged(c, m) + at.y * PX + at.x;
    s[0] = at.exists ? to.a : 0;  // slots of nodes that are not there were never filled
    s[to_b(m)] = at.exists ? to.b : 0;
  }

  __device__ int wall_place(int i, int j) const {  // in the damped columns, or -1
    if (v_.west && i == 0) return j;
    if (v_.east && i == v_.NX - 1) return v_.NY + j;
    if (v_.south && j == 0) return 2 * v_.NY + i;
    if (v_.north && j == v_.NY - 1) return 2 * v_.NY + v_.NX + i;
    return -1;
  }
  __device__ __forceinline__ Pair stage_at_boundary(int i, int j, int k, Pair r, double p, double inverse) const {
    const std::int64_t column = static_cast<std::int64_t>(j) * v_.NX + i;
    if (k == v_.NZ - 1 && g_.inverse_surface) inverse = __ldg(g_.inverse_surface + column);
    const int wall = g_.wall ? wall_place(i, j) : -1;
    double* const kept = wall >= 0 ? g_.wall + static_cast<std::int64_t>(k) * p_.wall_columns() + wall : nullptr;
    const double damping = kept ? v_.damping(i, j, k) : 0;
    const bool loaded = k == 0 && v_.floor && g_.load;
    if (kept) r.a = fma(-damping, A ? *kept : p, r.a);
    if (loaded) r.a += g_.load[column];
    const double a = fma(g_.ca_dt * inverse, r.a, p);
    if (kept) r.b = fma(-damping, a, r.b);
    if (loaded) r.b += g_.load[static_cast<std::int64_t>(v_.NX) * v_.NY + column];
    const double b = fma(g_.cb_dt * inverse, r.b, p);
    if (!A && kept) *kept = b;  // whoever shares the node keeps the same bits
    return {a, b};
  }

  const SweepArgs<Patches>& g_;
  const SweepTables& tables_;
  const Patches& p_;
  const NodeView& v_;
  Shared<A>& s_;
  int warp_, lane_;
  bool summed_;  // there are sums to stage from
};

}  // namespace agwave::two_sweep
