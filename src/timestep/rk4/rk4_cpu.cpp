// SPDX-License-Identifier: Apache-2.0
// Classical RK4 on the CPU.
#include "device/backend.hpp"
#include "timestep/rk4/rk4_impl.hpp"

namespace agwave {

template std::unique_ptr<Stepper> make_rk4<Cpu>(const StepperSetup&, const MakeOperator<Cpu>&);

double rk4_bytes(const Mesh& mesh, int quadrature) {
  const double level = static_cast<double>(mesh.NX()) * mesh.NY();
  return 8.0 * (4.0 * static_cast<double>(mesh.nodes()) + 4.0 * 3 * L3D * static_cast<double>(mesh.NE()) + 3 * level) +
         static_cast<double>(Spaces::bytes(mesh, quadrature));
}

}  // namespace agwave
