// SPDX-License-Identifier: Apache-2.0
// The arithmetic of node warps of the two-sweep kernel (nodes.cuh): a batch of levels from p and sums to staged pressures, in place.
#pragma once
#include "timestep/two_sweep/cuda/node_copies.cuh"

namespace agwave::two_sweep {

// by_place: the speed of sound differs; nodes are staged one by one then (stage_any).
template <bool A, bool by_place>
class NodeStaging : protected NodeCopies<A> {
 protected:
  using Base = NodeCopies<A>;
  using Base::corner_x, Base::corner_y, Base::first_i, Base::first_j, Base::g_, Base::has_gravity, Base::in_box, Base::lane_, Base::loaded,
      Base::node_at, Base::node_level, Base::nodes, Base::p_, Base::node, Base::PX, Base::PY, Base::role_threads, Base::s_, Base::store_beside_box,
      Base::stores_level, Base::sums_of, Base::thread_, Base::v_, Base::warp_, Base::x_of, Base::y_of;

  using typename Base::Batch, typename Base::Node;
  static constexpr int row_tasks = 2;  // of a warp: two rows inside the patch each, two nodes of a row per lane
  static_assert(2 * row_tasks * node_warps == PY - 1);

  struct Pair {
    double a, b;
  };
  __device__ static Pair add(Pair u, Pair v) { return {u.a + v.a, u.b + v.b}; }
  __device__ static double staged(double p, double coefficient, double r) { return fma(coefficient, r, p); }
  __device__ static Pair parts(double in_a, double in_b) { return {in_a, A ? in_b : in_a + in_b}; }

  struct Wall {  // a column of nodes: its number among the damped ones, length times depth
    int number = -1;
    double column = 0;
    __device__ bool damped() const { return number >= 0; }
  };

  using Base::Base;

  // p of a node on level e of a batch; that of the east side does not come to where p_a will be.
  __device__ double pressure(const Node& at, const double& in_place, int e) const { return at.x < PX - 1 ? in_place : s_.p_east[e][at.y][0]; }

  // Where there are no sums: p_a = p_b = p.
  __device__ void keep(const Work& c, int step, const Batch& batch) const {
    for (int e = 0; e < batch.count; ++e) {
      const int m = batch.m + e;
      double *s_a = s_.level_of(step, c, m, 0), *s_b = s_.level_of(step, c, m, 1);
      for (int n = thread_; n < nodes; n += role_threads) {
        const Node at = node(c, x_of(n), y_of(n));
        const double p = pressure(at, s_a[n], e);
        s_a[n] = s_b[n] = p;
        store_beside_box(c, at, m, p);
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
  __device__ const double* inverse_of(const Work& c, int m) const { return has_gravity(c, m) ? s_.inverse_surface : s_.inverse; }
  __device__ double weight_of(const Work& c, int step, int m) const { return has_gravity(c, m) ? 1 : s_.weights[step % 4].inverse_wz[m]; }

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
    const double *s_in_a = s_.in_a_of(step)[0] + n, *s_inverse = s_.inverse + n, *s_inverse_top = inverse_of(c, 4) + n, *s_west = &s_.west[0][0][y];
#pragma unroll 1
    for (int task = 0; task < row_tasks; ++task) {
      if (y < PY - 1) {
        double2 p[4], a[4], b[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          p[e] = two(e < 3 ? s_a + e * level_stride : s_top_a);
          a[e] = two(s_in_a + e * level_stride);
          b[e] = two(e < 3 ? s_b + e * level_stride : s_top_b);
          if constexpr (!A) b[e] = make_double2(a[e].x + b[e].x, a[e].y + b[e].y);
        }
        const double2 inverse = two(s_inverse), inverse_top = two(s_inverse_top);
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
          const double2 p_b = make_double2(staged(p[e].x, mass.x * k.b[e], b[e].x), staged(p[e].y, mass.y * k.b[e], b[e].y));
          two(e < 3 ? s_a + e * level_stride : s_top_a) =
              make_double2(staged(p[e].x, mass.x * k.a[e], a[e].x), staged(p[e].y, mass.y * k.a[e], a[e].y));
          two(e < 3 ? s_b + e * level_stride : s_top_b) = p_b;
          if (!A && wall.damped()) *kept(wall, 4 * c.ez + 1 + e) = p_b.x;
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
    const Node at = side == 0 ? node(c, PX - 1, lane_) : node(c, lane_, side == 1 ? 0 : PY - 1);
    if (lane_ == 0 || (side == 0 && lane_ >= PY - 1)) return;
    const Coefficients k = coefficients(c, step);
    const int n = Patches::column(at.x, at.y);
    const double *s_in_a = s_.in_a_of(step)[0] + n, *s_beside = &s_.sides[side][0][0][lane_];
    const double inverse = s_.inverse[n], inverse_top = inverse_of(c, 4)[n];
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
    const Node at = node(c, corner_x(lane_), corner_y(lane_));
    const int n = Patches::column(at.x, at.y);
    double *s_a = s_.level_of(step, c, m, 0) + n, *s_b = s_.level_of(step, c, m, 1) + n;
    const double weight = weight_of(c, step, m), mass = (e == 3 ? inverse_of(c, 4) : s_.inverse)[n];
    const auto part = [&](int q) { return parts(s_.corners[q][0][lane_], s_.corners[q][1][lane_]); };
    const Pair r = add(add(parts(s_.in_a_of(step)[e][n], *s_b), part(0)), add(part(1), part(2)));
    const Pair to = stage_node(pressure(at, *s_a, e), r, mass * (g_.ca_dt * weight), mass * (g_.cb_dt * weight),
                               c.walls ? wall_at(at.i, at.j) : Wall{}, 4 * c.ez + m);
    *s_a = to.a;
    *s_b = to.b;
    store_beside_box(c, at, m, to.b);
  }

  // The inside of a level alone, where all nodes of the patch exist: with another chunk's part of the sums or the load on the floor.
  __device__ __forceinline__ void stage_inside(const Work& c, int step, const Batch& batch) const {
    const Level* s_sums = sums_of(step, batch);
    const bool with_load = loaded(c, batch);
    const double weight = weight_of(c, step, batch.m), k_a = g_.ca_dt * weight, k_b = g_.cb_dt * weight;
    const double* s_inverse = inverse_of(c, batch.m);
    double *s_a = s_.level_of(step, c, batch.m, 0), *s_b = s_.level_of(step, c, batch.m, 1);
#pragma unroll 1
    for (int task = thread_; task < 16 * (PY - 2); task += role_threads) {
      const int x = task % 16 * 2, n = Patches::column(x, 1 + task / 16);
      const double2 p = x > 0 ? two(s_a + n) : make_double2(0, s_a[n + 1]);  // the west node is on the side, and another's
      const double2 mass = two(s_inverse + n), own_a = two(s_sums[0] + n), own_b = two(s_sums[2] + n);
      Pair r[2] = {parts(own_a.x, own_b.x), parts(own_a.y, own_b.y)};
      if (batch.other != 0 || with_load) {
        const double2 more_a = two(s_sums[1] + n), more_b = two(s_sums[3] + n);
        r[0] = add(r[0], with_load ? Pair{more_a.x, more_b.x} : parts(more_a.x, more_b.x));
        r[1] = add(r[1], with_load ? Pair{more_a.y, more_b.y} : parts(more_a.y, more_b.y));
      }
      const Pair to[2] = {{staged(p.x, mass.x * k_a, r[0].a), staged(p.x, mass.x * k_b, r[0].b)},
                          {staged(p.y, mass.y * k_a, r[1].a), staged(p.y, mass.y * k_b, r[1].b)}};
      if (x > 0) {
        two(s_a + n) = make_double2(to[0].a, to[1].a);
        two(s_b + n) = make_double2(to[0].b, to[1].b);
      } else {
        s_a[n + 1] = to[1].a;
        s_b[n + 1] = to[1].b;
      }
      if constexpr (!A)
        if (batch.m == 0) two(s_.lowest_of(step) + n) = own_a;
    }
  }
  static constexpr int side_nodes = 2 * (PX + PY - 2);
  __device__ static int side_x(int n) { return n < 2 * PX ? n % PX : n < 2 * PX + PY - 2 ? 0 : PX - 1; }
  __device__ static int side_y(int n) { return n < PX ? 0 : n < 2 * PX ? PY - 1 : 1 + (n - 2 * PX) % (PY - 2); }

  // Levels alone, and patches that reach beyond the mesh, node by node: all, or those on the patch's sides.
  __device__ void stage_any(const Work& c, int step, const Batch& batch, bool sides) const {
    const Level* s_sums = sums_of(step, batch);
    const bool with_load = loaded(c, batch);
#pragma unroll 1
    for (int e = 0; e < batch.count; ++e) {
      const int m = batch.m + e;
      double *s_a = s_.level_of(step, c, m, 0), *s_b = s_.level_of(step, c, m, 1);
      const double* s_in_b = batch.alone ? s_sums[2] : s_b;
      const double weight = weight_of(c, step, m);
      const double* s_inverse = inverse_of(c, m);
#pragma unroll 1
      for (int q = thread_; q < (sides ? side_nodes : nodes); q += role_threads) {
        const Node at = sides ? node(c, side_x(q), side_y(q)) : node(c, x_of(q), y_of(q));
        const int n = Patches::column(at.x, at.y);
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
          if (batch.m == 0) s_.lowest_of(step)[n] = s_sums[0][n];
        const Pair load = with_load && at.exists ? Pair{s_sums[1][n], s_sums[3][n]} : Pair{0, 0};
        Wall wall = c.walls && at.exists ? wall_at(at.i, at.j) : Wall{};
        double mass = s_inverse[n];
        if constexpr (by_place) {
          if (at.exists) {
            const double stretch = v_.stretch(at.i, at.j, 4 * c.ez + m);
            if (!has_gravity(c, m)) mass *= stretch;
            wall.column /= sqrt(stretch);
          }
        }
        const Pair to = stage_node(pressure(at, s_a[n], e), r, mass * (g_.ca_dt * weight), mass * (g_.cb_dt * weight), wall, 4 * c.ez + m, load);
        s_a[n] = to.a;
        s_b[n] = to.b;
        store_beside_box(c, at, m, to.b);
      }
    }
  }

  __device__ Wall wall_at(int i, int j) const {
    int number = -1;
    double length = 0;
    if (v_.north && j == v_.NY - 1) number = 2 * v_.NY + v_.NX + i, length += v_.wx[i];
    if (v_.south && j == 0) number = 2 * v_.NY + i, length += v_.wx[i];
    if (v_.east && i == v_.NX - 1) number = v_.NY + j, length += v_.wy[j];
    if (v_.west && i == 0) number = j, length += v_.wy[j];
    return number < 0 ? Wall{} : Wall{number, length * v_.column(i, j)};
  }
  __device__ double damping(const Wall& wall, int k) const { return wall.column * v_.wz[k] * v_.inverse_Z; }
  // Whoever shares the node keeps the same bits.
  __device__ double* kept(const Wall& wall, int k) const { return g_.wall + static_cast<std::int64_t>(k) * p_.wall_columns() + wall.number; }
  // Takes the damping from the sums, and adds the load to that of a.
  __device__ __forceinline__ void damp(const Wall& wall, int k, double p, double coefficient_a, double& r_a, double& r_b,
                                       const Pair* load = nullptr) const {
    const double damping = this->damping(wall, k);
    r_a = fma(-damping, A ? *kept(wall, k) : p, r_a);
    if (load) r_a += load->a;
    r_b = fma(-damping, staged(p, coefficient_a, r_a), r_b);
  }
  __device__ __forceinline__ Pair stage_node(double p, Pair r, double coefficient_a, double coefficient_b, const Wall& wall, int k,
                                             Pair load = {0, 0}) const {
    if (wall.damped())
      damp(wall, k, p, coefficient_a, r.a, r.b, &load);
    else
      r.a += load.a;
    r.b += load.b;
    const Pair to = {staged(p, coefficient_a, r.a), staged(p, coefficient_b, r.b)};
    if (!A && wall.damped()) *kept(wall, k) = to.b;
    return to;
  }
};

}  // namespace agwave::two_sweep
