// SPDX-License-Identifier: Apache-2.0
// Variant `dmma-fused-pa`: `fused-pa` on FP64 tensor cores (pencil_dmma.cuh; pencil_dmma5.cuh for five points).
#include "kernels/cuda/pencil_launch.cuh"

namespace agwave {
namespace {

template <int Q>
using DmmaFusedPartialAssembly = cuda_kernels::PencilOperator<Q, cuda_kernels::DmmaFused<Q, 5>, 5>;

const RegisterOperator registered{cuda_operator<DmmaFusedPartialAssembly>("dmma-fused-pa", "fused-pa on FP64 tensor cores", 0,
                                                                          cuda_kernels::Dmma::compute_capability, cuda_kernels::stored_bytes)};

}  // namespace
}  // namespace agwave
