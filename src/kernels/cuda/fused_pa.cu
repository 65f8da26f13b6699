// SPDX-License-Identifier: Apache-2.0
// Variant `fused-pa`: one kernel reads p, u and the stored D once and produces both blocks, scatter included (pencil.cuh).
#include "kernels/cuda/pencil_launch.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q>
using FusedPartialAssembly = PencilOperator<Q, Fused<CoreKernel<Q, true, true, StoredMetric<Q>>>, 5>;

const RegisterOperator registered{
    cuda_operator<FusedPartialAssembly>("fused-pa", "both blocks in one kernel on CUDA cores, D stored at the points", 2, 80, stored_bytes)};

}  // namespace
}  // namespace agwave
