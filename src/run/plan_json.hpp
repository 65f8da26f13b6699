// SPDX-License-Identifier: Apache-2.0
// A case and its plan as JSON: what `check --json` prints and summary.json repeats.
#pragma once
#include <nlohmann/json.hpp>

#include "run/plan.hpp"

namespace agwave {

using Json = nlohmann::ordered_json;

Json case_json(const Case& c);  // title, file, parameters by path as text, and those that --set changed
Json resolution_json(const Resolution& r);
Json sources_json(const std::vector<SourceFacts>& sources);
Json levels_json(const Plan& plan);
Json edges_json(const Plan& plan, const Case& c);
Json floor_json(const Floor& floor);
Json filter_json(const KinkFilter& filter);  // null without kinks

}  // namespace agwave
