// SPDX-License-Identifier: Apache-2.0
// The water: density and gravity, and the speed of sound at a point. What depends on the medium asks here; the nodal masses and wall
// impedances that follow from it are NodeView's (fem/spaces.hpp). The speed is the same everywhere for now.
#pragma once
#include "case/case.hpp"

namespace agwave {

class Medium {
 public:
  Medium(const OceanCase& ocean = {}) : ocean_(ocean) {}  // NOLINT(google-explicit-constructor): a case's ocean is a medium

  double density() const { return ocean_.density; }                                                  // [kg/m^3]
  double gravity() const { return ocean_.gravity; }                                                  // [m/s^2]
  double sound_speed(double /*x*/, double /*y*/, double /*z*/) const { return ocean_.sound_speed; }  // [m/s]
  double fastest() const { return ocean_.sound_speed; }                                              // largest sound speed anywhere [m/s]
  double weight() const { return ocean_.density * ocean_.gravity; }                                  // rho g: pressure per surface height [Pa/m]
  double bulk_modulus(double x, double y, double z) const {                                          // K = rho c^2 [Pa]
    const double c = sound_speed(x, y, z);
    return ocean_.density * c * c;
  }
  double impedance(double x, double y, double z) const { return ocean_.density * sound_speed(x, y, z); }  // Z = rho c [Pa s/m]

 private:
  OceanCase ocean_;
};

}  // namespace agwave
