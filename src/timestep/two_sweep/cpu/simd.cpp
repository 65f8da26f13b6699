// SPDX-License-Identifier: Apache-2.0
// The sweeps of the CPU's two-sweep variant: one patch of element columns and one chunk of layers at a time, marching up.
// Compiled once for every instruction set; which one runs is chosen at run time (two_sweep.cpp). Only headers of Highway are used,
// its library is not needed. The file is built for the least processor (CMakeLists.txt), whatever the rest is built for.
#define HWY_DISABLED_TARGETS (0xFF | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)  // 0xFF: beyond AVX-512 F, DQ, BW, VL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "timestep/two_sweep/cpu/simd.cpp"
#include <hwy/foreach_target.h>
// What follows is included once per instruction set.
#include "timestep/two_sweep/cpu/nodes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace agwave::two_sweep::HWY_NAMESPACE {

template <bool A>
void sweep(const SweepArgs<CpuPatches>& g, const double* geometry, int patch, int chunk) {
  const CpuPatches& patches = g.patches;
  const PatchView view(g, patch);
  const int layers = patches.chunk_size(chunk), first = chunk * patches.layers, first_level = patches.first_level(chunk), rows = 4 * view.bars + 1;
  const std::int64_t own = view.sums[1][1];
  Scratch s;
  for (auto& values : s.padded) std::fill_n(values, row, 0.0);
  for (auto& field : s.nodes)
    for (auto& level : field) std::fill_n(level[0], PY * row, 0.0);
  for (auto& carry : s.carry) std::fill_n(carry[0], PY * row, 0.0);
  for (auto& y : s.y) std::fill_n(y, back_row, 0.0);

  int top = 4;  // the slot of a layer's highest level; its lowest is the other of 0 and 4
  const bool below = chunk > 0 || g.below, above = chunk < patches.chunks - 1 || g.above;  // what lies there shares a level with this chunk
  stage_level<A>(view, 4 * first, first_level - (below ? 1 : 0), below, true, s.nodes[0][top], s.nodes[1][top], s);
  for (int l = 0; l < layers; ++l) {
    top = 4 - top;
    const int k = 4 * (first + l);
    for (int m = 1; m < 5; ++m) {
      const bool chunk_top = m == 4 && l == layers - 1;
      const int slot = m < 4 ? m : top;
      stage_level<A>(view, k + m, first_level + 4 * l + m, chunk_top && above, !chunk_top || chunk == patches.chunks - 1, s.nodes[0][slot],
                     s.nodes[1][slot], s);
    }
    const LayerGeometry layer(g.elements, first + l);
    double* const flux = g.flux + (static_cast<std::int64_t>(patch) * patches.nz + first + l) * CpuPatches::layer_flux;
    const std::int64_t at = own + static_cast<std::int64_t>(first_level + 4 * l) * CpuPatches::level_size;
    for (int f = 0; f < 2; ++f) {
      const Level* const level[5] = {&s.nodes[f][4 - top], &s.nodes[f][1], &s.nodes[f][2], &s.nodes[f][3], &s.nodes[f][top]};
      if (A && f == 0)
        elements<true>(level, view.bars, geometry, layer, flux, s);
      else
        elements<false>(level, view.bars, geometry, layer, flux, s);
      store_sums(rows, l == layers - 1, s.carry[f], A ? nullptr : g.in_a + at, (f == 0 ? g.out_a : g.out_b) + at, s);
    }
  }
}

double multiply_adds(std::int64_t rounds) {
  Vec sum[chains];
  for (int c = 0; c < chains; ++c) sum[c] = hn::Set(d, 1.0 + c);
  volatile double opaque = 0.999999;
  const Vec a = hn::Set(d, opaque), b = hn::Set(d, 1 - opaque);
  for (std::int64_t n = 0; n < rounds; ++n)
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) sum[c] = hn::MulAdd(sum[c], a, b);
  for (int c = 1; c < chains; ++c) sum[0] = hn::Add(sum[0], sum[c]);
  return hn::GetLane(sum[0]);
}

// Found while compiling: code of this namespace may run only on CPUs that have its instructions, this included.
constexpr InstructionSet instruction_set(const char* name, bool (*runs_here)()) {
  return {name, N, runs_here, sweep<true>, sweep<false>, multiply_adds};
}

}  // namespace agwave::two_sweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace agwave::two_sweep {

std::span<const InstructionSet> instruction_sets() {
  static constexpr InstructionSet all[] = {
#if HWY_TARGETS & HWY_AVX3
    N_AVX3::instruction_set("avx512",
                            [] {
                              return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                                     __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
                            }),
#endif
#if HWY_TARGETS & HWY_AVX2
    N_AVX2::instruction_set("avx2", [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }),
#endif
#if HWY_TARGETS & HWY_SSE4
    N_SSE4::instruction_set("sse4", [] { return true; }),
#endif
#if !HWY_ARCH_X86
    HWY_STATIC_DISPATCH(instruction_set)("baseline", [] { return true; }),
#endif
  };
  return all;
}

}  // namespace agwave::two_sweep
#endif
