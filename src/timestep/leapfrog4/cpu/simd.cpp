// SPDX-License-Identifier: Apache-2.0
// The sweeps of the fused leapfrog on CPUs: one patch of element columns and one chunk of layers at a time, marching up; the elements of a layer are
// two-sweep's (two_sweep/cpu/layer-inl.hpp). Compiled once for every instruction set, for the least processor (CMakeLists.txt).
#define HWY_DISABLED_TARGETS (0xFF | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)  // 0xFF: beyond AVX-512 F, DQ, BW, VL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "timestep/leapfrog4/cpu/simd.cpp"
#include <hwy/foreach_target.h>
// What follows is included once per instruction set.
#include "timestep/leapfrog4/cpu/nodes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace agwave::leapfrog4::HWY_NAMESPACE {

template <Form form, class Patches>
void sweep(const SweepArgs<Patches>& g, const typename Patches::real* geometry, int patch, int chunk) {
  using T = typename Patches::real;
  constexpr int row = Rows<T>::row, back_row = Rows<T>::back_row, level_size = Patches::level_size;
  const Places<Patches>& p = g.patches;
  const Patch<Patches> v(g, patch);
  const int layers = p.chunk_size(chunk), first = chunk * p.layers, first_level = p.first_level(chunk), rows = 4 * v.bars + 1;
  const std::int64_t own = v.sums[1][1];
  ScratchOf<T> s;
  for (auto& level : s.nodes[0]) std::fill_n(level[0], PY * row, T(0));
  std::fill_n(s.carry[0][0], PY * row, T(0));
  for (auto& y : s.y) std::fill_n(y, back_row, T(0));

  int top = 4;  // the slot of a layer's highest level; its lowest is the other of 0 and 4
  const bool below = chunk > 0 || p.below, above = chunk < p.chunks - 1 || p.above;  // what lies there shares a level with this chunk
  form_level<form>(v, 4 * first, first_level, first_level - (below ? 1 : 0), below, g.factor, s.nodes[0][top], s);
  for (int l = 0; l < layers; ++l) {
    top = 4 - top;
    for (int m = 1; m < 5; ++m) {
      const int level = first_level + 4 * l + m;
      form_level<form>(v, 4 * (first + l) + m, level, level, m == 4 && l == layers - 1 && above, g.factor, s.nodes[0][m < 4 ? m : top], s);
    }
    const LevelOf<T>* const level[5] = {&s.nodes[0][4 - top], &s.nodes[0][1], &s.nodes[0][2], &s.nodes[0][3], &s.nodes[0][top]};
    elements<false>(level, v.bars, geometry, LayerGeometry(g.elements, first + l), static_cast<T*>(nullptr), s);
    const std::int64_t at = own + static_cast<std::int64_t>(first_level + 4 * l) * level_size;
    store_sums(rows, l == layers - 1, s.carry[0], form == Form::q ? g.in + at : nullptr, g.sums + at, s);
  }
}

// The sums are those that a sweep adds, in its order.
template <Form form, class Patches>
void end_borrowed(const SweepArgs<Patches>& g, const BorrowedColumn& c) {
  using T = typename Patches::real;
  constexpr int level_size = Patches::level_size;
  const AdvanceOf<T>& a = g.advance;
  const std::int64_t size = g.patches.patch_sums();
  for (int level = 1; level < g.patches.levels() - 1; ++level) {
    const int k = g.patches.node_of(level);
    const std::int64_t place = static_cast<std::int64_t>(level) * level_size;
    const bool surface = k == g.nodes.NZ - 1 && g.surface.inverse;
    const NodeTablesOf<T>& tables = surface ? g.surface : g.column;
    const BeganAt<T> began{g.psi + c.to.state + place, a.finer + c.to.finer + place, size};
    Begun<T> begun;
    begun.add(a, began);
    const auto of = [&](const T* table) { return table ? table + c.to.table : nullptr; };
    const T* const body = g.body.of(c.here.patch);
    const auto by_place = [&](const T* values) {
      const T* const walls = g.medium.of_walls(values, c.to.patch);
      return walls ? walls + c.to.state - c.to.patch * size + place : nullptr;
    };
    const Row<T> row{began.at(0),
                     form == Form::part ? began.at(a.to) : nullptr,
                     g.P + c.to.state + place,
                     of(tables.inverse),
                     g.medium.keep ? by_place(g.medium.keep) : of(tables.keep),
                     g.medium.given ? by_place(g.medium.given) : of(surface ? a.given_surface : a.given),
                     k == 0 ? g.load.from(c.here.table) : FloorLoadOf<T>{},
                     body ? body + c.here.state - c.here.patch * size + place : nullptr,
                     nullptr,
                     g.medium.excess && !(g.medium.share_has_medium && by_place(g.medium.share)) ? g.medium.excess + c.to.state + place : nullptr,
                     by_place(g.medium.share),
                     begun,
                     0,
                     surface ? 1.0 : static_cast<double>(g.inverse_wz[k]),
                     g.dt,
                     a.rate,
                     a.stiffening,
                     0,
                     0};
    const T sum = g.patches.sum(g.in, c.i, c.j, k);
    T field = 0;
    row.template one<form, AloneOf<T>>(0, &sum, &field);
  }
}

// Found while compiling: code of this namespace may run only on CPUs that have its instructions, this included.
template <class Patches>
constexpr SweepsOf<Patches> sweeps_of() {
  return {{sweep<Form::q, Patches>, sweep<Form::next, Patches>, sweep<Form::part, Patches>, sweep<Form::mixture, Patches>},
          end_borrowed<Form::next, Patches>,
          end_borrowed<Form::part, Patches>};
}
constexpr Sweeps sweeps(const char* name) { return {name, sweeps_of<CpuPatches>(), sweeps_of<CpuSinglePatches>()}; }

}  // namespace agwave::leapfrog4::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace agwave::leapfrog4 {

std::span<const Sweeps> sweeps() {
  static constexpr Sweeps all[] = {
#if HWY_TARGETS & HWY_AVX3
    N_AVX3::sweeps("avx512"),
#endif
#if HWY_TARGETS & HWY_AVX2
    N_AVX2::sweeps("avx2"),
#endif
#if HWY_TARGETS & HWY_SSE4
    N_SSE4::sweeps("sse4"),
#endif
#if !HWY_ARCH_X86
    HWY_STATIC_DISPATCH(sweeps)("baseline"),
#endif
  };
  return all;
}

}  // namespace agwave::leapfrog4
#endif
