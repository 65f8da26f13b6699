// SPDX-License-Identifier: Apache-2.0
// The element role of the fused kernels: one warp takes one field of one bar of 8 elements. A lane holds the plane (y, z) of one
// element at one node, then one point, along x, in registers (contractions.cuh).
//   S: the kernel's shared memory (shared.cuh). It says how many fields there are; whether U is kept (keeps_flux), the sums begin with the patch's own part
//      of r1 (adds_own), the gradient takes rows by pairs (by_pairs), and for how many steps there are seams: one, or two that take turns.
#pragma once
#include "kernels/cuda/copy_async.cuh"
#include "timestep/two_sweep/cuda/contractions.cuh"

namespace agwave::two_sweep {

template <class S>
class ElementRole {
  using Args = typename S::Args;
  static constexpr int fields = S::fields;

 public:
  // Shuffled, so that the compiler takes the warp for uniform, and keeps the lane in a register where it would ask the device for it in every row.
  __device__ ElementRole(const Args& g, const SweepTables& tables, S& s)
      : g_(g),
        g_columns_(tables.columns),
        s_(s),
        warp_(__shfl_sync(0xffffffffu, threadIdx.x / 32, 0)),
        lane_(__shfl_sync(0xffffffffu, threadIdx.x % 32, threadIdx.x % 32)),
        field_(fields == 1 ? 0 : warp_ / bars),
        bar_(warp_ % bars) {}

  // Geometry of the layer's patch if it is a new one: each warp of a bar copies its share. To be awaited before use.
  __device__ void fetch_columns(const Work& c) const {
    if (!c.valid || !c.new_patch) return;
    meet_other_field();  // it may still be at work with the patch before
    constexpr int share = column_values / fields;
    const double* from = g_columns_ + ((static_cast<std::int64_t>(c.patch) * bars + bar_) * column_values + field_ * share) * 32 + lane_;
#pragma unroll
    for (int n = 0; n < share; ++n) copy_async<8>(&s_.columns[bar_][field_ * share + n][lane_], from + n * 32);
    close_copy_group();
  }
  __device__ void await_columns(const Work& c) const {
    if (!c.new_patch) return;
    wait_for_copies<0>();
    meet_other_field();
  }
  // U of a layer, once U' of the layer before is on its way out.
  __device__ void fetch_flux(const Work& next) {
    if constexpr (S::keeps_flux) {
      if (field_ > 0 || lane_ > 0) return;
      wait_until_read();
      if (!next.valid) return;
      expect_copies(&s_.flux_arrived[bar_], sizeof s_.flux[bar_]);
      copy_in(s_.flux[bar_], flux(next), sizeof s_.flux[bar_], &s_.flux_arrived[bar_]);
    }
  }
  __device__ void end() {
    if (S::keeps_flux) wait_until_written();
  }

  __device__ void gradient_of_layer(int step, PointVectors& d) const {
    const Work& now = s_.work_of(step);
    const int row = 4 * bar_, at = Patches::column(lane_, row), fifth = Patches::column((lane_ | 3) + 1, row) - at;
    const auto level = [&](int m) { return s_.level_of(step, now, m, field_) + at; };
    const NodeColumn own(level(0), level(1), level(4), box_row);
    const NodeColumn next(level(0) + fifth, level(1) + fifth, level(4) + fifth, lane_ < east_lane ? box_row : 1);
    if constexpr (S::by_pairs)
      gradient_by_pairs(d, own, next, s_.tables[to_points][lane_]);
    else
      gradient_by_rows(d, own, next, s_.tables[to_points][lane_]);
  }
  __device__ void divergence_of_layer(int step, PointVectors& d) {
    const Work& now = s_.work_of(step);
    const double *s_columns = &s_.columns[bar_][0][lane_], *s_geometry = s_.weights[step % 4].geometry;
    if (S::keeps_flux && field_ == 0) {
      if constexpr (S::keeps_flux) {
        wait_for_arrival(&s_.flux_arrived[bar_], step % 2);
        flux_of_gradient(d, g_.scale(0), s_columns, s_geometry, &s_.flux[bar_][2 * lane_]);
        publish();
        __syncwarp();
        if (lane_ == 0) copy_out(flux(now), s_.flux[bar_], sizeof s_.flux[bar_]);
      }
    } else {
      flux_of_gradient(d, g_.scale(field_), s_columns, s_geometry);
    }

    const double table = s_.tables[to_nodes_B][lane_], table_x = s_.tables[to_nodes_dB][lane_];
    const int source = lane_ < 4 ? 1 : lane_ - 4;  // of what the element before adds; the second lane of an element has zero
    const bool first = now.first, last = now.last;
    RowOfSums at(*this, step, now);
#pragma unroll 1
    for (int j = 0; j < 5; ++j) {
      if (j == 1) fetch_flux(s_.work_of(step + 1));
      const bool to_seam = j == 0 && bar_ > 0, from_seam = j == 4 && bar_ < bars - 1;
      double sums[5][2];
      divergence_row(sums, c_tables.rows[j], d, table, table_x, [&](double(&c)[5][2]) {
        at.next();  // not before: the stores of the row before need their addresses for a while
        if (from_seam)
          begin_at_seam(c, at, step, first, last);
        else
          begin_sums(c, at, step, j, first);
      });
#pragma unroll
      for (int k = 0; k < 5; ++k) sums[k][0] += __shfl_sync(0xffffffffu, sums[k][1], source);
      put(at.s_carry, sums[4]);
      if (to_seam)
        put_seam(sums, step);
      else
        store_row(at, sums, last);
    }
  }

 private:
  static constexpr int east_lane = 4 * (Patches::EX - 1);  // of the last element, the one that has its first node
  __device__ void meet_other_field() const {
    if constexpr (fields == 1)
      __syncwarp();
    else
      asm volatile("bar.sync %0, 64;" ::"r"(1 + bar_) : "memory");
  }
  __device__ double* flux(const Work& w) const { return g_.flux + w.flux + bar_ * bar_flux; }
  __device__ void put(double* s, const double (&c)[2]) const {  // of a row of 33 nodes, from the lane's on
    s[0] = c[0];
    if (lane_ == east_lane) s[4] = c[1];
  }
  // Where a row of sums lies at the lane's node, counted on from row to row, from the one before the bar's first. The east lane also has the last
  // node of the row, `east` places further on.
  struct RowOfSums {
    double *s_carry, *out;
    const double* s_r1;
    int east;
    __device__ RowOfSums(const ElementRole& role, int step, const Work& now) {
      const int row = 4 * role.bar_, at = Patches::column(role.lane_, row);
      s_carry = two_sweep::keep(role.s_.carry[role.warp_][0] + role.lane_) - Patches::PX;
      out = keep_global(role.g_.out(role.field_) + now.sums + at) - box_row;
      if constexpr (S::adds_own) s_r1 = two_sweep::keep(role.s_.in_a_of(step)[0] + at) - box_row;
      east = Patches::column(Patches::PX - 1, row) - Patches::column(east_lane, row) + box_row - 1;
    }
    __device__ void next() {
      s_carry = two_sweep::keep(s_carry + Patches::PX);
      out = keep_global(out + box_row);
      if constexpr (S::adds_own) s_r1 = two_sweep::keep(s_r1 + box_row);
      east -= box_row - 1;
    }
  };
  // What the sums of row j begin with: what the layer below left for level 0, and the patch's own part of r1. Level 4 is carried to the layer
  // above with it, so level 0 has it already, but for the lowest of a chunk.
  __device__ __forceinline__ void begin_sums(double (&c)[5][2], const RowOfSums& at, int step, int j, bool first) const {
    const bool end = lane_ == east_lane;
    const double* const s_r1_east = S::adds_own ? two_sweep::keep(at.s_r1 + at.east) : nullptr;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      c[k][0] = !S::adds_own || k == 0 ? 0 : at.s_r1[(k - 1) * level_stride];
      c[k][1] = 0;
      if (S::adds_own && k > 0 && end) c[k][1] = s_r1_east[(k - 1) * level_stride];
    }
    if (!first) {
      c[0][0] = at.s_carry[0];
      if (end) c[0][1] = at.s_carry[4];
    }
    if constexpr (S::adds_own)
      if (first) {
        const double* s_lowest = s_.lowest_of(step);
        c[0][0] = s_lowest[Patches::column(lane_, 4 * bar_ + j)];
        if (end) c[0][1] = s_lowest[Patches::column(Patches::PX - 1, 4 * bar_ + j)];
      }
  }
  // The row between two bars: the upper one has it first and leaves its sums, r1 with them, to the lower one, which has it last. Each carries
  // its own part of level 4.
  __device__ __forceinline__ void put_seam(const double (&sums)[5][2], int step) const {
    if (S::seam_steps == 1 && step > 0) await(s_.layer_done, step - 1);
    double* s = s_.seam[step % S::seam_steps][field_][bar_ - 1][0] + lane_;
#pragma unroll
    for (int k = 0; k < 5; ++k) s[k * Patches::PX] = sums[k][0];
    if (lane_ == east_lane) {
#pragma unroll
      for (int k = 0; k < 5; ++k) s[k * Patches::PX + 4] = sums[k][1];
    }
    arrive(s_.seam_ready[field_][bar_ - 1][step % 2]);
  }
  __device__ __forceinline__ void begin_at_seam(double (&c)[5][2], const RowOfSums& at, int step, bool first, bool last) const {
    await(s_.seam_ready[field_][bar_], step);
    const double* s = s_.seam[step % S::seam_steps][field_][bar_][0] + lane_;
    const int levels = last ? 5 : 4;
    const bool end = lane_ == east_lane;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      c[k][0] = k < levels ? s[k * Patches::PX] : 0;
      c[k][1] = 0;
      if (end && k < levels) c[k][1] = s[k * Patches::PX + 4];
    }
    if (!first) {
      c[0][0] += at.s_carry[0];
      if (end) c[0][1] += at.s_carry[4];
    }
  }
  // Level 4 is not complete before the next layer, unless there is none.
  __device__ __forceinline__ void store_row(const RowOfSums& at, const double (&sums)[5][2], bool last) const {
    double* const out_east = keep_global(at.out + at.east);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      at.out[k * Patches::level_size] = sums[k][0];
      if (lane_ == east_lane) out_east[k * Patches::level_size] = sums[k][1];
    }
    if (!last) return;
    at.out[4 * Patches::level_size] = sums[4][0];
    if (lane_ == east_lane) out_east[4 * Patches::level_size] = sums[4][1];
  }

  const Args& g_;
  const double* g_columns_;
  S& s_;
  int warp_, lane_, field_, bar_;
};

template <class S>
__device__ __forceinline__ void element_loop(const typename S::Args& g, const SweepTables& tables, const Queue& queue, S& s) {
  ElementRole<S> elements(g, tables, s);
  elements.fetch_columns(s.work_of(0));
  elements.fetch_flux(s.work_of(0));
  for (int step = 0; s.work_of(step).valid; ++step) {
    PointVectors d;
    await(s.staged, step);
    elements.gradient_of_layer(step, d);
    arrive(s.gradient_done[step % 2]);
    elements.await_columns(s.work_of(step));
    elements.divergence_of_layer(step, d);
    arrive(s.layer_done[step % 2]);
    elements.fetch_columns(s.work_of(step + 1));
    if (S::tells && (S::always_told || queue.done) && s.work_of(step).last) tell_done(queue, s.work_of(step));
  }
  elements.end();
}

// Registers move from the warps that stage nodes to those that hold planes of elements, where the device can do that.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL)
inline constexpr bool hands_over_registers = true;
#else
inline constexpr bool hands_over_registers = false;
#endif
template <int Registers, bool More>
__device__ __forceinline__ void take_registers() {
  if constexpr (hands_over_registers && More)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
  else if constexpr (hands_over_registers)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

}  // namespace agwave::two_sweep
