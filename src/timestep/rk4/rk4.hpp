// SPDX-License-Identifier: Apache-2.0
// Classical RK4, and its plain implementation around any operator:
//   M_u u_t = -G p,   M_p p_t = G^T u - S p + f(t)
//   k_s = L(stage_s, t + c_s dt),  y' = y + dt (k_1 + 2 k_2 + 2 k_3 + k_4) / 6
#pragma once
#include "timestep/integrator.hpp"

namespace agwave {

extern const Integrator rk4_integrator;

}  // namespace agwave
