// SPDX-License-Identifier: Apache-2.0
// What happens every so many seconds of a run, in steps. Intervals of a case are multiples of its step.
#pragma once
#include <cmath>
#include <cstdint>

namespace agwave {

class Every {
 public:
  Every() = default;  // never
  Every(double interval, double dt) : steps_(interval > 0 ? std::llround(interval / dt) : 0) {}
  bool ever() const { return steps_ > 0; }
  bool due(std::int64_t step) const { return ever() && step % steps_ == 0; }
  std::int64_t steps() const { return steps_; }
  std::int64_t count(std::int64_t step) const { return ever() ? step / steps_ + 1 : 0; }  // how often up to and with that step, step 0 included
  std::int64_t index(std::int64_t step) const { return step / steps_; }                   // of the one at that step

 private:
  std::int64_t steps_ = 0;
};

// A run checks its energy and largest values every so many steps: each time a pass over the state, half to two thirds of a step. More often
// at first, where a bad case shows.
constexpr std::int64_t guard_steps = 200;
constexpr bool guarded(std::int64_t step) { return step % (step <= 3 * guard_steps ? guard_steps / 4 : guard_steps) == 0; }

}  // namespace agwave
