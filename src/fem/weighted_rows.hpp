// SPDX-License-Identifier: Apache-2.0
// Sums of weighted values, row by row of a sparse matrix. A row is added up in `lanes` parts, which take its entries in turn by fused
// multiplications and additions, and the parts one after the other: the same bits wherever that is done.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "device/host_device.hpp"

namespace agwave {

struct WeightedRows {
  static constexpr int lanes = 32;
  std::vector<std::int64_t> first;  // [row + 1] of its entries
  std::vector<std::int32_t> column;
  std::vector<double> weight;
  std::int64_t size() const { return static_cast<std::int64_t>(first.size()) - 1; }
};

struct PartOfRow {  // n counts the lanes of all rows
  const std::int64_t* first;
  const std::int32_t* column;
  const double *weight, *values;
  double* parts;  // [row][lane]
  AGWAVE_HD void operator()(std::int64_t n) const {
    const std::int64_t row = n / WeightedRows::lanes;
    double sum = 0;
    for (std::int64_t e = first[row] + n % WeightedRows::lanes; e < first[row + 1]; e += WeightedRows::lanes)
      sum = std::fma(weight[e], values[column[e]], sum);
    parts[n] = sum;
  }
};
struct SumOfParts {  // n counts the rows
  const double* parts;
  double* sums;
  AGWAVE_HD void operator()(std::int64_t n) const {
    double sum = 0;
    for (int lane = 0; lane < WeightedRows::lanes; ++lane) sum += parts[n * WeightedRows::lanes + lane];
    sums[n] = sum;
  }
};

}  // namespace agwave
