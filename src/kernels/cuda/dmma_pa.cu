// SPDX-License-Identifier: Apache-2.0
// Variant `dmma-pa`: `pa` on FP64 tensor cores (pencil_dmma.cuh; pencil_dmma5.cuh for five points).
#include "kernels/cuda/dmma_launch.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q>
struct Launch {
  using GradientKernel = DmmaKernel<Q, true, false, 5>;
  using DivergenceKernel = DmmaKernel<Q, false, true, 5>;
  static constexpr bool stored = true;
  static constexpr int kernels = 2;
  static void prepare() {
    GradientKernel::prepare();
    DivergenceKernel::prepare();
  }
  static void run(const PencilArgs& args, unsigned blocks, cudaStream_t stream) {
    GradientKernel::run(args, blocks, stream);
    DivergenceKernel::run(args, blocks, stream);
  }
  static std::vector<KernelInfo> info() { return {GradientKernel::info("gradient"), DivergenceKernel::info("divergence")}; }
};
template <int Q>
using DmmaPartialAssembly = PencilOperator<Q, Launch<Q>>;

const RegisterOperator registered{cuda_operator<DmmaPartialAssembly>("dmma-pa", "pa on FP64 tensor cores", 0, Dmma::compute_capability, stored_bytes)};

}  // namespace
}  // namespace agwave
