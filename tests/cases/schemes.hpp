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

// What stable steps are tried on, with walls of any kind.
struct Basin {
  const char* name;
  std::array<double, 2> size;
  double depth;
  std::array<std::int64_t, 3> elements;
  bool seamount;
  void set_floor(Case& c) const {
    if (seamount) c.domain.bathymetry = GaussianBathymetry{depth, 0.6 * depth, {0.55 * size[0], 0.5 * size[1]}, {0.2 * size[0], 0.25 * size[1]}};
  }
};
inline const std::vector<Basin> basins{{"cubes", {3000, 3000}, 3000, {3, 3, 3}, false}, {"flat", {12e3, 12e3}, 1000, {3, 3, 2}, false},
                                       {"tall", {600, 600}, 4000, {3, 3, 2}, false},    {"one cube", {1000, 1000}, 1000, {1, 1, 1}, false},
                                       {"slab", {8000, 500}, 1000, {4, 1, 2}, false},   {"seamount", {8000, 8000}, 4000, {4, 4, 3}, true}};

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
