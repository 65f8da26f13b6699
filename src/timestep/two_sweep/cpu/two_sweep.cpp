// SPDX-License-Identifier: Apache-2.0
// Variant `two-sweep` on CPUs: classical RK4 in two fused sweeps over the mesh per step. The algorithm is in two_sweep.hpp,
// the sweep in simd.cpp and its headers; here are its geometry, its threads and its entry in the registry.
#include "timestep/two_sweep/two_sweep.hpp"

#include <algorithm>

#include "device/backend.hpp"
#include "timestep/rk4/rk4.hpp"
#include "timestep/two_sweep/cpu/instruction_set.hpp"
#include "timestep/variants.hpp"

namespace agwave {
namespace {

using two_sweep::CpuPatches;

class CpuSweeps {
 public:
  using Patches = CpuPatches;
  static constexpr bool waits_inside = false;

  CpuSweeps(Cpu& cpu, const Spaces& spaces, const Patches& patches)
      : set_(instruction_set()), geometry_(Space::host, static_cast<std::size_t>(patches.count() * patch_geometry)) {
    cpu.for_blocks(patches.count(), [&](std::int64_t patch) { form_geometry(spaces.elements(), patches, patch); });
  }
  static double bytes(const Patches& patches) { return 8.0 * static_cast<double>(patches.count() * patch_geometry); }

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
    const two_sweep::Sweep sweep = A ? set_.sweep_a : set_.sweep_b;
    constexpr int calls = 8;  // to an exchange beside it
    const int count = args.last - args.first, stretch = beside.progress ? (count + calls - 1) / calls : count;
    for (int first = args.first; first < args.last; first += stretch) {
      cpu.for_blocks(std::min(stretch, args.last - first), [&](std::int64_t k) {
        const int n = first + static_cast<int>(k);
        const auto [patch, chunk] = item(args.patches, args.order ? args.order[n] & two_sweep::item_mask : n);
        sweep(args, geometry_.data() + patch * patch_geometry, patch, chunk);
      });
      if (beside.progress) beside.progress();
    }
  }

 private:
  static constexpr std::int64_t patch_geometry = Patches::EY * two_sweep::bar_geometry;

  void form_geometry(const ElementView& v, const Patches& patches, std::int64_t patch) {
    constexpr auto rule = gauss_rule<4>();
    double* to = geometry_.data() + patch * patch_geometry;
    for (int bar = 0; bar < Patches::EY; ++bar)
      for (int qx = 0; qx < 4; ++qx)
        for (int qy = 0; qy < 4; ++qy, to += two_sweep::factors * 8)
          for (int e = 0; e < 8; ++e) {
            const int ex = static_cast<int>(patch % patches.px) * 8 + e, ey = static_cast<int>(patch / patches.px) * Patches::EY + bar;
            double f[two_sweep::factors] = {};
            if (ex < v.nx && ey < v.ny) {
              const std::int64_t at = (static_cast<std::int64_t>(ey) * v.nx + ex) * 16 + qy * 4 + qx;
              const double w = 2 * rule.w[qx] * rule.w[qy], ax = v.ax[ex], ay = v.ay[ey], h = v.h[at];
              f[0] = w * h * ay / ax;
              f[1] = w * h * ax / ay;
              f[2] = w * ax * ay / h;
              f[3] = v.h_xi[at] / h;
              f[4] = v.h_eta[at] / h;
            }
            for (int n = 0; n < two_sweep::factors; ++n) to[n * 8 + e] = f[n];
          }
  }

  const two_sweep::InstructionSet& set_;
  Array<double> geometry_;
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
