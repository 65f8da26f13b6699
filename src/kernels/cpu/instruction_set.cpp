// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/instruction_set.hpp"

#include <cstdlib>
#include <string>

#include "error.hpp"

namespace agwave {

const two_sweep::InstructionSet& instruction_set() {
  const char* const wanted = std::getenv("AGWAVE_SIMD");
  std::string here;
  for (const two_sweep::InstructionSet& set : two_sweep::instruction_sets()) {
    if (!set.runs_here()) continue;
    if (!wanted || !*wanted || set.name == std::string(wanted)) return set;
    here += (here.empty() ? "" : ", ") + std::string(set.name);
  }
  throw Error(ExitCode::usage, text("AGWAVE_SIMD: '", wanted ? wanted : "", "' is no instruction set that runs here; there are ", here));
}

}  // namespace agwave
