// SPDX-License-Identifier: Apache-2.0
// Variant `two-sweep`: classical RK4 in two fused sweeps over the mesh per step. The algorithm is in timestep/two_sweep.hpp, the
// sweep in two_sweep_kernel.cuh; here are its tables, its launches and its entry in the registry.
#include <algorithm>

#include "backend_cuda.cuh"
#include "kernels/cuda/kernel_attributes.cuh"
#include "kernels/cuda/two_sweep_kernel.cuh"
#include "kernels/registry.hpp"
#include "timestep/two_sweep.hpp"

namespace agwave {
namespace {

using two_sweep::Patches;

struct ColumnTable {  // two_sweep::SweepTables::columns; zero for elements beyond the mesh, so that they add nothing
  ElementView v;
  Patches patches;
  two_sweep::GaussRule rule;
  double* table;
  __device__ void operator()(std::int64_t n) const {
    const int lane = static_cast<int>(n % 32), qy = static_cast<int>(n / 32 % 4), qx = lane % 4;
    const std::int64_t bar = n / 128, patch = bar / Patches::EY;
    const int ex = static_cast<int>(patch % patches.px) * Patches::EX + lane / 4,
              ey = static_cast<int>(patch / patches.px * Patches::EY + bar % Patches::EY);
    double* to = table + (bar * two_sweep::column_values + qy * 5) * 32 + lane;
    if (ex >= v.nx || ey >= v.ny) {
      for (int c = 0; c < 5; ++c) to[c * 32] = 0;
      return;
    }
    const std::int64_t at = (static_cast<std::int64_t>(ey) * v.nx + ex) * 16 + qy * 4 + qx;
    const double w = rule.w[qx] * rule.w[qy], h = v.h[at], ax = v.ax[ex], ay = v.ay[ey];
    to[0] = w * h * (ay / ax);
    to[32] = w * h * (ax / ay);
    to[64] = w * ax * ay / h;
    to[96] = v.h_xi[at] / h;
    to[128] = v.h_eta[at] / h;
  }
};

struct LayerTable {  // two_sweep::SweepTables::layers
  ElementView v;
  two_sweep::GaussRule rule;
  double* table;
  __device__ void operator()(std::int64_t ez) const {
    double* to = table + ez * two_sweep::layer_values;
    const double ds = v.ds[ez];
    for (int q = 0; q < 2; ++q) {
      to[q] = rule.w[q] * ds;
      to[2 + q] = rule.w[q] / ds;
    }
    for (int q = 0; q < 4; ++q) to[4 + q] = -(v.s_mid[ez] - ds * rule.x[q]) / ds;
  }
};

class CudaSweeps {
 public:
  using Patches = two_sweep::Patches;

  CudaSweeps(Cuda& cuda, const Spaces& spaces, const Patches& patches)
      : columns_(Space::device, column_size(patches)), layers_(Space::device, static_cast<std::size_t>(patches.nz) * two_sweep::layer_values) {
    const two_sweep::GaussRule rule = two_sweep::gauss_points();
    cuda.for_each(patches.count() * Patches::EY * 128, ColumnTable{spaces.elements(), patches, rule, columns_.data()});
    cuda.for_each(patches.nz, LayerTable{spaces.elements(), rule, layers_.data()});
    allow_shared_memory();
    int device = 0;
    AGWAVE_CUDA_CALL(cudaGetDevice(&device));
    AGWAVE_CUDA_CALL(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
  }
  static void allow_shared_memory() {
    cuda_kernels::allow_shared(two_sweep::sweep_kernel<true>, sizeof(two_sweep::Shared<true>));
    cuda_kernels::allow_shared(two_sweep::sweep_kernel<false>, sizeof(two_sweep::Shared<false>));
  }
  static two_sweep::Item item(const Patches& patches, int n) { return two_sweep::item_of(patches, n); }
  // In waves of one item per multiprocessor: what the last wave of the boundary leaves idle takes interior items, so that two launches need
  // at most one wave more than one.
  int first_part(int boundary, int all) const {
    const int waves = (boundary + multiprocessors_ - 1) / multiprocessors_;
    return std::min(all, waves * multiprocessors_);
  }

  // A block fills its multiprocessor until the launch ends, so an exchange beside it only gets those that are left to it. As many blocks
  // as keep the waves few: with 1916 items on 131 multiprocessors 15 waves, which 128 can do as well.
  template <bool A>
  void run(Cuda& cuda, const two_sweep::SweepArgs<Patches>& args, const two_sweep::Beside& beside) {
    const int items = args.last - args.first;
    if (items == 0) return;
    int blocks = std::min(multiprocessors_, items);
    if (beside.multiprocessors > 0) {
      const int most = std::max(1, multiprocessors_ - beside.multiprocessors), waves = (items + most - 1) / most;
      blocks = (items + waves - 1) / waves;
    }
    two_sweep::sweep_kernel<A>
        <<<static_cast<unsigned>(blocks), two_sweep::threads, sizeof(two_sweep::Shared<A>), cuda.stream()>>>(args, {columns_.data(), layers_.data()});
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
  static double bytes(const Patches& patches) {
    return 8.0 * (static_cast<double>(column_size(patches)) + static_cast<double>(patches.nz) * two_sweep::layer_values);
  }

 private:
  static std::size_t column_size(const Patches& patches) {
    return static_cast<std::size_t>(patches.count()) * Patches::EY * two_sweep::column_values * 32;
  }
  Array<double> columns_, layers_;
  int multiprocessors_ = 1;
};

// What the scheme must do and move: fused multiply-adds as two, even and odd parts along z; every array once per sweep that needs it.
Cost step_cost(const Mesh& mesh, int) {
  const Patches patches(mesh);
  constexpr double lane_flops = 500 + 340 + 480 + 48 + 16 * 21 + 480 + 340 + 500;  // of a quarter of an element, a field: x, z, y, flux and back
  const double elements = static_cast<double>(mesh.NE()), nodes = static_cast<double>(mesh.nodes());
  const double sums = static_cast<double>(patches.count()) * patches.levels() * Patches::PX * Patches::PY;
  return {16 * lane_flops * elements + 2 * 20 * nodes, 8 * (3 * nodes + 2.0 * static_cast<double>(patches.flux_size()) + 8 * sums)};
}

const RegisterVariant registered{[] {
  Variant v;
  v.name = "two-sweep";
  v.device = Device::cuda;
  v.description = "classical RK4 in two fused sweeps per step, velocity kept as contravariant flux";
  v.quadratures = {4};
  v.rank = 10;
  v.compute_capability = 90;  // for the shared memory of a block
  v.unit = Patches::unit;
  v.make_stepper = [](const StepperSetup& setup) -> std::unique_ptr<Stepper> {
    return std::make_unique<two_sweep::TwoSweep<Cuda, CudaSweeps>>(setup);
  };
  v.bytes = [](const Mesh& mesh, int) { return two_sweep::bytes<Cuda, CudaSweeps>(mesh); };
  v.tensor_cores = true;
  v.step_cost = step_cost;
  v.step_kernels = [] {
    CudaSweeps::allow_shared_memory();
    return std::vector<KernelInfo>{
        cuda_kernels::kernel_info("sweep A", two_sweep::sweep_kernel<true>, two_sweep::threads, sizeof(two_sweep::Shared<true>)),
        cuda_kernels::kernel_info("sweep B", two_sweep::sweep_kernel<false>, two_sweep::threads, sizeof(two_sweep::Shared<false>))};
  };
  return v;
}()};

}  // namespace
}  // namespace agwave
