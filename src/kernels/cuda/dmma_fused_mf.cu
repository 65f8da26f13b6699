// SPDX-License-Identifier: Apache-2.0
// Variants `dmma-fused-mf` and `dmma-fused-mf-scale`: `fused-mf` and `fused-mf-scale` on FP64 tensor cores (pencil_dmma.cuh;
// pencil_dmma5.cuh for five points).
#include "kernels/cuda/pencil_launch.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q>
using DmmaFusedMatrixFree = PencilOperator<Q, DmmaFused<Q, 0>, 0>;
template <int Q>
using DmmaFusedMatrixFreeScale = PencilOperator<Q, DmmaFused<Q, 1>, 1>;

const RegisterOperator registered[] = {
    RegisterOperator(cuda_operator<DmmaFusedMatrixFree>("dmma-fused-mf", "fused-mf on FP64 tensor cores", 0, Dmma::compute_capability, no_bytes)),
    RegisterOperator(cuda_operator<DmmaFusedMatrixFreeScale>("dmma-fused-mf-scale", "fused-mf-scale on FP64 tensor cores", 0,
                                                             Dmma::compute_capability, scale_bytes))};

}  // namespace
}  // namespace agwave
