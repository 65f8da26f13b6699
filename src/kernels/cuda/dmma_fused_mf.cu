// SPDX-License-Identifier: Apache-2.0
// Variant `dmma-fused-mf`: `fused-mf` on FP64 tensor cores (pencil_dmma.cuh; pencil_dmma5.cuh for five points).
#include "kernels/cuda/dmma_launch.cuh"

namespace agwave {
namespace {

template <int Q>
using DmmaFusedMatrixFree = cuda_kernels::PencilOperator<Q, cuda_kernels::DmmaFused<Q, false>>;

const RegisterVariant registered{cuda_variant<DmmaFusedMatrixFree>("dmma-fused-mf", "fused-mf on FP64 tensor cores", 0,
                                                                   cuda_kernels::Dmma::compute_capability, cuda_kernels::no_bytes)};

}  // namespace
}  // namespace agwave
