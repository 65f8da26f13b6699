// SPDX-License-Identifier: Apache-2.0
// A netCDF grid of depths, through the netCDF library.
#include "depths.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agwave;
  fuzz::take_depths("file: " + fuzz::as_file(data, size, ".nc"));
  return 0;
}
