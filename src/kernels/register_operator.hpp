// SPDX-License-Identifier: Apache-2.0
// What every operator registers on any backend: how it is made, one bare application for tests, and its timing.
#pragma once
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/time_operator.hpp"

namespace agwave {

template <class Kernel, class Backend>
std::unique_ptr<Kernel> make_kernel(const Mesh& mesh, const Spaces& spaces, Backend& backend) {
  if constexpr (std::is_constructible_v<Kernel, const Mesh&, const Spaces&, Backend&>)
    return std::make_unique<Kernel>(mesh, spaces, backend);
  else
    return std::make_unique<Kernel>(mesh, spaces);
}
template <class Interface, template <int> class Kernel, class Backend>
std::unique_ptr<Interface> make_on(const Mesh& mesh, const Spaces& spaces, int quadrature, Backend& backend) {
  if (quadrature == 4) return make_kernel<Kernel<4>>(mesh, spaces, backend);
  return make_kernel<Kernel<5>>(mesh, spaces, backend);
}

template <class Variant, class Interface, class Backend>
void set_maker(Variant& v, std::unique_ptr<Interface> (*make)(const Mesh&, const Spaces&, int, Backend&)) {
  if constexpr (Backend::space == Space::host) {
    v.on_cpu = make;
  } else {
    v.device = Device::cuda;
    v.on_cuda = make;
  }
}

// operator_bytes: memory of the operator itself, per rank.
template <template <int> class Kernel, class Backend, class Clock>
OperatorVariant operator_variant(std::string name, std::string description, int preference, std::function<double(const Mesh&, int)> operator_bytes) {
  OperatorVariant v;
  v.name = std::move(name);
  v.description = std::move(description);
  v.preference = preference;
  set_maker(v, make_on<Operator, Kernel, Backend>);
  v.time_operator = [](const SpacesSetup& setup, const TimingPlan& plan) {
    return time_operator<Backend, Clock>(setup, plan, make_on<Operator, Kernel, Backend>);
  };
  v.apply_once = [](const SpacesSetup& setup, const std::vector<double>& p, const std::vector<double>& u, std::vector<double>& g,
                    std::vector<double>& r) {
    Backend backend;
    const Spaces spaces(setup, Backend::space);
    const auto kernel = make_on<Operator, Kernel>(setup.mesh, spaces, setup.quadrature, backend);
    const Array<double> of_p(Backend::space, p), of_u(Backend::space, u);
    Array<double> of_g = zeros<double>(backend, std::ssize(u)), of_r = zeros<double>(backend, std::ssize(p));
    kernel->apply(of_p.data(), of_u.data(), of_g.data(), of_r.data(), Part::all);
    backend.synchronize();
    g = of_g.to_host();
    r = of_r.to_host();
  };
  v.bytes = std::move(operator_bytes);
  return v;
}

template <template <int> class Kernel, class Backend>
StiffnessVariant stiffness_variant(std::string name, std::string description) {
  StiffnessVariant v;
  v.name = std::move(name);
  v.description = std::move(description);
  set_maker(v, make_on<Stiffness, Kernel, Backend>);
  v.apply_once = [](const SpacesSetup& setup, const std::vector<double>& psi, std::vector<double>& r) {
    Backend backend;
    const Spaces spaces(setup, Backend::space);
    const auto stiffness = make_on<Stiffness, Kernel>(setup.mesh, spaces, setup.quadrature, backend);
    const Array<double> of_psi(Backend::space, psi);
    Array<double> of_r = zeros<double>(backend, std::ssize(psi));
    stiffness->apply(of_psi.data(), of_r.data(), part_boxes(setup.mesh, Part::all));
    backend.synchronize();
    r = of_r.to_host();
  };
  return v;
}

}  // namespace agwave
