// SPDX-License-Identifier: Apache-2.0
// sensors.h5: pressure at sensors and hydrophones, surface height at gauges. Sampled on the device, fetched and gathered some at a time.
#include <algorithm>
#include <cmath>

#include "io/trace_file.hpp"
#include "run/observer.hpp"
#include "run/schedule.hpp"

namespace agwave {
namespace {

class TraceRecorder final : public Observer {
 public:
  explicit TraceRecorder(RunContext& run) : run_(run), sensors_(run.model.plan().sensors), every_(run.model.plan().interval, run.model.dt()) {
    const std::vector<std::int32_t>& own = run.model.point_index();
    run.comm.gather<std::int32_t>(own, [&](int, std::span<const std::int32_t> index) { index_.emplace_back(index.begin(), index.end()); });
  }

  double bytes() const override {
    return 8 * static_cast<double>(every_.count(run_.model.plan().steps)) * static_cast<double>(2 * stations() + gauges() + 1);
  }
  void resume(const Manifest& m) override { sampled_ = written_ = m.samples; }
  void open() override {
    run_.comm.agree([&] {
      if (!run_.comm.root()) return;
      const Plan& plan = run_.model.plan();
      file_ = std::make_unique<TraceFile>(run_.directory.file("sensors.h5"), sensors_, every_.count(plan.steps), plan.interval, run_.about,
                                          plan.domain->geographic(), run_.directory.earlier("sensors.h5", sampled_));
    });
  }
  void on_completed_step() override {
    if (!every_.due(run_.model.step())) return;
    run_.model.view().record_sample();
    if (run_.comm.root()) {
      const auto uplift = run_.model.uplift_at_sensors();
      uplift_.insert(uplift_.end(), uplift.begin(), uplift.end());
    }
    ++sampled_;
    if (sampled_ - written_ == StateView::records) gather();
  }

  void gather() override {
    const auto count = static_cast<std::size_t>(sampled_ - written_);
    if (count == 0) return;
    const std::vector<double> samples = run_.model.view().take_samples();  // [sample][own point]
    for (const double p : samples) run_.health.sampled_peak = std::max(run_.health.sampled_peak, std::abs(p));
    Rows rows;
    if (run_.comm.root())
      rows = {std::vector<double>(count * stations()), std::vector<double>(count * stations()), std::vector<double>(count * gauges())};
    run_.comm.gather<double>(samples,
                             [&](int rank, std::span<const double> values) { sort_in(index_[static_cast<std::size_t>(rank)], values, count, rows); });
    run_.comm.agree([&] {
      if (!run_.comm.root()) return;
      run_.writer->check();
      const std::size_t bytes = 8 * (rows.pressure.size() + rows.sensor_pressure.size() + rows.height.size());
      run_.writer->submit(bytes, [file = file_.get(), first = written_, count, rows = std::move(rows)] {
        file->write(first, static_cast<std::int64_t>(count), rows.pressure, rows.sensor_pressure, rows.height);
      });
    });
    written_ = sampled_;
    uplift_.clear();
  }
  void finish() override { gather(); }
  void sync() override { file_->sync(); }
  void close() override { file_->close(); }
  void save(Manifest& m) override { m.samples = sampled_; }

 private:
  struct Rows {  // [sample][station], [sample][station], [sample][gauge]
    std::vector<double> pressure, sensor_pressure, height;
  };
  std::size_t stations() const { return sensors_.seafloor.size() + sensors_.hydrophones.size(); }
  std::size_t gauges() const { return sensors_.surface.size(); }

  // One rank's points, at all samples.
  void sort_in(const std::vector<std::int32_t>& index, std::span<const double> values, std::size_t count, Rows& rows) const {
    const double rho_g = run_.model.plan().medium.weight();
    const std::size_t floor = sensors_.seafloor.size();
    for (std::size_t n = 0; n < count; ++n)
      for (std::size_t k = 0; k < index.size(); ++k) {
        const auto at = static_cast<std::size_t>(index[k]);
        const double p = values[n * index.size() + k];
        if (at < stations()) {
          rows.pressure[n * stations() + at] = p;
          rows.sensor_pressure[n * stations() + at] = p - (at < floor ? rho_g * uplift_[n * floor + at] : 0.0);
        } else {
          rows.height[n * gauges() + at - stations()] = p / rho_g;
        }
      }
  }

  RunContext& run_;
  const Sensors& sensors_;
  Every every_;
  std::vector<std::vector<std::int32_t>> index_;  // rank 0: where each rank's points belong
  std::vector<double> uplift_;                    // rank 0: at the seafloor sensors, at every sample that waits
  std::int64_t sampled_ = 0, written_ = 0;
  std::unique_ptr<TraceFile> file_;  // of rank 0
};

const RegisterObserver registered{{"traces", 10, [](RunContext& run) -> std::unique_ptr<Observer> {
                                     if (run.model.point_count() == 0) return nullptr;
                                     return std::make_unique<TraceRecorder>(run);
                                   }}};

}  // namespace
}  // namespace agwave
