// SPDX-License-Identifier: Apache-2.0
// How an operator is timed, and what comes back: one application is r = 0, then both off-diagonal blocks, G p and G^T u.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "device/power.hpp"
#include "kernels/operator.hpp"

namespace agwave {

struct TimingPlan {
  int warmup = 10, repeats = 20;
  std::function<void(const Repeat& apply)> afterwards;  // runs once the times are taken, while the operator still exists: for energy
};

struct OperatorTiming {
  std::vector<double> seconds;  // of each timed application
  Cost cost;
  std::vector<KernelInfo> kernels;
  std::string plan;  // Operator::plan
};

}  // namespace agwave
