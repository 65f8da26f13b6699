// SPDX-License-Identifier: Apache-2.0
// What every operator on a CPU registers: how it is made, one bare application for tests, and its timing.
#pragma once
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "device/backend.hpp"
#include "device/trace.hpp"
#include "kernels/registry.hpp"
#include "kernels/time_operator.hpp"

namespace agwave {

template <class Interface, template <int> class Kernel>
std::unique_ptr<Interface> make_on_cpu(const Mesh& mesh, const Spaces& spaces, int quadrature, Cpu& cpu) {
  const auto make = [&]<class Of>() -> std::unique_ptr<Interface> {
    if constexpr (std::is_constructible_v<Of, const Mesh&, const Spaces&, Cpu&>)
      return std::make_unique<Of>(mesh, spaces, cpu);
    else
      return std::make_unique<Of>(mesh, spaces);
  };
  return quadrature == 4 ? make.template operator()<Kernel<4>>() : make.template operator()<Kernel<5>>();
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
OperatorVariant cpu_operator(std::string name, std::string description, int preference, std::function<double(const Mesh&, int)> operator_bytes) {
  OperatorVariant v;
  v.name = std::move(name);
  v.device = Device::cpu;
  v.description = std::move(description);
  v.preference = preference;
  v.on_cpu = make_on_cpu<Operator, Kernel>;
  v.time_operator = [make = v.on_cpu](const SpacesSetup& setup, const TimingPlan& plan) { return time_operator<Cpu, CpuClock>(setup, plan, make); };
  v.apply_once = [](const SpacesSetup& setup, const std::vector<double>& p, const std::vector<double>& u, std::vector<double>& g,
                    std::vector<double>& r) {
    const Spaces spaces(setup, Space::host);
    g.assign(u.size(), 0.0);
    r.assign(p.size(), 0.0);
    Cpu cpu;
    make_on_cpu<Operator, Kernel>(setup.mesh, spaces, setup.quadrature, cpu)->apply(p.data(), u.data(), g.data(), r.data(), Part::all);
  };
  v.bytes = std::move(operator_bytes);
  return v;
}

template <template <int> class Kernel>
StiffnessVariant cpu_stiffness(std::string name, std::string description) {
  StiffnessVariant v;
  v.name = std::move(name);
  v.device = Device::cpu;
  v.description = std::move(description);
  v.on_cpu = make_on_cpu<Stiffness, Kernel>;
  v.apply_once = [](const SpacesSetup& setup, const std::vector<double>& psi, std::vector<double>& r) {
    const Spaces spaces(setup, Space::host);
    Cpu cpu;
    r.assign(psi.size(), 0.0);
    make_on_cpu<Stiffness, Kernel>(setup.mesh, spaces, setup.quadrature, cpu)->apply(psi.data(), r.data(), part_boxes(setup.mesh, Part::all));
  };
  return v;
}

}  // namespace agwave
