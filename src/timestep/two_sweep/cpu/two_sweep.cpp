// SPDX-License-Identifier: Apache-2.0
// Variant `two-sweep` on CPUs: classical RK4 in two fused sweeps over the mesh per step. The algorithm is in two_sweep.hpp,
// the sweep in simd.cpp and its headers; here are its geometry, its threads and its entry in the registry.
#include "timestep/two_sweep/two_sweep.hpp"

#include <algorithm>

#include "device/backend.hpp"
#include "timestep/rk4/rk4.hpp"
#include "timestep/two_sweep/cpu/bar_geometry.hpp"
#include "timestep/two_sweep/cpu/instruction_set.hpp"
#include "timestep/variants.hpp"

namespace agwave {
namespace {

using two_sweep::CpuPatches;

class CpuSweeps {
 public:
  using Patches = CpuPatches;
  static constexpr bool waits_inside = false;

  CpuSweeps(Cpu& cpu, const Spaces& spaces, const Patches& patches) : set_(instruction_set()), geometry_(cpu, spaces.elements(), patches) {}
  static double bytes(const Patches& patches) { return two_sweep::BarGeometry<CpuPatches>::bytes(patches); }

  static two_sweep::Item item(const Patches& patches, int n) { return {n / patches.chunks, n % patches.chunks}; }  // as in memory
  static int last_part(int boundary, int) { return boundary; }
  static int at_work(const two_sweep::Beside&) { return 1; }
  void join(Cpu&) const {}
  void follow(const Cpu&) const {}
  template <bool A>
  Cpu& stream(Cpu& cpu) const {
    return cpu;
  }

  template <bool A>
  void run(Cpu& cpu, const two_sweep::SweepArgs<Patches>& args, const two_sweep::Beside& beside) {
    two_sweep::run_items(cpu, A ? set_.sweep_a : set_.sweep_b, args, geometry_, beside);
  }

 private:
  const two_sweep::InstructionSet& set_;
  two_sweep::BarGeometry<CpuPatches> geometry_;
};

// Of one step: flops as they stand in two_sweep_*-inl.hpp, padding not counted; bytes of every array as often as a sweep passes it.
Cost step_cost(const Mesh& mesh, int) {
  const CpuPatches patches(mesh);
  const auto elements = static_cast<double>(mesh.NE());
  const double nodes =
      static_cast<double>(patches.count()) * CpuPatches::PX * CpuPatches::PY * (4 * mesh.nz() + patches.chunks);  // shared ones often
  constexpr double along_z = 2 * 25.0 * 33 / 8 * 17 / 4, along_y = (120 + 119) * 33.0 / 8, along_x = 560 + 552 + 24 + 336 + 384, at_points = 4 * 592;
  const double flops = elements * (4 * (along_z + along_y + along_x + at_points) + 768) + nodes * 20;
  return {flops, 8 * (elements * 2 * 3 * L3D + nodes * 8 + 3.0 * static_cast<double>(mesh.nodes()))};
}

const RegisterVariant registered{[] {
  Variant v;
  v.name = "two-sweep";
  v.device = Device::cpu;
  v.description = "classical RK4 in two fused sweeps per step, SIMD over the 8 elements of a bar, velocity kept as contravariant flux";
  v.quadratures = {4};
  v.integrator = &rk4_integrator;
  v.takes_sponges = true;
  v.arrays = two_sweep::TwoSweep<Cpu, CpuSweeps>::state_arrays();
  v.preference = 10;
  v.unit = CpuPatches::unit;
  v.make_stepper = [](const StepperSetup& setup) -> std::unique_ptr<Stepper> { return std::make_unique<two_sweep::TwoSweep<Cpu, CpuSweeps>>(setup); };
  v.step_cost = step_cost;
  v.bytes = [](const Mesh& mesh, int) { return two_sweep::bytes<Cpu, CpuSweeps>(mesh); };
  return v;
}()};

}  // namespace
}  // namespace agwave
