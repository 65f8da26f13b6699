// SPDX-License-Identifier: Apache-2.0
// A locally reacting floor: the ground answers the pressure on it at its own place alone, by a damper and a spring that give way together,
//   p = Z v + k u,   u' = v,   an impedance of Z + k / (i omega);   Z = rho_s c_s [Pa s/m], k [Pa/m], u > 0 into the ground [m]
// Above the corner k / Z [rad/s] sound is sent back by (Z - Z_w) / (Z + Z_w), Z_w the water's; below it the spring holds standing water up, which sinks by
// rho g / k of its height. The sources' motion of the floor comes on top.
// Without a stiffness the corner lies at a period of 120 s: below the sound that an ocean carries (from 4 h / c on, 16 s in 6 km of water), above tsunamis.
// A stiffer spring would be met by sound, a softer one would let long waves sink further and take more of them.
// What the ground is made of is the same everywhere, or goes by the depth of the water, or by a grid of types (terrain/sediments.hpp).
#pragma once
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "fem/medium.hpp"
#include "mesh/mesh.hpp"
#include "terrain/domain.hpp"

namespace agwave {

inline constexpr double floor_corner_period = 120;  // [s] where no stiffness is given

struct Ground {
  double impedance = 0, stiffness = 0;                     // Z [Pa s/m], k [Pa/m]
  double corner() const { return stiffness / impedance; }  // [rad/s]
};
Ground ground_at(const FloorCase& floor, double depth);       // in water of this depth [m]
Ground ground_of(const FloorCase& floor, std::size_t entry);  // of one of its types

struct Floor {
  bool gives_way = false;                          // anywhere in the mesh; the rest is empty where not
  std::vector<double> area, impedance, stiffness;  // [NY][NX] on ranks with the floor: what a node stands for [m2], Z, k
  struct Span {
    double least = 0, most = 0;
  };
  // Of the whole mesh: Z, k, what sound at normal incidence comes back with, the corner [Hz], and how far standing water sinks [m/m].
  Span impedances{}, stiffnesses{}, reflections{}, corners{}, sinking{};
  std::string sediments{};  // Sediments::fingerprint, where the ground is one of types
};
// What the nodes of the sloping floor stand for [NY][NX] [m2], empty on ranks without it: as loads of a motion along the normal have it, and no less than on a
// flat one. Where a steep floor bends within an element such a load can be less than nothing, and a node that gives way by that would pump. Collective.
std::vector<double> floor_areas(const Mesh& mesh, const Comm& comm);
// Collective; throws Error(input) on a grid of types that does not fit.
Floor make_floor(const Mesh& mesh, const Medium& medium, const Case& c, const Domain& domain, const Comm& comm);

// A line that says what the floor is.
std::string to_text(const Floor& floor);

}  // namespace agwave
