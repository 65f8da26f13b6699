// SPDX-License-Identifier: Apache-2.0
// Variant `dmma-pa`: `pa` on FP64 tensor cores (pencil_dmma.cuh; pencil_dmma5.cuh for five points).
#include "kernels/cuda/pencil_launch.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q>
using DmmaPartialAssembly = PencilOperator<Q, InTurn<DmmaKernel<Q, true, false, 5>, DmmaKernel<Q, false, true, 5>>, 5>;

const RegisterOperator registered{
    cuda_operator<DmmaPartialAssembly>("dmma-pa", "pa on FP64 tensor cores", 0, Dmma::compute_capability, stored_bytes)};

}  // namespace
}  // namespace agwave
