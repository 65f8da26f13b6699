// SPDX-License-Identifier: Apache-2.0
// Variant `fused-mf`: one kernel, both blocks, D recomputed at every point from the column's h, h_x, h_y (pencil.cuh).
#include "kernels/cuda/pencil_operator.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q>
struct Launch {
  static constexpr bool stored = false;
  static constexpr int kernels = 1, threads = 32 * PencilShape<Q>::warps;
  static constexpr auto both = pencil_kernel<Q, true, true, ComputedMetric<Q>>;
  static void prepare() { allow_shared(both, PencilShape<Q>::bytes); }
  static void run(const PencilArgs& args, unsigned blocks, cudaStream_t stream) { both<<<blocks, threads, PencilShape<Q>::bytes, stream>>>(args); }
  static std::vector<KernelInfo> info() { return {kernel_info("both blocks", both, threads, PencilShape<Q>::bytes)}; }
};
template <int Q>
using FusedMatrixFree = PencilOperator<Q, Launch<Q>>;

const RegisterVariant registered{cuda_variant<FusedMatrixFree>("fused-mf", "both blocks in one kernel on CUDA cores, D recomputed from the terrain", 3, 80, no_bytes)};

}  // namespace
}  // namespace agwave
