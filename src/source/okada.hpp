// SPDX-License-Identifier: Apache-2.0
// Displacement of the surface of an elastic half-space by slip on a buried rectangle.
// Y. Okada, Surface deformation due to shear and tensile faults in a half-space, Bull. Seism. Soc. Am. 75(4), 1985,
// equations 25, 26 and 28 to 30.
#pragma once
#include <array>

namespace agwave {

// Okada's frame: x along strike, y up dip (the plane dips towards -y), the deep edge from (0, 0, -depth) to (length, 0, -depth).
struct Rectangle {
  double depth = 0;                      // of the deep edge [m]; at least width * sin_dip
  double length = 0, width = 0;          // along strike and along dip [m]
  double sin_dip = 0, cos_dip = 1;       // dip from 0 to 90 degrees; -90 as in the paper's checklist
  double strike_slip = 0, dip_slip = 0;  // left-lateral and thrust slip of the hanging wall [m]
  double poisson = 0.25;
};

// Displacement (along strike, along y, up) [m] at the surface point (x, y). Finite everywhere: on the trace of a fault that
// breaks the surface the mean of its two sides, and at an edge of it, where it grows like a logarithm, as 1e-9 of the fault's size away.
std::array<double, 3> okada(const Rectangle& fault, double x, double y);

}  // namespace agwave
