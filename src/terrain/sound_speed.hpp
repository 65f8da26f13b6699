// SPDX-License-Identifier: Apache-2.0
// The speed of sound by depth and place, where it is not one number: a profile, Munk's, or a field from a file. All are once continuously
// differentiable; below the deepest value that they have they go on as they change there.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "case/case.hpp"
#include "error/error.hpp"

namespace agwave {

class Domain;
struct Grid;  // terrain/grid.hpp

class SoundSpeed {
 public:
  virtual ~SoundSpeed() = default;
  // c [m/s] at depths below the surface [m], under x, y [m].
  virtual void column(double x, double y, std::span<const double> depths, std::span<double> c) const = 0;
  virtual double deepest() const = 0;           // what lies below is extrapolated [m]
  virtual std::string fingerprint() const = 0;  // the same for the same values
  virtual ExitCode blame() const = 0;           // of values that no water has: input where a file has them
  virtual std::string where() const = 0;        // for messages: file, line and key, and the file that it came from
};
using SoundSpeedPointer = std::shared_ptr<const SoundSpeed>;

// Null for one speed everywhere. Without a domain there are no fields (std::logic_error).
SoundSpeedPointer make_sound_speed(const OceanCase& ocean);
// The domain must outlive it. Throws Error(input) on anything that is not a field fit for the domain.
SoundSpeedPointer make_sound_speed(const Case& c, const Domain& domain);

// What of a field's file the domain needs, checked: from the surface down, complete, in m/s. From a prepared file where the bathymetry is one that has it.
Grid read_sound_field(const Case& c, const Domain& domain);

}  // namespace agwave
