// SPDX-License-Identifier: Apache-2.0
// A flat, closed box whose floor moves by one horizontal cosine mode under a gaussian ramp, with its exact traces (exact_modal.hpp).
#pragma once
#include "exact_modal.hpp"
#include "harness.hpp"

namespace agwave::cases {

struct Experiment {
  std::array<double, 2> size{16e3, 12e3};
  double depth = 4000, end = 36, interval = 0.5, sigma = 1.2;
  int m = 2, n = 1;
  std::vector<std::array<double, 2>> places{{900, 700}, {5300, 4400}, {16e3, 12e3}};
  std::vector<double> heights{-3300, -1450, -300};

  Case make(std::array<std::int64_t, 3> elements, int steps_per_interval = 0) const {
    Case c = box_case(size, depth, elements);
    set_time(c, end, interval, steps_per_interval);
    source(c, modal(m, n), gaussian_ramp(sigma));
    for (const auto& at : places) {
      seafloor(c, at[0], at[1]);
      gauge(c, at[0], at[1]);
      for (double z : heights) hydrophone(c, at[0], at[1], z);
    }
    return c;
  }
  // In the order of the traces: seafloor, hydrophones, gauges.
  std::vector<std::vector<double>> exact() const {
    const double kx = m * pi / size[0], ky = n * pi / size[1];
    std::vector<double> z{-depth};
    z.insert(z.end(), heights.begin(), heights.end());
    z.push_back(0);
    const auto P =
        ExactModal(OceanCase{}, depth, std::hypot(kx, ky), gaussian_ramp(sigma)).pressure(z, interval, static_cast<std::size_t>(end / interval) + 1);
    std::vector<std::vector<double>> all;
    const auto add = [&](const std::array<double, 2>& at, std::size_t level) {
      all.push_back(P[level]);
      for (double& value : all.back()) value *= std::cos(kx * at[0]) * std::cos(ky * at[1]);
    };
    for (const auto& at : places) add(at, 0);
    for (const auto& at : places)
      for (std::size_t h = 0; h < heights.size(); ++h) add(at, 1 + h);
    for (const auto& at : places) add(at, z.size() - 1);
    return all;
  }
};

}  // namespace agwave::cases
