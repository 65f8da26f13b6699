// SPDX-License-Identifier: Apache-2.0
// The registry of operators. Adding one is adding one file with a static `RegisterOperator`, or `RegisterStiffness`; the variants of the
// integrators, `agwave info`, `bench` and the tests all read the lists. A name may exist once per device.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda_device.hpp"
#include "error/registry.hpp"
#include "files/tuning.hpp"
#include "kernels/operator.hpp"
#include "kernels/stiffness.hpp"
#include "kernels/timing.hpp"

namespace agwave {

class Cpu;   // device/backend.hpp
class Cuda;  // device/backend_cuda.cuh

template <class Backend>
using MakeOperator = std::function<std::unique_ptr<Operator>(const Mesh&, const Spaces&, int quadrature, Backend&)>;

struct Offer {  // what operators and the variants around them have in common
  std::string name;
  Device device = Device::cpu;
  std::string description;               // one line
  std::vector<int> quadratures{4, 5};    // Q1D on offer
  int preference = 0;                    // `auto` takes the highest on the device
  int compute_capability = 0;            // least CUDA compute capability, e.g. 80; 0 on the CPU
  bool tensor_cores = false;             // its products run on FP64 tensor cores, which have a higher peak
  double accuracy = 1e-12;               // largest relative error against the reference on random data; rounding is 1e-15
  std::function<std::string()> why_not;  // it cannot run here although the device could: what is missing; may be empty
  bool offers(int quadrature) const { return std::find(quadratures.begin(), quadratures.end(), quadrature) != quadratures.end(); }
};

struct OperatorVariant : Offer {
  MakeOperator<Cpu> on_cpu;  // the one of its device
  MakeOperator<Cuda> on_cuda;
  std::function<double(const Mesh&, int quadrature)>
      bytes;  // predicted memory of the operator itself per rank [bytes]; reads the counts of the mesh only
  // For tests and the benchmark: one application with host arrays in and out (shapes: kernels/operator.hpp), r not summed over ranks.
  std::function<void(const SpacesSetup&, const std::vector<double>& p, const std::vector<double>& u, std::vector<double>& g, std::vector<double>& r)>
      apply_once;
  // For the benchmark: applications of both blocks on random data, the zeroing of r included.
  std::function<OperatorTiming(const SpacesSetup&, const TimingPlan&)> time_operator;
  // For `agwave bench --tune`, of one that chooses how to split its work: what each way takes on this mesh, and where the table belongs; may be empty.
  std::function<std::vector<TuningRow>(const SpacesSetup&, const TimingPlan&)> tune;
};

inline const std::vector<OperatorVariant>& operators() { return registry<OperatorVariant>(); }
using RegisterOperator = Register<OperatorVariant>;

// Of the potential form.
template <class Backend>
using MakeStiffness = std::function<std::unique_ptr<Stiffness>(const Mesh&, const Spaces&, int quadrature, Backend&)>;

struct StiffnessVariant : Offer {
  MakeStiffness<Cpu> on_cpu;  // the one of its device
  MakeStiffness<Cuda> on_cuda;
  // For tests: one application with host arrays in and out, r not summed over ranks.
  std::function<void(const SpacesSetup&, const std::vector<double>& psi, std::vector<double>& r)> apply_once;
};

inline const std::vector<StiffnessVariant>& stiffnesses() { return registry<StiffnessVariant>(); }
using RegisterStiffness = Register<StiffnessVariant>;

}  // namespace agwave
