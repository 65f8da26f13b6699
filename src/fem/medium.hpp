// SPDX-License-Identifier: Apache-2.0
// The water: density and gravity, and the speed of sound at a point. What depends on the medium asks here; the nodal masses and wall
// impedances that follow from it are NodeView's (fem/spaces.hpp).
#pragma once
#include <vector>

#include "case/case.hpp"
#include "comm/comm.hpp"
#include "mesh/mesh.hpp"
#include "terrain/sound_speed.hpp"

namespace agwave {

struct Speeds {  // of sound [m/s]
  double slowest, mean, fastest;
};

class Medium {
 public:
  Medium(const OceanCase& ocean = {}) : Medium(ocean, make_sound_speed(ocean)) {}  // NOLINT(google-explicit-constructor): a case's ocean is a medium
  Medium(const OceanCase& ocean, SoundSpeedPointer sound) : ocean_(ocean), sound_(std::move(sound)) {}

  double density() const { return ocean_.density; }                  // [kg/m^3]
  double gravity() const { return ocean_.gravity; }                  // [m/s^2]
  double weight() const { return ocean_.density * ocean_.gravity; }  // rho g: pressure per surface height [Pa/m]

  bool varies() const { return sound_ != nullptr; }  // with depth or place
  const SoundSpeed* sound() const { return sound_.get(); }
  double reference() const { return ocean_.sound_speed; }  // the speed everywhere, or what speeds are kept relative to [m/s]
  double bulk_modulus() const { return ocean_.density * reference() * reference(); }  // K = rho c^2 there [Pa]
  double impedance() const { return ocean_.density * reference(); }                   // Z = rho c there [Pa s/m]

  Speeds column(double x, double y, double depth) const;  // of water of a depth [m]
  // K / K_reference - 1 at the nodes of a rank, [NZ][NY][NX], as all of a step have it: in single precision, which keeps c to 2e-9 of 1500 m/s, from a double next to
  // 1, so that 1 + excess is exact. Empty for one speed everywhere. Throws Error, of input or
  // usage as SoundSpeed::blame says, where a speed is none of sea water.
  std::vector<float> excess(const Mesh& mesh) const;
  void require_sound(const Mesh& mesh) const { static_cast<void>(excess(mesh)); }

 private:
  OceanCase ocean_;
  SoundSpeedPointer sound_;
};

// Of all water of the mesh, and what a reader of the log should know of it. Collective.
Speeds speeds_of(const Mesh& mesh, const Medium& medium, const Comm& comm);
std::string medium_note(const Mesh& mesh, const Medium& medium, const Comm& comm);

}  // namespace agwave
