// SPDX-License-Identifier: Apache-2.0
// Variant `pa` on a GPU: partial assembly on CUDA cores, as in the papers: D is stored at the quadrature points, gradient
// and divergence are two kernels (pencil.cuh). The sums of shared nodes are atomic, so r may differ in its last bits from
// run to run.
#include "kernels/cuda/pencil_launch.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q>
using PartialAssembly = PencilOperator<Q, InTurn<CoreKernel<Q, true, false, StoredMetric<Q>>, CoreKernel<Q, false, true, StoredMetric<Q>>>, 5>;

const RegisterOperator registered{cuda_operator<PartialAssembly>(
    "pa", "partial assembly on CUDA cores: D stored at the points, gradient and divergence apart", 1, 80, stored_bytes)};

}  // namespace
}  // namespace agwave
