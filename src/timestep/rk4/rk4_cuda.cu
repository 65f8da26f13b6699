// SPDX-License-Identifier: Apache-2.0
// Classical RK4 on a GPU.
#include "device/backend_cuda.cuh"
#include "timestep/rk4/rk4_impl.hpp"

namespace agwave {

template std::unique_ptr<Stepper> make_rk4<Cuda>(const StepperSetup&, const MakeOperator<Cuda>&);

}  // namespace agwave
