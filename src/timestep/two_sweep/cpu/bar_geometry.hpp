// SPDX-License-Identifier: Apache-2.0
// The geometry that the sweeps of CPUs read, of every patch: [patch][bar] as cpu/sweep.hpp has it.
#pragma once
#include "device/backend.hpp"
#include "timestep/two_sweep/cpu/sweep.hpp"

namespace agwave::two_sweep {

class BarGeometry {
 public:
  BarGeometry(Cpu& cpu, const ElementView& elements, const CpuPatches& patches)
      : values_(Space::host, static_cast<std::size_t>(patches.count() * patch_size)) {
    cpu.for_blocks(patches.count(), [&](std::int64_t patch) { form(elements, patches, patch); });
  }
  const double* of(std::int64_t patch) const { return values_.data() + patch * patch_size; }
  static double bytes(const CpuPatches& patches) { return 8.0 * static_cast<double>(patches.count() * patch_size); }

 private:
  static constexpr std::int64_t patch_size = CpuPatches::EY * bar_geometry;
  void form(const ElementView& v, const CpuPatches& patches, std::int64_t patch);

  Array<double> values_;
};

}  // namespace agwave::two_sweep
