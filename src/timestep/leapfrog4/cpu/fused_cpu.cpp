// SPDX-License-Identifier: Apache-2.0
// Variant `leapfrog-sweep` on CPUs: the leapfrog of order 4 in two fused sweeps per step. The algorithm is in fused.hpp, the sweeps in simd.cpp; here
// are their threads and their entry in the registry.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "device/backend.hpp"
#include "timestep/leapfrog4/cpu/sweep.hpp"
#include "timestep/leapfrog4/fused.hpp"
#include "timestep/leapfrog4/fused_changes.hpp"
#include "timestep/two_sweep/cpu/bar_geometry.hpp"
#include "timestep/two_sweep/cpu/instruction_set.hpp"
#include "timestep/variants.hpp"

namespace agwave {
namespace {

using leapfrog4::CpuPatches, leapfrog4::CpuSinglePatches;

template <class Patches>
const leapfrog4::SweepsOf<Patches>& sweeps_here() {
  const std::string name = instruction_set().name;
  const auto here =
      std::find_if(leapfrog4::sweeps().begin(), leapfrog4::sweeps().end(), [&](const leapfrog4::Sweeps& s) { return s.instruction_set == name; });
  if constexpr (std::is_same_v<Patches, CpuPatches>)
    return here->in_double;
  else
    return here->in_single;
}

template <class Patches_>
class CpuSweeps {
 public:
  using Patches = Patches_;
  CpuSweeps(Cpu& cpu, const Spaces& spaces, const Patches& patches) : sweeps_(sweeps_here<Patches>()), geometry_(cpu, spaces.elements(), patches) {}
  static double bytes(const Patches& patches) { return two_sweep::BarGeometry<Patches>::bytes(patches); }
  static two_sweep::Item item(const Patches& patches, int n) { return {n / patches.chunks, n % patches.chunks}; }  // as in memory

  void count_anew(Cpu&) {}
  void end_steps(Cpu&, const leapfrog4::SweepArgs<Patches>&) {}  // the sweep does
  void run(Cpu& cpu, leapfrog4::Form form, const leapfrog4::SweepArgs<Patches>& args, const two_sweep::Beside& beside) {
    const leapfrog4::Sweep<Patches> sweep = sweeps_.of[static_cast<std::size_t>(form)];
    constexpr int calls = 8;  // to an exchange beside it
    const int count = args.last - args.first, stretch = beside.progress ? (count + calls - 1) / calls : count;
    for (int first = args.first; first < args.last; first += stretch) {
      cpu.for_blocks(std::min(stretch, args.last - first), [&](std::int64_t k) {
        const int n = first + static_cast<int>(k);
        const auto [patch, chunk] = item(args.patches, args.order ? args.order[n] & two_sweep::item_mask : n);
        sweep(args, geometry_.of(patch), patch, chunk);
      });
      if (beside.progress) beside.progress();
    }
  }
  void end(Cpu& cpu, leapfrog4::Form form, const leapfrog4::SweepArgs<Patches>& args, const leapfrog4::BorrowedColumns& columns) {
    const leapfrog4::ColumnSweep<Patches> sweep = form == leapfrog4::Form::next ? sweeps_.next_of : sweeps_.part_of;
    cpu.for_blocks(columns.count, [&](std::int64_t n) { sweep(args, columns.list[columns.first + n]); });
  }
  static bool fills(int items) { return items > 0; }
  static int at_once(int) { return 0; }
  void run_aside(Cpu& cpu, leapfrog4::Form form, const leapfrog4::SweepArgs<Patches>& args) { run(cpu, form, args, {}); }
  static constexpr bool waits_inside = false;

 private:
  const leapfrog4::SweepsOf<Patches>& sweeps_;
  two_sweep::BarGeometry<Patches> geometry_;
};

// Of one step: flops as two_sweep counts them, of two fields instead of four; bytes of every array as often as a sweep passes it.
template <class Patches>
Cost step_cost(const Mesh& mesh, int) {
  const Patches patches(mesh);
  const double nodes = static_cast<double>(patches.count()) * Patches::PX * Patches::PY * (4 * mesh.nz() + patches.chunks);
  constexpr double along_z = 2 * 25.0 * 33 / 8 * 17 / 4, along_y = (120 + 119) * 33.0 / 8, along_x = 560 + 552 + 24 + 336 + 384, at_points = 4 * 592;
  return {static_cast<double>(mesh.NE()) * 2 * (along_z + along_y + along_x + at_points) + nodes * 10, 8 * nodes * sizeof(typename Patches::real)};
}

Variant in_single(const Variant& in_double) {
  using Sweeps = CpuSweeps<CpuSinglePatches>;
  Variant v = leapfrog4::of_changes(in_double);
  v.unit = CpuSinglePatches::unit;
  v.make_stepper = [](const StepperSetup& setup) -> std::unique_ptr<Stepper> {
    return std::make_unique<leapfrog4::FusedChanges<Cpu, Sweeps>>(setup);
  };
  v.step_cost = step_cost<CpuSinglePatches>;
  v.bytes = [](const Mesh& mesh, int) { return leapfrog4::fused_changes_bytes<Cpu, Sweeps>(mesh); };
  v.level_bytes = leapfrog4::FusedSweeps<Cpu, Sweeps>::level_bytes;
  v.filter_bytes = leapfrog4::filter_bytes<Sweeps>;
  v.medium_bytes = leapfrog4::FusedMedium<Cpu, CpuSinglePatches>::bytes;
  return v;
}

const RegisterVariant registered{[] {
  Variant v;
  v.name = "leapfrog-sweep";
  v.device = Device::cpu;
  v.description = "leapfrog of order 4 for the potential in two fused sweeps per step, SIMD over the 8 elements of a bar";
  leapfrog4::offer(v);
  v.quadratures = {4};
  v.hears_in_levels = true;
  v.preference = 20;
  v.unit = CpuPatches::unit;
  v.make_stepper = [](const StepperSetup& setup) -> std::unique_ptr<Stepper> {
    return std::make_unique<leapfrog4::Fused<Cpu, CpuSweeps<CpuPatches>>>(setup);
  };
  v.step_cost = step_cost<CpuPatches>;
  v.bytes = [](const Mesh& mesh, int) { return leapfrog4::fused_bytes<Cpu, CpuSweeps<CpuPatches>>(mesh); };
  v.level_bytes = leapfrog4::FusedSweeps<Cpu, CpuSweeps<CpuPatches>>::level_bytes;
  v.medium_bytes = leapfrog4::FusedMedium<Cpu, CpuPatches>::bytes;
  v.most_nodes = std::numeric_limits<double>::infinity();
  v.in_single = std::make_shared<Variant>(in_single(v));
  return v;
}()};

}  // namespace
}  // namespace agwave
