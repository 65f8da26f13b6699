// SPDX-License-Identifier: Apache-2.0
// A finite-fault model as the USGS's FFM.geojson.
#include "uplift.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agwave;
  const std::string path = fuzz::as_file(data, size, ".geojson");
  fuzz::refuse_or_take([&] { fuzz::take_uplift("type: fault, file: " + path, "  ramp: {type: linear, duration: 10}\n"); });
  return 0;
}
