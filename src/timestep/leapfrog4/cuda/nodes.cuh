// SPDX-License-Identifier: Apache-2.0
// The nodes' part of the fused leapfrog's kernel: forms what a layer's elements take K of, and advances the state on the way,
//   q         -M^-1 (r - f)
//   next      P' = keep P - dt M^-1 (T - f),  psi' = psi + dt P'        NodeTablesOf
//   part      psi' = psi - rate M^-1 (T - f)                            of patches that step more finely; psi, or its displacement, as AdvanceOf says
//   mixture   of_psi psi + of_P P
// where r and T are sums over all patches and chunks that share the node, in the order of two_sweep/layout.hpp.
// A layer's levels come in batches (kernels/cuda/stretches.cuh): 1..4, before them the lowest of a chunk, after them one that is shared with the chunk above.
// A batch is asked for (node_copies.cuh) as soon as the one before is done with, and comes while elements are at work. A thread has the same nodes of every
// level, in groups of neighbours along x.
// Most layers have neither the surface nor walls nor forcing in the water: for them there is code that asks for nothing of the kind, since levels whose
// arithmetic is all of one piece wait for memory together.
// by_place: the speed of sound differs (MediumByPlaceOf). What it does to the mass comes with the batch. Where there is no room for it, and at walls, it comes
// to L2 then, and from there to where the thread will put its values: registers for it there are none.
#pragma once
#include "timestep/leapfrog4/cuda/node_groups.cuh"

namespace agwave::leapfrog4 {

template <Form form, bool by_place, class T>
class NodeRole : NodeGroups<form, T> {
  using Base = NodeGroups<form, T>;
  using typename Base::Group;
  using SweepTables = SweepTablesOf<T>;
  using Base::add, Base::each, Base::get, Base::group, Base::has, Base::N, Base::passes, Base::put, Base::read, Base::read_now, Base::scale,
      Base::take_load;
  using Base::fetch, Base::g_, Base::in_of, Base::lane_, Base::level_at, Base::level_within, Base::meet, Base::p_, Base::s_, Base::store, Base::table,
      Base::thread_, Base::warp_;
  using Patches = typename Base::Patches;
  using Args = typename Shared<form, T>::Args;

 public:
  __device__ NodeRole(const Args& g, const SweepTables& tables, const Queue& queue, Shared<form, T>& s, two_sweep::Planner<Args>& planner)
      : Base(g, s), tables_(tables), queue_(queue), planner_(planner) {}

  __device__ void all() {
    if (!s_.work_of(0).valid) return;  // other blocks have taken all
    Batch b = first_of(0);
    for (int batches = 0; s_.work_of(b.step).valid; ++batches) {
      const Work& c = s_.work_of(b.step);
      const bool begins = b.m == (c.first ? 0 : 1);
      renew();
      await_others(b);
      ask_for(b);
      renew();
      if (begins) {  // there is time while the copies come
        const T value = weight(b.step);
        if (thread_ == 0) plan(b.step);
        if (c.new_patch) find_inverse(c);
        put_weight(b.step, value);
      }
      if (begins && b.step > 0) two_sweep::await(s_.gradient_done, b.step - 1);  // it reads where the layer will be staged
      fetch_excess(b, c);
      fetch_surface(b, c);
      fetch_moved(b, c);
      wait_for_copies<0>();
      await_stretches(&s_.batch_arrived, batches % 2);
      meet();
      stage(b);
      const Batch next = after(b);
      if (next.step > b.step) arrive(s_.staged[b.step % 2]);
      if (form == Form::next || form == Form::part) publish();
      meet();
      store(b);
      if (Shared<form, T>::adds_own && s_.work_of(next.step).valid) {  // elements have taken the patch's own part from where it comes
        const int reader = next.alone && next.m == 4 ? next.step - 1 : next.step - 2;
        if (reader >= 0) two_sweep::await(s_.layer_done, reader);
        if (Shared<form, T>::single && !b.alone && !next.alone) hand_on_top(b);
      }
      b = next;
    }
    if (form == Form::next || form == Form::part) await_sent();
  }

 private:
  // By every warp, for every one asks for copies: what q is still at work on, and ghosts.
  __device__ void await_others(const Batch& b) const {
    if (form == Form::next && queue_.done && b.m == 0) two_sweep::await_neighbours(queue_, p_, s_.work_of(b.step));
    if (sums_come(form) && b.m == 0 && s_.work_of(b.step).gated) two_sweep::await_ghosts(queue_.gate, warp_ == 0);
  }
  __device__ static bool shared_top(const Work& c) { return c.last && c.shared_above; }
  // The patch's own part of the sums on a layer's top level is that on the lowest one of the layer above.
  __device__ void hand_on_top(const Batch& b) const {
    if constexpr (Shared<form, T>::adds_own) {
      const T* const from = in_of(b).sums[3];
      T* const to = s_.lowest_of(b.step + 1);
#pragma unroll
      for (int n = 0; n < passes; ++n) put(to + group(n), get(from + group(n)));
      if (warp_ == 3 && has(passes)) put(to + group(passes), get(from + group(passes)));
    }
  }
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

  // Of what the block works on three steps are known ahead; of the first there was no time for more.
  __device__ __forceinline__ void plan(int step) const {
#pragma unroll 1
    for (int ahead = step == 0 ? 1 : 3; ahead <= 3; ++ahead) planner_.next(s_.work_of(step + ahead), s_.work_of(step + ahead - 1));
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

  __device__ void find_inverse(const Work& c) {
    if constexpr (sums_come(form)) {
      const T* const from = g_.column.inverse + table(c);
#pragma unroll
      for (int n = 0; n <= passes; ++n)
        if (has(n)) inverse_[n] = read(from + group(n));
      body_ = g_.body.of(c.patch);
      if constexpr (by_place) {
        share_ = g_.medium.of_walls(g_.medium.share, c.patch);
        keep_ = g_.medium.of_walls(g_.medium.keep, c.patch);
      }
      if constexpr (form == Form::q) others_ = g_.others_of(c.patch);
    }
  }

  using ExcessOf = std::conditional_t<N == 4, float4, float2>;
  static constexpr bool share_has_medium = MediumByPlaceOf<T>::share_has_medium, brings_excess = by_place && Shared<form, T>::has_room_for_excess;
  __device__ __forceinline__ void ask_for(const Batch& b) const {
    int besides = 0;
    if constexpr (brings_excess) {
      const float* const from = g_.medium.excess + level_at(s_.work_of(b.step), b.m);
      besides = static_cast<int>(sizeof(float)) * b.count * Patches::level_size;
      if (warp_ == 2) bring_stretches(lane_, 1, &s_.batch_arrived, [&](int) { return Stretch{s_.excess[0], from, besides}; });
    }
    fetch(b, besides);
    prefetch_excess(b);
    prefetch_tables(b);
    prefetch_moved(b);
  }
  // To where the thread will put what it makes of them: nobody else looks there, once elements are done with the step before.
  __device__ __forceinline__ void fetch_excess(const Batch& b, const Work& c) const {
    if constexpr (by_place && sums_come(form)) {
      if (share_has_medium && share_)
        fetch_groups<16>(b, c, share_ + level_within(c, b.m));
      else if (!brings_excess)
        fetch_groups<4 * N>(b, c, g_.medium.excess + level_at(c, b.m));
      close_copy_group();
    }
  }
  // Likewise of a surface with gravity its inverse mass, where nothing of the medium comes there.
  static constexpr bool brings_surface = sums_come(form) && !by_place;
  __device__ __forceinline__ void fetch_surface(const Batch& b, const Work& c) const {
    if constexpr (brings_surface) {
      if (b.alone || !has_surface(c)) return;
      fetch_level<16>(b, c, 3, g_.surface.inverse + table(c));
      close_copy_group();
    }
  }
  // Likewise what the shorter step began with, where the sweep moves P by what it has moved.
  static constexpr bool may_move_rate = form == Form::next && !by_place;
  __device__ __forceinline__ void fetch_moved(const Batch& b, const Work& c) const {
    if constexpr (may_move_rate) {
      if (!this->moves()) return;
      const T* const from = this->part_at(c, b.m, 1);
      const int count = brings_surface && !b.alone && has_surface(c) ? 3 : b.count;
#pragma unroll 1
      for (int e = 0; e < count; ++e) fetch_level<16>(b, c, e, from + e * Patches::level_size);
      close_copy_group();
    }
  }
  __device__ __forceinline__ void prefetch_moved(const Batch& b) const {
    if constexpr (may_move_rate)
      if (warp_ == 1 && lane_ == 0 && this->moves()) prefetch(this->part_at(s_.work_of(b.step), b.m, 1), Base::bytes * b.count * Patches::level_size);
  }
  template <int Bytes, class Value>
  __device__ __forceinline__ void fetch_groups(const Batch& b, const Work& c, const Value* from) const {
#pragma unroll 1
    for (int e = 0; e < b.count; ++e) fetch_level<Bytes>(b, c, e, from + e * Patches::level_size);
  }
  template <int Bytes, class Value>
  __device__ __forceinline__ void fetch_level(const Batch& b, const Work& c, int e, const Value* level) const {
    T* const to = s_.level_of(b.step, c, b.m + e, 0);
#pragma unroll
    for (int n = 0; n < passes; ++n) copy_async<Bytes>(to + group(n), level + group(n));
    if (warp_ == e && has(passes)) copy_async<Bytes>(to + group(passes), level + group(passes));
  }
  // To L2, while the batch's levels come.
  __device__ __forceinline__ void prefetch_excess(const Batch& b) const {
    if constexpr (by_place && sums_come(form)) {
      if (warp_ != 1 || lane_ > 0) return;
      const Work& c = s_.work_of(b.step);
      const int values = b.count * Patches::level_size;
      const bool walls = share_ && !c.new_patch;  // of a new patch they are not known yet
      if (!brings_excess && (!share_has_medium || !walls)) prefetch(g_.medium.excess + level_at(c, b.m), 4 * values);
      if (!walls) return;
      prefetch(share_ + level_within(c, b.m), Base::bytes * values);
      if (keep_) prefetch(keep_ + level_within(c, b.m), Base::bytes * values);
    }
  }
  // Of the surface that is about to be staged, and of the patch that comes next.
  __device__ __forceinline__ void prefetch_tables(const Batch& b) const {
    if constexpr (sums_come(form)) {
      if (warp_ != 0 || lane_ > 0 || b.alone) return;
      const Work &c = s_.work_of(b.step), &next = s_.work_of(b.step + 1);
      if (has_surface(c)) prefetch(g_.surface.inverse + table(c), Base::bytes * Patches::level_size);
      if (b.step > 0 && next.valid && next.new_patch) prefetch(g_.column.inverse + table(next), Base::bytes * Patches::level_size);
    }
  }
  // Levels of a batch: in double precision all at once; pair by pair where speeds differ, and in single precision. Passes follow one another in a
  // loop: what runs in a layer just fits into the instruction cache, and what does not is waited for.
  __device__ void stage(const Batch& b) {
    const Work& c = s_.work_of(b.step);
    if (b.alone)
      stage_levels<1, true, true>(b, c);
    else if (has_surface(c) || body_ || others_ || (may_move_rate && this->moves()) || (by_place ? share_ != nullptr : c.walls))
      stage_main<true>(b, c);
    else
      stage_main<false>(b, c);
  }
  __device__ bool has_surface(const Work& c) const { return c.ez == g_.nodes.NZ / 4 - 1 && g_.surface.inverse; }
  // Special: with the surface, walls or forcing in the water.
  template <bool Special>
  __device__ __forceinline__ void stage_main(const Batch& b, const Work& c) {
    renew();  // the other code has places of its own
    if constexpr (N == 4 || by_place)
      stage_pairs_of_levels<Special>(b, c);
    else if (b.count == 4)
      stage_levels<4, false, Special>(b, c);
    else
      stage_levels<3, false, Special>(b, c);
  }
  template <int Count, bool Alone, bool Special>
  __device__ __forceinline__ void stage_levels(const Batch& b, const Work& c) const {
#pragma unroll 1
    for (int n = 0; n < passes; ++n) stage_groups<Count, Alone, Special>(b, c, n, 0);
    if (warp_ < Count && has(passes)) stage_groups<1, Alone, Special>(b, c, passes, warp_);
  }
  template <bool Special>
  __device__ __forceinline__ void stage_pairs_of_levels(const Batch& b, const Work& c) const {
#pragma unroll 1
    for (int n = 0; n < passes; ++n) {
      int first = 0;
#pragma unroll 1
      for (; first + 2 <= b.count; first += 2) stage_groups<2, false, Special>(b, c, n, first);
      if (first < b.count) stage_groups<1, false, Special>(b, c, n, first);
    }
    if (warp_ < b.count && has(passes)) stage_groups<1, false, Special>(b, c, passes, warp_);
  }
  __device__ __forceinline__ Group inverse_of(int n) const {
    Group found = inverse_[passes];
#pragma unroll
    for (int i = 0; i < passes; ++i)
      if (n == i) found = inverse_[i];
    return found;
  }
  // A group on several levels at once, which wait for memory and arithmetic together.
  template <int Count, bool Alone, bool Special>
  __device__ __forceinline__ void stage_groups(const Batch& b, const Work& c, int n, int first) const {
    const int at = group(n), lowest = Alone ? b.m : 1 + first;
    auto& in = in_of(b);
    const auto to = [&](int e) { return s_.level_of(b.step, c, lowest + e, 0) + at; };
    const auto excess_of = [&](int e) {
      if constexpr (brings_excess)
        return reinterpret_cast<const ExcessOf*>(s_.excess[first + e] + at);
      else
        return reinterpret_cast<const ExcessOf*>(to(e));
    };
    if constexpr (form == Form::mixture) {
#pragma unroll
      for (int e = 0; e < Count; ++e) {
        Group psi = get(in.psi[first + e] + at);
        const Group P = get(in.P[first + e] + at);
        each([&](int m) { psi.v[m] = fma(g_.of_P, P.v[m], g_.of_psi * psi.v[m]); });
        put(to(e), psi);
      }
    } else {
      Group sum[Count], P[Count];
#pragma unroll
      for (int e = 0; e < Count; ++e) sum[e] = this->template sum_of<Alone>(b, n, first + e);
      if constexpr (Alone && form == Form::q)
        if (b.m == 0) put(s_.lowest_of(b.step) + at, get(in.sums[0] + at));
      if constexpr (Alone)
        if (const int loads = this->loads_of(b, c); loads > 0) this->take_floor_load(sum[0], in.sums + Base::first_load, loads, at);
      if (Special && body_) {
#pragma unroll
        for (int e = 0; e < Count; ++e) take_load(sum[e], body_, level_within(c, lowest + e) + at);
      }
      const bool top = Special && has_surface(c);
      const auto of_surface = [&](int e) { return top && lowest + e == 4; };
      if constexpr (form == Form::next) {
#pragma unroll
        for (int e = 0; e < Count; ++e) {
          P[e] = get(in.P[first + e] + at);
          if constexpr (by_place) {
            if (Special && keep_) scale(P[e], read(keep_ + level_within(c, lowest + e) + at));
          } else if (Special && c.walls) {
            scale(P[e], read((of_surface(e) ? g_.surface : g_.column).keep + table(c) + at));
          }
          if constexpr (may_move_rate)
            if (Special && this->moves()) {
              const Group began = of_surface(e) ? read_now(this->part_at(c, lowest + e, 1) + at) : get(to(e));
              move_rate(P[e], began, get(in.psi[first + e] + at), c, of_surface(e), at);
            }
        }
      }
#pragma unroll
      for (int e = 0; e < Count; ++e) {
        const T weight = of_surface(e) ? 1 : s_.weights[b.step % 4].inverse_wz[lowest + e];
        Group mass = !of_surface(e) ? inverse_of(n) : brings_surface ? get(to(e)) : read(g_.surface.inverse + table(c) + at);
        each([&](int m) { mass.v[m] *= weight; });
        if constexpr (by_place) {
          if (Special && share_has_medium && share_) {
            scale(mass, get(to(e)));
          } else {
            float excess[N];
            *reinterpret_cast<ExcessOf*>(excess) = *excess_of(e);
            each([&](int m) { mass.v[m] = fma(mass.v[m], static_cast<T>(excess[m]), mass.v[m]); });
            if (Special && share_) scale(mass, read(share_ + level_within(c, lowest + e) + at));
          }
        }
        if constexpr (form == Form::part) {
          T* const s_part = Base::part_in(in) + (first + e) * Patches::level_size + at;
          Group part = !Base::by_displacement || this->has_moved() ? get(s_part) : Group{};
          if (this->moves()) {
            Group before{};
            if constexpr (!Base::by_displacement) before = get(in.P[first + e] + at);
            each([&](int m) { part.v[m] = fma(g_.advance.stiffening, moved_by(part.v[m], before.v[m]), before.v[m]); });
          }
          each([&](int m) { part.v[m] = fma(-mass.v[m] * g_.advance.rate, sum[e].v[m], part.v[m]); });
          put(s_part, part);
          if constexpr (Base::by_displacement) add(part, get(in.psi[first + e] + at));
          put(to(e), part);
        } else if constexpr (form == Form::q) {
          each([&](int m) { mass.v[m] = -(mass.v[m] * sum[e].v[m]); });
          if (Special && others_) add(mass, read_now(others_ + level_within(c, lowest + e) + at));
          put(to(e), mass);
        } else {
          each([&](int m) { P[e].v[m] = fma(-mass.v[m] * g_.advance.rate, sum[e].v[m], P[e].v[m]); });
        }
      }
      if constexpr (form == Form::next) {
        Group psi[Count];
#pragma unroll
        for (int e = 0; e < Count; ++e) psi[e] = get(in.psi[first + e] + at);
#pragma unroll
        for (int e = 0; e < Count; ++e) each([&](int m) { psi[e].v[m] = fma(g_.dt, P[e].v[m], psi[e].v[m]); });
#pragma unroll
        for (int e = 0; e < Count; ++e) {
          put(in.P[first + e] + at, P[e]);
          put(in.psi[first + e] + at, psi[e]);
          put(to(e), psi[e]);
        }
      }
    }
  }

  // As leapfrog4::moved_by(), of one step.
  __device__ __forceinline__ T moved_by(T began, T before) const {
    const T z = fma(g_.advance.moves.softening, began - before, T(0));
    return z + z;
  }
  // As rate_of_ends(), of a rate that walls have kept their part of.
  __device__ __forceinline__ void move_rate(Group& P, const Group& began, const Group& psi, const Work& c, bool surface, int at) const {
    Group given;
    each([&](int m) { given.v[m] = 1; });
    if (c.walls) given = read((surface ? g_.advance.given_surface : g_.advance.given) + table(c) + at);
    each([&](int m) {
      const T before = AdvanceOf<T>::by_displacement ? T(0) : psi.v[m];
      P.v[m] = fma(given.v[m], g_.advance.moves.per_step * moved_by(began.v[m], before), P.v[m]);
    });
  }

  const SweepTables& tables_;
  const Queue& queue_;
  two_sweep::Planner<Args>& planner_;  // of the first thread
  Group inverse_[passes + 1]{};
  const T *share_ = nullptr, *keep_ = nullptr;   // of walls, as the patch's state lies, where by_place
  const T *body_ = nullptr, *others_ = nullptr;  // forcing of the patch, field of coarser ones' nodes, as its state lies
};

}  // namespace agwave::leapfrog4
