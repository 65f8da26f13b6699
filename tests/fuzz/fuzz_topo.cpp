// SPDX-License-Identifier: Apache-2.0
// Depths in GeoClaw's topo types 2 and 3, which differ only in how many values a line holds.
#include "depths.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agwave;
  fuzz::take_depths("file: " + fuzz::as_file(data, size, ".tt3"));
  return 0;
}
