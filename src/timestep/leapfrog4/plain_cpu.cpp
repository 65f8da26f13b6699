// SPDX-License-Identifier: Apache-2.0
// The plain leapfrog of order 4 on the CPU.
#include "device/backend.hpp"
#include "timestep/leapfrog4/plain.hpp"

namespace agwave {
namespace {

const RegisterAroundStiffnesses registered{
    {Device::cpu, "leapfrog", [](const StiffnessVariant& stiffness, Variant& v) {
       v.description = "leapfrog of order 4 around the " + stiffness.name + " stiffness, one array for each step of it";
       v.integrator = &leapfrog4_integrator;
       v.forces_anywhere = true;
       v.takes_sponges = true;
       v.preference = -1;
       v.arrays = leapfrog4::state_arrays;
       v.make_stepper = [make = stiffness.on_cpu](const StepperSetup& setup) -> std::unique_ptr<Stepper> {
         return std::make_unique<leapfrog4::Plain<Cpu>>(setup, make);
       };
       v.bytes = [](const Mesh& mesh, int quadrature) {
         return 8.0 * (9.0 * static_cast<double>(mesh.nodes()) + 2.0 * mesh.NX() * mesh.NY()) + static_cast<double>(Spaces::bytes(mesh, quadrature));
       };
     }}};

}  // namespace
}  // namespace agwave
