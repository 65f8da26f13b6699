// SPDX-License-Identifier: Apache-2.0
// Numbers that a stream writes and waits for, with no multiprocessor: also between GPUs.
#pragma once
#include <cstdint>

#include "device/cuda_driver.hpp"

namespace agwave {

inline void write_number(cudaStream_t stream, void* to, std::uint32_t value) {  // behind all that the stream wrote before, for other GPUs, too
  static const auto write = driver_function<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  check_driver(write(stream, reinterpret_cast<CUdeviceptr>(to), value, CU_STREAM_WRITE_VALUE_DEFAULT), "cuStreamWriteValue32");
}
inline void await_number(cudaStream_t stream, const void* from, std::uint32_t value) {  // until it is that or greater
  static const auto wait = driver_function<decltype(cuStreamWaitValue32)>("cuStreamWaitValue32");
  check_driver(wait(stream, reinterpret_cast<CUdeviceptr>(from), value, CU_STREAM_WAIT_VALUE_GEQ), "cuStreamWaitValue32");
}

}  // namespace agwave
