// SPDX-License-Identifier: Apache-2.0
// An uplift in GeoClaw's two dtopo formats, static and moving.
#include "uplift.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agwave;
  const std::string path = fuzz::as_file(data, size, ".tt");
  for (const char* format : {"dtopo1", "dtopo3"}) {
    const std::string shape = "type: grid, file: " + path + ", format: " + format;
    fuzz::refuse_or_take([&] { fuzz::take_uplift(shape); });
    fuzz::refuse_or_take([&] { fuzz::take_uplift(shape, "  ramp: {type: linear, duration: 10}\n"); });
  }
  return 0;
}
