// SPDX-License-Identifier: Apache-2.0
// Variant `leapfrog-sweep` on CPUs: the leapfrog of order 4 in two fused sweeps per step. The algorithm is in fused.hpp, the sweeps in simd.cpp; here
// are their threads and their entry in the registry.
#include <algorithm>
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
  static bool ends_apart(int, int, int) { return false; }  // the sweep moves them, whatever came before
  void end_steps(Cpu&, const leapfrog4::SweepArgs<Patches>&) {}
  void run(Cpu& cpu, leapfrog4::Form form, const leapfrog4::SweepArgs<Patches>& args, const two_sweep::Beside& beside) {
    two_sweep::run_items(cpu, sweeps_.of[static_cast<std::size_t>(form)], args, geometry_, beside);
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
  Variant v = leapfrog4::of_changes<Cpu, CpuSweeps<CpuSinglePatches>>(in_double);
  v.unit = CpuSinglePatches::unit;
  v.step_cost = step_cost<CpuSinglePatches>;
  return v;
}

const RegisterVariant registered{[] {
  Variant v = leapfrog4::fused_variant<Cpu, CpuSweeps<CpuPatches>>();
  v.device = Device::cpu;
  v.description = "leapfrog of order 4 for the potential in two fused sweeps per step, SIMD over the 8 elements of a bar";
  v.step_cost = step_cost<CpuPatches>;
  v.in_single = std::make_shared<Variant>(in_single(v));
  return v;
}()};

}  // namespace
}  // namespace agwave
