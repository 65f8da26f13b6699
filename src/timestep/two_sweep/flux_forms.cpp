// SPDX-License-Identifier: Apache-2.0
// Between the forms of the velocity, layer by layer.
#include "timestep/two_sweep/flux_forms.hpp"

#include "timestep/conversion.hpp"
#include "timestep/two_sweep/pointwise.hpp"

namespace agwave::two_sweep {
namespace {

// Sums and differences over the points that lie above each other, times `scale`.
void halves(std::vector<double>& values, double scale) {
  for (std::size_t first = 0; first < values.size(); first += L3D)
    for (std::size_t l = 0; l < L3D / 2; ++l) {
      double &low = values[first + l], &high = values[first + (l ^ 48)];  // l / 16 is q, 3 - q its mirror image
      const double sum = low + high;
      high = scale * (low - high);
      low = scale * sum;
    }
}

void transform(const ElementView& v, std::int64_t ez, bool to_flux, std::vector<double>& values) {
  const Rule<L1D> rule = basis<L1D>.rule;
  for (int ey = 0; ey < v.ny; ++ey)
    for (int ex = 0; ex < v.nx; ++ex)
      for (int l = 0; l < L3D; ++l) {
        double* const at = values.data() + (static_cast<std::int64_t>(ey) * v.nx + ex) * 3 * L3D + l;
        const Metric metric = v.point(ex, ey, static_cast<int>(ez), l, rule.x, rule.w);
        const double from[3] = {at[0], at[L3D], at[2 * L3D]};
        double to[3];
        if (to_flux)
          contravariant_flux(metric, from[0], from[1], from[2], to);
        else
          velocity_of_flux(metric, from, to);
        for (int c = 0; c < 3; ++c) at[c * L3D] = to[c];
      }
}

bool pressure_and_velocity(const StateArrays& arrays) {
  return arrays.size() == 2 && arrays[0] == pressure_array && arrays[1].name == velocity_array.name && arrays[1].items == velocity_array.items &&
         (arrays[1].form == velocity_array.form || arrays[1].form == flux_form || arrays[1].form == flux_in_parts_form);
}

void convert(StateSource& from, const SpacesSetup& given, Stepper& to) {
  const StateArray there = from.arrays()[1], here = to.arrays()[1];
  SpacesSetup setup = given;
  setup.quadrature = L1D;  // the flux is that at the velocity nodes
  const Spaces spaces(setup, Space::host);
  copy_arrays(from, {pressure_array}, setup, to);
  std::vector<double> values;
  for (std::int64_t ez = 0; ez < slabs(here, setup.mesh); ++ez) {
    from.read(there, ez, values);
    if (there.form == flux_in_parts_form) halves(values, 0.5);
    if (there.form == velocity_array.form) transform(spaces.elements(), ez, true, values);
    if (here.form == velocity_array.form) transform(spaces.elements(), ez, false, values);
    if (here.form == flux_in_parts_form) halves(values, 1);
    to.set(here, ez * items_of_slab(here, setup.mesh), values);
  }
}

const RegisterConversion registered{
    {[](const StateArrays& from, const StateArrays& to) { return pressure_and_velocity(from) && pressure_and_velocity(to); }, convert}};

}  // namespace
}  // namespace agwave::two_sweep
