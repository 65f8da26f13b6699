// SPDX-License-Identifier: Apache-2.0
// The same case with either integrator, and what two runs of it differ by.
#pragma once
#include "harness.hpp"
#include "timestep/variants.hpp"

namespace agwave::cases {

inline constexpr std::array<const char*, 2> schemes{"rk4", "leapfrog4"};

// By this integrator: with the variant that AGWAVE_TEST_VARIANT names if it is one of that, else with the one that `auto` takes.
inline Case stepped_by(const std::string& scheme, Case c) {
  const char* named = std::getenv("AGWAVE_TEST_VARIANT");
  const bool its_own = named && std::any_of(variants().begin(), variants().end(), [&](const Variant& v) {
                         return v.name == named && v.integrator->name == scheme && to_string(v.device) == c.solver.device;
                       });
  c.solver.variant = its_own ? named : "auto";
  c.solver.scheme = scheme;
  return c;
}

// Traces `first` to `first + count` of all.
inline std::vector<std::vector<double>> part(const std::vector<std::vector<double>>& all, std::size_t first, std::size_t count) {
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

// Largest differences of traces, each over the largest value of its kind: 1 m of tsunami is small against the sound below it.
struct Differences {
  double floor = 0, water = 0, surface = 0;
  double pressure() const { return std::max(floor, water); }
};
inline Differences differences(const Case& c, const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  const std::size_t floor = c.sensors.seafloor.size(), water = c.sensors.hydrophones.size(), surface = c.sensors.surface.size();
  const auto of = [&](std::size_t first, std::size_t count) {
    return count == 0 ? 0.0 : max_difference(part(a, first, count), part(b, first, count));
  };
  return {of(0, floor), of(floor, water), of(floor + water, surface)};
}

}  // namespace agwave::cases
