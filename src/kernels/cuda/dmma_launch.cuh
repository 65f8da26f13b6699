// SPDX-License-Identifier: Apache-2.0
// Which tensor-core kernel serves which number of quadrature points, for the DMMA variants.
#pragma once
#include "kernels/cuda/pencil_dmma.cuh"
#include "kernels/cuda/pencil_dmma5.cuh"
#include "kernels/cuda/pencil_operator.cuh"

namespace agwave::cuda_kernels {

// Stored: doubles in qdata per point, as in PencilOperator.
template <int Q, bool Gradient, bool Divergence, int Stored, bool Trilinear = false>
struct DmmaKernel {
  static constexpr int threads = March::threads;
  static constexpr std::size_t bytes = DmmaMemory<std::conditional_t<Q == 4, DmmaShape, Dmma5Shape>>::bytes;
  static constexpr auto kernel() {
    if constexpr (Q == 4)
      return dmma_kernel<Gradient, Divergence, std::conditional_t<Stored == 5, StoredPair, ComputedPair<Trilinear, Stored == 1>>>;
    else
      return dmma5_kernel<Gradient, Divergence, Stored>;
  }
  static void prepare() { allow_shared(kernel(), bytes); }
  static void run(const PencilArgs& args, unsigned blocks, cudaStream_t stream) {
    kernel()<<<blocks, threads, bytes, stream>>>(args);
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
  static KernelInfo info(const char* name) { return kernel_info(name, kernel(), threads, bytes); }
};

// One kernel for both blocks.
template <int Q, int Stored>
struct DmmaFused {
  using Curved = DmmaKernel<Q, true, true, Stored>;
  using Trilinear = DmmaKernel<Q, true, true, Stored, true>;
  static constexpr int kernels = 1;
  static void prepare() {
    Curved::prepare();
    Trilinear::prepare();
  }
  static void run(const PencilArgs& args, unsigned blocks, cudaStream_t stream) {
    if (args.trilinear)
      Trilinear::run(args, blocks, stream);
    else
      Curved::run(args, blocks, stream);
  }
  static std::vector<KernelInfo> info() {
    if (Stored == 5 || Q == 5) return {Curved::info("both blocks")};  // five points: one kernel reads the column's arrays for both orders
    return {Trilinear::info("trilinear"), Curved::info("curved")};
  }
};

}  // namespace agwave::cuda_kernels
