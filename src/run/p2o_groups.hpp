// SPDX-License-Identifier: Apache-2.0
// Ranks in groups, each with a plan of the whole mesh.
#pragma once
#include <functional>
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

// Groups fail together, after the last of them has ended. What one rank of a larger group fails at alone goes on, for the others of its group may be waiting
// for it: who catches it takes all ranks down. Collective.
void agree_by_groups(const Comm& world, const Comm& group, const std::function<void()>& part);

}  // namespace agwave
