// SPDX-License-Identifier: Apache-2.0
// Classical RK4 on a GPU.
#include "device/backend_cuda.cuh"
#include "timestep/rk4/rk4_impl.hpp"

namespace agwave {
namespace {

const RegisterAroundOperators registered{{Device::cuda, [](const OperatorVariant& op, Variant& v) { around<Cuda>(op, op.on_cuda, v); }}};

}  // namespace
}  // namespace agwave
