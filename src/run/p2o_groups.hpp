// SPDX-License-Identifier: Apache-2.0
// Ranks in groups, each with a plan of the whole mesh.
#pragma once
#include <memory>

#include "run/p2o_plan.hpp"

namespace agwave {

struct P2oGroup {
  int count = 1, own = 0;  // groups; this rank's
  std::unique_ptr<Comm> comm;
  std::unique_ptr<P2oPlan> plan;
};

// As parallel.group says; auto: the fewest ranks per group that have the memory, and no more groups than sources. Collective.
P2oGroup plan_groups(const Case& c, const Comm& world);

}  // namespace agwave
