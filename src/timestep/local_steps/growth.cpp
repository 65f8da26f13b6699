// SPDX-License-Identifier: Apache-2.0
#include "timestep/local_steps/growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace agwave {
namespace {

// In [-1, 1], by the number of a node in the whole mesh (the mixer of splitmix64).
double random_at(std::uint64_t n) {
  n += 0x9e3779b97f4a7c15ULL;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9ULL;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((n ^ (n >> 31)) >> 11) * 0x1p-52 - 1;
}

std::vector<double> random_rates(const Mesh& mesh) {
  const auto& first = mesh.part.first;
  const auto wide = static_cast<std::uint64_t>(P1D * mesh.elements[0] + 1), deep = static_cast<std::uint64_t>(P1D * mesh.elements[1] + 1);
  std::vector<double> rates;
  rates.reserve(static_cast<std::size_t>(mesh.nodes()));
  for (int k = 0; k < mesh.NZ(); ++k)
    for (int j = 0; j < mesh.NY(); ++j)
      for (int i = 0; i < mesh.NX(); ++i)
        rates.push_back(random_at((static_cast<std::uint64_t>(P1D * first[2] + k) * deep + static_cast<std::uint64_t>(P1D * first[1] + j)) * wide +
                                  static_cast<std::uint64_t>(P1D * first[0] + i)));
  return rates;
}

}  // namespace

Growth measure_growth(Stepper& stepper, const Mesh& mesh, double dt, int steps, const Comm& comm) {
  const int half = std::max(1, steps / 2);
  std::vector<double> rates = random_rates(mesh);
  const StateArray& rate = stepper.arrays().at(1);  // all variants in levels list where psi is, or its change, and the rate of that first
  {
    const std::vector<double> zero(rates.size(), 0.0);  // gone before the first step, at which the state waits in copies
    for (const StateArray& array : stepper.arrays())
      if (array.items == StateArray::Items::node_rows) stepper.set(array, 0, array == rate ? rates : zero);
  }
  Growth growth;
  const auto norm_after = [&](int count) {
    for (int n = 0; n < count; ++n) stepper.step(dt, {});
    stepper.get(rate, 0, rates);
    double squares = 0;
    for (std::int64_t n = 0; n < mesh.nodes(); ++n) {
      const auto i = static_cast<int>(n % mesh.NX()), j = static_cast<int>(n / mesh.NX() % mesh.NY()),
                 k = static_cast<int>(n / mesh.NX() / mesh.NY());
      if (mesh.owned(i, j, k)) squares += rates[static_cast<std::size_t>(n)] * rates[static_cast<std::size_t>(n)];
    }
    return std::sqrt(comm.sum(squares));
  };
  const double middle = norm_after(half), end = norm_after(half);
  growth.factor = std::isfinite(end) ? end / middle : std::numeric_limits<double>::infinity();
  growth.per_step = std::pow(growth.factor, 1.0 / half);
  growth.largest = growth.per_step > 1 ? 2 + growth.per_step + 1 / growth.per_step : 4;
  const auto magnitude = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto largest = std::max_element(rates.begin(), rates.end(), magnitude);
  growth.node = largest - rates.begin();
  growth.here = std::abs(*largest) == comm.max(std::abs(*largest));
  std::ranges::fill(rates, 0.0);
  stepper.set_state(rates, {});  // at rest; zeros for velocities would be more than the rest of the state
  return growth;
}

}  // namespace agwave
