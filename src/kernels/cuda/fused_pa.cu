// SPDX-License-Identifier: Apache-2.0
// Variant `fused-pa`: one kernel reads p, u and the stored D once and produces both blocks, scatter included (pencil.cuh).
#include "kernels/cuda/pencil_operator.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q>
struct Launch {
  static constexpr bool stored = true;
  static constexpr int kernels = 1, threads = March::threads;
  static constexpr auto both = pencil_kernel<Q, true, true, StoredMetric<Q>>;
  static void prepare() { allow_shared(both, PencilShape<Q>::bytes); }
  static void run(const PencilArgs& args, unsigned blocks, cudaStream_t stream) { both<<<blocks, threads, PencilShape<Q>::bytes, stream>>>(args); }
  static std::vector<KernelInfo> info() { return {kernel_info("both blocks", both, threads, PencilShape<Q>::bytes)}; }
};
template <int Q>
using FusedPartialAssembly = PencilOperator<Q, Launch<Q>>;

const RegisterOperator registered{
    cuda_operator<FusedPartialAssembly>("fused-pa", "both blocks in one kernel on CUDA cores, D stored at the points", 2, 80, stored_bytes)};

}  // namespace
}  // namespace agwave
