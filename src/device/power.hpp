// SPDX-License-Identifier: Apache-2.0
// Energy drawn by one GPU, through NVML loaded at run time (libnvidia-ml.so.1 comes with the driver, so nothing links to it).
// Devices with an energy counter report it, the others their power, integrated here; both are of the whole board.
#pragma once
#include <functional>
#include <memory>
#include <string>

namespace agwave {

class PowerMeter {
 public:
  PowerMeter();  // meters nothing and says so
  explicit PowerMeter(const std::string& pci_bus_id);
  ~PowerMeter();
  PowerMeter(PowerMeter&&) noexcept;
  PowerMeter& operator=(PowerMeter&&) noexcept;

  bool available() const;
  const std::string& how() const { return how_; }  // "energy counter", "sampled power", or "not available: " and why
  double joules();                                 // so far, from an arbitrary start [J]; the counter moves in ticks of some 20 to 100 ms

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  std::string how_;
};

struct EnergyUse {
  bool known = false;
  double watts = 0;   // average while working [W]
  double joules = 0;  // per repetition [J]
};

using Repeat = std::function<void(int)>;  // does its work so many times and waits until it is done

// Repeats the work for at least so many seconds between two ticks of the meter; unknown without a meter.
EnergyUse measure_energy(PowerMeter& meter, double seconds, const Repeat& work);

}  // namespace agwave
