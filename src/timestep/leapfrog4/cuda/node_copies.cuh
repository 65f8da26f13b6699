// SPDX-License-Identifier: Apache-2.0
// What the fused leapfrog's node warps (nodes.cuh) bring to shared memory and send back: batches of levels, sums of neighbours, the state.
#pragma once
#include "kernels/cuda/stretches.cuh"
#include "timestep/leapfrog4/cuda/shared.cuh"

namespace agwave::leapfrog4 {

struct Batch {
  int step, m, count;  // levels m .. m + count - 1 of the step's layer
  int other;           // another chunk's part of the sums lies so many levels away, or 0
  bool alone;
};

template <Form form, class T>
class NodeCopies {
 protected:
  using Patches = PatchesOf<T>;
  static constexpr int bytes = sizeof(T), west_size = leapfrog4::west_size<T>;
  static constexpr int PX = Patches::PX, PY = Patches::PY, level_size = Patches::level_size, role_threads = 32 * node_warps;

  __device__ NodeCopies(const Shared<form, T>::Args& g, Shared<form, T>& s)
      : g_(g), p_(g.patches), s_(s), thread_(threadIdx.x - 32 * element_warps), warp_(thread_ / 32), lane_(thread_ % 32) {}

  __device__ static void meet() {  // of all node warps
    __syncwarp();
    meet_at<15, role_threads>();
  }
  // Sums of a level alone at the top of a chunk come to the next step's place: elements still need the patch's own part in that of the step.
  __device__ auto& in_of(const Batch& b) const { return s_.in_of(b.alone && b.m == 4 ? b.step + 1 : b.step); }
  __device__ static std::int64_t level_within(const Work& c, int m) { return c.within + m * level_size; }                  // a patch
  __device__ std::int64_t level_at(const Work& c, int m) const { return c.patch * p_.patch_sums() + level_within(c, m); }  // in the state
  static constexpr bool by_displacement = form == Form::part && AdvanceOf<T>::by_displacement;
  __device__ std::int64_t table(const Work& c) const { return p_.table_at(c.patch_x, c.patch_y); }
  // Rates of the floor's load, which come with the floor's level behind what it needs of the sums.
  static constexpr int first_load = 2;
  __device__ int loads_of(const Batch& b, const Work& c) const { return b.alone && b.m == 0 && c.ez == 0 && g_.load ? (g_.load.others ? 2 : 1) : 0; }
  // Of a part: what the patch begins with, or what it comes to (AdvanceOf).
  __device__ T* part_at(const Work& c, int m, int halvings) const {
    if (halvings == 0) return g_.psi + level_at(c, m);
    return g_.advance.finer + __ldg(g_.advance.at + c.patch) + (halvings - 1) * p_.patch_sums() + level_within(c, m);
  }
  __device__ bool moves() const { return g_.advance.moves.here; }  // the sweep, by what the shorter step has moved
  __device__ int begun() const { return moves() ? g_.advance.from : g_.advance.from == g_.advance.to ? g_.advance.base : g_.advance.to; }
  __device__ bool has_moved() const { return begun() > 0; }  // by displacement: else there is none yet, and none comes
  __device__ static T* part_in(auto& in) {
    if constexpr (by_displacement)
      return in.P[0];
    else
      return in.psi[0];
  }
  __device__ std::int64_t across_x(bool east) const { return east ? p_.patch_sums() : -p_.patch_sums(); }  // from a patch's sums to its neighbour's
  __device__ std::int64_t across_y(bool north) const {
    const std::int64_t row = static_cast<std::int64_t>(p_.row_sums()) * p_.patch_sums();
    return north ? row : -row;
  }

  // Its places are free. Each warp asks for its share: a copy holds up the one that asks. What comes before it is expected is reckoned with then.
  // besides: bytes that somebody else asks for.
  __device__ void fetch(const Batch& b, int besides) const {
    const Work& c = s_.work_of(b.step);
    const int parts = b.alone ? (b.other == 0 ? 1 : 2) : b.count;  // levels of sums to add
    const std::int64_t up = b.other < 0 ? -level_size : level_size;
    const T* const sums = g_.in + c.sums + b.m * level_size;
    std::uint64_t* const arrived = &s_.batch_arrived;
    auto& in = in_of(b);
    if (warp_ == 0) {
      const int own = Shared<form, T>::adds_own && !b.alone ? 4 : parts, loads = loads_of(b, c);
      if (lane_ == 0) {
        int states = states_come(form);
        if (form == Form::part) states = (by_displacement ? has_moved() : moves()) ? 2 : 1;
        int values = states * b.count * level_size;
        if (sums_come(form)) values += (own + loads) * level_size + parts * (west_size + 2 * box_row);
        expect_stretches(arrived, bytes * values + besides);
      }
      if constexpr (sums_come(form)) {
        bring_stretches(lane_, own, arrived, [&](int e) { return Stretch{in.sums[e], sums + e * up, bytes * level_size}; });
        if (loads > 0)
          bring_stretches(lane_, loads, arrived, [&](int n) {
            return Stretch{in.sums[first_load + n], (n == 0 ? g_.load.values : g_.load.others) + table(c), bytes * level_size};
          });
      }
    } else if (warp_ == 1) {
      if (sums_come(form))
        bring_stretches(lane_, 8, arrived, [&](int n) {
          const int north = n / 4, e = n % 4;
          return Stretch{s_.rows[north][e], sums + e * up + across_y(north) + Patches::column(0, north ? 0 : PY - 1),
                         e < parts ? bytes * box_row : 0};
        });
    } else {
      if constexpr (form == Form::part) {
        fetch_part(b, c, in, arrived);
      } else if constexpr (states_come(form) == 2) {
        const std::int64_t at = level_at(c, b.m);
        bring(warp_ == 2 ? in.psi[0] : in.P[0], (warp_ == 2 ? g_.psi : g_.P) + at, b.count, arrived);
      }
      if (sums_come(form) && warp_ == 2)
        bring_stretches(lane_, parts, arrived, [&](int e) {
          return Stretch{s_.west[e], sums + e * up + across_x(false) + Patches::column(PX - 1, 0), bytes * west_size};
        });
      if (sums_come(form) && warp_ == 3) fetch_single(sums, up, parts);
    }
    close_copy_group();
  }
  // What it begins with, or how far it has moved by then; by displacement psi besides, else, where the sweep moves it, what the longer step began with.
  __device__ void fetch_part(const Batch& b, const Work& c, auto& in, std::uint64_t* arrived) const {
    if (warp_ == 2 && (!by_displacement || has_moved())) bring(part_in(in), part_at(c, b.m, begun()), b.count, arrived);
    if (by_displacement && warp_ == 3) bring(in.psi[0], g_.psi + level_at(c, b.m), b.count, arrived);
    if (!by_displacement && warp_ == 3 && moves()) bring(in.P[0], part_at(c, b.m, g_.advance.base), b.count, arrived);
  }
  __device__ void bring(T* s_to, const T* from, int levels, std::uint64_t* arrived) const {
    bring_stretches(lane_, 1, arrived, [&](int) { return Stretch{s_to, from, bytes * levels * level_size}; });
  }
  // Nodes that do not lie together: across the east, and across the corners.
  __device__ void fetch_single(const T* sums, std::int64_t up, int parts) const {
    if (lane_ < PY)
#pragma unroll 1
      for (int e = 0; e < parts; ++e) copy_async<bytes>(&s_.east[e][lane_], sums + e * up + across_x(true) + Patches::column(0, lane_));
    const int e = lane_ % 4, of = lane_ / 4 % 3, north = lane_ / 12;  // across the west corner, the east corner, the row's last node
    if (lane_ < 24 && e < parts) {
      const int y = north ? 0 : PY - 1;
      const std::int64_t to = across_y(north) + (of == 0   ? across_x(false) + Patches::column(PX - 1, y)
                                                 : of == 1 ? across_x(true) + Patches::column(0, y)
                                                           : Patches::column(PX - 1, y));
      copy_async<bytes>(&s_.corners[north][of][e], sums + e * up + to);
    }
  }
  // What a batch has made of the state, by who asks for the next.
  __device__ void store(const Batch& b) const {
    if constexpr (form == Form::part) {
      if (warp_ == 2) send_stretch(lane_, part_at(s_.work_of(b.step), b.m, g_.advance.to), part_in(in_of(b)), bytes * b.count * level_size);
    }
    if constexpr (form == Form::next) {
      if (warp_ < 2) return;
      auto& in = in_of(b);
      send_stretch(lane_, (warp_ == 2 ? g_.psi : g_.P) + level_at(s_.work_of(b.step), b.m), warp_ == 2 ? in.psi[0] : in.P[0],
                   bytes * b.count * level_size);
    }
  }

  const typename Shared<form, T>::Args& g_;
  const Places<Patches>& p_;
  Shared<form, T>& s_;
  int thread_, warp_, lane_;
};

}  // namespace agwave::leapfrog4
