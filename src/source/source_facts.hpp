// SPDX-License-Identifier: Apache-2.0
// What can be said about a source before it is run: its size, its time, how much of it is in the domain, what periods it excites.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "source/fault.hpp"
#include "source/uplift.hpp"

namespace agwave {

struct FaultFacts {
  std::size_t subfaults = 0;                         // that slip
  double moment = 0, magnitude = 0;                  // [N m]; Mw = (log10 M0 - 9.1) / 1.5 (Hanks and Kanamori, 1979; IASPEI)
  double area = 0, mean_slip = 0, largest_slip = 0;  // [m2]; [m]
  double stress_drop = 0;                            // [Pa] 7 pi^1.5 / 16 moment / area^1.5, of a circle of that area (Eshelby, 1957)
};

struct FloorArea {
  Range x{}, y{};                                                    // [m]
  double size() const { return (x.max - x.min) * (y.max - y.min); }  // [m2]
};

// Where slopes of the floor add to what a source lifts the water by (fem/load.hpp), and so to the volume that it displaces.
struct OverSlopes {
  double x = 0, y = 0, area = 0;              // [m]; what the place stands for, of the plane [m2]
  double uplift = 0;                          // what stays there over a level floor [m]
  double normal = 0, east = 0, north = 0;     // what stays there of motion along the normal, and sideways [m]
  double more(double h_x, double h_y) const;  // than over a level floor [m3]
};

struct SourceFacts {
  std::string name, type;     // sources[0], fault
  double begin = 0, end = 0;  // of its motion [s]
  double lowest = 0,
         highest = 0;  // uplift that stays, over the domain [m]; this and the volume over a level floor until add_slopes (run/carried_volume.hpp)
  double volume = 0;   // of water displaced in the domain in the end [m3]
  double inside = 1;   // part of it in the domain: of a fault's moment, of a grid's uplift, of another shape's area or mass
  double shortest_period = 0;  // below it the spectrum of the motion stays under 1 % of its largest, at the places that move most [s]
  std::optional<FaultFacts> fault{};
  std::optional<FloorArea> where{};                  // of the floor what moves; from a shape: beyond which nothing does
  std::optional<std::array<double, 2>> epicentre{};  // where it begins, or its middle [m]
  std::vector<Outline> outlines{};                   // of the planes of a fault
  std::vector<OverSlopes> over_slopes{};             // all the places, until add_slopes; none where slopes do not matter
};

// `terms` are the case's (make_terms). Samples the uplift at some thousands of places; volume and range are good to a few per cent.
std::vector<SourceFacts> source_facts(const Case& c, const Domain& domain, const SourceTerms& terms);

// Warnings, a line each: outside or mostly outside the domain (and whether longitude and latitude look swapped), sizes that no earthquake has.
// Throws Error(usage) for a source of which nothing is in the domain.
std::vector<std::string> source_notes(const Case& c, const Domain& domain, const std::vector<SourceFacts>& facts);

// Volume that the terms leave in an area, and what of it is up plus what of it is down [m3]; found however narrow they are, where they leave any
// trace at the places looked at first.
struct LeftVolume {
  double net = 0, gross = 0;
};
LeftVolume left_volume(const std::vector<UpliftTerm>& terms, const FloorArea& area);

// Of sum_k weight_k a_k(t); `terms` and `weights` of one length.
double shortest_period(const std::vector<const TimeSeries*>& terms, const std::vector<double>& weights);

}  // namespace agwave
