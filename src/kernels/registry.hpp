// SPDX-License-Identifier: Apache-2.0
// The registry of variants. Adding a variant is adding one file with a static `RegisterVariant`; `agwave info`, `bench`,
// the tests and the case-file check all read the list. A name may exist once per device.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/operator.hpp"
#include "kernels/timing.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

enum class Device { cpu, cuda };
inline const char* to_string(Device device) { return device == Device::cpu ? "cpu" : "cuda"; }

struct Variant {
  std::string name;
  Device device = Device::cpu;
  std::string description;       // one line
  std::vector<int> quadratures;  // Q1D on offer
  int rank = 0;                  // `auto` takes the highest on the device
  int compute_capability = 0;    // least CUDA compute capability, e.g. 80; 0 on the CPU
  // Ranks are split on multiples of so many elements of a mesh; empty: anywhere.
  std::function<Counts(const Counts& elements)> unit;
  std::function<std::unique_ptr<Stepper>(const StepperSetup&)> make_stepper;
  // For tests and the benchmark: one application with host arrays in and out (shapes: kernels/operator.hpp), r not summed over
  // ranks; empty for a variant that is a whole stepper, whose steps are then all there is to check.
  std::function<void(const StepperSetup&, const std::vector<double>& p, const std::vector<double>& u, std::vector<double>& g, std::vector<double>& r)>
      apply_once;
  // For the benchmark: applications of both blocks on random data, the zeroing of r included; empty for a variant without an operator.
  std::function<OperatorTiming(const StepperSetup&, const TimingPlan&)> time_operator;
  std::function<double(const Mesh&, int quadrature)> bytes;    // predicted memory of the stepper per rank [bytes]; reads the counts of the mesh only
  std::function<std::vector<KernelInfo>()> step_kernels;       // for the benchmark: of a variant without an operator, on a GPU
  std::function<Cost(const Mesh&, int quadrature)> step_cost;  // for the benchmark: of one RK4 step of a rank; may be empty
  bool tensor_cores = false;                                   // its products run on FP64 tensor cores, which have a higher peak
};

const std::vector<Variant>& variants();

struct RegisterVariant {
  explicit RegisterVariant(Variant variant);
};

// What this process can run on.
struct CudaDevice {
  bool present = false;
  std::string name;  // or why there is none
  std::string uuid;  // tells devices apart where every process calls its own 0
  int compute_capability = 0, id = 0, count = 0;
  std::size_t memory = 0, free = 0;  // [bytes]
};
CudaDevice find_cuda_device(int local_rank);                                    // also makes it current when present
std::size_t free_device_memory();                                               // of the current device [bytes]; 0 without CUDA
std::string why_unavailable(const Variant& variant, const CudaDevice& device);  // empty when it can run

// Whether the variant's blocks of this mesh can be split over the ranks, on the wanted grid if there is one.
bool can_split(const Variant& variant, const Counts& elements, int ranks, const std::optional<std::array<int, 3>>& wanted);

// Resolves solver.device, solver.variant and quadrature to a variant that can run here; `auto` takes one that the ranks can split. `note`
// receives a line about what `auto` chose when that needs saying. Throws Error(usage) for unknown names or a quadrature that the named
// variant does not offer, Error(device) when the device is missing.
const Variant& choose_variant(const SolverCase& solver, const CudaDevice& device, const Counts& elements, int ranks,
                              const std::optional<std::array<int, 3>>& wanted, std::string& note);

}  // namespace agwave
