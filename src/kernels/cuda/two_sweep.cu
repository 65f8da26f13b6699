// SPDX-License-Identifier: Apache-2.0
// Variant `two-sweep`: classical RK4 in two fused sweeps over the mesh per step. The algorithm is in timestep/two_sweep.hpp, the
// sweep in two_sweep_kernel.cuh; here are its launches and its entry in the registry.
#include "backend_cuda.cuh"
#include "kernels/cuda/two_sweep_kernel.cuh"
#include "kernels/registry.hpp"
#include "timestep/two_sweep.hpp"

namespace agwave {
namespace {

class CudaSweeps {
 public:
  CudaSweeps() {
    for (auto kernel : {two_sweep::sweep_kernel<true>, two_sweep::sweep_kernel<false>})
      AGWAVE_CUDA_CALL(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(two_sweep::shared_bytes)));
  }
  template <bool A>
  void run(Cuda& cuda, const two_sweep::SweepArgs& args) {
    two_sweep::sweep_kernel<A><<<static_cast<unsigned>(args.patches.count()), two_sweep::threads, two_sweep::shared_bytes, cuda.stream()>>>(args);
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
};

const RegisterVariant registered{[] {
  Variant v;
  v.name = "two-sweep";
  v.device = Device::cuda;
  v.description = "classical RK4 in two fused sweeps per step, velocity kept as contravariant flux; one rank";
  v.quadratures = {4};
  v.rank = 10;
  v.compute_capability = 80;
  v.max_ranks = 1;
  v.make_stepper = [](const StepperSetup& setup) -> std::unique_ptr<Stepper> {
    return std::make_unique<two_sweep::TwoSweep<Cuda, CudaSweeps>>(setup);
  };
  v.bytes = [](const Mesh& mesh, int) { return two_sweep::bytes(mesh); };
  return v;
}()};

}  // namespace
}  // namespace agwave
