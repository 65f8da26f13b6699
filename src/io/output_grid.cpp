// SPDX-License-Identifier: Apache-2.0
#include "io/output_grid.hpp"

#include <cmath>

namespace agwave {

Pick OutputGrid::pick(Field field) const {
  return {field, first_node_, {static_cast<int>(own_.count[0]), static_cast<int>(own_.count[1]), static_cast<int>(own_.count[2])}, stride_};
}

PerMap map_points(const OutputCase& output, const Counts& elements) {
  const auto points = [&](int cells, int d) { return static_cast<double>(cells * elements[d] + 1); };
  const int n = output.cells_per_edge;
  PerMap result;
  if (output.surface_interval > 0) result.surface = points(2, 0) * points(2, 1);
  if (output.seafloor_interval > 0) result.seafloor = points(n, 0) * points(n, 1);
  if (output.volume_interval > 0) result.volume = points(n, 0) * points(n, 1) * points(n, 2);
  return result;
}

// float32 values, beside them float64 maps and coordinates in surface.h5, and the mesh of VTKHDF files (cells with 64-bit corners). On a small mesh
// most of a snapshot is what HDF5 keeps of its groups and links, and a snapshot has a line in the series.
PerMap map_bytes(const OutputCase& output, const Counts& elements, double end) {
  constexpr double frame = 10.6e3 + 70;  // [bytes], measured with HDF5 1.10
  PerMap bytes = map_points(output, elements);
  const auto maps = [&](double interval) { return interval > 0 ? std::floor(end / interval * (1 + 1e-12)) + 1 : 0; };
  bytes.surface *= 4 * maps(output.surface_interval) + 48;
  bytes.seafloor *= 4 * maps(output.seafloor_interval) + 16 + 41;
  bytes.volume *= 4 * maps(output.volume_interval) + 16 + 73;
  bytes.seafloor += frame * maps(output.seafloor_interval);
  bytes.volume += frame * maps(output.volume_interval);
  return bytes;
}

}  // namespace agwave
