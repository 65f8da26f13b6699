// SPDX-License-Identifier: Apache-2.0
// A variant against the reference, before anything is timed.
#include <algorithm>
#include <cmath>

#include "commands/bench.hpp"
#include "timestep/stable_step.hpp"

namespace agwave {

namespace {

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0, scale = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (!std::isfinite(a[n])) return INFINITY;
    largest = std::max(largest, std::abs(a[n] - b[n]));
    scale = std::max(scale, std::abs(b[n]));
  }
  return largest / scale;
}

struct Fields {
  std::vector<double> p, u;
};

Fields after_steps(const Variant& variant, const StepperSetup& setup, double dt, const Fields& start) {
  const auto stepper = variant.make_stepper(setup);
  stepper->set_state(start.p, start.u);
  for (int n = 0; n < 3; ++n) stepper->step(dt, {});
  Fields end;
  stepper->get_state(end.p, end.u);
  return end;
}

}  // namespace

double error_against_reference(const Variant& variant, int order, int quadrature, const Comm& self) {
  const Variant& reference = reference_of(*variant.integrator);
  const BenchOcean ocean;
  double error = 0;
  for (const Elements& elements : {Elements{5, 4, 3}, Elements{9, 5, 6}}) {
    const Mesh mesh = bench_mesh(elements, order, whole(elements));
    const StepperSetup setup = ocean.on(mesh, quadrature, self);
    const double impedance = ocean.ocean.density * ocean.ocean.sound_speed;  // velocity and pressure drive each other alike
    const Fields start{random_values(static_cast<std::size_t>(mesh.nodes()), 1),
                       random_values(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 2, variant.integrator->from_rest ? 0 : 1 / impedance)};
    if (variant.operator_) {
      std::vector<double> g0, r0, g, r;
      reference.operator_->apply_once(setup, start.p, start.u, g0, r0);
      variant.operator_->apply_once(setup, start.p, start.u, g, r);
      error = std::max({error, relative_difference(g, g0), relative_difference(r, r0)});
    }
    const double dt = 0.5 * stable_step(setup, *variant.integrator, self).dt;
    const Fields right = after_steps(reference, setup, dt, start), end = after_steps(variant, setup, dt, start);
    error = std::max(error, relative_difference(end.p, right.p));
    if (variant.knows_potential) error = std::max(error, relative_difference(end.u, right.u));
  }
  return error;
}

}  // namespace agwave
