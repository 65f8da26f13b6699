// SPDX-License-Identifier: Apache-2.0
// A list of sensors, read as a case that names it reads it.
#include "case/case_file.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agwave;
  const std::string path = fuzz::as_file(data, size, ".csv");
  const std::string yaml =
      "domain: {size: [8000, 6000], bathymetry: {type: flat, depth: 1000}}\nmesh: {elements: [2, 2, 1]}\ntime: {end: 1}\n"
      "sensors:\n  interval: 0.5\n  hydrophones: {file: " +
      path + "}\n";
  fuzz::refuse_or_take([&] { parse_case("case.yaml", yaml, {}); });
  return 0;
}
