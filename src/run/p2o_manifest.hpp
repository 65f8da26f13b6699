// SPDX-License-Identifier: Apache-2.0
// p2o.json: of which case, mesh and step the maps in a folder are. Whoever goes on with them, or makes others of the same set, has to agree.
#pragma once
#include <string>

#include "run/p2o_plan.hpp"

namespace agwave {

// floor: checksum of the depths of the whole mesh. Both on rank 0.
// Writes it and returns the fingerprint of the maps. Throws Error(output).
std::string begin_maps(const std::string& path, const P2oPlan& p2o, const std::string& floor);
// The fingerprint of the maps that are there. Throws Error(usage) with all that has changed since, Error(input) where it cannot be read.
std::string continue_maps(const std::string& path, const P2oPlan& p2o, const std::string& floor);

}  // namespace agwave
