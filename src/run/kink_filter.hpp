// SPDX-License-Identifier: Apache-2.0
// When a run filters what kinks in time excite. Where a floor begins or stops to move at once (linear ramps, sequences of grids) it excites waves that no
// mesh carries; an integrator that damps nothing would ring with them for good (docs/verification.md). So they are taken from the state (Stepper::filter)
// while such a source acts and for some periods after.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace agwave {

struct Case;
struct Plan;

struct KinkFilter {
  struct Span {
    double begin, end;  // [s]
  };
  std::vector<Span> spans{};  // in which it acts, in order and apart
  int steps = 0, of = 1;      // at the first `steps` of so many; 0: none
  double longer = 1;          // Stepper::filter
  std::vector<std::string> sources{};
  std::string why{};  // or why what has kinks is left to ring

  // Before the step that begins at t. Two steps in a row, for a wave that turns by a half circle from one filtered step to the next may have no rate at any.
  bool acts(std::int64_t step, double t) const {
    return step % of < steps && std::ranges::any_of(spans, [t](const Span& span) { return t >= span.begin && t < span.end; });
  }
  std::int64_t count(std::int64_t all, double dt) const;  // of so many steps, those that are filtered
};

// The plan has its sources, steps and levels and what its mesh carries.
KinkFilter plan_kink_filter(const Case& c, const Plan& plan);

// "kinks of sources[0] filtered at 2 of 6 steps from t = 0 to 17 s and 60 to 72 s", or "kinks of sources[0] ring on (time.filter: off)"; empty where there is nothing to say.
std::string to_text(const KinkFilter& filter);

}  // namespace agwave
