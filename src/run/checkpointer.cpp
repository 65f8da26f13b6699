// SPDX-License-Identifier: Apache-2.0
// Checkpoints: at their interval, and when a signal stops the run.
#include "io/checkpoint.hpp"
#include "run/observer.hpp"
#include "run/schedule.hpp"

namespace agwave {
namespace {

class Checkpointer final : public Observer {
 public:
  explicit Checkpointer(RunContext& run) : run_(run), every_(run.c.output.checkpoint_interval, run.model.dt()) {}

  void resume(const Manifest& m) override { written_at_ = m.step; }
  void on_completed_step() override {
    if (run_.model.step() > 0 && every_.due(run_.model.step())) write();
  }
  void stop() override {
    if (written_at_ != run_.model.step()) write();
  }

 private:
  // Traces and maps are on the disk before the checkpoint that counts on them.
  void write() {
    Model& model = run_.model;
    const Plan& plan = model.plan();
    Manifest m;
    m.elements = plan.mesh.elements;
    m.order = plan.mesh.order;
    m.quadrature = run_.c.solver.quadrature;
    m.step = model.step();
    m.time = model.time();
    m.dt = model.dt();
    m.levels = levels_kept(plan);
    m.grid = plan.grid;
    m.scheme = plan.variant->integrator->name;
    m.variant = plan.variant->name;
    m.single = plan.variant->single;
    m.device = to_string(plan.variant->device);
    m.arrays = model.stepper().arrays();
    m.sources = model.source_fingerprint();
    m.sensors = sensor_checksum(plan.sensors);
    if (plan.medium.varies()) m.sound = plan.medium.sound()->fingerprint();
    m.sediments = plan.floor.sediments;
    if (plan.filter.steps > 0) m.filter_longer = plan.filter.longer;
    m.keys = run_.c.keys;
    m.case_file = run_.c.source;
    run_.gather();
    for (const auto& observer : run_.observers) observer->save(m);
    run_.finish();
    run_.comm.agree([&] {
      if (!run_.comm.root()) return;
      for (const auto& observer : run_.observers) observer->sync();
    });
    run_.last_checkpoint = write_checkpoint(run_.directory.path(), m, plan.mesh, model.stepper(), model.ledger().pack(), run_.comm);
    written_at_ = m.step;
  }

  RunContext& run_;
  Every every_;
  std::int64_t written_at_ = -1;
};

const RegisterObserver registered{
    {"checkpoints", 40, [](RunContext& run) -> std::unique_ptr<Observer> { return std::make_unique<Checkpointer>(run); }}};

}  // namespace
}  // namespace agwave
