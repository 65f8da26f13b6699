// SPDX-License-Identifier: Apache-2.0
// When a gravity wave that an absorbing wall sent back can reach a sensor. The walls absorb sound, Z = rho c; a long wave of
// speed sqrt(g H) comes back with the factor (c - sqrt(g H)) / (c + sqrt(g H)) of its pressure.
#pragma once
#include <string>
#include <vector>

#include "boundary/sponge.hpp"
#include "comm/comm.hpp"
#include "fem/medium.hpp"
#include "mesh/mesh.hpp"
#include "source/uplift.hpp"

namespace agwave {

struct Reflection {
  double time = 0;  // [s]; infinite when no wave comes back
  std::string wall, sensor;
  double coefficient = 0;                          // of what the wall and its sponge send back, by the depth and the angle at the place that sends it
  double angle = 0, period = 0;                    // from the wall's normal [rad]; of the long wave [s]: the width of the uplift over sqrt(g h) there
  double strip = 0;                                // the sponge's width [m], 0 without
  double enough_width = 0, enough_reflection = 0;  // of a strip that leaves less than 2 %; 0 where none up to four times as wide does
};

// For every absorbing wall the wave that is sent back strongest to a sensor before `end`, in the order of the walls: long waves at sqrt(g h) of the
// bathymetry itself, from where a term of the uplift exceeds 1 % of the largest, at the time it begins, to the walls and from there to the sensors along
// the quickest ways (travel_time.hpp; maps of more than a quarter of a million points are thinned). The wave is small at first. What is less than
// 1 % does not count. Collective.
std::vector<Reflection> wall_reflections(const Mesh& mesh, const std::vector<UpliftTerm>& uplift, const Sensors& sensors, const Medium& medium,
                                         const BoundaryCase& boundary, const Sponge& sponge, double end, const Comm& comm);

// A line for the user for each, and what would help.
std::string reflection_note(const Reflection& reflection, double end);

}  // namespace agwave
