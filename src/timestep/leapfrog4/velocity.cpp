// SPDX-License-Identifier: Apache-2.0
#include "timestep/leapfrog4/velocity.hpp"

#include <algorithm>

#include "error/error.hpp"
#include "fem/element_operator.hpp"
#include "timestep/conversion.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"

namespace agwave::leapfrog4 {
namespace {

// Of layer ez, from its five levels [5][NY][NX].
template <int Q>
void velocity_of_layer(const Spaces& spaces, const ElementOperator<Q>& element, int ez, const double* psi, double* u) {
  constexpr auto rule = gauss_rule<Q>();
  constexpr auto rule4 = gauss_rule<L1D>();
  const ElementView& v = spaces.elements();
  const NodeView& nodes = spaces.nodes();
  std::vector<Metric> metric(Q * Q * Q);
  for (int ey = 0; ey < v.ny; ++ey)
    for (int ex = 0; ex < v.nx; ++ex, u += 3 * L3D) {
      double psi_E[D3D];
      for (int n = 0; n < D3D; ++n) {
        const int i = P1D * ex + n % D1D, j = P1D * ey + n / D1D % D1D, k = n / (D1D * D1D);
        psi_E[n] = psi[(static_cast<std::int64_t>(k) * nodes.NY + j) * nodes.NX + i];
      }
      for (int q = 0; q < Q * Q * Q; ++q) metric[q] = v.point(ex, ey, ez, q, rule.x, rule.w);
      element.gradient(metric.data(), psi_E, u);
      for (int n = 0; n < 3 * L3D; ++n) u[n] /= -v.velocity_mass(ex, ey, ez, n % L3D, rule4.w);
    }
}

void velocity_of_layer(const Spaces& spaces, int ez, const double* psi, double* u) {
  if (spaces.elements().Q == 4) {
    static const ElementOperator<4> element;
    velocity_of_layer(spaces, element, ez, psi, u);
  } else {
    static const ElementOperator<5> element;
    velocity_of_layer(spaces, element, ez, psi, u);
  }
}

// Pressure and velocity of a state that has a potential, layer by layer.
class WithVelocity final : public StateSource {
 public:
  WithVelocity(StateSource& from, const SpacesSetup& setup)
      : from_(from),
        mesh_(setup.mesh),
        spaces_(setup, Space::host),
        psi_(static_cast<std::size_t>(D1D * items_of_slab(pressure_array, setup.mesh) * setup.mesh.NX())) {}
  const StateArrays& arrays() const override { return physical_; }
  void read(const StateArray& array, std::int64_t n, std::vector<double>& values) override {
    if (array == pressure_array) return from_.read(pressure_array, n, values);
    for (int k = 0; k < D1D; ++k) {
      from_.read(potential_array, P1D * n + k, values);
      std::copy(values.begin(), values.end(), psi_.begin() + static_cast<std::ptrdiff_t>(k * values.size()));
    }
    values.resize(static_cast<std::size_t>(items_of_slab(velocity_array, mesh_)) * 3 * L3D);
    velocity_of_layer(spaces_, static_cast<int>(n), psi_.data(), values.data());
    if (std::find(from_.arrays().begin(), from_.arrays().end(), rest_array) == from_.arrays().end()) return;
    std::vector<double> rest(values.size());
    from_.read(rest_array, n, rest);
    for (std::size_t m = 0; m < values.size(); ++m) values[m] += rest[m];
  }

 private:
  StateSource& from_;
  const Mesh& mesh_;
  Spaces spaces_;
  std::vector<double> psi_;
  StateArrays physical_{pressure_array, velocity_array};
};

bool has_potential(StateArrays arrays) {
  if (arrays.size() > faded_arrays.size() && arrays.back() == corner_array) arrays.pop_back();
  return arrays == state_arrays || arrays == faded_arrays;
}
bool to_velocity(const StateArrays& from, const StateArrays& to) {
  return has_potential(from) && to.size() == 2 && to[0] == pressure_array && to[1].name == velocity_array.name;
}
void convert(StateSource& from, const SpacesSetup& setup, Stepper& to) {
  WithVelocity source(from, setup);
  hand_over(source, setup, to);
}

[[noreturn]] void refuse(StateSource&, const SpacesSetup&, Stepper&) {
  throw Error(ExitCode::usage,
              "the state there has a velocity, and leapfrog4 steps a potential, which follows from a velocity only through a solve; "
              "continue with time.scheme: rk4");
}

const RegisterConversion forward{{to_velocity, convert}};
const RegisterConversion backward{{[](const StateArrays& from, const StateArrays& to) { return !has_potential(from) && has_potential(to); }, refuse}};

}  // namespace

std::vector<double> velocity_of(const SpacesSetup& setup, std::span<const double> psi) {
  const Spaces spaces(setup, Space::host);
  const Mesh& mesh = setup.mesh;
  std::vector<double> u(static_cast<std::size_t>(mesh.NE()) * 3 * L3D);
  const std::int64_t levels = static_cast<std::int64_t>(P1D) * mesh.NX() * mesh.NY(),
                     layer = static_cast<std::int64_t>(3 * L3D) * mesh.nx() * mesh.ny();
  for (int ez = 0; ez < mesh.nz(); ++ez) velocity_of_layer(spaces, ez, psi.data() + ez * levels, u.data() + ez * layer);
  return u;
}

void require_rest(std::span<const double> u) {
  if (std::any_of(u.begin(), u.end(), [](double v) { return v != 0; }))
    throw Error(ExitCode::usage,
                "leapfrog4 starts from water at rest, or from a pressure: a velocity gives its potential only through a solve; use time.scheme: rk4");
}

}  // namespace agwave::leapfrog4
