// SPDX-License-Identifier: Apache-2.0
// Variant `pa` on a GPU: partial assembly on CUDA cores, as in the papers: D is stored at the quadrature points, gradient
// and divergence are two kernels (pencil.cuh). The sums of shared nodes are atomic, so r may differ in its last bits from
// run to run.
#include "kernels/cuda/pencil_operator.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q>
struct Launch {
  static constexpr bool stored = true;
  static constexpr int kernels = 2, threads = March::threads;
  static constexpr auto gradient = pencil_kernel<Q, true, false, StoredMetric<Q>>;
  static constexpr auto divergence = pencil_kernel<Q, false, true, StoredMetric<Q>>;
  static void prepare() {
    allow_shared(gradient, PencilShape<Q>::bytes);
    allow_shared(divergence, PencilShape<Q>::bytes);
  }
  static void run(const PencilArgs& args, unsigned blocks, cudaStream_t stream) {
    gradient<<<blocks, threads, PencilShape<Q>::bytes, stream>>>(args);
    AGWAVE_CUDA_CALL(cudaGetLastError());
    divergence<<<blocks, threads, PencilShape<Q>::bytes, stream>>>(args);
  }
  static std::vector<KernelInfo> info() {
    return {kernel_info("gradient", gradient, threads, PencilShape<Q>::bytes), kernel_info("divergence", divergence, threads, PencilShape<Q>::bytes)};
  }
};
template <int Q>
using PartialAssembly = PencilOperator<Q, Launch<Q>>;

const RegisterOperator registered{cuda_operator<PartialAssembly>(
    "pa", "partial assembly on CUDA cores: D stored at the points, gradient and divergence apart", 1, 80, stored_bytes)};

}  // namespace
}  // namespace agwave
