// SPDX-License-Identifier: Apache-2.0
// The line that tells how far the run is, and progress.json. Rank 0's alone.
#include "run/observer.hpp"

namespace agwave {
namespace {

class ProgressReporter final : public Observer {
 public:
  explicit ProgressReporter(RunContext& run) : run_(run) {}

  void open() override {
    if (run_.comm.root())
      progress_ = std::make_unique<Progress>(run_.directory.file("progress.json"), run_.options.quiet, run_.options.progress_seconds);
  }
  void on_completed_step() override {
    if (progress_ && !run_.model.finished() && progress_->due()) progress_->update(state());
  }
  void stop() override {
    if (progress_) progress_->update(state());
  }
  void close_run(const Summary&) override {
    if (progress_) progress_->finish(state());
  }

 private:
  ProgressState state() const {
    const Plan& plan = run_.model.plan();
    ProgressState s;
    s.step = run_.model.step();
    s.steps = plan.steps;
    s.time_s = run_.model.time();
    s.end_s = run_.c.time.end;
    s.first_step = run_.first_step;
    s.elapsed_s = run_.loop.seconds();
    s.checkpoint = run_.last_checkpoint;
    s.gdofs = s.elapsed_s > 0 ? static_cast<double>(plan.mesh.global_dofs()) * static_cast<double>(s.step - run_.first_step) / s.elapsed_s * 1e-9 : 0;
    s.max_height_m = run_.health.max_height;
    s.max_pressure_pa = run_.health.max_pressure;
    s.energy = run_.health.budget;
    return s;
  }

  RunContext& run_;
  std::unique_ptr<Progress> progress_;
};

const RegisterObserver registered{
    {"progress", 50, [](RunContext& run) -> std::unique_ptr<Observer> { return std::make_unique<ProgressReporter>(run); }}};

}  // namespace
}  // namespace agwave
