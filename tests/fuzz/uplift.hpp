// SPDX-License-Identifier: Apache-2.0
// A source of a file, from the file to the uplift of the floor under a case in degrees: what is taken must be finite.
#pragma once
#include <algorithm>
#include <cmath>

#include "case/case_file.hpp"
#include "fuzz.hpp"
#include "source/uplift.hpp"
#include "terrain/domain.hpp"

namespace agwave::fuzz {

inline void take_uplift(const std::string& shape, const std::string& more = "") {
  const Case c = parse_case("case.yaml",
                            "domain: {lonlat: {lon: [193, 195], lat: [51, 53]}, bathymetry: {type: flat, depth: 1000}}\nmesh: {elements: [2, 2, 1]}\n"
                            "time: {end: 1}\nsources:\n- shape: {" +
                                shape + "}\n" + more,
                            {});
  const auto domain = make_domain(c);
  const auto uplift = uplift_at(make_uplift(c, *domain), 1.0, {0, 60e3, 120e3}, {0, 110e3, 220e3});
  if (!std::all_of(uplift.begin(), uplift.end(), [](double v) { return std::isfinite(v); })) std::abort();
}

}  // namespace agwave::fuzz
