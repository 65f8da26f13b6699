// SPDX-License-Identifier: Apache-2.0
#include "timestep/two_sweep/cpu/instruction_set.hpp"

#include <cstdlib>

#include "error/error.hpp"

namespace agwave {

namespace {
std::string names_here() {
  std::string names;
  for (const two_sweep::InstructionSet& set : two_sweep::instruction_sets())
    if (set.runs_here()) names += (names.empty() ? "" : ", ") + std::string(set.name);
  return names;
}
}  // namespace

const two_sweep::InstructionSet& instruction_set() {
  const char* const variable = std::getenv("AGWAVE_SIMD");
  const std::string wanted = variable ? variable : "";
  for (const two_sweep::InstructionSet& set : two_sweep::instruction_sets())
    if (set.runs_here() && (wanted.empty() || wanted == set.name)) return set;
  throw Error(ExitCode::usage, text("AGWAVE_SIMD: '", wanted, "' is no instruction set of this program and processor; there are ", names_here()));
}

std::string describe_instruction_sets() { return text(instruction_set().name, " (of ", names_here(), ")"); }

}  // namespace agwave
