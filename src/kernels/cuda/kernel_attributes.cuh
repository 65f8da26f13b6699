// SPDX-License-Identifier: Apache-2.0
// A kernel's dynamic shared memory, and what it takes of a multiprocessor.
#pragma once
#include <string>

#include "error/check.hpp"
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

}  // namespace agwave::cuda_kernels
