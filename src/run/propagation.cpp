// SPDX-License-Identifier: Apache-2.0
#include "run/propagation.hpp"

#include <algorithm>
#include <cstdlib>

#include "timestep/leapfrog4/leapfrog4.hpp"

namespace agwave {

Propagation::Propagation(Model& model, const Intervals& intervals)
    : model_(model), intervals_(intervals), rest_p_(static_cast<std::size_t>(model.mesh().nodes()), 0.0) {
  if (model.plan().variant->integrator != &leapfrog4_integrator) rest_u_.resize(static_cast<std::size_t>(model.mesh().NE()) * 3 * L3D, 0.0);
  const double end = static_cast<double>(intervals.steps) * intervals.dt;
  unit_ = {.value = [end](double t) { return std::clamp(t, 0.0, end); },
           .rate = [end](double t) { return t >= 0 && t < end ? 1.0 : 0.0; },
           .piecewise_linear = true,
           .begin = 0,
           .end = end};
}

std::vector<ForcingSample> Propagation::samples(std::span<const Pulse> pulses, std::int64_t step) const {
  const Variant& variant = *model_.plan().variant;
  const auto rates = [&](std::int64_t own) {
    if (own < -intervals_.ahead || own >= intervals_.steps + intervals_.ahead) return Rates{};
    return variant.integrator->sample(unit_, static_cast<double>(own) * intervals_.dt, intervals_.dt);
  };
  std::vector<ForcingSample> list;
  for (const Pulse& pulse : pulses) {
    const std::int64_t own = step - pulse.interval * intervals_.steps;
    const ForcingSample sample{pulse.term, rates(own), variant.recalls_forcing ? rates(own - 1) : Rates{}};
    if (sample.rate != Rates{} || sample.before != Rates{}) list.push_back(sample);
  }
  return list;
}

void Propagation::run(std::span<const Pulse> pulses, const std::function<void(std::int64_t k)>& sampled, const std::function<void()>& stepped) {
  Stepper& stepper = model_.stepper();
  const std::int64_t fades = model_.plan().sponge.every;
  stepper.set_state(rest_p_, rest_u_);
  std::int64_t next = 0;
  // An integrator that looks ahead begins as early: the first interval is then like any other.
  for (std::int64_t step = -intervals_.ahead; next < intervals_.count;) {
    stepper.step(intervals_.dt, samples(pulses, step));
    ++step;
    if (fades > 0 && step > 0 && step % fades == 0) stepper.damp();
    if (step == intervals_.sampled_at(next)) sampled(next++);
    stepped();
  }
}

// In the leapfrog (timestep/leapfrog4/leapfrog4.hpp) a load b on the floor forces the rate P by  dt (f_m - f dt^2/12 K M^-1) b,  f_m being
// (1, 6, 1)/8 of f over three steps, and a sensor w off the walls reads  w^T (1 + dt^2/24 M^-1 K) P.  All matrices in between are symmetric, so
// transposed, a sensor forces P by  dt f (1 + dt^2/24 K M^-1) w,  and the floor reads  b^T ((1, 6, 1)/8 P - dt^2/12 M^-1 K P),  dt P being what psi moves by.
void Propagation::run_transposed(int term, const std::function<void(std::int64_t k)>& heard, const std::function<void()>& stepped) {
  Stepper& stepper = model_.stepper();
  if (stepper.level_transpose()) return run_transposed_in_levels(term, heard, stepped);
  const double dt = intervals_.dt;
  const double edge = model_.plan().variant->integrator->sample(unit_, -dt, dt)[1];  // of f_m a step before f
  const int recalled = model_.plan().variant->recalls_forcing ? 1 : 0;               // steps after the last
  const Rates pushes{-0.5, 1, -0.5, 0};                                              // leapfrog4::Rate
  stepper.set_state(rest_p_, rest_u_);
  std::int64_t step = 0;
  for (std::int64_t k = 0; k < intervals_.count;) {
    const ForcingSample source{term, step < intervals_.steps ? pushes : Rates{}, step > 0 ? pushes : Rates{}};
    stepper.step(dt, step < intervals_.steps + recalled ? std::span(&source, 1) : std::span<const ForcingSample>{});
    ++step;
    if (step == intervals_.sampled_at(k)) stepper.view().hear(1 - 2 * edge, -dt / 12);
    if (step == intervals_.sampled_at(k) + 1) {
      stepper.view().hear(edge, 0);
      heard(k++);
    }
    const bool more = k < intervals_.count;  // what is heard after the last sample would stay for the next source
    if (more && step == intervals_.sampled_at(k) - 1) stepper.view().hear(edge, dt / 12);
    stepped();
  }
}

// In levels the floor hears F of the potential of f, and G of f_m - f (LevelTranspose). What an interval of steps pushes is what one step pushes, summed up:
// with B_k = F(psi_n) + edge (G(psi_n-1) - 2 G(psi_n) + G(psi_n+1)), n the step of sample k, its answer is (B_k - B_k-1) / dt.
void Propagation::run_transposed_in_levels(int term, const std::function<void(std::int64_t k)>& heard, const std::function<void()>& stepped) {
  Stepper& stepper = model_.stepper();
  LevelTranspose& levels = *stepper.level_transpose();
  const double dt = intervals_.dt, edge = model_.plan().variant->integrator->sample(unit_, -dt, dt)[1];
  const auto of_sample = [](std::int64_t k) { return static_cast<int>((k + LevelTranspose::sums) % LevelTranspose::sums); };
  stepper.set_state(rest_p_, rest_u_);
  std::int64_t k = 0;
  for (std::int64_t step = 0; k < intervals_.count; ++step) {
    LevelTranspose::Ears ears{};
    for (std::int64_t s = k; s < std::min(k + 2, intervals_.count); ++s)
      if (const std::int64_t from = step - intervals_.sampled_at(s); std::abs(from) <= 1)
        ears[static_cast<std::size_t>(of_sample(s))] = {from == 0 ? 1.0 : 0.0, from == 0 ? -2 * edge : edge};
    levels.listen(ears);
    stepper.step(dt, {});
    if (step == 0) levels.push(term);
    if (step == intervals_.steps) levels.pull(term);
    if (step == intervals_.sampled_at(k) + 1) {
      levels.tell(of_sample(k), of_sample(k - 1), 1 / dt);
      heard(k++);
    }
    stepped();
  }
}

}  // namespace agwave
