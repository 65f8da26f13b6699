// SPDX-License-Identifier: Apache-2.0
// The checkpoint that a run continues, and whether the case may continue it.
#pragma once
#include <string>

#include "comm/comm.hpp"
#include "io/checkpoint_manifest.hpp"
#include "run/plan.hpp"

namespace agwave {

struct Restart {
  std::string checkpoint;  // its folder
  Manifest manifest;
};

// Finds and reads the checkpoint that `given` names. Throws Error(input) when that cannot be, Error(usage) with every key of the case
// that has changed and may not. Collective.
Restart open_restart(const std::string& given, const Case& c, const Comm& comm);

// The output directory of the run that wrote the checkpoint; empty where it was moved out of its folder `checkpoints`.
std::string directory_of(const Restart& restart);

// The mesh, the step and the sensors must be those of the checkpoint; the step is then taken from it, to the last bit. Throws Error(usage).
void continue_plan(const Restart& restart, const Case& c, Plan& plan);

// As a manifest has the levels of local steps.
std::vector<std::array<std::int64_t, 2>> levels_kept(const Plan& plan);
std::string sensor_checksum(const Sensors& sensors);  // of names and places

}  // namespace agwave
