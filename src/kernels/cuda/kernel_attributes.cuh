// SPDX-License-Identifier: Apache-2.0
// A kernel's dynamic shared memory, what it takes of a multiprocessor, and whether the current device can run it.
#pragma once
#include <string>

#include "error/check.hpp"
#include "error/error.hpp"
#include "kernels/operator.hpp"

namespace agwave::cuda_kernels {

template <class Kernel>
void allow_shared(Kernel kernel, std::size_t bytes) {
  AGWAVE_CUDA_CALL(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

template <class Kernel>
KernelInfo kernel_info(std::string name, Kernel kernel, int threads, std::size_t dynamic_bytes) {
  cudaFuncAttributes attributes{};
  AGWAVE_CUDA_CALL(cudaFuncGetAttributes(&attributes, kernel));
  KernelInfo info{std::move(name),
                  threads,
                  attributes.numRegs,
                  static_cast<int>(attributes.sharedSizeBytes + dynamic_bytes),
                  static_cast<int>(attributes.localSizeBytes),
                  0};
  AGWAVE_CUDA_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&info.blocks_per_sm, kernel, threads, dynamic_bytes));
  return info;
}

inline int device_attribute(cudaDeviceAttr of) {  // of the current device
  int device = 0, found = 0;
  AGWAVE_CUDA_CALL(cudaGetDevice(&device));
  AGWAVE_CUDA_CALL(cudaDeviceGetAttribute(&found, of, device));
  return found;
}

// Why it cannot run with so much dynamic shared memory a block, or "". Of a device for which there is no code of its own CUDA compiles what is for an older
// one, where a kernel may be empty; least: the compute capability, e.g. 90, that it must have been compiled for.
template <class Kernel>
std::string why_it_cannot_run(Kernel kernel, int least, std::size_t shared_bytes) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return "";  // a run for another machine is planned where there is none
  }
  const int most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (shared_bytes > static_cast<std::size_t>(most))
    return text("needs ", shared_bytes / 1024.0, " KiB of shared memory a block, this device has ", most / 1024.0);
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel);
  const std::string remedy = text("; build with CUDAARCHS=", device_attribute(cudaDevAttrComputeCapabilityMajor),
                                  device_attribute(cudaDevAttrComputeCapabilityMinor), " in the environment");
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return text("this build has no code that the device can run (", cudaGetErrorString(code), ")", remedy);
  }
  if (attributes.ptxVersion < least)
    return text("of this build the device runs the code for compute capability ", attributes.ptxVersion / 10, ".", attributes.ptxVersion % 10,
                ", and it needs that for ", least / 10, ".", least % 10, " or higher", remedy);
  return "";
}

}  // namespace agwave::cuda_kernels
