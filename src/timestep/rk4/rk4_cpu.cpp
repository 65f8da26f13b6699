// SPDX-License-Identifier: Apache-2.0
// Classical RK4 on the CPU.
#include "device/backend.hpp"
#include "timestep/rk4/rk4_impl.hpp"

namespace agwave {
namespace {

const RegisterAroundOperators registered{{Device::cpu, [](const OperatorVariant& op, Variant& v) { around<Cpu>(op, op.on_cpu, v); }}};

}  // namespace
}  // namespace agwave
