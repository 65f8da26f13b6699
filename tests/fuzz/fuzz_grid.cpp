// SPDX-License-Identifier: Apache-2.0
// A netCDF grid of depths, through the netCDF library.
#include "depths.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agwave;
  const std::string path = fuzz::as_file(data, size, ".nc");
  fuzz::refuse_or_take([&] { fuzz::take_depths("file: " + path); });
  return 0;
}
