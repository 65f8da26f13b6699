// SPDX-License-Identifier: Apache-2.0
// What `agwave check` says of a case's maps from floor motion to sensors.
#pragma once
#include "run/p2o_plan.hpp"
#include "run/plan_json.hpp"

namespace agwave {

inline long long whole(std::int64_t n) { return n; }  // for printf

// seconds_per_dof_step: of the variant of the plan, on one rank.
void print_p2o(const P2oPlan& p2o, double seconds_per_dof_step, const Comm& comm);
Json p2o_json(const P2oPlan& p2o, double seconds_per_dof_step, const Comm& comm);

}  // namespace agwave
