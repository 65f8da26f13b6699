// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: one stream, element-wise kernels and two-pass reductions in a fixed order (no atomics).
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "device/array.hpp"
#include "device/cuda_stream.hpp"
#include "device/cuda_stream_values.hpp"
#include "device/host_device.hpp"

namespace agwave {

namespace cuda_detail {
inline constexpr int threads = 256;
inline constexpr int reduction_blocks = 512;

template <class F>
__global__ void __launch_bounds__(threads) for_each_kernel(std::int64_t n, F f) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(threads) + threadIdx.x; i < n; i += static_cast<std::int64_t>(gridDim.x) * threads)
    f(i);
}

// The threads of a block (TeamOfOne, backend.hpp).
inline constexpr int team_threads = 64, teams = 1 << 13;
struct Team {
  template <class F>
  AGWAVE_HD void each(int n, F&& f) const {
#ifdef __CUDA_ARCH__
    for (int i = static_cast<int>(threadIdx.x); i < n; i += team_threads) f(i);
    __syncthreads();
#endif
  }
};
template <class Scratch, class F>
__global__ void __launch_bounds__(team_threads, 16) for_teams_kernel(std::int64_t n, const __grid_constant__ F f) {
  __shared__ Scratch s_scratch;
  f.begin(Team{}, s_scratch);
  for (std::int64_t i = blockIdx.x; i < n; i += gridDim.x) f(i, Team{}, s_scratch);
}

struct Sum {
  static constexpr double start = 0;
  __device__ static double combine(double a, double b) { return a + b; }
};
struct Max {
  static constexpr double start = -std::numeric_limits<double>::infinity();
  __device__ static double combine(double a, double b) { return a != a || a > b ? a : b; }
};

template <class Op, class F>
__global__ void __launch_bounds__(threads) reduce_kernel(std::int64_t n, F f, double* out) {
  __shared__ double s_part[threads];
  double value = Op::start;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(threads) + threadIdx.x; i < n; i += static_cast<std::int64_t>(gridDim.x) * threads)
    value = Op::combine(value, f(i));
  s_part[threadIdx.x] = value;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) s_part[threadIdx.x] = Op::combine(s_part[threadIdx.x], s_part[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s_part[0];
}

struct Read {
  const double* values;
  __device__ double operator()(std::int64_t i) const { return values[i]; }
};
}  // namespace cuda_detail

class Cuda {
 public:
  static constexpr Space space = Space::device;
  static constexpr Space staging = Space::pinned;

  Cuda() : Cuda(priority(0)) {}
  static Cuda urgent() { return Cuda(priorities().greatest); }  // its work goes before that of others where both wait for a multiprocessor
  // It lets them go first, and the less patient ones too, as far as the device tells them apart.
  static Cuda patient(int how) { return Cuda(priority(how)); }

  cudaStream_t stream() const {  // to queue something on it, each time
    moved_on_ = true;
    return stream_;
  }

  template <class F>
  void for_each(std::int64_t n, F f) const {
    if (n == 0) return;
    const std::int64_t blocks = std::min<std::int64_t>((n + cuda_detail::threads - 1) / cuda_detail::threads, 1 << 20);
    cuda_detail::for_each_kernel<<<static_cast<unsigned>(blocks), cuda_detail::threads, 0, stream()>>>(n, f);
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
  template <class Scratch, class F>
  void for_teams(std::int64_t n, F f) const {
    if (n == 0) return;
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(n, cuda_detail::teams));
    cuda_detail::for_teams_kernel<Scratch><<<blocks, cuda_detail::team_threads, 0, stream()>>>(n, f);
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
  template <class F>
  double sum(std::int64_t n, F f) {
    return reduce<cuda_detail::Sum>(n, f);
  }
  template <class F>
  void sum(std::int64_t n, F f, double* result) {  // into device memory, without waiting
    queue_reduction<cuda_detail::Sum>(n, f, result);
  }
  template <class F>
  double max(std::int64_t n, F f) {
    return reduce<cuda_detail::Max>(n, f);
  }
  void set(std::uint32_t* at, std::uint32_t value) const { write_number(stream(), at, value); }
  void synchronize() const { AGWAVE_CUDA_CALL(cudaStreamSynchronize(stream_)); }
  void follow(const Cuda& other) const {  // what it is given from now on begins after what the other has been given so far
    AGWAVE_CUDA_CALL(cudaStreamWaitEvent(stream(), other.here(), 0));
  }

  // What f queues, once more, without the host asking for each kernel: the second time it is recorded as a graph, which is launched from then on. So f
  // has to queue the same every time, and whoever changes what that is clears the recording.
  struct Recording {
    int calls = 0;
    std::optional<CudaGraph> graph{};
  };
  template <class F>
  void repeat(Recording& recording, F&& f) const {
    if (recording.calls++ == 0) return f();  // kernels are loaded, which a recording does not take
    if (!recording.graph) recording.graph.emplace(stream(), f);
    recording.graph->launch(stream());
  }

  using Instant = std::optional<CudaEvent>;  // when the stream gets there; made by the first mark
  void mark(Instant& instant) const {
    if (!instant) instant.emplace(cudaEventDefault);
    AGWAVE_CUDA_CALL(cudaEventRecord(*instant, stream_));
  }
  void follow(const Instant& instant) const {  // what it is given from now on begins after the last mark, if there was one
    if (instant) AGWAVE_CUDA_CALL(cudaStreamWaitEvent(stream(), *instant, 0));
  }
  static double seconds(const Instant& from, const Instant& to) {  // waits until both have come
    AGWAVE_CUDA_CALL(cudaEventSynchronize(*from));
    AGWAVE_CUDA_CALL(cudaEventSynchronize(*to));
    return seconds_between(*from, *to);
  }

  // Device to pinned host memory once the work queued so far is done, on a stream of its own: later work goes on beside it. `from` must stay
  // as it is until finish_download, which waits for this copy alone.
  void start_download(double* to, const double* from, std::size_t bytes) const {
    if (bytes == 0) return;
    AGWAVE_CUDA_CALL(cudaEventRecord(event_, stream_));
    AGWAVE_CUDA_CALL(cudaStreamWaitEvent(downloads_, event_, 0));
    AGWAVE_CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, downloads_));
  }
  void finish_download() const { AGWAVE_CUDA_CALL(cudaStreamSynchronize(downloads_)); }

 private:
  struct Priorities {
    int least = 0, greatest = 0;
  };
  static Priorities priorities() {
    Priorities range;
    AGWAVE_CUDA_CALL(cudaDeviceGetStreamPriorityRange(&range.least, &range.greatest));
    return range;
  }
  static int priority(int below_urgent) { return std::min(priorities().greatest + 1 + below_urgent, priorities().least); }
  explicit Cuda(int priority) : stream_(priority) {}
  // Recorded once, however many follow, as long as nothing is queued: on the way of a stream a record takes 2 us.
  const CudaEvent& here() const {
    if (moved_on_) AGWAVE_CUDA_CALL(cudaEventRecord(here_, stream_));
    moved_on_ = false;
    return here_;
  }
  template <class Op, class F>
  void queue_reduction(std::int64_t n, F f, double* result) {
    using namespace cuda_detail;
    const int blocks = static_cast<int>(std::clamp<std::int64_t>((n + threads - 1) / threads, 1, reduction_blocks));
    double* partial = partial_.data();
    reduce_kernel<Op><<<blocks, threads, 0, stream()>>>(n, f, partial);
    reduce_kernel<Op><<<1, threads, 0, stream()>>>(blocks, Read{partial}, result);
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
  template <class Op, class F>
  double reduce(std::int64_t n, F f) {
    if (n == 0) return Op::start;
    double result = 0, *const at = partial_.data() + cuda_detail::reduction_blocks;
    queue_reduction<Op>(n, f, at);
    AGWAVE_CUDA_CALL(cudaMemcpyAsync(&result, at, sizeof result, cudaMemcpyDeviceToHost, stream()));
    synchronize();
    return result;
  }

  CudaStream stream_, downloads_;
  CudaEvent here_, event_;  // the latter of downloads
  mutable bool moved_on_ = true;
  Array<double> partial_{Space::device, cuda_detail::reduction_blocks + 1};
};

}  // namespace agwave
