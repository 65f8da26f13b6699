// SPDX-License-Identifier: Apache-2.0
#include "timestep/conversion.hpp"

#include <algorithm>

#include "error/error.hpp"

namespace agwave {
namespace {

std::string describe(const StateArrays& arrays) {
  std::string words;
  for (const StateArray& a : arrays) words += text(words.empty() ? "" : ", ", a.name, " (", a.form, ")");
  return words;
}

// Of the water, or of the floor, which every integrator keeps alike.
StateArrays part(const StateArrays& arrays, bool of_floor) {
  StateArrays some;
  for (const StateArray& a : arrays)
    if ((a.items == StateArray::Items::floor_rows) == of_floor) some.push_back(a);
  return some;
}

}  // namespace

std::int64_t slabs(const StateArray& array, const Mesh& mesh) {
  if (array.items == StateArray::Items::floor_rows) return mesh.part.at_low(2) ? 1 : 0;
  return array.items == StateArray::Items::node_rows ? mesh.NZ() : mesh.nz();
}

std::int64_t items_of_slab(const StateArray& array, const Mesh& mesh) {
  return array.items == StateArray::Items::elements ? static_cast<std::int64_t>(mesh.nx()) * mesh.ny() : mesh.NY();
}

void copy_arrays(StateSource& from, const StateArrays& arrays, const SpacesSetup& setup, Stepper& to) {
  std::vector<double> values;
  for (const StateArray& array : arrays)
    for (std::int64_t n = 0; n < slabs(array, setup.mesh); ++n) {
      from.read(array, n, values);
      to.set(array, n * items_of_slab(array, setup.mesh), values);
    }
}

void hand_over(StateSource& from, const SpacesSetup& setup, Stepper& to) {
  if (from.arrays() == to.arrays()) return copy_arrays(from, to.arrays(), setup, to);
  const StateArrays here = part(from.arrays(), false), there = part(to.arrays(), false), floor = part(from.arrays(), true);
  if (floor == part(to.arrays(), true)) copy_arrays(from, floor, setup, to);  // what a conversion hands over is the water
  if (here == there) return copy_arrays(from, there, setup, to);
  const auto fit =
      std::find_if(registry<Conversion>().begin(), registry<Conversion>().end(), [&](const Conversion& c) { return c.fits(here, there); });
  if (fit == registry<Conversion>().end())
    throw Error(ExitCode::usage, text("the state there is ", describe(from.arrays()), ", and this run steps ", describe(to.arrays()),
                                      "; nothing makes one of the other: continue with the variant that wrote it"));
  fit->run(from, setup, to);
}

}  // namespace agwave
