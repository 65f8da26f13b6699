// SPDX-License-Identifier: Apache-2.0
// What every operator on a CPU registers.
#pragma once
#include <vector>

#include "device/backend.hpp"
#include "device/trace.hpp"
#include "kernels/register_operator.hpp"

namespace agwave {

class CpuClock {
 public:
  CpuClock(Cpu&, int repeats) { seconds_.reserve(static_cast<std::size_t>(repeats)); }
  void start() { watch_ = Stopwatch(); }
  void stop() { seconds_.push_back(watch_.seconds()); }
  std::vector<double> seconds() const { return seconds_; }

 private:
  Stopwatch watch_;
  std::vector<double> seconds_;
};

template <template <int> class Kernel>
constexpr auto cpu_operator = operator_variant<Kernel, Cpu, CpuClock>;
template <template <int> class Kernel>
constexpr auto cpu_stiffness = stiffness_variant<Kernel, Cpu>;

}  // namespace agwave
