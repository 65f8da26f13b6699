// SPDX-License-Identifier: Apache-2.0
// Shared memory of the fused leapfrog's kernel. The kernel as a whole is described in kernel.cuh; elements, planner and tables are two_sweep's.
#pragma once
#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/two_sweep/cuda/elements.cuh"

namespace agwave::leapfrog4 {

using two_sweep::bars, two_sweep::box_row, two_sweep::column_values, two_sweep::layer_values, two_sweep::LayerWeights, two_sweep::Level,
    two_sweep::Queue, two_sweep::SweepTables, two_sweep::west_size, two_sweep::Work;
using two_sweep::Patches;

inline constexpr int element_warps = bars, node_warps = 4, threads = 32 * (element_warps + node_warps);
inline constexpr int blocks = 2;  // of a multiprocessor: what one waits for the other one uses
// Per thread, once they are handed over (two_sweep/cuda/shared.cuh).
inline constexpr int element_registers = 152, node_registers = 104, launch_registers = 65536 / (blocks * threads) / 8 * 8;
static_assert(element_warps % 4 == 0 && node_warps % 4 == 0, "setmaxnreg takes groups of four warps");
static_assert(32 * (element_warps * element_registers + node_warps * node_registers) <= threads * launch_registers);

constexpr bool sums_come(Form form) { return form != Form::mixture; }
constexpr int states_come(Form form) { return form == Form::q ? 0 : form == Form::part ? 1 : 2; }

// What comes of levels 1..4, or of one alone, for each that a form needs.
template <bool>
struct SumsIn {};
template <>
struct SumsIn<true> {
  Level sums[4];
};
template <int>
struct StateIn {};  // as they lie in memory, for one copy
template <>
struct StateIn<1> {
  double psi[4][Patches::level_size];
};
template <>
struct StateIn<2> : StateIn<1> {
  double P[4][Patches::level_size];
};
// The patch's own part of the sums on the lowest level of a chunk, by step.
template <bool Kept>
struct OwnLowest {};
template <>
struct OwnLowest<true> {
  Level own_lowest[2];
  __device__ double* lowest_of(int step) { return own_lowest[step % 2]; }
};

template <Form form>
struct Shared : OwnLowest<form == Form::q> {
  using Args = SweepArgs<Patches>;
  static constexpr int fields = 1, seam_steps = 1;
  static constexpr bool keeps_flux = false, adds_own = form == Form::q, by_pairs = true, tells = false;
  static constexpr int turns = adds_own ? 2 : 1;  // elements still read the patch's own part when the next layer's comes

  alignas(128) Level inner[3];    // levels 1..3 of what the sweep takes K of
  alignas(128) Level between[2];  // [step] level 4, in the next step the lowest one
  struct In : SumsIn<sums_come(form)>, StateIn<states_come(form)> {};
  alignas(128) In in[turns];
  // Sums of neighbours, [level]: the side across the west, rows across the south and the north, the side across the east, and of the four patches
  // across a corner and the two beside the east the nodes that these lack: [south, north][west corner, east corner, row's last].
  alignas(16) double west[4][west_size], rows[2][4][box_row], east[4][west_size], corners[2][3][4];

  std::uint64_t staged[2], gradient_done[2], layer_done[2];  // [step] by all node warps, by all element warps
  std::uint64_t seam_ready[1][bars - 1][2];                  // [lower bar][step] by the upper bar's warp
  std::uint64_t batch_arrived;
  Work work[8];                                               // of the layers in work and to come, by step
  LayerWeights weights[4];                                    // by step
  alignas(16) double tables[two_sweep::lane_tables][32];      // LaneTable
  double columns[bars][column_values][32];                    // geometry of the patch
  double carry[bars][5][Patches::PX];                         // sums on the top level so far
  double seam[seam_steps][fields][bars - 1][5][Patches::PX];  // sums of the upper bar on the row they share

  __device__ Work& work_of(int step) { return work[step % 8]; }
  __device__ double* level_of(int step, const Work&, int m, int) {
    return m == 0 ? between[(step + 1) % 2] : m == 4 ? between[step % 2] : inner[m - 1];
  }
  __device__ In& in_of(int step) { return in[step % turns]; }
  __device__ Level* in_a_of(int step) { return in_of(step).sums; }  // as elements ask for the patch's own part
};
static_assert(blocks * (sizeof(Shared<Form::q>) + 1024) <= 228 * 1024 && blocks * (sizeof(Shared<Form::next>) + 1024) <= 228 * 1024);

}  // namespace agwave::leapfrog4
