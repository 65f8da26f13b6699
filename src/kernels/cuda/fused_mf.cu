// SPDX-License-Identifier: Apache-2.0
// Variant `fused-mf`: one kernel, both blocks, D recomputed at every point (pencil.cuh): from the vertices for trilinear
// hexahedra (geometry order 1), from the column's h, h_x, h_y for curved ones (order 4).
// Variant `fused-mf-scale`: the papers' option that stores one scale factor per point and recomputes the rest. There it saves
// a division; w det J J^-T of a terrain-following hexahedron has none, so here it saves h and costs 8 bytes per point.
#include "kernels/cuda/pencil_launch.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q, bool Scaled>
using Launch = Fused<CoreKernel<Q, true, true, TrilinearMetric<Q, Scaled>>, CoreKernel<Q, true, true, ComputedMetric<Q, Scaled>>>;
template <int Q>
using FusedMatrixFree = PencilOperator<Q, Launch<Q, false>, 0>;
template <int Q>
using FusedMatrixFreeScale = PencilOperator<Q, Launch<Q, true>, 1>;

const RegisterOperator registered[] = {
    RegisterOperator(
        cuda_operator<FusedMatrixFree>("fused-mf", "both blocks in one kernel on CUDA cores, D recomputed from the terrain", 3, 80, no_bytes)),
    RegisterOperator(cuda_operator<FusedMatrixFreeScale>("fused-mf-scale", "fused-mf with one scale factor stored per point", 0, 80, scale_bytes))};

}  // namespace
}  // namespace agwave
