// SPDX-License-Identifier: Apache-2.0
// A case and its plan as JSON.
#pragma once
#include <nlohmann/json.hpp>

#include "run/plan.hpp"

namespace agwave {

using Json = nlohmann::ordered_json;

Json plan_json(const Case& c, const Plan& plan, const Comm& comm);  // what `check --json` prints and summary.json repeats
Json levels_json(const Plan& plan);

}  // namespace agwave
