// SPDX-License-Identifier: Apache-2.0
// What the sweeps of the fused leapfrog on CPUs share with the code that calls them, whatever the instruction set.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/two_sweep/cpu/sweep.hpp"

namespace agwave::leapfrog4 {

using CpuPatches = two_sweep::CpuPatches;
using CpuSinglePatches = two_sweep::CpuSinglePatches;

// One patch and chunk of one sweep; geometry as two_sweep/cpu/sweep.hpp has it.
template <class Patches>
using Sweep = void (*)(const SweepArgs<Patches>&, const typename Patches::real* geometry, int patch, int chunk);
// What it does at a borrowed column.
using ColumnSweep = void (*)(const SweepArgs<CpuPatches>&, const BorrowedColumn&);
struct Sweeps {
  const char* instruction_set;
  std::array<Sweep<CpuPatches>, 4> of;               // by Form
  ColumnSweep next_of, part_of;                      // Form::next, Form::part
  std::array<Sweep<CpuSinglePatches>, 4> of_single;  // by Form; null where columns would step in levels
};
const std::vector<Sweeps>& sweeps();  // compiled in

}  // namespace agwave::leapfrog4
