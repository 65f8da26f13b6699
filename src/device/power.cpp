// SPDX-License-Identifier: Apache-2.0
// NVML behind dlopen: five functions, declared here as nvml.h does.
#include "device/power.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "device/trace.hpp"
#include "error/error.hpp"

namespace agwave {

struct PowerMeter::Library {
  void* handle = nullptr;
  void* device = nullptr;
  int (*shutdown)() = nullptr;
  int (*energy)(void*, unsigned long long*) = nullptr;  // since the driver was loaded [mJ]
  int (*power)(void*, unsigned*) = nullptr;             // now, or over the last second on recent devices [mW]
  bool counts = false, initialised = false;
  double integral = 0, last = 0;  // of sampled power [J], and the last sample [W]
  Stopwatch since;

  ~Library() {
    if (initialised && shutdown) shutdown();
    if (handle) dlclose(handle);
  }
  template <class F>
  bool find(F& function, const char* name) const {
    function = reinterpret_cast<F>(dlsym(handle, name));
    return function != nullptr;
  }
  double watts() const {
    unsigned milliwatts = 0;
    return power && power(device, &milliwatts) == 0 ? 1e-3 * milliwatts : 0;
  }
  std::string open(const std::string& pci_bus_id) {  // how it meters, or an empty string and `why`
    handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return fail("libnvidia-ml.so.1 cannot be loaded");
    int (*init)() = nullptr;
    int (*by_bus_id)(const char*, void**) = nullptr;
    const char* (*explain)(int) = nullptr;
    if (!find(init, "nvmlInit_v2") || !find(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") || !find(explain, "nvmlErrorString"))
      return fail("libnvidia-ml.so.1 lacks a function");
    find(shutdown, "nvmlShutdown");
    find(energy, "nvmlDeviceGetTotalEnergyConsumption");
    find(power, "nvmlDeviceGetPowerUsage");
    if (const int code = init()) return fail(text("NVML: ", explain(code)));
    initialised = true;
    if (const int code = by_bus_id(pci_bus_id.c_str(), &device)) return fail(text("NVML: device ", pci_bus_id, ": ", explain(code)));
    unsigned long long millijoules = 0;
    counts = energy && energy(device, &millijoules) == 0;
    if (counts) return "energy counter";
    last = watts();
    return last > 0 ? "sampled power" : fail("this device reports neither energy nor power");
  }
  std::string fail(const std::string& why) {
    device = nullptr;
    return "not available: " + why;
  }
};

PowerMeter::PowerMeter() : how_("not available: no GPU") {}
PowerMeter::PowerMeter(const std::string& pci_bus_id) : library_(std::make_unique<Library>()) { how_ = library_->open(pci_bus_id); }
PowerMeter::~PowerMeter() = default;
PowerMeter::PowerMeter(PowerMeter&&) noexcept = default;
PowerMeter& PowerMeter::operator=(PowerMeter&&) noexcept = default;

bool PowerMeter::available() const { return library_ && library_->device; }

double PowerMeter::joules() {
  if (!available()) return 0;
  Library& l = *library_;
  if (l.counts) {
    unsigned long long millijoules = 0;
    return l.energy(l.device, &millijoules) == 0 ? 1e-3 * static_cast<double>(millijoules) : 0;
  }
  const double now = l.watts();
  l.integral += 0.5 * (now + l.last) * l.since.seconds();
  l.since = Stopwatch();
  l.last = now;
  return l.integral;
}

EnergyUse measure_energy(PowerMeter& meter, double seconds, const Repeat& work) {
  if (!meter.available() || !(seconds > 0)) return {};
  constexpr double chunk = 5e-3;  // [s] between readings: short beside a tick, long beside a launch
  const Stopwatch trial;
  work(1);
  const int times = static_cast<int>(std::clamp(chunk / std::max(trial.seconds(), 1e-7), 1.0, 1e4));
  struct Reading {
    double time, joules;
    std::int64_t done;
  };
  const Stopwatch watch;
  while (watch.seconds() < 0.3 * seconds) work(times);  // to the power it settles at
  Reading first{-1, 0, 0}, last{};
  double seen = meter.joules();
  for (std::int64_t done = 0; watch.seconds() < 4 * seconds + 1;) {
    work(times);
    done += times;
    const double now = meter.joules();
    if (now == seen) continue;
    seen = now;
    last = {watch.seconds(), now, done};
    if (first.time < 0) first = last;
    if (last.time - first.time >= seconds) break;
  }
  if (first.time < 0 || last.done == first.done || !(last.joules > first.joules)) return {};
  return {true, (last.joules - first.joules) / (last.time - first.time), (last.joules - first.joules) / static_cast<double>(last.done - first.done)};
}

}  // namespace agwave
