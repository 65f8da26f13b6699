// SPDX-License-Identifier: Apache-2.0
// Classical RK4 around any Operator variant:
//   M_u u_t = -G p,   M_p p_t = G^T u - S p + f(t)
//   k_s = L(stage_s, t + c_s dt),  y' = y + dt (k_1 + 2 k_2 + 2 k_3 + k_4) / 6
// Written once as functors over nodes and velocity dofs; rk4_cpu.cpp and rk4_cuda.cu instantiate it.
#pragma once
#include <functional>
#include <memory>

#include "comm/exchange.hpp"
#include "kernels/operator.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

template <class Backend>
using MakeOperator = std::function<std::unique_ptr<Operator>(const Mesh&, const Spaces&, int quadrature, Backend&)>;

template <class Backend>
std::unique_ptr<Stepper> make_rk4(const StepperSetup& setup, const MakeOperator<Backend>& make_operator);

// Memory of the classical stepper without its operator, per rank [bytes].
double rk4_bytes(const Mesh& mesh, int quadrature);

}  // namespace agwave
