// SPDX-License-Identifier: Apache-2.0
// Rows of a parameter-to-observable map as FFTMatvec reads them (Venkat et al., arXiv:2407.13066): a folder with
//   binary/meta_adj              what there is, one value a line
//   binary/adj/vec_NNNNNN.h5     one row: dataset `vec`, index i Nt + k, the response after k + 1 intervals to parameter i in the first
// A row is complete when it has its name, and says of which case and sensor it is, with a checksum of its values; FFTMatvec passes over that.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace agwave {

struct MapFolder {
  std::string path;
  std::int64_t parameters = 0, intervals = 0;
  bool heights = false;  // quantities of interest
  bool single = false;   // precision of the stored values
  std::string run{};     // fingerprint of what made them

  std::string row_file(std::int64_t n) const;
  void create() const;  // all: Error(output)
  void write_row(std::int64_t n, const std::string& sensor, std::span<const double> values) const;
  void write_meta(std::int64_t rows) const;
  void clear() const;  // whatever rows there are
  // The values, as they were stored; empty where there is no file, where it is another run's or another sensor's, or damaged, which `why` then says.
  std::vector<double> read_row(std::int64_t n, const std::string& sensor, std::string& why) const;
};

}  // namespace agwave
