// SPDX-License-Identifier: Apache-2.0
// The picture behind `agwave check --plot`: bathymetry, final uplift and sensors, drawn by scripts/plot_case.py, which
// receives everything as one JSON document on its standard input (no files in between).
#pragma once
#include <string>
#include <vector>

#include "run/model.hpp"

namespace agwave {

// Collective. Throws Error(output) when Python, matplotlib or the script fail, with what they said.
void plot_case(const Plan& plan, const std::vector<UpliftTerm>& uplift, const Case& c, const std::string& path, const Comm& comm);

}  // namespace agwave
