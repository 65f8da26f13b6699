// SPDX-License-Identifier: Apache-2.0
// The plain leapfrog of order 4 on the CPU.
#include "device/backend.hpp"
#include "timestep/leapfrog4/plain.hpp"

namespace agwave {
namespace {

const RegisterAroundStiffnesses registered{
    {Device::cpu, [](const StiffnessVariant& stiffness, Variant& v) { leapfrog4::around<Cpu>(stiffness, stiffness.on_cpu, -1, v); }}};

}  // namespace
}  // namespace agwave
