// SPDX-License-Identifier: Apache-2.0
// A netCDF grid of depths, through the netCDF library, from its header to the depths at the columns of a mesh.
#include <array>

#include "fuzz.hpp"
#include "io/case_file.hpp"
#include "io/inputs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agwave;
  const std::string path = fuzz::as_file(data, size, ".nc");
  fuzz::refuse_or_take([&] {
    const Case c = parse_case(
        "case.yaml",
        "domain: {size: [8000, 6000], bathymetry: {type: grid, file: " + path + ", min_depth: 50}}\nmesh: {elements: [2, 2, 1]}\ntime: {end: 1}\n",
        {});
    const auto domain = make_domain(c);
    const std::array<double, 3> x{0, 4000, 8000}, y{0, 3000, 6000};
    make_bathymetry(c, *domain)->depths(x, y, 0, 0);
  });
  return 0;
}
