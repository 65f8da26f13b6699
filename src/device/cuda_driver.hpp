// SPDX-License-Identifier: Apache-2.0
// Functions of the CUDA driver, asked for by name when they are first needed: a binary is not linked to the driver, so that it also starts where there
// is none.
#pragma once
#include <cuda.h>

#include "error/check.hpp"
#include "error/error.hpp"

namespace agwave {

// The signature of CUDA 12. Throws Error(device) where the driver is older.
template <class Function>
Function* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  AGWAVE_CUDA_CALL(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
#else
  AGWAVE_CUDA_CALL(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found));
#endif
  if (!function) throw Error(ExitCode::device, text("the driver has no ", name, "; one of CUDA 12 or later is needed"));
  return reinterpret_cast<Function*>(function);
}

inline void check_driver(CUresult result, const char* name) {
  if (result == CUDA_SUCCESS) return;
  const char* reason = nullptr;
  driver_function<decltype(cuGetErrorString)>("cuGetErrorString")(result, &reason);
  throw Error(ExitCode::device, text(name, " failed: ", reason ? reason : "error", " (", static_cast<int>(result), ")"));
}

}  // namespace agwave
