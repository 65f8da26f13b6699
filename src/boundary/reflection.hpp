// SPDX-License-Identifier: Apache-2.0
// When a gravity wave that an absorbing wall sent back can reach a sensor. The walls absorb sound, Z = rho c; a long wave of
// speed sqrt(g H) comes back with the factor (c - sqrt(g H)) / (c + sqrt(g H)) of its pressure.
#pragma once
#include <string>

#include "boundary/sponge.hpp"
#include "comm/comm.hpp"
#include "fem/medium.hpp"
#include "mesh/mesh.hpp"
#include "source/uplift.hpp"

namespace agwave {

struct Reflection {
  double time = 0;  // [s]; infinite when no wave comes back
  std::string wall, sensor;
  double coefficient = 0;  // by the depth at the place of the wall that sent it
};

// The earliest over absorbing walls and sensors: long waves at sqrt(g h) of the bathymetry itself, from where a term of the uplift
// exceeds 1 % of the largest, at the time it begins, to the walls and from there to the sensors along the quickest ways (travel_time.hpp;
// maps of more than a quarter of a million points are thinned). The wave is small at first. A wall whose sponge leaves less than 1 % does not
// count. Collective.
Reflection earliest_reflection(const Mesh& mesh, const std::vector<UpliftTerm>& uplift, const Sensors& sensors, const Medium& medium,
                               const BoundaryCase& boundary, const Sponge& sponge, const Comm& comm);

// A line for the user when that is before the end of the run, else "".
std::string reflection_note(const Reflection& reflection, double end);

}  // namespace agwave
