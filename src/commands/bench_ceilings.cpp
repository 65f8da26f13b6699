// SPDX-License-Identifier: Apache-2.0
// What the machine allows: copy bandwidth, FP64 peak, memory.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "commands/bench.hpp"
#include "device/backend.hpp"
#include "timestep/two_sweep/cpu/instruction_set.hpp"
#if AGWAVE_CUDA
#include "device/cuda_stream.hpp"
#endif
#include "comm/threads.hpp"
#include "device/trace.hpp"

namespace agwave {

namespace {

double best_seconds(int times, const std::function<void()>& work) {
  double best = 1e30;
  for (int n = 0; n < times; ++n) {
    const Stopwatch watch;
    work();
    best = std::min(best, watch.seconds());
  }
  return best;
}

double copy_bandwidth_cpu() {  // of all threads together
  constexpr std::size_t piece = 1 << 16;
  const auto pieces = static_cast<std::size_t>(std::min(2.5e8, 0.05 * available_memory({}))) / (piece * sizeof(double));  // far beyond any cache
  Array<double> from(Space::host, pieces * piece), to(Space::host, pieces * piece);
  const auto each = [&](auto&& f) {
    Cpu::for_blocks(static_cast<std::int64_t>(pieces), [&](std::int64_t n) { f(from.data() + n * piece, to.data() + n * piece); });
  };
  each([](double* a, double* b) {
    std::fill_n(a, piece, 1.0);
    std::fill_n(b, piece, 0.0);
  });
  const double seconds = best_seconds(8, [&] { each([](const double* a, double* b) { std::memcpy(b, a, piece * sizeof(double)); }); });
  return 2.0 * static_cast<double>(pieces * piece * sizeof(double)) / seconds;
}

double fp64_peak_cpu() {  // of all threads together, with the instruction set of the vectorised kernels
  constexpr std::int64_t rounds = 2000000;
  const two_sweep::InstructionSet& set = instruction_set();
  const double seconds = best_seconds(5, [&] { Cpu::for_blocks(threads(), [&](std::int64_t) { set.multiply_adds(rounds); }); });
  return 2.0 * set.lanes * two_sweep::chains * static_cast<double>(rounds) * threads() / seconds;
}

#if AGWAVE_CUDA
int fp64_units(int capability) {  // fused multiply-adds per clock and SM: CUDA C++ programming guide, arithmetic throughput
  if (capability == 90 || capability == 100) return 64;
  return capability == 60 || capability == 70 || capability == 72 || capability == 80 ? 32 : 2;
}

int int8_units(int capability) {  // likewise, multiply-adds of 8-bit integers on tensor cores, dense: white papers of the architectures
  if (capability == 90) return 4096;
  if (capability == 80) return 2048;
  return capability == 86 || capability == 89 || capability == 120 ? 1024 : 0;
}

double copy_bandwidth_cuda() {
  const auto bytes = static_cast<std::size_t>(std::min(1e9, 0.25 * static_cast<double>(free_device_memory()))) / 256 * 256;
  Array<char> from(Space::device, bytes), to(Space::device, bytes);
  from.zero();
  to.zero();
  constexpr int warmup = 3, repeats = 20;
  const std::vector<CudaEvent> events = timing_events(repeats + 1);
  for (int n = 0; n < warmup; ++n) AGWAVE_CUDA_CALL(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice));
  AGWAVE_CUDA_CALL(cudaEventRecord(events[0]));
  for (int n = 0; n < repeats; ++n) {
    AGWAVE_CUDA_CALL(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice));
    AGWAVE_CUDA_CALL(cudaEventRecord(events[n + 1]));
  }
  AGWAVE_CUDA_CALL(cudaDeviceSynchronize());
  std::vector<double> seconds(repeats);
  for (int n = 0; n < repeats; ++n) seconds[n] = seconds_between(events[n], events[n + 1]);
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return 2.0 * static_cast<double>(bytes) / seconds[repeats / 2];
}
#endif

}  // namespace

Ceilings measure_ceilings([[maybe_unused]] const CudaDevice& device) {
  Ceilings c;
#if AGWAVE_CUDA
  if (device.present) {
    int sm = 0, kilohertz = 0;
    AGWAVE_CUDA_CALL(cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, device.id));
    AGWAVE_CUDA_CALL(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device.id));
    AGWAVE_CUDA_CALL(cudaDeviceGetAttribute(&c.threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device.id));
    char bus[32] = "";
    AGWAVE_CUDA_CALL(cudaDeviceGetPCIBusId(bus, sizeof bus, device.id));
    c.pci_bus_id = bus;
    c.copy_bandwidth = copy_bandwidth_cuda();
    c.fp64 = 2.0 * fp64_units(device.compute_capability) * sm * 1e3 * kilohertz;
    c.fp64_tensor = device.compute_capability == 80 || device.compute_capability == 90 ? 2 * c.fp64 : c.fp64;
    c.int8 = 2.0 * int8_units(device.compute_capability) * sm * 1e3 * kilohertz;
    return c;
  }
#endif
  c.copy_bandwidth = copy_bandwidth_cpu();
  c.fp64 = c.fp64_tensor = fp64_peak_cpu();
  return c;
}

double available_memory(const CudaDevice& device) {
  if (device.present) return static_cast<double>(free_device_memory());
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace agwave
