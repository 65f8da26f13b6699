// SPDX-License-Identifier: Apache-2.0
// Faces between element columns along one axis or between layers: even, of given widths, or stretched by a rule.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "case/case.hpp"

namespace agwave {

// elements + 1 faces from 0 to `length` [m].
std::vector<double> spaced_faces(const Spacing& spacing, double length, std::int64_t elements);
// Of what lies between faces, all in one unit.
struct Widths {
  double least, most;
};
Widths widths_between(const std::vector<double>& faces);
// A line for the user where the rule `focus` narrows hardly any element, else "".
std::string focus_note(const Spacing& spacing, double length, std::int64_t elements, const Mark& mark);
// elements[2] + 1 interfaces from 0 at the floor to 1 at the surface.
std::vector<double> layer_interfaces(const MeshCase& mesh);

}  // namespace agwave
