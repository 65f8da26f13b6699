// SPDX-License-Identifier: Apache-2.0
// A CUDA stream and a CUDA event that go away with their owner. Neither waits for the default stream.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "error/check.hpp"

namespace agwave {

class CudaStream {
 public:
  explicit CudaStream(int priority = 0) { AGWAVE_CUDA_CALL(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority)); }
  ~CudaStream() { cudaStreamDestroy(stream_); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaEvent {
 public:
  explicit CudaEvent(unsigned flags = cudaEventDisableTiming) { AGWAVE_CUDA_CALL(cudaEventCreateWithFlags(&event_, flags)); }
  ~CudaEvent() {
    if (event_) cudaEventDestroy(event_);
  }
  CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// What a stream is given in f(), kept to be given again at once.
class CudaGraph {
 public:
  template <class F>
  CudaGraph(cudaStream_t stream, F&& f) {
    cudaGraph_t graph = nullptr;
    AGWAVE_CUDA_CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      f();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      throw;
    }
    AGWAVE_CUDA_CALL(cudaStreamEndCapture(stream, &graph));
    AGWAVE_CUDA_CALL(cudaGraphInstantiate(&graph_, graph, 0));
    AGWAVE_CUDA_CALL(cudaGraphDestroy(graph));
  }
  ~CudaGraph() {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  CudaGraph(CudaGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  CudaGraph& operator=(CudaGraph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  void launch(cudaStream_t stream) const { AGWAVE_CUDA_CALL(cudaGraphLaunch(graph_, stream)); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

inline std::vector<CudaEvent> timing_events(std::size_t count) {
  std::vector<CudaEvent> events;
  for (std::size_t n = 0; n < count; ++n) events.emplace_back(cudaEventDefault);
  return events;
}
// From one of them to a later one, both done. [s]
inline double seconds_between(const CudaEvent& from, const CudaEvent& to) {
  float milliseconds = 0;
  AGWAVE_CUDA_CALL(cudaEventElapsedTime(&milliseconds, from, to));
  return 1e-3 * milliseconds;
}

}  // namespace agwave
