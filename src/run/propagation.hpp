// SPDX-License-Identifier: Apache-2.0
// Propagations of one model from rest, one after the other: terms of its forcing move at unit rate during whole intervals. What a step wants of
// them follows from the number of the step within its interval, so that intervals differ in no bit.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "run/model.hpp"
#include "run/p2o_plan.hpp"

namespace agwave {

struct Pulse {
  int term;
  std::int64_t interval;
};

class Propagation {
 public:
  Propagation(Model& model, const Intervals& intervals);
  // sampled(k): the state is that at the sample of interval k; stepped(): after each step, and after that. Collective.
  void run(std::span<const Pulse> pulses, const std::function<void(std::int64_t k)>& sampled, const std::function<void()>& stepped);
  // The transpose of what run() does with a floor: from a sensor's term, read at the floor. heard(k): Field::heard has the answer of interval k.
  void run_transposed(int term, const std::function<void(std::int64_t k)>& heard, const std::function<void()>& stepped);
  std::int64_t steps() const { return intervals_.sampled_at(intervals_.count - 1) + intervals_.ahead; }  // of one propagation

 private:
  void run_transposed_in_levels(int term, const std::function<void(std::int64_t k)>& heard, const std::function<void()>& stepped);
  std::vector<ForcingSample> samples(std::span<const Pulse> pulses, std::int64_t step) const;

  Model& model_;
  Intervals intervals_;
  TimeSeries unit_;                      // of the first interval
  std::vector<double> rest_p_, rest_u_;  // zeros to begin from, made once; none for velocities where the integrator has only those of rest
};

}  // namespace agwave
