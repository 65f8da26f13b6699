// SPDX-License-Identifier: Apache-2.0
// When a run filters what kinks in time excite. Where a floor begins or stops to move at once (linear ramps, sequences of grids) it excites waves that no
// mesh carries; an integrator that damps nothing would ring with them for good (docs/verification.md). So they are taken from the state (Stepper::filter)
// while such a source acts and for some periods after.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace agwave {

struct Case;
struct Plan;

struct KinkFilter {
  double begin = 0, end = 0;  // [s]
  int steps = 0, of = 1;      // the first `steps` of so many; 0: none
  std::vector<std::string> sources{};
  std::string why{};  // or why what has kinks is left to ring

  // Before the step that begins at t. Two steps in a row, for a wave that turns by a half circle from one filtered step to the next may have no rate at any.
  bool acts(std::int64_t step, double t) const { return t >= begin && t < end && step % of < steps; }
};

// The plan has its sources, steps and levels and what its mesh carries.
KinkFilter plan_kink_filter(const Case& c, const Plan& plan);

// "kinks of sources[0] filtered at 2 of 6 steps from t = 0 to 17 s", or "kinks of sources[0] ring on (time.filter: off)"; empty where there is nothing to say.
std::string to_text(const KinkFilter& filter);

}  // namespace agwave
