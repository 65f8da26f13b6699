// SPDX-License-Identifier: Apache-2.0
// Which instruction set the vectorised CPU kernels use: the widest this processor has, or the one named by AGWAVE_SIMD.
#pragma once
#include <string>

#include "timestep/two_sweep/cpu/sweep.hpp"

namespace agwave {

// Throws Error(usage) when AGWAVE_SIMD names one that does not exist or does not run here.
const two_sweep::InstructionSet& instruction_set();
std::string describe_instruction_sets();  // "avx2 (of avx2, sse4)"

}  // namespace agwave
