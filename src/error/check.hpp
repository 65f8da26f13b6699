// SPDX-License-Identifier: Apache-2.0
// AGWAVE_CUDA_CALL checks a CUDA runtime call and throws Error(device) with the call, the reason, file and line.
#pragma once
#if AGWAVE_CUDA
#include <cuda_runtime_api.h>

namespace agwave {
void check_cuda(cudaError_t code, const char* call, const char* file, int line);
}
#define AGWAVE_CUDA_CALL(call) ::agwave::check_cuda((call), #call, __FILE__, __LINE__)
#endif
