// SPDX-License-Identifier: Apache-2.0
// The nodes' part of the fused leapfrog's kernel: forms what a layer's elements take K of, and advances the state on the way,
//   q         -M^-1 (r - f)
//   next      P' = keep P - dt M^-1 (T - f),  psi' = psi + dt P'        NodeTables
//   mixture   of_psi psi + of_P P
// where r and T are sums over all patches and chunks that share the node, in the order of two_sweep/layout.hpp.
// Levels come one by one, by bulk copies, each asked for as soon as its place is free: those of the next layer while elements are at work with this one. A
// thread has the same nodes of every level, in pairs along x.
#pragma once
#include "timestep/leapfrog4/cuda/shared.cuh"

namespace agwave::leapfrog4 {

// The order of entries, and how far ahead they may be asked for.
template <Form form>
class EntryOrder {
 public:
  __device__ explicit EntryOrder(Shared<form>& s) : s_(s) {}
  __device__ bool exists(const Entry& e) const { return s_.work_of(e.step).valid; }
  __device__ Entry first_of(int step) const {
    const Work& c = s_.work_of(step);
    const bool lowest = c.valid && c.first;
    return {step, lowest ? 0 : 1, lowest && shared_below(c)};
  }
  __device__ Entry after(const Entry& e) const {
    if (e.other) return {e.step, e.m, false};
    if (e.m == 4) return first_of(e.step + 1);
    return {e.step, e.m + 1, e.m == 3 && shared_above(s_.work_of(e.step))};
  }
  // To the entry that last had the place, at least.
  __device__ int gap(const Entry& e) const {
    if (form == Form::q) return 2;  // of others; the rest waits for elements
    const Work& c = s_.work_of(e.step);
    if (e.other) return e.m == 0 ? 2 : 3;
    if (e.m == 0) return shared_below(c) ? 2 : 1;
    return e.m == 1 && c.first ? 2 : 4;
  }
  __device__ static bool shared_below(const Work& c) { return sums_come(form) && c.shared_below; }
  __device__ static bool shared_above(const Work& c) { return sums_come(form) && c.last && c.shared_above; }

 private:
  Shared<form>& s_;
};

template <Form form>
class NodeCopies {
 protected:
  static constexpr int PX = Patches::PX, PY = Patches::PY, level_size = Patches::level_size, role_threads = 32 * node_warps;
  static constexpr int askers = 2;  // warps that ask: the first for what bulk copies bring, the second for single values

  __device__ NodeCopies(const Shared<form>::Args& g, Shared<form>& s)
      : g_(g), p_(g.patches), s_(s), thread_(threadIdx.x - 32 * element_warps), warp_(thread_ / 32), lane_(thread_ % 32) {}

  __device__ std::int64_t level_at(const Work& c, int m) const {  // in the state
    return p_.state_at(c.patch_x, c.patch_y) + (c.sums - p_.sums_at(c.patch_x, c.patch_y)) + m * level_size;
  }
  __device__ std::int64_t across_x(bool east) const { return east ? p_.patch_sums() : -p_.patch_sums(); }  // from a patch's sums to its neighbour's
  __device__ std::int64_t across_y(bool north) const {
    const std::int64_t row = static_cast<std::int64_t>(p_.row_sums()) * p_.patch_sums();
    return north ? row : -row;
  }

  // By the two warps that ask.
  __device__ void fetch(const Entry& e) const {
    const Work& c = s_.work_of(e.step);
    std::uint64_t* const arrived = &s_.arrived[s_.slot_of(e)];
    const double* const sums = g_.in + c.sums + (e.other ? (e.m == 0 ? -1 : 5) : e.m) * level_size;
    if (warp_ == 0) {
      if (lane_ == 0) {
        const int of_sums = sums_come(form) ? level_size + west_size + 2 * box_row : 0, of_state = state_comes(form) && !e.other ? 2 * level_size : 0;
        expect_copies(arrived, 8 * (of_sums + of_state));
      }
      __syncwarp();
      if constexpr (sums_come(form)) {
        Perimeter& s_around = s_.perimeter_of(e);
        if (lane_ == 0) copy_in(s_.sums_of(e), sums, 8 * level_size, arrived);
        if (lane_ == 1) copy_in(s_around.west, sums + across_x(false) + Patches::column(PX - 1, 0), 8 * west_size, arrived);
        if (lane_ == 2) copy_in(s_around.rows[0], sums + across_y(false) + Patches::column(0, PY - 1), 8 * box_row, arrived);
        if (lane_ == 3) copy_in(s_around.rows[1], sums + across_y(true) + Patches::column(0, 0), 8 * box_row, arrived);
      }
      if constexpr (state_comes(form)) {
        const int slot = s_.slot_of(e);
        if (lane_ == 4 && !e.other) copy_in(s_.psi[slot], g_.psi + level_at(c, e.m), 8 * level_size, arrived);
        if (lane_ == 5 && !e.other) copy_in(s_.P[slot], g_.P + level_at(c, e.m), 8 * level_size, arrived);
      }
    } else if constexpr (sums_come(form)) {
      Perimeter& s_around = s_.perimeter_of(e);
      if (lane_ < PY) {
        copy_async<8>(&s_around.east[lane_], sums + across_x(true) + Patches::column(0, lane_));
      } else if (lane_ < PY + 6) {
        const int of = (lane_ - PY) % 3, side = (lane_ - PY) / 3, y = side == 0 ? PY - 1 : 0;
        const std::int64_t x = of == 0 ? across_x(false) + Patches::column(PX - 1, y) : of == 1 ? across_x(true) + Patches::column(0, y) : Patches::column(PX - 1, y);
        copy_async<8>(&s_around.corners[side][of], sums + across_y(side == 1) + x);
      }
      arrive_with_copies(arrived);
    }
  }
  // What an entry has made of the state, by one thread.
  __device__ void store(const Entry& e) const {
    if constexpr (form == Form::next) {
      const std::int64_t at = level_at(s_.work_of(e.step), e.m);
      const int slot = s_.slot_of(e);
      copy_out(g_.psi + at, s_.psi[slot], 8 * level_size);
      copy_out(g_.P + at, s_.P[slot], 8 * level_size);
    }
  }

  const typename Shared<form>::Args& g_;
  const Places<Patches>& p_;
  Shared<form>& s_;
  int thread_, warp_, lane_;
};

template <Form form>
class NodeRole : NodeCopies<form> {
  using Base = NodeCopies<form>;
  using Base::askers, Base::fetch, Base::g_, Base::lane_, Base::p_, Base::PX, Base::PY, Base::role_threads, Base::s_, Base::store, Base::thread_, Base::warp_;
  using Args = Shared<form>::Args;

 public:
  __device__ NodeRole(const Args& g, const SweepTables& tables, Shared<form>& s, two_sweep::Planner<Args>& planner)
      : Base(g, s), tables_(tables), planner_(planner), order_(s) {}

  __device__ void all() {
    put_weight(0, weight(0));
    meet();
    asked_ = order_.first_of(0);
    ask(-1);
    int number = 0;  // of an entry
    for (Entry e = order_.first_of(0); order_.exists(e); e = order_.after(e), ++number) {
      const Work& c = s_.work_of(e.step);
      if (e.m == (c.first ? 0 : 1) && e.other == (c.first && order_.shared_below(c))) begin_layer(e.step, c);
      const int slot = s_.slot_of(e);
      wait_for_arrival(&s_.arrived[slot], phases_ >> slot & 1);
      phases_ ^= 1u << slot;
      if (e.other) continue;
      if (e.m < 2 && e.step > 0 && e.m == (c.first ? 0 : 1)) two_sweep::await(s_.gradient_done, e.step - 1);  // it reads where the layer is staged
      stage(e, c);
      if (e.m == 4) arrive(s_.staged[e.step % 2]);
      publish();
      meet();
      if constexpr (form == Form::next) {  // the state goes out while the next level is staged
        if (warp_ == 0) {
          if (lane_ == 0) wait_until_read();
          __syncwarp();
        }
        ask(number - 1);
        if (thread_ == 0) store(e);
      } else {
        if (form == Form::q && e.m == 4 && e.step > 0) two_sweep::await(s_.layer_done, e.step - 1);
        if (form == Form::q && e.m == 4) done_ = e.step - 1;
        ask(number);
      }
    }
    if (form == Form::next && thread_ == 0) wait_until_written();
  }

 private:
  __device__ static void meet() {  // of all node warps
    __syncwarp();
    asm volatile("bar.sync 15, %0;" ::"n"(role_threads) : "memory");
  }
  // For all whose places are free, entries up to number `released` being done with.
  __device__ void ask(int released) {
    if (warp_ >= askers) return;
    while (order_.exists(asked_)) {
      const bool waits = form != Form::q || asked_.other;
      if (waits && asked_number_ - order_.gap(asked_) > released) return;
      if (form == Form::q && asked_.step > done_ + 2) return;
      fetch(asked_);
      asked_ = order_.after(asked_);
      ++asked_number_;
    }
  }
  __device__ void begin_layer(int step, const Work& c) {
    if (warp_ == 0 && lane_ == 0) planner_.next(s_.work_of(step + 3));
    if (warp_ == 3) put_weight(step + 1, weight(step + 1));
    if (c.new_patch) find_inverse(c);
    top_ = sums_come(form) && c.ez == g_.nodes.NZ / 4 - 1 && g_.surface.inverse;
    walls_ = c.walls;
    table_ = static_cast<int>(p_.table_at(c.patch_x, c.patch_y) / Patches::level_size);
  }
  // A layer's weights, from memory where all can read them, by one warp.
  __device__ double weight(int step) const {
    const Work& c = s_.work_of(step);
    if (!c.valid || lane_ >= 5 + layer_values) return 0;
    return __ldg(lane_ < 5 ? g_.inverse_wz + 4 * c.ez + lane_ : tables_.layers + c.ez * layer_values + lane_ - 5);
  }
  __device__ void put_weight(int step, double value) const {
    if (warp_ == 3 && lane_ < 5 + layer_values) s_.weights[step % 4].inverse_wz[lane_] = value;
  }

  // Pairs of a level: rows 0..7, rows 8..15, and of one warp the last row and the side, level by level another one.
  static constexpr int pairs = 3;
  __device__ int pair(int n) const { return 2 * (n < 2 ? thread_ + n * role_threads : 2 * role_threads + lane_); }
  __device__ bool has_last() const { return 2 * (2 * role_threads + lane_) < Patches::level_size; }
  __device__ static double2 two(const double* at) { return *reinterpret_cast<const double2*>(at); }
  __device__ static void put(double* at, double2 v) { *reinterpret_cast<double2*>(at) = v; }
  __device__ static double2 read(const double* table) { return __ldg(reinterpret_cast<const double2*>(table)); }
  __device__ double2 of_table(const double* table, int n) const { return read(table + static_cast<std::int64_t>(table_) * Patches::level_size + pair(n)); }
  __device__ void find_inverse(const Work& c) {
    if constexpr (sums_come(form)) {
      const double* const from = g_.column.inverse + p_.table_at(c.patch_x, c.patch_y);
#pragma unroll
      for (int n = 0; n < pairs; ++n)
        if (n < 2 || has_last()) inverse_[n] = read(from + pair(n));
    }
  }

  __device__ __forceinline__ void stage(const Entry& e, const Work& c) const {
    const bool shared = e.m == 0 ? order_.shared_below(c) : e.m == 4 && order_.shared_above(c);
    const bool last = warp_ == e.m % 4 && has_last();
    if (shared || e.m == 0)
      stage_level<true>(e, c, shared, last);
    else
      stage_level<false>(e, c, false, last);
  }
  template <bool Rare>  // a level with parts of two chunks, or on the floor
  __device__ __forceinline__ void stage_level(const Entry& e, const Work& c, bool shared, bool last) const {
    double* const s_to = s_.level_of(e.step, c, e.m);
    if constexpr (form == Form::mixture) {
      const int slot = s_.slot_of(e);
#pragma unroll
      for (int n = 0; n < pairs; ++n) {
        if (n == 2 && !last) break;
        const double2 psi = two(s_.psi[slot] + pair(n)), P = two(s_.P[slot] + pair(n));
        put(s_to + pair(n), make_double2(fma(g_.of_P, P.x, g_.of_psi * psi.x), fma(g_.of_P, P.y, g_.of_psi * psi.y)));
      }
    } else {
      const bool surface = top_ && e.m == 4;
      const double weight = surface ? 1 : s_.weights[e.step % 4].inverse_wz[e.m];
      double2 sum[2];
#pragma unroll
      for (int n = 0; n < 2; ++n) sum[n] = sum_of<Rare>(e, shared, n);
#pragma unroll
      for (int n = 0; n < 2; ++n) form_pair<Rare>(e, c, n, surface, weight, sum[n], s_to);
      if (last) form_pair<Rare>(e, c, 2, surface, weight, sum_of<Rare>(e, shared, 2), s_to);
    }
  }
  template <bool Rare>
  __device__ __forceinline__ void form_pair(const Entry& e, const Work& c, int n, bool surface, double weight, double2 sum, double* s_to) const {
    if (Rare && e.m == 0 && c.ez == 0 && g_.load) {
      const double2 load = of_table(g_.load, n);
      sum.x -= load.x;
      sum.y -= load.y;
    }
    double2 mass = surface ? of_table(g_.surface.inverse, n) : inverse_[n];
    mass.x *= weight;
    mass.y *= weight;
    if constexpr (form == Form::q) {
      put(s_to + pair(n), make_double2(-(mass.x * sum.x), -(mass.y * sum.y)));
    } else {
      const double dt = g_.dt;
      double *const s_P = s_.P[s_.slot_of(e)] + pair(n), *const s_psi = s_.psi[s_.slot_of(e)] + pair(n);
      double2 P = two(s_P), psi = two(s_psi);
      if (walls_) {
        const double2 keep = of_table(surface ? g_.surface.keep : g_.column.keep, n);
        P.x *= keep.x;
        P.y *= keep.y;
      }
      P.x = fma(-mass.x * dt, sum.x, P.x);
      P.y = fma(-mass.y * dt, sum.y, P.y);
      psi.x = fma(dt, P.x, psi.x);
      psi.y = fma(dt, P.y, psi.y);
      put(s_P, P);
      put(s_psi, psi);
      put(s_to + pair(n), psi);
    }
  }

  // The parts of two nodes, added: along z, then x, then y.
  template <bool Rare>
  __device__ __forceinline__ double2 sum_of(const Entry& e, bool shared, int n) const {
    const Entry other{e.step, e.m, true};
    const Perimeter &s_around = s_.perimeter_of(e), &s_around_other = s_.perimeter_of(other);
    const auto over_chunks = [&](auto&& part) { return Rare && shared ? part(s_around) + part(s_around_other) : part(s_around); };
    double2 sum = two(s_.sums_of(e) + pair(n));
    if (Rare && shared) {
      const double2 more = two(s_.sums_of(other) + pair(n));
      sum.x += more.x;
      sum.y += more.y;
    }
    if (n < 2 || lane_ < 16) {  // in a row
      const int at = thread_ % 16, y = n == 0 ? thread_ / 16 : n == 1 ? 8 + thread_ / 16 : PY - 1;
      if (at == 0) sum.x += over_chunks([=](const Perimeter& a) { return a.west[y]; });
      if (n == 2 || (n == 0 && y == 0)) {
        const int side = n == 2;
        double2 across = make_double2(over_chunks([=](const Perimeter& a) { return a.rows[side][2 * at]; }),
                                      over_chunks([=](const Perimeter& a) { return a.rows[side][2 * at + 1]; }));
        if (at == 0) across.x += over_chunks([=](const Perimeter& a) { return a.corners[side][0]; });
        sum.x += across.x;
        sum.y += across.y;
      }
    } else {  // of the east side
      const int y = 2 * (lane_ - 16);
      if (y < PY) sum.x += over_chunks([=](const Perimeter& a) { return a.east[y]; });
      if (y + 1 < PY) sum.y += over_chunks([=](const Perimeter& a) { return a.east[y + 1]; });
      if (y == 0 || y == PY - 1) {
        const int side = y > 0;
        sum.x += over_chunks([=](const Perimeter& a) { return a.corners[side][2]; }) + over_chunks([=](const Perimeter& a) { return a.corners[side][1]; });
      }
    }
    return sum;
  }

  const SweepTables& tables_;
  two_sweep::Planner<Args>& planner_;  // of the first thread
  EntryOrder<form> order_;
  Entry asked_{};         // the next to be asked for
  int asked_number_ = 0;  // its
  int done_ = -2;         // elements are done with layers up to this step, as far as has been waited for
  unsigned phases_ = 0;   // of the slots, a bit each
  // Of the layer in work.
  bool top_ = false, walls_ = false;
  int table_ = 0;
  double2 inverse_[pairs]{};
};

}  // namespace agwave::leapfrog4
