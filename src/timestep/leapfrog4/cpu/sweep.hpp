// SPDX-License-Identifier: Apache-2.0
// What the sweeps of the fused leapfrog on CPUs share with the code that calls them, whatever the instruction set.
#pragma once
#include <array>
#include <span>

#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/two_sweep/cpu/sweep.hpp"

namespace agwave::leapfrog4 {

using CpuPatches = two_sweep::CpuPatches;
using CpuSinglePatches = two_sweep::CpuSinglePatches;

// One patch and chunk of one sweep; geometry as two_sweep/cpu/sweep.hpp has it.
template <class Patches>
using Sweep = void (*)(const SweepArgs<Patches>&, const typename Patches::real* geometry, int patch, int chunk);
// What it does at a borrowed column.
template <class Patches>
using ColumnSweep = void (*)(const SweepArgs<Patches>&, const BorrowedColumn&);
template <class Patches>
struct SweepsOf {
  std::array<Sweep<Patches>, 4> of;       // by Form
  ColumnSweep<Patches> next_of, part_of;  // Form::next, Form::part
};
struct Sweeps {
  const char* instruction_set;
  SweepsOf<CpuPatches> in_double;
  SweepsOf<CpuSinglePatches> in_single;
};
std::span<const Sweeps> sweeps();  // compiled in

}  // namespace agwave::leapfrog4
