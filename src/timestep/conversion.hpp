// SPDX-License-Identifier: Apache-2.0
// A state from one who carries it to another. The same arrays go as they are; others need a conversion, which whoever defines an array of a
// form of its own registers beside it (`RegisterConversion`).
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "error/registry.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

// Where a state comes from, cut to a rank's block.
class StateSource {
 public:
  virtual ~StateSource() = default;
  virtual const StateArrays& arrays() const = 0;
  // Slab n of an array: a level of nodes [NY][NX], or a layer of elements [ny][nx][3][64].
  virtual void read(const StateArray& array, std::int64_t n, std::vector<double>& values) = 0;
};

struct Conversion {
  std::function<bool(const StateArrays& from, const StateArrays& to)> fits;  // of the water, without those of the floor
  std::function<void(StateSource& from, const SpacesSetup& setup, Stepper& to)> run;
};
using RegisterConversion = Register<Conversion>;

// Slabs of an array of this mesh, and how to write one to a stepper.
std::int64_t slabs(const StateArray& array, const Mesh& mesh);
std::int64_t items_of_slab(const StateArray& array, const Mesh& mesh);

void copy_arrays(StateSource& from, const StateArrays& arrays, const SpacesSetup& setup, Stepper& to);  // as they are
// Throws Error(usage) when nothing makes the stepper's arrays of those that there are.
void hand_over(StateSource& from, const SpacesSetup& setup, Stepper& to);

}  // namespace agwave
