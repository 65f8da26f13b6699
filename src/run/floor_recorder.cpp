// SPDX-License-Identifier: Apache-2.0
#include "run/floor_recorder.hpp"

#include <algorithm>
#include <functional>

#include "device/backend.hpp"

namespace agwave {

namespace {

// What a task of the writer does with some samples.
struct Averaging {
  const FloorAverages& averages;
  int threads;
  std::vector<double>& map;  // [parameter][interval]
  std::size_t intervals, first;

  // Parts of n at once, [from, to).
  void in_parts(std::size_t n, const std::function<void(std::size_t from, std::size_t to)>& part) const {
    const auto parts = static_cast<std::size_t>(threads);
    Cpu{}.for_blocks(threads, [&](std::int64_t b) { part(n * static_cast<std::size_t>(b) / parts, n * static_cast<std::size_t>(b + 1) / parts); });
  }
  void add(const std::vector<std::vector<double>>& samples) const {
    const std::size_t count = samples.size(), nodes = samples[0].size(), parameters = averages.areas().size();
    std::vector<double> pressures(nodes * count), sums(parameters * count);
    in_parts(nodes, [&](std::size_t from, std::size_t to) {
      for (std::size_t n = from; n < to; ++n)
        for (std::size_t s = 0; s < count; ++s) pressures[n * count + s] = samples[s][n];
    });
    in_parts(parameters, [&](std::size_t from, std::size_t to) {
      averages.apply(pressures, count, from, to, sums);
      for (std::size_t i = from; i < to; ++i) std::copy_n(&sums[i * count], count, &map[i * intervals + first]);
    });
  }
};

}  // namespace

FloorRecorder::FloorRecorder(const P2oPlan& p2o, StateView& view, const OutputGrid& floor, const FloorAverages* averages, Writer* writer, bool alone,
                             int threads)
    : p2o_(p2o), view_(view), floor_(floor), averages_(averages), writer_(writer), alone_(alone), threads_(threads) {}

void FloorRecorder::sampled(std::int64_t k) {
  if (queued_) hand_over();
  const Pick pick = floor_.pick(p2o_.intervals.transposed ? Field::heard : Field::floor);
  if (alone_)
    view_.queue_sums(pick, averages_->rows());
  else
    view_.queue_picks(std::span(&pick, 1));
  queued_ = k;
  age_ = 0;
}

void FloorRecorder::stepped() {
  if (queued_ && age_++ >= lag) hand_over();
}

void FloorRecorder::hand_over() {
  std::vector<double> values = std::move(view_.take_picks().at(0));
  const auto k = static_cast<std::size_t>(*queued_), intervals = static_cast<std::size_t>(p2o_.intervals.count);
  if (alone_) {
    for (std::size_t i = 0; i < values.size(); ++i) map()[i * intervals + k] = values[i];
  } else {
    values = floor_.gather(values);
    if (averages_) {
      if (waiting_.empty()) first_ = *queued_;
      waiting_.push_back(std::move(values));
      if (waiting_.size() == together) average();
    }
  }
  queued_.reset();
}

std::vector<double>& FloorRecorder::map() {
  const std::int64_t values = p2o_.grid.size() * p2o_.intervals.count;
  if (!map_) map_ = std::make_shared<std::vector<double>>(static_cast<std::size_t>(values), 0.0);
  return *map_;
}

void FloorRecorder::average() {
  if (waiting_.empty()) return;
  map();
  const std::size_t bytes = 16 * waiting_.size() * waiting_[0].size();
  writer_->submit(bytes, [averages = averages_, threads = threads_, map = map_, intervals = static_cast<std::size_t>(p2o_.intervals.count),
                          first = static_cast<std::size_t>(first_), samples = std::move(waiting_)] {
    Averaging{*averages, threads, *map, intervals, first}.add(samples);
  });
  waiting_.clear();
}

FloorRecorder::Map FloorRecorder::finish() {
  if (queued_) hand_over();
  average();
  return std::exchange(map_, nullptr);
}

}  // namespace agwave
