// SPDX-License-Identifier: Apache-2.0
// The guard: tracks how high the surface stands at every step, and checks the state now and then: its energy must be finite, and must not grow
// while nothing moves, by more than it wavers by; where it is not known, the pressure by no more than waves that meet make of it.
#include <algorithm>
#include <cmath>

#include "error/error.hpp"
#include "run/observer.hpp"
#include "run/schedule.hpp"

namespace agwave {
namespace {

class Guard final : public Observer {
 public:
  explicit Guard(RunContext& run) : run_(run) {}

  void resume(const Manifest& m) override {
    last_energy_ = m.last_energy;
    largest_energy_ = m.largest_energy;
    last_time_ = m.last_check;
    run_.health.max_pressure = m.max_pressure;
    run_.health.max_height = m.max_height;
    run_.health.budget = run_.model.budget();
  }
  void on_completed_step() override {
    if (!run_.model.finished() && guarded(run_.model.step())) check();  // end() has the last word
  }
  void end() override { check(); }
  // A state that is not finite is not kept.
  void save(Manifest& m) override {
    if (!std::isfinite(run_.model.budget().final)) check();
    m.last_energy = last_energy_;
    m.largest_energy = largest_energy_;
    m.last_check = last_time_;
    m.max_pressure = std::max(run_.health.max_pressure, run_.comm.max(run_.health.sampled_peak));
    m.max_height = run_.health.max_height;
  }

 private:
  // Samples go to the file first: those before a failure are what its reader wants to see.
  void check() {
    run_.gather();
    Model& model = run_.model;
    RunContext::Health& health = run_.health;
    health.budget = model.budget();
    const double energy = health.budget.final, t = model.time();
    if (!std::isfinite(energy)) model.report_not_finite();
    run_.comm.agree([&] {
      if (run_.writer) run_.writer->check();
    });
    const bool quiet = model.step() > 0 && !model.source_active(last_time_, t);
    const bool grows = health.budget.known && quiet && energy > last_energy_ + slack() + 1e-300;
    if (run_.comm.max(grows ? 1.0 : 0.0) > 0)
      model.report_largest(text("the energy grows without a source: ", rounded(last_energy_, 7), " J at t = ", rounded(last_time_, 6), " s, ",
                                rounded(energy, 7), " J at t = ", rounded(t, 6), " s, step ", model.step(), " of ", model.plan().steps));
    last_energy_ = quiet ? std::min(last_energy_, energy) : energy;
    largest_energy_ = std::max(largest_energy_, energy);
    const double last_checked = last_time_;
    last_time_ = t;
    health.max_height = run_.comm.max(model.view().max_surface_height());
    const double peak = run_.comm.max(std::max(health.sampled_peak, model.view().max_pressure()));
    if (!health.budget.known && quiet && health.max_pressure > 0 && peak > most * health.max_pressure)
      model.report_largest(text("the pressure grows without a source: ", rounded(health.max_pressure), " Pa until t = ", rounded(last_checked, 6),
                                " s, ", rounded(peak), " Pa at t = ", rounded(t, 6), " s, step ", model.step(), " of ", model.plan().steps));
    health.max_pressure = std::max({health.max_pressure, peak, run_.model.plan().medium.weight() * health.max_height});
  }

  static constexpr double most = 10;  // times the largest pressure so far, where no energy is known: waves that meet do not do that
  // What the energy rises by though nothing moves and all is well. It is measured to order two of the step in columns of finer levels: of short waves in them
  // most may be missed, and comes back as they leave. Over slopes a long wave gives some back in a matched strip. What a step hardly resolves, and may be all
  // that is left in the end, wavers by more of itself than an integrator says. Of the largest energy so far: what grows without end goes beyond that.
  double slack() const {
    const Plan& plan = run_.model.plan();
    if (plan.levels.local()) return 2 * largest_energy_;
    return plan.sponge.matched ? 0.1 * largest_energy_ : plan.variant->integrator->wobble * (last_energy_ + 0.1 * largest_energy_);
  }

  RunContext& run_;
  double last_energy_ = 0, last_time_ = 0;  // the energy: the least since nothing moves
  double largest_energy_ = 0;
};

class SurfaceTracker final : public Observer {
 public:
  explicit SurfaceTracker(RunContext& run) : run_(run) {}
  void on_completed_step() override { run_.model.view().track_surface(run_.model.time(), run_.c.output.arrival_threshold); }

 private:
  RunContext& run_;
};

const RegisterObserver registered[] = {
    RegisterObserver({"surface", 0,
                      [](RunContext& run) -> std::unique_ptr<Observer> {
                        if (run.c.boundary.surface != Surface::gravity) return nullptr;  // a lid does not move
                        return std::make_unique<SurfaceTracker>(run);
                      }}),
    RegisterObserver({"guard", 30, [](RunContext& run) -> std::unique_ptr<Observer> { return std::make_unique<Guard>(run); }})};

}  // namespace
}  // namespace agwave
