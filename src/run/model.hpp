// SPDX-License-Identifier: Apache-2.0
// A case made ready to step: owns domain, mesh, uplift, sensors and stepper in that order, advances whole steps with the
// forcing of the sources, and keeps the energy budget. Knows no files; Simulation adds the outputs.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "io/report.hpp"
#include "run/plan.hpp"
#include "timestep/energy_budget.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

class Model {
 public:
  Model(const Case& c, const Comm& comm);
  Model(const Case& c, const Comm& comm, Plan plan);

  const Plan& plan() const { return plan_; }
  const Mesh& mesh() const { return plan_.mesh; }
  const std::vector<NodalForcing>& forcing() const { return forcing_; }
  Stepper& stepper() { return *stepper_; }
  StateView& view() { return stepper_->view(); }  // of the completed state
  bool finished() const { return step_ >= plan_.steps; }
  double dt() const { return plan_.choice.dt; }
  std::int64_t step() const { return step_; }
  double time() const { return static_cast<double>(step_) * dt(); }

  void advance();                                    // one step
  bool source_active(double from, double to) const;  // it forces steps between these times, from as far as these reach

  // Pressure at stations (seafloor, then hydrophones) and at gauges on the surface, this rank's own in point_index order.
  const std::vector<std::int32_t>& point_index() const { return plan_.points.index; }
  std::size_t point_count() const { return plan_.sensors.seafloor.size() + plan_.sensors.hydrophones.size() + plan_.sensors.surface.size(); }
  std::vector<double> sample_all();  // every point on every rank; collective

  EnergyBudget budget();  // collective

  // What the energy budget of this rank has added up, and how to go on from it: the stepper has the state of `step` already.
  Ledger ledger();
  void resume(std::int64_t step, const Ledger& ledger);
  // Of each forcing: begin, end, value in between [s, s, 1] and norm of its weights [m2 or m3]: whether a source is the same. Collective.
  std::vector<double> source_fingerprint() const;
  // Vertical uplift [m] at each seafloor sensor now, on every rank.
  std::vector<double> uplift_at_sensors() const;
  // Where columns step in levels: steps a run that has not begun from random data, a twentieth of its steps and 400 at most, and leaves it at rest.
  // Throws Error(unstable) with the place when they grow. Collective.
  void require_stable_levels();
  // Throws Error(unstable) with place, time and step when the state is not finite. Collective.
  [[noreturn]] void report_not_finite();
  // The same, that begins with `what` and names the place of the largest |p|. Collective.
  [[noreturn]] void report_largest(const std::string& what);

 private:
  bool forces(const TimeSeries& term, double from, double to) const;
  std::vector<ForcingSample> samples() const;  // of the next step
  void record_powers(bool damped = false);
  void settle_powers();
  std::string node_place(std::size_t node) const;  // "x = .. m, y = .. m, z = .. m (element .., rank ..)"
  std::string element_place(std::size_t element) const;
  std::string moment() const;

  const Case& case_;
  const Comm& comm_;
  Plan plan_;
  std::vector<double> vertical_;                    // per seafloor sensor: vertical part of a unit normal displacement
  std::vector<std::vector<double>> sensor_shapes_;  // [term][seafloor sensor]: uplift there for a = 1 [m]
  std::vector<NodalForcing> forcing_;               // uplift terms, points in the water, what code adds
  std::unique_ptr<Stepper> stepper_;
  std::int64_t step_ = 0;
  // Powers are recorded on the device at every completed step and settled together.
  struct Recorded {
    double time;
    std::vector<int> terms;
    bool damped = false;  // again at that time, after a damping
  };
  std::vector<Recorded> recorded_;
  Ledger ledger_;
};

}  // namespace agwave
