// SPDX-License-Identifier: Apache-2.0
// The plain leapfrog of order 4 on a GPU: for those without bulk copies, and for processor grids that `leapfrog-sweep` cannot take.
#include "device/backend_cuda.cuh"
#include "timestep/leapfrog4/plain.hpp"

namespace agwave {
namespace {

const RegisterAroundStiffnesses registered{
    {Device::cuda, [](const StiffnessVariant& stiffness, Variant& v) { leapfrog4::around<Cuda>(stiffness, stiffness.on_cuda, 11, v); }}};

}  // namespace
}  // namespace agwave
