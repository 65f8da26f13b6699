// SPDX-License-Identifier: Apache-2.0
// How an operator is timed, and what comes back: one application is r = 0, then both off-diagonal blocks, G p and G^T u.
#pragma once
#include <functional>
#include <vector>

#include "kernels/operator.hpp"

namespace agwave {

using Repeat = std::function<void(int)>;  // does its work so many times and waits until it is done

struct TimingPlan {
  int warmup = 10, repeats = 20;
  std::function<void(const Repeat& apply)> afterwards;  // runs once the times are taken, while the operator still exists: for energy
};

struct OperatorTiming {
  std::vector<double> seconds;  // of each timed application
  Cost cost;
  std::vector<KernelInfo> kernels;
};

}  // namespace agwave
