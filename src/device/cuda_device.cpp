// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_device.hpp"

#include <cstdlib>

#include "error/check.hpp"
#include "error/error.hpp"

namespace agwave {

#if AGWAVE_CUDA
namespace {

std::string version_text(int version) { return text(version / 1000, ".", version % 1000 / 10); }

std::string why_none(cudaError_t code) {
  int driver = 0, runtime = 0;
  if (code == cudaSuccess || code == cudaErrorNoDevice || cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no CUDA device";
  if (code == cudaErrorInsufficientDriver && cudaRuntimeGetVersion(&runtime) == cudaSuccess)
    return text("no CUDA device: the driver is for CUDA ", version_text(driver), ", this build for ", version_text(runtime));
  return text("no CUDA device: ", cudaGetErrorString(code));
}

}  // namespace
#endif

CudaDevice find_cuda_device([[maybe_unused]] int local_rank) {
  CudaDevice device;
#if AGWAVE_CUDA
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);  // a queue for each stream: who waits for a neighbour must not stand before others
  const cudaError_t code = cudaGetDeviceCount(&device.count);
  if (code != cudaSuccess || device.count == 0) {
    device.name = why_none(code);
    device.count = 0;
    cudaGetLastError();
    return device;
  }
  device.id = local_rank % device.count;
  AGWAVE_CUDA_CALL(cudaSetDevice(device.id));
  cudaDeviceProp properties{};
  AGWAVE_CUDA_CALL(cudaGetDeviceProperties(&properties, device.id));
  AGWAVE_CUDA_CALL(cudaMemGetInfo(&device.free, &device.memory));
  device.name = properties.name;
  device.uuid.assign(properties.uuid.bytes, sizeof properties.uuid.bytes);
  device.compute_capability = 10 * properties.major + properties.minor;
  AGWAVE_CUDA_CALL(cudaDeviceGetAttribute(&device.single_per_double, cudaDevAttrSingleToDoublePrecisionPerfRatio, device.id));
  device.present = true;
#else
  device.name = "this build has no CUDA (option AGWAVE_CUDA)";
#endif
  return device;
}

std::size_t free_device_memory() {
  std::size_t free = 0;
#if AGWAVE_CUDA
  std::size_t total = 0;
  AGWAVE_CUDA_CALL(cudaMemGetInfo(&free, &total));
#endif
  return free;
}

}  // namespace agwave
