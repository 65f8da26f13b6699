// SPDX-License-Identifier: Apache-2.0
// What every CUDA operator registers: how it is made, one bare application for tests, and its timing.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/backend_cuda.cuh"
#include "kernels/registry.hpp"
#include "kernels/time_operator.hpp"

namespace agwave {

template <template <int> class Kernel>
std::unique_ptr<Operator> make_cuda_operator(const Mesh& mesh, const Spaces& spaces, int quadrature, Cuda& cuda) {
  if (quadrature == 4) return std::make_unique<Kernel<4>>(mesh, spaces, cuda);
  return std::make_unique<Kernel<5>>(mesh, spaces, cuda);
}

class CudaClock {  // events on the backend's stream, made beforehand, so that the host can queue ahead
 public:
  CudaClock(Cuda& cuda, int repeats) : cuda_(cuda), events_(timing_events(2 * static_cast<std::size_t>(repeats))) {}
  void start() { record(); }
  void stop() { record(); }
  std::vector<double> seconds() const {
    cuda_.synchronize();
    std::vector<double> seconds;
    for (std::size_t n = 0; n + 1 < recorded_; n += 2) seconds.push_back(seconds_between(events_[n], events_[n + 1]));
    return seconds;
  }

 private:
  void record() { AGWAVE_CUDA_CALL(cudaEventRecord(events_[recorded_++], cuda_.stream())); }
  Cuda& cuda_;
  std::vector<CudaEvent> events_;
  std::size_t recorded_ = 0;
};

template <template <int> class Kernel>
OperatorVariant cuda_operator(std::string name, std::string description, int preference, int compute_capability,
                              std::function<double(const Mesh&, int)> operator_bytes) {
  OperatorVariant v;
  v.name = std::move(name);
  v.device = Device::cuda;
  v.description = std::move(description);
  v.preference = preference;
  v.compute_capability = compute_capability;
  v.tensor_cores = v.name.rfind("dmma", 0) == 0;  // the naming rule of the papers' variants
  v.on_cuda = make_cuda_operator<Kernel>;
  v.time_operator = [](const SpacesSetup& setup, const TimingPlan& plan) {
    return time_operator<Cuda, CudaClock>(setup, plan, make_cuda_operator<Kernel>);
  };
  v.apply_once = [](const SpacesSetup& setup, const std::vector<double>& p, const std::vector<double>& u, std::vector<double>& g,
                    std::vector<double>& r) {
    Cuda cuda;
    const Spaces spaces(setup, Space::device);
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
  v.bytes = std::move(operator_bytes);
  return v;
}

}  // namespace agwave
