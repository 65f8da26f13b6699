// SPDX-License-Identifier: Apache-2.0
// The node role of the two-sweep kernel: forms the staged pressures of the next layer while the elements work on this one.
//   p_a = p + c_a dt M_p^-1 (r_a - S p_before + g_a),  p_b = p + c_b dt M_p^-1 (r_b - S p_a + g_b)
//   sweep A: p_before = p2, kept on the walls;  p_b = p' is stored       sweep B: p_before = p;  p_b = p2 is kept on the walls
// where (r_a, r_b) = (r3, r4) in sweep A and (r1, r1 + (r2 - r1)) in sweep B, each the sum over all patches and chunks that share the node,
// in the order of timestep/two_sweep_layout.hpp. Every warp has up to 3 tasks per layer, of 4 levels each:
//   2 rows of nodes inside the patch, y = 1 + warp + 8 n; there are 15, the last warp takes the 4 corners instead of the 16th
//   the first four warps a side of the perimeter each, without its corners: west, east, south, north
// Values come one or two tasks ahead: rows by bulk copies into the slot of their warp, sides and corners by cp.async, each into the place of
// the lane that uses it. The levels of chunks' ends come directly.
#pragma once
#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/two_sweep_shared.cuh"

namespace agwave::two_sweep {

template <bool A>
class NodeRole {
  static constexpr int PX = Patches::PX, PY = Patches::PY, level_size = Patches::level_size;
  static constexpr int rows = 2, sides = 4;  // per warp; in all
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
  struct Target {  // of a level: staged pressures a (b follows `to_b` apart) and r1
    double *staged, *r1;
    int to_b;
  };
  struct Node {  // what its staged pressures are made of, and then they
    double p, r1;
    Pair r, staged;
  };

 public:
  __device__ NodeRole(const SweepArgs<Patches>& g, Shared& s)
      : g_(g), p_(g.patches), v_(g.nodes), s_(s), warp_(threadIdx.x / 32 - element_warps), lane_(threadIdx.x % 32), summed_(!A || g.staged) {}

  // For all node warps, once a barrier has shown both this and the plan.
  __device__ void weights(int step) {
    const Work& c = s_.work[step % 4];
    if (warp_ == node_warps - 1 && lane_ >= 32 - 5 && c.valid) s_.inverse_wz[step % 2][lane_ - 27] = __ldg(g_.inverse_wz + 4 * c.ez + lane_ - 27);
  }
  // Asks for the first tasks of the first layer.
  __device__ void begin(const Work& c) {
    if (!c.valid) return;
    fetch_side(c);
    fetch_row(c, 0);
  }

  __device__ void layer(int step) {
    const Work c = s_.work[step % 4];
    const Work& next = s_.work[(step + 1) % 4];
    walls_ = g_.wall && ((v_.west && c.patch_x == 0) || (v_.east && c.patch_x == p_.px - 1) || (v_.south && c.patch_y == 0) ||
                         (v_.north && c.patch_y == p_.py - 1));
    if (c.new_patch) {
#pragma unroll
      for (int n = 0; n <= rows; ++n) {
        const Place at = n == rows ? side(c) : row(c, n);
        inverse_[n] = at.exists ? __ldg(g_.inverse_column + static_cast<std::int64_t>(at.j) * v_.NX + at.i) : 0;
      }
    }
    const bool shared_top = c.last && c.shared_above;
    const int count = shared_top ? 3 : 4;
    if (c.first) level(c, step, 0, c.shared_below ? -level_size : 0, target(c, step, 0));
    wait_for_copies<0>();
    if (warp_ < sides) stage_side(c, step, count, inverse_[rows]);
    fetch_side(next);
#pragma unroll 1
    for (int n = 0; n < rows; ++n) {
      wait_for_row(c, n);
      const double inverse = n == 0 ? inverse_[0] : inverse_[1];
      if (corners(n))
        stage_corners(c, step, count, inverse);
      else
        stage_row(c, step, n, count, inverse);
      __syncwarp();
      n + 1 < rows ? fetch_row(c, n + 1) : fetch_row(next, 0);
    }
    if (shared_top) level(c, step, 4, level_size, target(c, step, 4));
  }

 private:
  __device__ bool corners(int n) const { return warp_ == node_warps - 1 && n == rows - 1; }
  __device__ Place place(const Work& c, int x, int y, bool active) const {
    const int i = c.patch_x * 4 * Patches::EX + x, j = c.patch_y * 4 * Patches::EY + y;
    const bool exists = active && i < v_.NX && j < v_.NY;
    return {x, y, i, j, active, exists, exists && (x < PX - 1 || c.patch_x == p_.px - 1) && (y < PY - 1 || c.patch_y == p_.py - 1)};
  }
  __device__ Place row(const Work& c, int n) const {
    if (corners(n)) return place(c, lane_ & 4 ? PX - 1 : 0, lane_ & 8 ? PY - 1 : 0, lane_ < 16);  // level lane % 4
    return place(c, lane_, 1 + warp_ + node_warps * n, lane_ > 0);
  }
  __device__ Place side(const Work& c) const {
    if (warp_ < 2) return place(c, warp_ == 0 ? 0 : PX - 1, lane_, lane_ > 0 && lane_ < PY - 1);
    return place(c, lane_, warp_ == 2 ? 0 : PY - 1, warp_ < sides && lane_ > 0);
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
  __device__ Target target(const Work& c, int step, int m) const {
    if (m > 0 && m < 4) return {s_.inner[step % 2][0][m - 1], s_.r1.inner[step % 2][m - 1], 3 * plane};
    const int between = m == 0 ? c.bottom : c.above();
    return {s_.between[between][0], s_.r1.between[between], plane};
  }

  __device__ bool row_exists(const Work& c, int n) const { return c.valid && c.patch_y * 4 * Patches::EY + 1 + warp_ + node_warps * n < v_.NY; }
  __device__ void wait_for_row(const Work& c, int n) {
    if (corners(n)) return wait_for_copies<0>();
    if (!row_exists(c, n)) return;
    wait_for_arrival(&s_.row_arrived[warp_], row_phase_);
    row_phase_ ^= 1;
  }
  // All lanes have read the slot's last row.
  __device__ void fetch_row(const Work& c, int n) {
    if (corners(n)) {
      fetch_corners(c);
    } else if (row_exists(c, n)) {  // 4 levels each of p and, where there are sums, in_a, in_b: lane 4 array + level asks
      const std::int64_t y = 1 + warp_ + node_warps * n, i = c.patch_x * 4 * Patches::EX, e = lane_ % 4;
      const int width = min(32, p_.pitch() - static_cast<int>(i)) * 8;  // of p, which ends with the mesh
      if (warp_ == node_warps - 1) publish();                           // corners came to the slot another way
      if (lane_ == 0) expect_copies(&s_.row_arrived[warp_], 4 * width + (summed_ ? 8 * 256 : 0));
      __syncwarp();
      if (lane_ < (summed_ ? 12 : 4)) {
        const double* from =
            lane_ < 4 ? g_.p + v_.at(static_cast<int>(i), static_cast<int>(c.patch_y * 4 * Patches::EY + y), 4 * c.ez + 1) + e * node_level()
                      : (lane_ < 8 ? g_.in_a : g_.in_b) + c.sums + (1 + e) * level_size + y * 32;
        copy_in(&s_.rows[warp_][0][0][0] + lane_ * 32, from, lane_ < 4 ? width : 256, &s_.row_arrived[warp_]);
      }
    }
  }
  __device__ void fetch_corners(const Work& c) {
    const Place at = row(c, rows - 1);
    if (c.valid && at.exists) {
      double* s = &s_.rows[warp_][0][0][lane_];
      const int m = 1 + lane_ % 4;
      const std::int64_t from = sums_at(c, at, m), x = from + to_x(at), y = from + to_y(at), xy = x + to_y(across_x(at));
      copy_async<8>(s, g_.p + node_at(c, at, m));
      if (summed_) {
        const std::int64_t place[4] = {from, x, y, xy};
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          copy_async<8>(s + (1 + 2 * q) * 32, g_.in_a + place[q]);
          copy_async<8>(s + (2 + 2 * q) * 32, g_.in_b + place[q]);
        }
      }
    }
    close_copy_group();
  }
  __device__ double* side_slot() const { return &s_.sides[warp_ < 2 ? 0 : warp_ - 1][0][0][warp_ == 1 ? 16 + lane_ % 16 : lane_]; }
  __device__ void fetch_side(const Work& c) {
    if (c.valid && warp_ < sides) {
      const Place at = side(c);
      if (at.exists) {
        double* s = side_slot();
        const double *p = g_.p + node_at(c, at, 1), *a = g_.in_a + sums_at(c, at, 1), *b = g_.in_b + sums_at(c, at, 1);
        const std::int64_t other = warp_ < 2 ? to_x(at) : to_y(at);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          copy_async<8>(s + e * 32, p + e * node_level());
          if (summed_) {
            copy_async<8>(s + (4 + e) * 32, a + e * level_size);
            copy_async<8>(s + (8 + e) * 32, b + e * level_size);
            copy_async<8>(s + (12 + e) * 32, a + other + e * level_size);
            copy_async<8>(s + (16 + e) * 32, b + other + e * level_size);
          }
        }
      }
    }
    close_copy_group();
  }

  // Two levels at a time: read, staged and written together, so that neither waits for the other and registers suffice.
  __device__ __forceinline__ void stage_row(const Work& c, int step, int n, int count, double inverse) {
    const Place at = row(c, n);
    if (!at.active) return;
    const double* s = &s_.rows[warp_][0][0][lane_];
#pragma unroll
    for (int e = 0; e < 4; e += 2) {
      Node node[2];
#pragma unroll
      for (int f = 0; f < 2; ++f) {
        const double* level = s + (e + f) * 32;
        node[f] = {level[0], level[128], parts(level[128], level[256]), {}};
      }
      finish_two(c, at, step, 1 + e, count, inverse, node);
    }
  }
  __device__ __forceinline__ void stage_side(const Work& c, int step, int count, double inverse) {
    const Place at = side(c);
    if (!at.active) return;
    const double* s = side_slot();
#pragma unroll
    for (int e = 0; e < 4; e += 2) {
      Node node[2];
#pragma unroll
      for (int f = 0; f < 2; ++f) {
        const double* level = s + (e + f) * 32;
        node[f] = {level[0], level[128], add(parts(level[128], level[256]), parts(level[384], level[512])), {}};
      }
      finish_two(c, at, step, 1 + e, count, inverse, node);
    }
  }
  __device__ __forceinline__ void finish_two(const Work& c, const Place& at, int step, int m, int count, double inverse, Node (&node)[2]) {
#pragma unroll
    for (int f = 0; f < 2; ++f) stage(c, at, step, m + f, inverse, node[f]);
#pragma unroll
    for (int f = 0; f < 2; ++f)
      if (m + f <= count) store(c, at, m + f, node[f], target(c, step, m + f));
  }
  __device__ __forceinline__ void stage_corners(const Work& c, int step, int count, double inverse) {
    const Place at = row(c, rows - 1);
    const int e = lane_ % 4;
    if (!at.active || e >= count) return;
    const double* s = &s_.rows[warp_][0][0][lane_];
    const auto part = [&](int q) { return parts(s[(1 + 2 * q) * 32], s[(2 + 2 * q) * 32]); };
    Node node{s[0], s[32], add(add(part(0), part(1)), add(part(2), part(3))), {}};
    stage(c, at, step, 1 + e, inverse, node);
    store(c, at, 1 + e, node, target(c, step, 1 + e));
  }

  // One level on its own, straight from global memory: the lowest of a chunk, or one shared with the chunk above; `between` leads to the
  // other chunk's part, 0: there is none.
  __device__ void level(const Work& c, int step, int m, int between, const Target& to) {
#pragma unroll 1
    for (int task = 0; task <= rows; ++task) {
      const bool is_side = task == rows;
      const Place at = is_side ? side(c) : row(c, task);
      if (!at.active || (corners(task) && lane_ % 4 > 0)) continue;
      const std::int64_t n = sums_at(c, at, m);
      const auto chunks_part = [&](std::int64_t place) {
        const Pair own = parts(__ldg(g_.in_a + place), __ldg(g_.in_b + place));
        return between == 0 ? own : add(own, parts(__ldg(g_.in_a + place + between), __ldg(g_.in_b + place + between)));
      };
      Pair r = {0, 0};
      if (at.exists && summed_) {
        r = chunks_part(n);
        if (is_side) r = add(r, chunks_part(n + (warp_ < 2 ? to_x(at) : to_y(at))));
        if (corners(task)) {
          const std::int64_t x = n + to_x(at), y = n + to_y(at);
          r = add(add(r, chunks_part(x)), add(chunks_part(y), chunks_part(x + to_y(across_x(at)))));
        }
      }
      const double p = at.exists ? __ldg(g_.p + node_at(c, at, m)) : 0, r1 = at.exists && !A ? __ldg(g_.in_a + n) : 0;
      const double inverse = task == 0 ? inverse_[0] : task == 1 ? inverse_[1] : inverse_[rows];
      Node node{p, r1, r, {}};
      stage(c, at, step, m, inverse, node);
      store(c, at, m, node, to);
    }
  }

  // On level m of the layer.
  __device__ __forceinline__ void stage(const Work& c, const Place& at, int step, int m, double inverse_column, Node& node) const {
    node.staged = {node.p, node.p};
    if (!summed_) return;
    const int k = 4 * c.ez + m;
    const double inverse = inverse_column * s_.inverse_wz[step % 2][m];
    const bool outer = (m == 0 && k == 0 && g_.load) || (m == 4 && k == v_.NZ - 1 && g_.inverse_surface);
    if (walls_ || outer)
      node.staged = at.exists ? stage_at_boundary(at.i, at.j, k, node.r, node.p, inverse) : Pair{0, 0};
    else
      node.staged = {fma(g_.ca_dt * inverse, node.r.a, node.p), fma(g_.cb_dt * inverse, node.r.b, node.p)};
  }
  __device__ __forceinline__ void store(const Work& c, const Place& at, int m, const Node& node, const Target& to) {
    if (A && at.own && (m < 4 || !c.last || c.top)) g_.p_next[node_at(c, at, m)] = node.staged.b;
    const int n = at.y * PX + at.x;
    to.staged[n] = at.exists ? g_.alpha * node.staged.a : 0;  // slots of nodes that are not there were never filled
    to.staged[to.to_b + n] = at.exists ? g_.beta * node.staged.b : 0;
    if (!A) to.r1[n] = at.exists ? node.r1 : 0;
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
  const Patches& p_;
  const NodeView& v_;
  Shared& s_;
  int warp_, lane_;
  int row_phase_ = 0;            // of the next row to arrive
  bool summed_, walls_ = false;  // there are sums to stage from; the patch has damped nodes
  double inverse_[rows + 1];     // of the tasks' columns
};

}  // namespace agwave::two_sweep
