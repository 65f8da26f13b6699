// SPDX-License-Identifier: Apache-2.0
// The geometry that the sweeps of CPUs read, of every patch: [patch][bar] as cpu/sweep.hpp has it. Formed in double precision, whatever it is kept in.
#pragma once
#include <algorithm>

#include "device/backend.hpp"
#include "timestep/two_sweep/cpu/sweep.hpp"
#include "timestep/two_sweep/work.hpp"

namespace agwave::two_sweep {

template <class Patches>
class BarGeometry {
  using real = typename Patches::real;

 public:
  BarGeometry(Cpu& cpu, const ElementView& elements, const Patches& patches)
      : values_(Space::host, static_cast<std::size_t>(patches.count() * patch_size)) {
    cpu.for_blocks(patches.count(), [&](std::int64_t patch) { form(elements, patches, patch); });
  }
  const real* of(std::int64_t patch) const { return values_.data() + patch * patch_size; }
  static double bytes(const Patches& patches) { return sizeof(real) * static_cast<double>(patches.count() * patch_size); }

 private:
  static constexpr int E = Patches::EX;
  static constexpr std::int64_t patch_size = Patches::EY * 16 * factors * E;
  void form(const ElementView& v, const Patches& patches, std::int64_t patch);

  Array<real> values_;
};
// What a CPU does of a sweep: items [first, last), `beside` asked now and then.
template <class Sweep, class Args, class Patches>
void run_items(Cpu& cpu, Sweep sweep, const Args& args, const BarGeometry<Patches>& geometry, const Beside& beside) {
  constexpr int calls = 8;  // to an exchange beside it
  const int count = args.last - args.first, stretch = beside.progress ? (count + calls - 1) / calls : count;
  for (int first = args.first; first < args.last; first += stretch) {
    cpu.for_blocks(std::min(stretch, args.last - first), [&](std::int64_t k) {
      const int n = first + static_cast<int>(k), item = args.order ? args.order[n] & item_mask : n, patch = item / args.patches.chunks;
      sweep(args, geometry.of(patch), patch, item % args.patches.chunks);
    });
    if (beside.progress) beside.progress();
  }
}

extern template class BarGeometry<CpuPatches>;
extern template class BarGeometry<CpuSinglePatches>;

}  // namespace agwave::two_sweep
