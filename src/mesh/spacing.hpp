// SPDX-License-Identifier: Apache-2.0
// Faces between element columns along one axis: even, of given widths, or stretched by a rule.
#pragma once
#include <cstdint>
#include <vector>

#include "case/case.hpp"

namespace agwave {

// elements + 1 faces from 0 to `length` [m].
std::vector<double> spaced_faces(const Spacing& spacing, double length, std::int64_t elements);

}  // namespace agwave
