// SPDX-License-Identifier: Apache-2.0
// Fault sources: rectangles of the case as Okada planes in the domain, and the uplift terms they make.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "source/uplift.hpp"

namespace agwave {

enum class Reference { top, centroid, bottom };  // a point on the line down the middle of a rectangle
struct Subfault {
  Place place;                                                      // of its reference point
  double depth = 0;                                                 // of the same, below the sea floor [m]
  double strike = 0, dip = 0, rake = 0;                             // [degrees]; strike clockwise from true north, dipping to its right
  double slip = 0, length = 0, width = 0;                           // [m]
  std::optional<double> start = std::nullopt, rise = std::nullopt;  // [s]; absent: those of the ramp
  std::optional<double> moment = std::nullopt;                      // [N m], where a file says it
};
struct Fault {
  std::vector<Subfault> subfaults;
  Reference reference = Reference::centroid;
  bool horizontal = true;                         // horizontal motion lifts the water over slopes
  double poisson = 0.25, rigidity = 30e9;         // [Pa]; of subfaults whose moment is not given
  std::optional<double> interval = std::nullopt;  // samples of the slip in time [s]
};

constexpr double top_tolerance = 0.01;  // of the width: a top edge not farther above the sea floor than this counts as on it
double top_depth(const Subfault& subfault, Reference reference);  // [m] below the floor, negative above

// Its place and, where that is geographic, a point south and one north of it, which tell where true north is in the domain.
std::vector<Place> places_of(const Subfault& subfault);

// The plane from above: the ends of its top edge, then those of its bottom edge, around it [m].
using Outline = std::array<std::array<double, 2>, 4>;
Outline outline_of(const Subfault& subfault, Reference reference, const Domain& domain);

// A term for each pair of start and rise time: it rises as the ramp does, as a smoothstep without one, and carries the displacement of the
// floor when horizontal motion counts. With an `interval`, a term for each interval in which something slips: what all subfaults add in
// it, linearly; so a model of hundreds of subfaults has tens of loads, of which each step forces one or two.
std::vector<UpliftTerm> fault_terms(const Fault& fault, const SourceCase& source, const Domain& domain);

}  // namespace agwave
