// SPDX-License-Identifier: Apache-2.0
// The window of a grid that a domain needs, as `agwave prepare` keeps it beside the depths: of uplift, of a field of sound speed, of types of the sea floor.
#pragma once
#include "terrain/domain.hpp"
#include "terrain/grid_file.hpp"

namespace agwave {

struct WindowAsked {
  GridKind kind;
  const char *group, *what;            // its group in prepared files (prepared.hpp), and what messages call it
  const std::string &file, &variable;  // as in the case; the variable may be empty
  const Mark& mark;
};

// From a prepared file where the bathymetry is one. Throws Error(input) on a file that does not cover the domain, or was prepared from another.
Grid read_window(const Case& c, const Domain& domain, const WindowAsked& asked);
Grid read_prepared_window(const Case& c, const PreparedBathymetry& prepared, const WindowAsked& asked);

}  // namespace agwave
