// SPDX-License-Identifier: Apache-2.0
// What this process can run on: the CPU, or one CUDA device.
#pragma once
#include <cstddef>
#include <string>

namespace agwave {

enum class Device { cpu, cuda };
inline const char* to_string(Device device) { return device == Device::cpu ? "cpu" : "cuda"; }

struct CudaDevice {
  bool present = false;
  std::string name;  // or why there is none
  std::string uuid;  // tells devices apart where every process calls its own 0
  int compute_capability = 0, id = 0, count = 0;
  int single_per_double = 0;         // how many times as fast FP32 is as FP64
  std::size_t memory = 0, free = 0;  // [bytes]
};
CudaDevice find_cuda_device(int local_rank);  // also makes it current when present
std::size_t free_device_memory();             // of the current device [bytes]; 0 without CUDA

}  // namespace agwave
