// SPDX-License-Identifier: Apache-2.0
// What every CUDA operator variant registers: classical RK4 around it, and one bare application for tests.
#pragma once
#include <memory>
#include <string>

#include "backend_cuda.cuh"
#include "kernels/registry.hpp"
#include "timestep/rk4.hpp"

namespace agwave {

template <template <int> class Kernel>
std::unique_ptr<Operator> make_cuda_operator(const Mesh& mesh, const Spaces& spaces, int quadrature, Cuda& cuda) {
  if (quadrature == 4) return std::make_unique<Kernel<4>>(mesh, spaces, cuda);
  return std::make_unique<Kernel<5>>(mesh, spaces, cuda);
}

template <template <int> class Kernel>
Variant cuda_variant(std::string name, std::string description, int rank, int compute_capability, std::function<double(const Mesh&, int)> operator_bytes) {
  Variant v;
  v.name = std::move(name);
  v.device = Device::cuda;
  v.description = std::move(description);
  v.quadratures = {4, 5};
  v.rank = rank;
  v.compute_capability = compute_capability;
  v.make_stepper = [](const StepperSetup& setup) { return make_rk4<Cuda>(setup, make_cuda_operator<Kernel>); };
  v.apply_once = [](const StepperSetup& setup, const std::vector<double>& p, const std::vector<double>& u, std::vector<double>& g, std::vector<double>& r) {
    Cuda cuda;
    const Spaces spaces(setup.mesh, setup.ocean, setup.boundary, setup.quadrature, Space::device);
    const auto kernel = make_cuda_operator<Kernel>(setup.mesh, spaces, setup.quadrature, cuda);
    const Array<double> d_p(Space::device, p), d_u(Space::device, u);
    Array<double> d_g(Space::device, u.size()), d_r(Space::device, p.size());
    d_g.zero();
    d_r.zero();
    AGWAVE_CUDA_CALL(cudaDeviceSynchronize());
    kernel->apply(d_p.data(), d_u.data(), d_g.data(), d_r.data(), Part::all);
    cuda.synchronize();
    g = d_g.to_host();
    r = d_r.to_host();
  };
  v.bytes = [operator_bytes](const Mesh& mesh, int quadrature) { return rk4_bytes(mesh, quadrature) + operator_bytes(mesh, quadrature); };
  return v;
}

}  // namespace agwave
