// SPDX-License-Identifier: Apache-2.0
// Shared memory of the fused leapfrog's kernel. The kernel as a whole is described in kernel.cuh; elements, planner and tables are two_sweep's.
#pragma once
#ifndef X_PAIRS
#define X_PAIRS true
#endif
#ifndef X_REGS
#define X_REGS 184
#endif
#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/two_sweep/cuda/elements.cuh"

namespace agwave::leapfrog4 {

using two_sweep::bars, two_sweep::box_row, two_sweep::column_values, two_sweep::layer_values, two_sweep::LayerWeights, two_sweep::Level,
    two_sweep::Queue, two_sweep::SweepTables, two_sweep::west_size, two_sweep::Work;
using two_sweep::Patches;

inline constexpr int element_warps = bars, node_warps = 4, threads = 32 * (element_warps + node_warps);
inline constexpr int blocks = 2;  // of a multiprocessor: what one waits for the other one uses
// Per thread, once they are handed over (two_sweep/cuda/shared.cuh).
inline constexpr int element_registers = X_REGS, node_registers = 256 - X_REGS, launch_registers = 65536 / (blocks * threads) / 8 * 8;
static_assert(element_warps % 4 == 0 && node_warps % 4 == 0, "setmaxnreg takes groups of four warps");
static_assert(32 * (element_warps * element_registers + node_warps * node_registers) <= threads * launch_registers);

constexpr bool sums_come(Form form) { return form != Form::mixture; }
constexpr bool state_comes(Form form) { return form != Form::q; }

// What node warps ask for, one after the other: a level of a step's layer, or what another chunk has of its sums, which comes just before it.
struct Entry {
  int step, m;  // level 0..4 of the layer; 0 only of the lowest of a chunk
  bool other;
};

// Of the sums of a level in the patches around: the sides across the west and the east, the rows across the south and the north, and across these the
// nodes at the west corner, at the east corner and at the end of the row itself.
struct Perimeter {
  double west[west_size], rows[2][box_row], east[west_size], corners[2][4];
};

// Where entries come to. Elements still need the patch's own part of the sums that q is formed from: it stays until the layer is done, so two layers take
// turns.
template <Form form>
struct Slots {
  static constexpr int slots = 4;
  Level sums[sums_come(form) ? 4 : 1], psi[4], P[4];
  Perimeter perimeters[sums_come(form) ? 4 : 1];
  __device__ static int slot_of(const Entry& e) { return e.other ? (e.m == 0 ? 2 : 0) : (e.m + 3) % 4; }
  __device__ double* sums_of(const Entry& e) { return sums[slot_of(e)]; }
  __device__ Perimeter& perimeter_of(const Entry& e) { return perimeters[slot_of(e)]; }
};
template <>
struct Slots<Form::q> {
  static constexpr int slots = 11;
  Level sums[2][4], lowest[2], others;
  Perimeter perimeters[6];
  __device__ static int slot_of(const Entry& e) { return e.other ? 10 : e.m == 0 ? 8 + e.step % 2 : e.step % 2 * 4 + e.m - 1; }
  __device__ double* sums_of(const Entry& e) { return e.other ? others : e.m == 0 ? lowest[e.step % 2] : sums[e.step % 2][e.m - 1]; }
  __device__ Perimeter& perimeter_of(const Entry& e) { return perimeters[e.other ? 5 : e.m]; }
  // As elements ask for it.
  __device__ Level* in_a_of(int step) { return sums[step % 2]; }
  __device__ double* lowest_of(int step) { return lowest[step % 2]; }
};

template <Form form>
struct Shared : Slots<form> {
  using Args = SweepArgs<Patches>;
  static constexpr int fields = 1, seam_steps = 1;
  static constexpr bool keeps_flux = false, adds_own = form == Form::q, by_pairs = X_PAIRS, tells = false;

  alignas(128) Level inner[3];    // levels 1..3 of what the sweep takes K of
  alignas(128) Level between[2];  // [step] level 4, in the next step the lowest one

  std::uint64_t staged[2], gradient_done[2], layer_done[2];    // [step] by all node warps, by all element warps
  std::uint64_t seam_ready[fields][bars - 1][2];               // [lower bar][step] by the upper bar's warp
  std::uint64_t arrived[Slots<form>::slots];
  Work work[8];                                                // of the layers in work and to come, by step
  LayerWeights weights[4];                                     // by step
  alignas(16) double tables[two_sweep::lane_tables][32];       // LaneTable
  double columns[bars][column_values][32];                     // geometry of the patch
  double carry[bars][5][Patches::PX];                          // sums on the top level so far
  double seam[seam_steps][fields][bars - 1][5][Patches::PX];   // sums of the upper bar on the row they share

  __device__ Work& work_of(int step) { return work[step % 8]; }
  __device__ double* level_of(int step, const Work&, int m, int = 0) {
    return m == 0 ? between[(step + 1) % 2] : m == 4 ? between[step % 2] : inner[m - 1];
  }
};
static_assert(blocks * (sizeof(Shared<Form::q>) + 1024) <= 228 * 1024 && blocks * (sizeof(Shared<Form::next>) + 1024) <= 228 * 1024);

}  // namespace agwave::leapfrog4
