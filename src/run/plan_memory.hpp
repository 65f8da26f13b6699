// SPDX-License-Identifier: Apache-2.0
// Predicted memory against what is free, so that a case that does not fit is refused before anything large is allocated.
#pragma once
#include <string>

#include "run/plan.hpp"

namespace agwave {

// Fills plan.memory and plan.host_memory from the variant, the counts of the mesh, the uplift terms and the points found so far.
void predict_memory(Plan& plan, const Case& c, const Comm& comm);

// Throws AgreedError(device) with what is needed and what is there when the ranks of a node need more host memory than is
// available, or those of a device more than is free on it. Collective.
void require_memory(const Plan& plan, const Comm& comm);

// What a process can still get on this node [bytes]: MemAvailable, or less by the limits of its control groups (v1 and v2;
// file cache in them counts as free). Infinite where nothing is known. `root`: where /proc and /sys are, for tests.
double available_host_memory(const std::string& root = "");

}  // namespace agwave
