// SPDX-License-Identifier: Apache-2.0
// Memory of the three spaces behind Array<T>, and the count of what is in use.
#include "device/array.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "error/check.hpp"
#include "error/error.hpp"

namespace agwave {

#if AGWAVE_CUDA
void check_cuda(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  throw Error(ExitCode::device, text(file, ":", line, ": ", call, " failed: ", cudaGetErrorString(code), " (", cudaGetErrorName(code), ")"));
}
#endif

namespace {
std::atomic<std::size_t> bytes_now{0}, bytes_peak{0};

void count(std::size_t bytes) {
  const std::size_t now = bytes_now += bytes;
  std::size_t peak = bytes_peak;
  while (now > peak && !bytes_peak.compare_exchange_weak(peak, now)) {
  }
}

[[noreturn]] void out_of_memory(const char* where, std::size_t bytes, std::size_t available) {
  throw Error(ExitCode::device, text("out of ", where, " memory: ", bytes, " bytes asked for, ", available,
                                     " free; use fewer elements per rank or more ranks (`agwave check` prints the memory per rank)"));
}
}  // namespace

MemoryUse memory_use() { return {bytes_now, bytes_peak}; }
void reset_memory_peak() { bytes_peak = bytes_now.load(); }

void* allocate(Space space, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* pointer = nullptr;
#if AGWAVE_CUDA
  if (space != Space::host) {
    const cudaError_t code = space == Space::device ? cudaMalloc(&pointer, bytes) : cudaMallocHost(&pointer, bytes);
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // the error is reported below; it must not surface again in a later call
      std::size_t available = 0, total = 0;
      cudaMemGetInfo(&available, &total);
      out_of_memory(space == Space::device ? "device" : "pinned host", bytes, available);
    }
    AGWAVE_CUDA_CALL(code);
    count(bytes);
    return pointer;
  }
#else
  if (space != Space::host) throw Error(ExitCode::device, "this build has no CUDA (option AGWAVE_CUDA)");
#endif
  pointer = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!pointer) out_of_memory("host", bytes, 0);
  count(bytes);
  return pointer;
}

void release(Space space, void* pointer, std::size_t bytes) noexcept {
  if (!pointer) return;
  bytes_now -= bytes;
#if AGWAVE_CUDA
  if (space == Space::device) {
    cudaFree(pointer);
    return;
  }
  if (space == Space::pinned) {
    cudaFreeHost(pointer);
    return;
  }
#endif
  (void)space;
  std::free(pointer);
}

void copy_bytes(Space to_space, void* to, Space from_space, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
#if AGWAVE_CUDA
  if (to_space == Space::device || from_space == Space::device) {
    AGWAVE_CUDA_CALL(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    AGWAVE_CUDA_CALL(cudaStreamSynchronize(nullptr));  // a copy from pageable memory may return before the device has it
    return;
  }
#endif
  (void)to_space;
  (void)from_space;
  std::memcpy(to, from, bytes);
}

void zero_bytes(Space space, void* pointer, std::size_t bytes) {
  if (bytes == 0) return;
#if AGWAVE_CUDA
  if (space == Space::device) {
    AGWAVE_CUDA_CALL(cudaMemset(pointer, 0, bytes));
    AGWAVE_CUDA_CALL(cudaStreamSynchronize(nullptr));  // other streams do not wait for the default one
    return;
  }
#endif
  (void)space;
  std::memset(pointer, 0, bytes);
}

}  // namespace agwave
