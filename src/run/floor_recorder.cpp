// SPDX-License-Identifier: Apache-2.0
#include "run/floor_recorder.hpp"

namespace agwave {

FloorRecorder::FloorRecorder(const P2oPlan& p2o, StateView& view, const OutputGrid& floor, const FloorAverages* averages, Writer* writer)
    : p2o_(p2o), view_(view), floor_(floor), averages_(averages), writer_(writer) {}

void FloorRecorder::sampled(std::int64_t k) {
  if (queued_) hand_over();
  const Pick pick[] = {floor_.pick(p2o_.intervals.transposed ? Field::heard : Field::floor)};
  view_.queue_picks(pick);
  queued_ = k;
  age_ = 0;
}

void FloorRecorder::stepped() {
  if (queued_ && age_++ >= lag) hand_over();
}

void FloorRecorder::hand_over() {
  std::vector<double> whole = floor_.gather(view_.take_picks().at(0));
  if (averages_) {
    if (waiting_.empty()) first_ = *queued_;
    waiting_.push_back(std::move(whole));
    if (waiting_.size() == together) average();
  }
  queued_.reset();
}

void FloorRecorder::average() {
  if (waiting_.empty()) return;
  const auto intervals = static_cast<std::size_t>(p2o_.intervals.count), parameters = static_cast<std::size_t>(p2o_.grid.size());
  if (!map_) map_ = std::make_shared<std::vector<double>>(parameters * intervals, 0.0);
  const std::size_t bytes = 16 * waiting_.size() * waiting_[0].size();
  writer_->submit(bytes,
                  [averages = averages_, map = map_, first = static_cast<std::size_t>(first_), intervals, parameters, samples = std::move(waiting_)] {
                    const std::size_t count = samples.size(), nodes = samples[0].size();
                    std::vector<double> pressures(nodes * count), sums(parameters * count);
                    for (std::size_t s = 0; s < count; ++s)
                      for (std::size_t n = 0; n < nodes; ++n) pressures[n * count + s] = samples[s][n];
                    averages->apply(pressures, count, sums);
                    for (std::size_t i = 0; i < parameters; ++i)
                      for (std::size_t s = 0; s < count; ++s) (*map)[i * intervals + first + s] = sums[i * count + s];
                  });
  waiting_.clear();
}

FloorRecorder::Map FloorRecorder::finish() {
  if (queued_) hand_over();
  average();
  return std::exchange(map_, nullptr);
}

}  // namespace agwave
