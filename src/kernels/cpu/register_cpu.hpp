// SPDX-License-Identifier: Apache-2.0
// What every CPU operator variant registers: classical RK4 around it, one bare application for tests, and its timing.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "device/trace.hpp"
#include "kernels/registry.hpp"
#include "kernels/time_operator.hpp"
#include "timestep/rk4/rk4.hpp"

namespace agwave {

template <template <int> class Kernel>
std::unique_ptr<Operator> make_cpu_operator(const Mesh& mesh, const Spaces& spaces, int quadrature) {
  if (quadrature == 4) return std::make_unique<Kernel<4>>(mesh, spaces);
  return std::make_unique<Kernel<5>>(mesh, spaces);
}

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

// operator_bytes: memory of the operator itself, per rank.
template <template <int> class Kernel>
Variant cpu_variant(std::string name, std::string description, int rank, std::function<double(const Mesh&, int)> operator_bytes) {
  Variant v;
  v.name = std::move(name);
  v.device = Device::cpu;
  v.description = std::move(description);
  v.quadratures = {4, 5};
  v.rank = rank;
  const MakeOperator<Cpu> make = [](const Mesh& mesh, const Spaces& spaces, int q, Cpu&) { return make_cpu_operator<Kernel>(mesh, spaces, q); };
  v.make_stepper = [make](const StepperSetup& setup) { return make_rk4<Cpu>(setup, make); };
  v.time_operator = [make](const StepperSetup& setup, const TimingPlan& plan) { return time_operator<Cpu, CpuClock>(setup, plan, make); };
  v.apply_once = [](const StepperSetup& setup, const std::vector<double>& p, const std::vector<double>& u, std::vector<double>& g,
                    std::vector<double>& r) {
    const Spaces spaces(setup.mesh, setup.ocean, setup.boundary, setup.quadrature, Space::host);
    g.assign(u.size(), 0.0);
    r.assign(p.size(), 0.0);
    make_cpu_operator<Kernel>(setup.mesh, spaces, setup.quadrature)->apply(p.data(), u.data(), g.data(), r.data(), Part::all);
  };
  v.bytes = [operator_bytes](const Mesh& mesh, int quadrature) { return rk4_bytes(mesh, quadrature) + operator_bytes(mesh, quadrature); };
  return v;
}

}  // namespace agwave
