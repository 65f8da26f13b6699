// SPDX-License-Identifier: Apache-2.0
// What makes the column that sets the time step so tight: shallow water, thin layers or narrow elements, or a steep floor; and what
// the mesh pays for it, against the step that half of its columns would allow.
#pragma once
#include <string>

#include "comm/comm.hpp"
#include "mesh/mesh.hpp"
#include "timestep/stable_step.hpp"

namespace agwave {

struct TightColumn {
  double x = 0, y = 0;                                    // centre [m]
  double depth = 0, slope = 0, width = 0, thickness = 0;  // least depth, largest |grad h|, the narrower side, the thinnest layer there [m]
  double step = 0, level_step = 0, half_step = 0;         // [s] largest stable there; there were it level at its mean depth; of half of all columns
  std::int64_t layers = 1;                                // of all columns
};

// Of the column at limit.x, limit.y, which all ranks name alike. Level columns are boxes, whose bound is stable_step's. Collective.
TightColumn tight_column(const Mesh& mesh, const Medium& medium, const StableStep& limit, const Comm& comm);

// A line for the user when the column costs a factor of two or its slope a quarter of the step, else "".
std::string tight_note(const TightColumn& column);

}  // namespace agwave
