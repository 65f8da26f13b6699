// SPDX-License-Identifier: Apache-2.0
// The nodes' part of the fused leapfrog's kernel: forms what a layer's elements take K of, and advances the state on the way,
//   q         -M^-1 (r - f)
//   next      P' = keep P - dt M^-1 (T - f),  psi' = psi + dt P'        NodeTables
//   part      psi' = psi - rate M^-1 (T - f)                            of patches that step more finely; psi, or its displacement, as AdvanceOf says
//   mixture   of_psi psi + of_P P
// where r and T are sums over all patches and chunks that share the node, in the order of two_sweep/layout.hpp.
// A layer's levels come in batches by bulk copies: 1..4, before them the lowest of a chunk, after them one that is shared with the chunk above. A batch is
// asked for (node_copies.cuh) as soon as the one before is done with, and comes while elements are at work. A thread has the same nodes of every level,
// in pairs along x.
// by_place: the speed of sound differs (MediumByPlace). What it does to the mass comes to L2 while the batch's levels come to shared memory, and from there
// to where the thread will put its values: registers for it there are none.
#pragma once
#include "timestep/leapfrog4/cuda/node_copies.cuh"

namespace agwave::leapfrog4 {

// Two neighbours along x.
template <class T>
struct TwoOf;
template <>
struct TwoOf<double> {
  using type = double2;
};
template <>
struct TwoOf<float> {
  using type = float2;
};

template <Form form, bool by_place, class T>
class NodeRole : NodeCopies<form, T> {
  using Base = NodeCopies<form, T>;
  using Two = typename TwoOf<T>::type;
  using SweepTables = SweepTablesOf<T>;
  using Base::fetch, Base::g_, Base::in_of, Base::lane_, Base::level_at, Base::level_within, Base::meet, Base::p_, Base::PX, Base::PY,
      Base::west_size, Base::role_threads, Base::s_, Base::store, Base::thread_, Base::warp_;
  using Patches = typename Base::Patches;
  using Args = typename Shared<form, T>::Args;

 public:
  __device__ NodeRole(const Args& g, const SweepTables& tables, Shared<form, T>& s, two_sweep::Planner<Args>& planner)
      : Base(g, s), tables_(tables), planner_(planner) {}

  __device__ void all() {
    if (!s_.work_of(0).valid) return;  // other blocks have taken all
    put_weight(0, weight(0));
    meet();
    Batch b = first_of(0);
    fetch(b);
    prefetch_excess(b);
    for (int batches = 0; s_.work_of(b.step).valid; ++batches) {
      const Work& c = s_.work_of(b.step);
      const bool begins = b.m == (c.first ? 0 : 1);
      renew();
      T next_weight = 0;
      if (begins) {  // there is time while the copies come
        next_weight = weight(b.step + 1);
        if (thread_ == 0) planner_.next(s_.work_of(b.step + 3));
        if (c.new_patch) find_inverse(c);
      }
      if (begins) put_weight(b.step + 1, next_weight);
      if (begins && b.step > 0) two_sweep::await(s_.gradient_done, b.step - 1);  // it reads where the layer will be staged
      fetch_excess(b, c);
      wait_for_copies<0>();
      wait_for_arrival(&s_.batch_arrived, batches % 2);
      meet();
      stage(b);
      const Batch next = after(b);
      if (next.step > b.step) arrive(s_.staged[b.step % 2]);
      if (form == Form::next || form == Form::part) publish();
      meet();
      store(b);
      if (s_.work_of(next.step).valid) {
        // Elements have taken the patch's own part from where it comes.
        if constexpr (Shared<form, T>::adds_own) {
          const int reader = next.alone && next.m == 4 ? next.step - 1 : next.step - 2;
          if (reader >= 0) two_sweep::await(s_.layer_done, reader);
        }
        fetch(next);
        prefetch_excess(next);
      }
      b = next;
    }
    if (form == Form::next || form == Form::part) wait_until_written();
  }

 private:
  __device__ static bool shared_top(const Work& c) { return c.last && c.shared_above; }
  __device__ Batch first_of(int step) const {
    const Work& c = s_.work_of(step);
    return c.first ? Batch{step, 0, 1, c.shared_below ? -1 : 0, true} : main_of(step);
  }
  __device__ Batch main_of(int step) const { return {step, 1, shared_top(s_.work_of(step)) ? 3 : 4, 0, false}; }
  __device__ Batch after(const Batch& b) const {
    if (b.m == 0) return main_of(b.step);
    if (b.m == 1 && shared_top(s_.work_of(b.step))) return {b.step, 4, 1, 1, true};
    return first_of(b.step + 1);
  }

  // To the compiler these may have changed: what follows from them is found anew in every batch. Kept from one to the next, it would fill the registers.
  __device__ __forceinline__ void renew() { asm volatile("" : "+r"(thread_), "+r"(lane_), "+r"(warp_)); }

  // A layer's weights in two steps: from memory into a register of one warp's lanes, from there where all can read them.
  __device__ T weight(int step) const {
    const Work& c = s_.work_of(step);
    if (warp_ < 3 || !c.valid || lane_ >= 5 + layer_values) return 0;
    return __ldg(lane_ < 5 ? g_.inverse_wz + 4 * c.ez + lane_ : tables_.layers + c.ez * layer_values + lane_ - 5);
  }
  __device__ void put_weight(int step, T value) const {
    if (warp_ == 3 && lane_ < 5 + layer_values) s_.weights[step % 4].inverse_wz[lane_] = value;
  }

  // Pairs of a level: rows 0..7, rows 8..15, and the last row with the east side, of which each warp takes a level.
  static constexpr int pairs = 3;
  __device__ int pair(int n) const { return 2 * (n < 2 ? thread_ + n * role_threads : 2 * role_threads + lane_); }
  __device__ bool has(int n) const { return n < 2 || 2 * (2 * role_threads + lane_) < Patches::level_size; }
  __device__ static Two two(const T* at) { return *reinterpret_cast<const Two*>(at); }
  __device__ static Two of(T x, T y) {
    Two v;
    v.x = x;
    v.y = y;
    return v;
  }
  __device__ static void put(T* at, Two v) { *reinterpret_cast<Two*>(at) = v; }
  __device__ static Two read(const T* table) { return __ldg(reinterpret_cast<const Two*>(table)); }
  __device__ __forceinline__ void take_load(Two& sum, const T* load, std::int64_t at) const {
    const Two f = read(load + at);
    sum.x -= f.x;
    sum.y -= f.y;
  }
  __device__ std::int64_t table(const Work& c) const { return p_.table_at(c.patch_x, c.patch_y); }
  __device__ void find_inverse(const Work& c) {
    if constexpr (sums_come(form)) {
      const T* const from = g_.column.inverse + table(c);
#pragma unroll
      for (int n = 0; n < pairs; ++n)
        if (has(n)) inverse_[n] = read(from + pair(n));
      body_ = g_.body.of(c.patch);
      if constexpr (by_place) {
        share_ = g_.medium.of_walls(g_.medium.share, c.patch);
        keep_ = g_.medium.of_walls(g_.medium.keep, c.patch);
      }
      if constexpr (form == Form::q) others_ = g_.others_of(c.patch);
    }
  }

  // To where the thread will put what it makes of them: nobody else looks there, once elements are done with the step before.
  __device__ __forceinline__ void fetch_excess(const Batch& b, const Work& c) const {
    if constexpr (by_place && sums_come(form)) {
      const float* const from = g_.medium.excess + level_at(c, b.m);
      const auto fetch_pair = [&](int n, int e) {
        copy_async<8>(s_.level_of(b.step, c, b.m + e, 0) + pair(n), from + e * Patches::level_size + pair(n));
      };
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (e < b.count) fetch_pair(n, e);
      if (warp_ < b.count && has(2)) fetch_pair(2, warp_);
      close_copy_group();
    }
  }
  // To L2, while the batch's levels come.
  __device__ __forceinline__ void prefetch_excess(const Batch& b) const {
    if constexpr (by_place && sums_come(form))
      if (warp_ == 1 && lane_ == 0) prefetch(g_.medium.excess + level_at(s_.work_of(b.step), b.m), 4 * b.count * Patches::level_size);
  }
  // keep P, of walls where the speed of sound differs. On its own, for there are no registers for it beside the rest.
  __device__ void damp_walls(const Batch& b) const {
    if constexpr (by_place && form == Form::next) {
      if (!keep_) return;
      const T* const keep = keep_ + level_within(s_.work_of(b.step), b.m);
      const auto damp = [&](int n, int e) {
        T* const P = in_of(b).P[e] + pair(n);
        const Two k = read(keep + e * Patches::level_size + pair(n)), was = two(P);
        put(P, of(k.x * was.x, k.y * was.y));
      };
#pragma unroll 1
      for (int e = 0; e < b.count; ++e) {
        damp(0, e);
        damp(1, e);
        if (warp_ == e && has(2)) damp(2, e);
      }
    }
  }
  __device__ void stage(const Batch& b) const {
    damp_walls(b);
    if (b.alone)
      stage_levels<1, true>(b);
    else if (b.count == 4)
      stage_levels<4, false>(b);
    else
      stage_levels<3, false>(b);
  }
  template <int Count, bool Alone>
  __device__ __forceinline__ void stage_levels(const Batch& b) const {
    const Work& c = s_.work_of(b.step);
#pragma unroll
    for (int n = 0; n < 2; ++n) stage_pairs<Count, Alone>(b, c, n, 0);
    if (warp_ < Count && has(2)) stage_pairs<1, Alone>(b, c, 2, warp_);
  }
  // A pair on several levels at once, which wait for memory and arithmetic together.
  template <int Count, bool Alone>
  __device__ __forceinline__ void stage_pairs(const Batch& b, const Work& c, int n, int first) const {
    const int at = pair(n), lowest = Alone ? b.m : 1 + first;
    auto& in = in_of(b);
    const auto to = [&](int e) { return s_.level_of(b.step, c, lowest + e, 0) + at; };
    if constexpr (form == Form::mixture) {
#pragma unroll
      for (int e = 0; e < Count; ++e) {
        const Two psi = two(in.psi[first + e] + at), P = two(in.P[first + e] + at);
        put(to(e), of(fma(g_.of_P, P.x, g_.of_psi * psi.x), fma(g_.of_P, P.y, g_.of_psi * psi.y)));
      }
    } else {
      Two sum[Count], P[Count];
#pragma unroll
      for (int e = 0; e < Count; ++e) sum[e] = sum_of<Alone>(b, n, first + e);
      if constexpr (Alone && form == Form::q)
        if (b.m == 0) put(s_.lowest_of(b.step) + at, two(in.sums[0] + at));
      if (Alone && b.m == 0 && c.ez == 0 && g_.load) take_load(sum[0], g_.load, table(c) + at);
      if (body_) {
#pragma unroll
        for (int e = 0; e < Count; ++e) take_load(sum[e], body_, level_within(c, lowest + e) + at);
      }
      const bool top = c.ez == g_.nodes.NZ / 4 - 1 && g_.surface.inverse;
      const auto of_surface = [&](int e) { return top && lowest + e == 4; };
      if constexpr (form == Form::next) {
#pragma unroll
        for (int e = 0; e < Count; ++e) {
          P[e] = two(in.P[first + e] + at);
          if (by_place || !c.walls) continue;  // damp_walls
          const Two keep = read((of_surface(e) ? g_.surface : g_.column).keep + table(c) + at);
          P[e].x *= keep.x;
          P[e].y *= keep.y;
        }
      }
#pragma unroll
      for (int e = 0; e < Count; ++e) {
        const T weight = of_surface(e) ? 1 : s_.weights[b.step % 4].inverse_wz[lowest + e];
        Two mass = of_surface(e) ? read(g_.surface.inverse + table(c) + at) : inverse_[n];
        mass.x *= weight;
        mass.y *= weight;
        if constexpr (by_place) {
          const float2 excess = *reinterpret_cast<const float2*>(to(e));
          mass.x = fma(mass.x, static_cast<T>(excess.x), mass.x);
          mass.y = fma(mass.y, static_cast<T>(excess.y), mass.y);
          if (share_) {
            const Two share = read(share_ + level_within(c, lowest + e) + at);
            mass.x *= share.x;
            mass.y *= share.y;
          }
        }
        if constexpr (form == Form::part) {
          T* const s_part = Base::part_in(in) + (first + e) * Patches::level_size + at;
          Two part = !Base::by_displacement || this->has_moved() ? two(s_part) : of(0, 0);
          part.x = fma(-mass.x * g_.advance.rate, sum[e].x, part.x);
          part.y = fma(-mass.y * g_.advance.rate, sum[e].y, part.y);
          put(s_part, part);
          if constexpr (Base::by_displacement) {
            const Two psi = two(in.psi[first + e] + at);
            part.x += psi.x;
            part.y += psi.y;
          }
          put(to(e), part);
        } else if constexpr (form == Form::q) {
          Two q = of(-(mass.x * sum[e].x), -(mass.y * sum[e].y));
          if (others_) {
            const Two more = read(others_ + level_within(c, lowest + e) + at);
            q.x += more.x;
            q.y += more.y;
          }
          put(to(e), q);
        } else {
          P[e].x = fma(-mass.x * g_.advance.rate, sum[e].x, P[e].x);
          P[e].y = fma(-mass.y * g_.advance.rate, sum[e].y, P[e].y);
        }
      }
      if constexpr (form == Form::next) {
        Two psi[Count];
#pragma unroll
        for (int e = 0; e < Count; ++e) psi[e] = two(in.psi[first + e] + at);
#pragma unroll
        for (int e = 0; e < Count; ++e) {
          psi[e].x = fma(g_.dt, P[e].x, psi[e].x);
          psi[e].y = fma(g_.dt, P[e].y, psi[e].y);
        }
#pragma unroll
        for (int e = 0; e < Count; ++e) {
          put(in.P[first + e] + at, P[e]);
          put(in.psi[first + e] + at, psi[e]);
          put(to(e), psi[e]);
        }
      }
    }
  }

  // The parts of two nodes, added: along z, then x, then y. A level alone has another chunk's part behind its own.
  template <bool Alone>
  __device__ __forceinline__ Two sum_of(const Batch& b, int n, int e) const {
    const auto over_chunks = [&](const T* level, int stride) { return Alone && b.other != 0 ? level[0] + level[stride] : level[0]; };
    const T* const s_own = in_of(b).sums[e] + pair(n);
    Two sum = two(s_own);
    if (Alone && b.other != 0) {
      const Two more = two(s_own + two_sweep::level_stride);
      sum.x += more.x;
      sum.y += more.y;
    }
    if (n < 2 || lane_ < 16) {  // in a row
      const int at = thread_ % 16, y = n == 0 ? thread_ / 16 : n == 1 ? 8 + thread_ / 16 : PY - 1;
      if (at == 0) sum.x += over_chunks(&s_.west[e][y], west_size);
      if (n == 2 || (n == 0 && y == 0)) {
        const int side = n == 2;
        Two across = of(over_chunks(&s_.rows[side][e][2 * at], box_row), over_chunks(&s_.rows[side][e][2 * at + 1], box_row));
        if (at == 0) across.x += over_chunks(&s_.corners[side][0][e], 1);
        sum.x += across.x;
        sum.y += across.y;
      }
    } else {  // of the east side
      const int y = 2 * (lane_ - 16);
      if (y < PY) sum.x += over_chunks(&s_.east[e][y], west_size);
      if (y + 1 < PY) sum.y += over_chunks(&s_.east[e][y + 1], west_size);
      if (y == 0 || y == PY - 1) {
        const int side = y > 0;
        sum.x += over_chunks(&s_.corners[side][2][e], 1) + over_chunks(&s_.corners[side][1][e], 1);
      }
    }
    return sum;
  }

  const SweepTables& tables_;
  two_sweep::Planner<Args>& planner_;  // of the first thread
  Two inverse_[pairs]{};
  const T *share_ = nullptr, *keep_ = nullptr;   // of walls, as the patch's state lies, where by_place
  const T *body_ = nullptr, *others_ = nullptr;  // forcing of the patch, field of coarser ones' nodes, as its state lies
};

}  // namespace agwave::leapfrog4
