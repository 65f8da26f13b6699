// SPDX-License-Identifier: Apache-2.0
// How a pencil variant is launched: a gradient and a divergence in turn, or one kernel for both blocks; on CUDA cores (CoreKernel) or tensor cores
// (DmmaKernel). Stored: doubles in qdata per point, as in PencilOperator.
#pragma once
#include "kernels/cuda/pencil.cuh"
#include "kernels/cuda/pencil_dmma.cuh"
#include "kernels/cuda/pencil_dmma5.cuh"
#include "kernels/cuda/pencil_operator.cuh"

namespace agwave::cuda_kernels {

template <auto Kernel, std::size_t Bytes>
struct PencilKernel {
  static void prepare() { allow_shared(Kernel, Bytes); }
  static void run(const PencilArgs& args, unsigned blocks, cudaStream_t stream) {
    Kernel<<<blocks, March::threads, Bytes, stream>>>(args);
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
  static KernelInfo info(const char* name) { return kernel_info(name, Kernel, March::threads, Bytes); }
};
template <int Q, bool Gradient, bool Divergence, class Geometry>
using CoreKernel = PencilKernel<pencil_kernel<Q, Gradient, Divergence, Geometry>, PencilMemory<Q>::bytes>;

template <int Q, bool Gradient, bool Divergence, int Stored, bool Trilinear>
constexpr auto dmma_kernel_of() {
  if constexpr (Q == 5)  // for both orders from the column's arrays
    return dmma5_kernel<Gradient, Divergence, Stored>;
  else
    return dmma_kernel<Gradient, Divergence, std::conditional_t<Stored == 5, StoredPair, ComputedPair<Trilinear, Stored == 1>>>;
}
template <int Q, bool Gradient, bool Divergence, int Stored, bool Trilinear = false>
using DmmaKernel =
    PencilKernel<dmma_kernel_of<Q, Gradient, Divergence, Stored, Trilinear>(), DmmaMemory<std::conditional_t<Q == 4, DmmaShape, Dmma5Shape>>::bytes>;

template <class Gradient, class Divergence>
struct InTurn {
  static constexpr int kernels = 2;
  static void prepare() {
    Gradient::prepare();
    Divergence::prepare();
  }
  static void run(const PencilArgs& args, unsigned blocks, cudaStream_t stream) {
    Gradient::run(args, blocks, stream);
    Divergence::run(args, blocks, stream);
  }
  static std::vector<KernelInfo> info() { return {Gradient::info("gradient"), Divergence::info("divergence")}; }
};

template <class Trilinear, class Curved = Trilinear>  // by the order of the geometry
struct Fused {
  static constexpr int kernels = 1;
  static void prepare() {
    Trilinear::prepare();
    Curved::prepare();
  }
  static void run(const PencilArgs& args, unsigned blocks, cudaStream_t stream) {
    (args.trilinear ? Trilinear::run : Curved::run)(args, blocks, stream);
  }
  static std::vector<KernelInfo> info() {
    if constexpr (std::is_same_v<Trilinear, Curved>)
      return {Curved::info("both blocks")};
    else
      return {Trilinear::info("trilinear"), Curved::info("curved")};
  }
};
template <int Q, int Stored>
using DmmaFused = Fused<DmmaKernel<Q, true, true, Stored, true>, DmmaKernel<Q, true, true, Stored>>;

}  // namespace agwave::cuda_kernels
