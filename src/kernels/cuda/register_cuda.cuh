// SPDX-License-Identifier: Apache-2.0
// What every CUDA operator registers.
#pragma once
#include <string>
#include <vector>

#include "device/backend_cuda.cuh"
#include "kernels/register_operator.hpp"

namespace agwave {

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
  OperatorVariant v = operator_variant<Kernel, Cuda, CudaClock>(std::move(name), std::move(description), preference, std::move(operator_bytes));
  v.compute_capability = compute_capability;
  v.tensor_cores = v.name.starts_with("dmma");  // the naming rule of the papers' variants
  return v;
}

}  // namespace agwave
