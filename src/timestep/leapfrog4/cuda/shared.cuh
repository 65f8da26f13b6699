// SPDX-License-Identifier: Apache-2.0
// Shared memory of the fused leapfrog's kernel. The kernel as a whole is described in kernel.cuh; elements, planner and tables are two_sweep's.
#pragma once
#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/two_sweep/cuda/elements.cuh"

namespace agwave::leapfrog4 {

using two_sweep::bars, two_sweep::box_row, two_sweep::column_values, two_sweep::layer_values, two_sweep::LayerWeightsOf, two_sweep::LevelOf,
    two_sweep::Plan, two_sweep::Queue, two_sweep::SweepTablesOf, two_sweep::Work;

template <class T>
struct PatchesIn;
template <>
struct PatchesIn<double> {
  using type = two_sweep::Patches;
};
template <>
struct PatchesIn<float> {
  using type = two_sweep::SinglePatches;
};
template <class T>
using PatchesOf = typename PatchesIn<T>::type;

inline constexpr int element_warps = bars, node_warps = 4, threads = 32 * (element_warps + node_warps);
// T: double or float. Blocks of a multiprocessor: what one waits for the others use; bound: at least so many are to fit by their registers. Registers per
// thread, once they are handed over (two_sweep/cuda/shared.cuh). Where they cannot be, in single precision two blocks have enough for all of their warps.
template <class T>
struct LaunchOf;
template <>
struct LaunchOf<double> {
  static constexpr int blocks = 2, bound = 2, element_registers = 152, node_registers = 104;
};
template <>
struct LaunchOf<float> {
  static constexpr int blocks = 3, bound = two_sweep::hands_over_registers ? 3 : 2, element_registers = 96, node_registers = 64;
};
template <class T>
constexpr bool fits() {
  using L = LaunchOf<T>;
  constexpr int launch_registers = 65536 / (L::blocks * threads) / 8 * 8;
  return 32 * (element_warps * L::element_registers + node_warps * L::node_registers) <= threads * launch_registers;
}
static_assert(element_warps % 4 == 0 && node_warps % 4 == 0, "setmaxnreg takes groups of four warps");
static_assert(fits<double>() && fits<float>());

template <class T>
inline constexpr int west_size = (two_sweep::Patches::PY * static_cast<int>(sizeof(T)) + 15) / 16 * 16 /
                                 static_cast<int>(sizeof(T));  // of an east side in an array of sums, in whole 16 bytes

constexpr bool sums_come(Form form) { return form != Form::mixture; }
constexpr int states_come(Form form) {  // psi, P; of a part what NodeCopies::fetch_part() says
  return form == Form::q ? 0 : 2;
}

// What comes of levels 1..4, or of one alone, for each that a form needs.
template <bool, class T>
struct SumsIn {};
template <class T>
struct SumsIn<true, T> {
  LevelOf<T> sums[4];
};
template <int, class T>
struct StateIn {};  // as they lie in memory, for one copy
template <class T>
struct StateIn<1, T> {
  T psi[4][PatchesOf<T>::level_size];
};
template <class T>
struct StateIn<2, T> : StateIn<1, T> {
  T P[4][PatchesOf<T>::level_size];
};
// The patch's own part of the sums on the lowest level of a chunk, by step.
template <bool Kept, class T>
struct OwnLowest {};
template <class T>
struct OwnLowest<true, T> {
  alignas(16) LevelOf<T> own_lowest[2];
  __device__ T* lowest_of(int step) { return own_lowest[step % 2]; }
};

// The excess of a batch where the speed of sound differs (MediumByPlaceOf), in sweeps with room for it.
template <bool Comes, class T>
struct ExcessIn {};
template <class T>
struct ExcessIn<true, T> {
  alignas(16) float excess[4][PatchesOf<T>::level_size];  // as it lies in memory, for one copy
};

// What elements keep in single precision: the field on the top level at the points along x, and its slopes; SingleElements::Square.
template <class T>
struct OfElements {};
template <>
struct OfElements<float> {
  static constexpr int square_row = 32 + 2;
  alignas(16) float2 squares[bars][4 * square_row];
  alignas(16) float tops[bars][5][2][32];
};

template <Form form, class T>
struct Shared : OwnLowest<form == Form::q, T>, ExcessIn<form == Form::q, T>, OfElements<T> {
  using Patches = PatchesOf<T>;
  using real = T;
  using Args = SweepArgs<Patches>;
  static constexpr int fields = 1, seam_steps = 1;
  static constexpr bool keeps_flux = false, adds_own = form == Form::q, by_pairs = true, tells = form == Form::q, always_told = false;
  static constexpr bool has_room_for_excess = form == Form::q;
  static constexpr int turns = adds_own ? 2 : 1;  // elements still read the patch's own part when the next layer's comes
  static constexpr bool single = sizeof(T) < sizeof(double);
  static constexpr int row = single ? Patches::PX + 3 : Patches::PX;  // of the seam: in single precision in whole 16 bytes
  static constexpr int carry_row = single ? 2 * 32 : Patches::PX;     // values and slopes at the points along x; at the nodes
  static constexpr int lane_tables = sizeof(T) == 8 ? two_sweep::lane_tables : 8;

  alignas(128) LevelOf<T> inner[3];    // levels 1..3 of what the sweep takes K of
  alignas(128) LevelOf<T> between[2];  // [step] level 4, in the next step the lowest one
  struct In : SumsIn<sums_come(form), T>, StateIn<states_come(form), T> {};
  alignas(128) In in[turns];
  // Sums of neighbours, [level]: the side across the west, rows across the south and the north, the side across the east, and of the four patches
  // across a corner and the two beside the east the nodes that these lack: [south, north][west corner, east corner, row's last].
  alignas(16) T west[4][west_size<T>], rows[2][4][box_row], east[4][west_size<T>], corners[2][3][4];

  std::uint64_t staged[2], gradient_done[2], layer_done[2];  // [step] by all node warps, by all element warps
  std::uint64_t seam_ready[1][bars - 1][2];                  // [lower bar][step] by the upper bar's warp
  std::uint64_t batch_arrived;
  Work work[8];                                              // of the layers in work and to come, by step
  Plan plan;                                                 // of what comes after them
  LayerWeightsOf<T> weights[4];                              // by step
  alignas(16) T tables[lane_tables][32];                     // LaneTable, or in single precision SingleTable
  alignas(16) T columns[bars][column_values][32];            // geometry of the patch
  alignas(16) T carry[bars][5][carry_row];                   // sums on the top level so far
  alignas(16) T seam[seam_steps][fields][bars - 1][5][row];  // sums of the upper bar on the row they share

  __device__ Work& work_of(int step) { return work[step % 8]; }
  __device__ T* level_of(int step, const Work&, int m, int) { return m == 0 ? between[(step + 1) % 2] : m == 4 ? between[step % 2] : inner[m - 1]; }
  __device__ In& in_of(int step) { return in[step % turns]; }
  __device__ LevelOf<T>* in_a_of(int step) { return in_of(step).sums; }  // as elements ask for the patch's own part
};
template <class T>
constexpr bool shared_memory_fits() {
  constexpr int blocks = LaunchOf<T>::blocks;
  constexpr auto fits = [](std::size_t size) { return blocks * (size + 1024) <= 228 * 1024; };
  return fits(sizeof(Shared<Form::q, T>)) && fits(sizeof(Shared<Form::next, T>)) && fits(sizeof(Shared<Form::part, T>));
}
static_assert(shared_memory_fits<double>() && shared_memory_fits<float>());

}  // namespace agwave::leapfrog4
