// SPDX-License-Identifier: Apache-2.0
// The nodes' part of the two-sweep kernel: forms the staged pressures of a layer, from
//   p_a = p + c_a dt M_p^-1 (r_a - S p_before + g_a),  p_b = p + c_b dt M_p^-1 (r_b - S p_a + g_b)
//   sweep A: p_before = p2, kept on the walls;  p_b = p' is stored       sweep B: p_before = p;  p_b = p2 is kept on the walls
// where (r_a, r_b) = (r3, r4) in sweep A and (r1, r1 + (r2 - r1)) in sweep B, each the sum over all patches and chunks that share the node,
// in the order of timestep/two_sweep_layout.hpp.
// A layer's levels come in batches by bulk and tensor copies: 1..4, before them the lowest of a chunk, after them one that is shared with the chunk
// above. p and the sums of field b come to where p_a and p_b will be. A batch is asked for when the gradient of two layers before is done: its
// places are free then, and what node warps do after that does not disturb a gradient before the staging is over.
#pragma once
#include <cuda.h>

#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/two_sweep_shared.cuh"

namespace agwave::two_sweep {

struct SweepMaps {  // of p: boxes of a patch's level, of its east side on four levels; of p_next: of what a patch stores of a level
  CUtensorMap p, p_east, p_next;
};
inline constexpr int stored_rows = 4 * Patches::EY, box_row = 4 * Patches::EX;  // what the next patch does not have

template <bool A>
class NodeRole {
  static constexpr int PX = Patches::PX, PY = Patches::PY, level_size = Patches::level_size, nodes = PX * PY, role_threads = 32 * node_warps;
  static constexpr int row_tasks = 2;  // of a warp: two rows inside the patch each, two nodes of a row per lane
  static_assert(2 * row_tasks * node_warps == PY - 1);

  struct Pair {
    double a, b;
  };
  __device__ static Pair add(Pair u, Pair v) { return {u.a + v.a, u.b + v.b}; }
  __device__ static Pair parts(double in_a, double in_b) { return {in_a, A ? in_b : in_a + in_b}; }

  // Levels m .. m + count - 1, or one alone: at the end of a chunk, with another chunk's part of the sums `other` levels away (0: there is none).
  struct Batch {
    int m, count, other;
    bool alone;
    __device__ int sums() const { return other == 0 ? count : 2; }  // levels of sums to read
  };

  struct Place {  // of a node: in the patch, in the mesh
    int x, y, i, j;
    bool exists, own;  // in the mesh; not left to the next patch
  };

  struct Wall {  // a column of nodes: its place among the damped ones, length times depth
    int place = -1;
    double column = 0;
    __device__ bool damped() const { return place >= 0; }
  };

 public:
  __device__ NodeRole(const SweepArgs<Patches>& g, const SweepTables& tables, const SweepMaps& maps, const Queue& queue, Shared<A>& s)
      : g_(g),
        tables_(tables),
        maps_(maps),
        queue_(queue),
        p_(g.patches),
        v_(g.nodes),
        s_(s),
        thread_(threadIdx.x - 32 * element_warps),
        warp_(thread_ / 32),
        lane_(thread_ % 32),
        summed_(!A || g.staged) {}

  __device__ static void meet() {  // of all node warps
    __syncwarp();
    asm volatile("bar.sync 15, %0;" ::"n"(role_threads) : "memory");
  }
  // A layer's weights in two steps: from memory into a register of one warp's lanes, from there where all can read them.
  __device__ double weight(int step) const {
    const Work& c = s_.work_of(step);
    if (warp_ > 0 || !c.valid || lane_ >= 5 + layer_values) return 0;
    return __ldg(lane_ < 5 ? g_.inverse_wz + 4 * c.ez + lane_ : tables_.layers + c.ez * layer_values + lane_ - 5);
  }
  __device__ void put_weight(int step, double value) const {
    if (warp_ == 0 && lane_ < 5 + layer_values) s_.weights[step % 4].inverse_wz[lane_] = value;
  }
  // Stages the layer of a step.
  __device__ void layer(int step) {
    const Work& c = s_.work_of(step);
    const double next_weight = weight(step + 1);
    if (step > 1) await(s_.gradient_done, step - 2);
    put_weight(step + 1, next_weight);
    if (c.first) {
      if (A) await_neighbours(queue_, p_, c);
      if (step > 0 && s_.work_of(step - 1).first) await(s_.gradient_done, step - 1);  // it reads `lowest`
      stage(c, step, {0, 1, c.shared_below ? -1 : 0, true});
    }
    const bool shared_top = c.last && c.shared_above;
    stage(c, step, {1, shared_top ? 3 : 4, 0, false});
    if (shared_top) {
      if (!A && step > 1) await(s_.layer_done, step - 2);  // it reads r1 where the sums will come
      stage(c, step, {4, 1, 1, true});
    }
    arrive(s_.staged[step % 2]);
    if (!A && c.last) tell_done(queue_, c);
  }
  __device__ void end() const {
    if (A && thread_ == 0) wait_until_written();
  }

 private:
  __device__ void stage(const Work& c, int step, const Batch& batch) {
    fetch(c, step, batch);
    if (c.new_patch && batch.m == (c.first ? 0 : 1)) {
      find_inverse(c);
      meet();
    }
    wait_for_copies<0>();
    wait_for_arrival(&s_.batch_arrived, batches_++ % 2);
    if (!summed_) {
      keep(c, step, batch);
    } else if (c.full && !batch.alone) {
      stage_rows(c, step, batch.count);
      if (warp_ == 0)
        stage_corners(c, step, batch.count);
      else
        stage_side(c, step, batch.count);
    } else {
      meet();  // for what others copied
      stage_any(c, step, batch);
    }
    publish();
    meet();
    if (A && thread_ == 0) {
      for (int m = batch.m; m < batch.m + batch.count; ++m)
        if (stores_level(c, m)) copy_box_out(&maps_.p_next, first_i(c), first_j(c), 4 * c.ez + m, s_.level_of(step, c, m, 1));
      close_copies_out();
    }
  }

  __device__ static int first_i(const Work& c) { return c.patch_x * 4 * Patches::EX; }
  __device__ static int first_j(const Work& c) { return c.patch_y * 4 * Patches::EY; }
  __device__ Place place(const Work& c, int x, int y) const {
    const int i = first_i(c) + x, j = first_j(c) + y;
    const bool exists = i < v_.NX && j < v_.NY;
    return {x, y, i, j, exists, exists && (x < PX - 1 || c.patch_x == p_.px - 1) && (y < PY - 1 || c.patch_y == p_.py - 1)};
  }
  __device__ static bool in_box(const Place& at) { return at.x < PX - 1 && at.y < stored_rows; }  // stored by a tensor copy
  __device__ std::int64_t node_at(const Work& c, const Place& at, int m) const { return v_.at(at.i, at.j, 4 * c.ez + m); }
  __device__ std::int64_t node_level() const { return static_cast<std::int64_t>(v_.NY) * v_.pitch; }
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
        wait_until_read<1>();  // what has been stored from there
        expect_copies(arrived,
                      8 * (batch.count * box_row * PY + 4 * PY * 2 + (levels_a + levels) * level_size + levels * 2 * (west_size + 2 * box_row)));
        copy_box_in(s_.p_east[0][0], &maps_.p_east, first_i(c) + PX - 1, first_j(c), 4 * c.ez + batch.m, arrived);
      }
      __syncwarp();
      if (f == 0 && lane_ < 4 && e < batch.count)
        copy_box_in(s_.level_of(step, c, batch.m + e, 0), &maps_.p, first_i(c), first_j(c), 4 * c.ez + batch.m + e, arrived);
      if (lane_ < 16 && e < levels) {
        const int x = corner_x(lane_), y = corner_y(lane_);
        const std::int64_t corner = e * up, to[3] = {across_x(x) + Patches::column(PX - 1 - x, y), across_y(y) + Patches::column(x, PY - 1 - y),
                                                     across_x(x) + across_y(y) + Patches::column(PX - 1 - x, PY - 1 - y)};
#pragma unroll
        for (int q = 0; q < 3; ++q) {
          copy_async<8>(&s_.corners[q][0][lane_], in_a + corner + to[q]);
          copy_async<8>(&s_.corners[q][1][lane_], in_b + corner + to[q]);
        }
      }
    } else if (warp_ == 1) {
      if (lane_ < 8 && e < (f == 0 ? levels_a : levels))
        copy_in(f == 0 ? s_sums[e] : batch.alone ? s_sums[2 + e] : s_.level_of(step, c, batch.m + e, 1), from, 8 * level_size, arrived);
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
    if (loaded(c, batch)) {  // where another chunk's sums would come
      for (int n = thread_; n < nodes; n += role_threads) {
        const Place at = place(c, x_of(n), y_of(n));
        const std::int64_t column = static_cast<std::int64_t>(at.j) * v_.NX + at.i;
        if (!at.exists) continue;
        copy_async<8>(&s_sums[1][n], g_.load + column);
        copy_async<8>(&s_sums[3][n], g_.load + static_cast<std::int64_t>(v_.NX) * v_.NY + column);
      }
    }
    close_copy_group();
  }
  __device__ static int x_of(int n) { return n < box_row * PY ? n % box_row : PX - 1; }
  __device__ static int y_of(int n) { return n < box_row * PY ? n / box_row : n - box_row * PY; }

  __device__ void find_inverse(const Work& c) const {  // zero beyond the mesh, where pressures stay zero
    constexpr int most = (nodes + role_threads - 1) / role_threads;
    double column[most], surface[most];
#pragma unroll
    for (int q = 0; q < most; ++q) {
      const int n = thread_ + q * role_threads;
      const Place at = place(c, x_of(n), y_of(n));
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

  // Where there are no sums: p_a = p_b = p.
  __device__ void keep(const Work& c, int step, const Batch& batch) const {
    for (int e = 0; e < batch.count; ++e) {
      const int m = batch.m + e;
      double *s_a = s_.level_of(step, c, m, 0), *s_b = s_.level_of(step, c, m, 1);
      for (int n = thread_; n < nodes; n += role_threads) {
        const Place at = place(c, x_of(n), y_of(n));
        const double p = at.x < PX - 1 ? s_a[n] : s_.p_east[e][at.y][0];
        s_a[n] = s_b[n] = p;
        if (A && at.own && !in_box(at) && stores_level(c, m)) g_.p_next[node_at(c, at, m)] = p;
      }
    }
  }

  // Coefficients of r_a and r_b on levels 1..4, but for what depends on the column.
  struct Coefficients {
    double a[4], b[4];
  };
  __device__ Coefficients coefficients(const Work& c, int step) const {
    const double* s_weights = s_.weights[step % 4].inverse_wz + 1;
    Coefficients k;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const double weight = e == 3 && has_gravity(c, 4) ? 1 : s_weights[e];
      k.a[e] = g_.ca_dt * weight;
      k.b[e] = g_.cb_dt * weight;
    }
    return k;
  }
  __device__ const double* inverse_of_top(const Work& c) const { return has_gravity(c, 4) ? s_.inverse_surface : s_.inverse; }

  __device__ static double2& two(double* s) { return *reinterpret_cast<double2*>(s); }
  __device__ static const double2& two(const double* s) { return *reinterpret_cast<const double2*>(s); }

  // Rows 1..15 with their west nodes: where all nodes of the patch exist, damped ones are on its sides and corners.
  __device__ __forceinline__ void stage_rows(const Work& c, int step, int count) const {
    const Coefficients k = coefficients(c, step);
    const int x = lane_ % 16 * 2;
    int y = 1 + 2 * row_tasks * warp_ + lane_ / 16;
    const int n = Patches::column(x, y);
    double *s_a = s_.level_of(step, c, 1, 0) + n, *s_b = s_.level_of(step, c, 1, 1) + n;
    double *s_top_a = s_.level_of(step, c, 4, 0) + n, *s_top_b = s_.level_of(step, c, 4, 1) + n;
    const double *s_in_a = s_.in_a_of(step)[0] + n, *s_inverse = s_.inverse + n, *s_inverse_top = inverse_of_top(c) + n, *s_west = &s_.west[0][0][y];
#pragma unroll 1
    for (int task = 0; task < row_tasks; ++task) {
      if (y < PY - 1) {
        double2 p[4], a[4], b[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          p[e] = two(e < 3 ? s_a + e * level_stride : s_top_a);
          a[e] = two(s_in_a + e * level_stride);
          b[e] = two(e < 3 ? s_b + e * level_stride : s_top_b);
        }
        const double2 inverse = two(s_inverse), inverse_top = two(s_inverse_top);
        if constexpr (!A) {
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            b[e].x = a[e].x + b[e].x;
            b[e].y = a[e].y + b[e].y;
          }
        }
        Wall wall{};
        if (x == 0) {
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const Pair west = parts(s_west[e * west_size], s_west[(4 + e) * west_size]);
            a[e].x += west.a;
            b[e].x += west.b;
          }
          if (c.walls) {
            wall = wall_at(first_i(c), first_j(c) + y);
            if (wall.damped()) {
#pragma unroll
              for (int e = 0; e < 4; ++e)
                if (e < count) damp(wall, 4 * c.ez + 1 + e, p[e].x, (e == 3 ? inverse_top : inverse).x * k.a[e], a[e].x, b[e].x);
            }
          }
        }
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (e == 3 && count < 4) break;
          const double2 mass = e == 3 ? inverse_top : inverse;
          const double2 p_b = make_double2(fma(mass.x * k.b[e], b[e].x, p[e].x), fma(mass.y * k.b[e], b[e].y, p[e].y));
          two(e < 3 ? s_a + e * level_stride : s_top_a) = make_double2(fma(mass.x * k.a[e], a[e].x, p[e].x), fma(mass.y * k.a[e], a[e].y, p[e].y));
          two(e < 3 ? s_b + e * level_stride : s_top_b) = p_b;
          if (!A && wall.damped()) keep_at(wall, 4 * c.ez + 1 + e, p_b.x);
        }
      }
      y += 2;
      for (double** s : {&s_a, &s_b, &s_top_a, &s_top_b}) *s += 2 * box_row;
      for (const double** s : {&s_in_a, &s_inverse, &s_inverse_top}) *s += 2 * box_row;
      s_west += 2;
    }
  }

  // The east, south or north side without its corners.
  __device__ __forceinline__ void stage_side(const Work& c, int step, int count) const {
    const int side = warp_ - 1;
    const Place at = side == 0 ? place(c, PX - 1, lane_) : place(c, lane_, side == 1 ? 0 : PY - 1);
    if (lane_ == 0 || (side == 0 && lane_ >= PY - 1)) return;
    const Coefficients k = coefficients(c, step);
    const int n = Patches::column(at.x, at.y);
    const double *s_in_a = s_.in_a_of(step)[0] + n, *s_beside = &s_.sides[side][0][0][lane_];
    const double inverse = s_.inverse[n], inverse_top = inverse_of_top(c)[n];
    const Wall wall = c.walls ? wall_at(at.i, at.j) : Wall{};
    double* const p_next = A && at.own && !in_box(at) ? g_.p_next + node_at(c, at, 1) : nullptr;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (e == 3 && count < 4) break;
      double *s_a = s_.level_of(step, c, 1 + e, 0) + n, *s_b = s_.level_of(step, c, 1 + e, 1) + n;
      const Pair r = add(parts(s_in_a[e * level_stride], *s_b), parts(s_beside[e * box_row], s_beside[(4 + e) * box_row]));
      const double mass = e == 3 ? inverse_top : inverse;
      const Pair to = stage_node(side == 0 ? s_.p_east[e][lane_][0] : *s_a, r, mass * k.a[e], mass * k.b[e], wall, 4 * c.ez + 1 + e);
      *s_a = to.a;
      *s_b = to.b;
      if (p_next && stores_level(c, 1 + e)) p_next[e * node_level()] = to.b;
    }
  }
  __device__ __forceinline__ void stage_corners(const Work& c, int step, int count) const {
    const int e = lane_ % 4, m = 1 + e;
    if (lane_ >= 16 || e >= count) return;
    const Place at = place(c, corner_x(lane_), corner_y(lane_));
    const int n = Patches::column(at.x, at.y);
    double *s_a = s_.level_of(step, c, m, 0) + n, *s_b = s_.level_of(step, c, m, 1) + n;
    const double weight = has_gravity(c, m) ? 1 : s_.weights[step % 4].inverse_wz[m], mass = (e == 3 ? inverse_of_top(c) : s_.inverse)[n];
    const auto part = [&](int q) { return parts(s_.corners[q][0][lane_], s_.corners[q][1][lane_]); };
    const Pair r = add(add(parts(s_.in_a_of(step)[e][n], *s_b), part(0)), add(part(1), part(2)));
    const Pair to = stage_node(at.x == 0 ? *s_a : s_.p_east[e][at.y][0], r, mass * (g_.ca_dt * weight), mass * (g_.cb_dt * weight),
                               c.walls ? wall_at(at.i, at.j) : Wall{}, 4 * c.ez + m);
    *s_a = to.a;
    *s_b = to.b;
    if (A && at.own && !in_box(at) && stores_level(c, m)) g_.p_next[node_at(c, at, m)] = to.b;
  }

  // Levels alone, and patches that reach beyond the mesh, node by node.
  __device__ void stage_any(const Work& c, int step, const Batch& batch) const {
    const Level* s_sums = sums_of(step, batch);
    const bool with_load = loaded(c, batch);
#pragma unroll 1
    for (int e = 0; e < batch.count; ++e) {
      const int m = batch.m + e;
      double *s_a = s_.level_of(step, c, m, 0), *s_b = s_.level_of(step, c, m, 1);
      const double* s_in_b = batch.alone ? s_sums[2] : s_b;
      const double weight = has_gravity(c, m) ? 1 : s_.weights[step % 4].inverse_wz[m];
      const double* s_inverse = has_gravity(c, m) ? s_.inverse_surface : s_.inverse;
#pragma unroll 1
      for (int n = thread_; n < nodes; n += role_threads) {
        const Place at = place(c, x_of(n), y_of(n));
        const auto over_chunks = [&](const double* part_a, const double* part_b, int level) {  // `level`: distance of levels there
          const Pair own = parts(part_a[0], part_b[0]);
          return batch.other == 0 ? own : add(own, parts(part_a[level], part_b[level]));
        };
        Pair r = over_chunks(s_sums[e] + n, s_in_b + n, level_stride);
        const bool side_x = at.x == 0 || at.x == PX - 1, side_y = at.y == 0 || at.y == PY - 1;
        if (side_x && side_y) {
          const int lane = (at.x > 0 ? 4 : 0) + (at.y > 0 ? 8 : 0) + e;
          const auto part = [&](int q) { return over_chunks(&s_.corners[q][0][lane], &s_.corners[q][1][lane], 1); };
          r = add(add(r, part(0)), add(part(1), part(2)));
        } else if (at.x == 0) {
          r = add(r, over_chunks(&s_.west[0][e][at.y], &s_.west[1][e][at.y], west_size));
        } else if (side_x || side_y) {
          const int side = side_x ? 0 : at.y == 0 ? 1 : 2, of = side_x ? at.y : at.x;
          r = add(r, over_chunks(&s_.sides[side][0][e][of], &s_.sides[side][1][e][of], box_row));
        }
        if constexpr (!A)
          if (batch.m == 0) s_.lowest_r1[step % 3][n] = s_sums[0][n];
        const Pair load = with_load && at.exists ? Pair{s_sums[1][n], s_sums[3][n]} : Pair{0, 0};
        const Wall wall = c.walls && at.exists ? wall_at(at.i, at.j) : Wall{};
        const Pair to = stage_node(at.x < PX - 1 ? s_a[n] : s_.p_east[e][at.y][0], r, s_inverse[n] * (g_.ca_dt * weight),
                                   s_inverse[n] * (g_.cb_dt * weight), wall, 4 * c.ez + m, load);
        s_a[n] = to.a;
        s_b[n] = to.b;
        if (A && at.own && !in_box(at) && stores_level(c, m)) g_.p_next[node_at(c, at, m)] = to.b;
      }
    }
  }

  __device__ Wall wall_at(int i, int j) const {
    int place = -1;
    double length = 0;
    if (v_.north && j == v_.NY - 1) place = 2 * v_.NY + v_.NX + i, length += v_.wx[i];
    if (v_.south && j == 0) place = 2 * v_.NY + i, length += v_.wx[i];
    if (v_.east && i == v_.NX - 1) place = v_.NY + j, length += v_.wy[j];
    if (v_.west && i == 0) place = j, length += v_.wy[j];
    return place < 0 ? Wall{} : Wall{place, length * v_.column(i, j)};
  }
  __device__ double damping(const Wall& wall, int k) const { return wall.column * v_.wz[k] * v_.inverse_Z; }
  __device__ double* kept(const Wall& wall, int k) const { return g_.wall + static_cast<std::int64_t>(k) * p_.wall_columns() + wall.place; }
  __device__ void keep_at(const Wall& wall, int k, double p_b) const { *kept(wall, k) = p_b; }  // whoever shares the node keeps the same bits
  // Takes the damping from the sums r_a and r_b.
  __device__ void damp(const Wall& wall, int k, double p, double coefficient_a, double& r_a, double& r_b) const {
    const double damping = this->damping(wall, k);
    r_a = fma(-damping, A ? *kept(wall, k) : p, r_a);
    r_b = fma(-damping, fma(coefficient_a, r_a, p), r_b);
  }
  __device__ __forceinline__ Pair stage_node(double p, Pair r, double coefficient_a, double coefficient_b, const Wall& wall, int k,
                                             Pair load = {0, 0}) const {
    if (wall.damped()) {
      const double damping = this->damping(wall, k);
      r.a = fma(-damping, A ? *kept(wall, k) : p, r.a) + load.a;
      r.b = fma(-damping, fma(coefficient_a, r.a, p), r.b);
    } else {
      r.a += load.a;
    }
    r.b += load.b;
    const Pair to = {fma(coefficient_a, r.a, p), fma(coefficient_b, r.b, p)};
    if (!A && wall.damped()) keep_at(wall, k, to.b);
    return to;
  }

  const SweepArgs<Patches>& g_;
  const SweepTables& tables_;
  const SweepMaps& maps_;
  const Queue& queue_;
  const Patches& p_;
  const NodeView& v_;
  Shared<A>& s_;
  int thread_, warp_, lane_;
  bool summed_;      // there are sums to stage from
  int batches_ = 0;  // so far
};

}  // namespace agwave::two_sweep
