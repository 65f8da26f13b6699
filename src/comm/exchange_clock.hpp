// SPDX-License-Identifier: Apache-2.0
// When the parts of an exchange begin and end, on the clock of whoever works: a GPU's streams, or the host. What counts is `waited`: the time
// that the work stood still for its neighbours, from the end of the interior until what they sent is in place. A round is read only
// when its place is needed again or settle() is called, so the host does not wait for the GPU.
#pragma once
#include <array>
#include <limits>
#include <memory>

#include "comm/transport.hpp"

namespace agwave {

template <class Backend>
class ExchangeClock {
 public:
  explicit ExchangeClock(std::shared_ptr<Traffic> traffic) : traffic_(std::move(traffic)) {}
  ExchangeClock(const ExchangeClock&) = delete;
  ExchangeClock& operator=(const ExchangeClock&) = delete;

  void mark(Moment moment, const Backend& on) {
    const bool needed = moment == Moment::interior || moment == Moment::resumed;
    if (!needed && !traffic_->keep_timeline) return;
    if (!started_ && traffic_->keep_timeline) {
      on.mark(start_);
      started_ = true;
    }
    Round& round = rounds_[static_cast<std::size_t>(next_ % depth)];
    const auto m = static_cast<std::size_t>(moment);
    on.mark(round.instant[m]);
    round.marked[m] = true;
  }
  void close() {  // the round; its last mark is `resumed`
    ++next_;
    if (next_ - read_ == depth) read();
  }
  void settle() {
    while (read_ < next_) read();
  }

 private:
  static constexpr std::int64_t depth = 32;
  struct Round {
    std::array<typename Backend::Instant, moments> instant;
    std::array<bool, moments> marked{};
  };

  void read() {
    Round& round = rounds_[static_cast<std::size_t>(read_++ % depth)];
    constexpr auto interior = static_cast<std::size_t>(Moment::interior), resumed = static_cast<std::size_t>(Moment::resumed);
    if (round.marked[interior] && round.marked[resumed]) traffic_->waited += Backend::seconds(round.instant[interior], round.instant[resumed]);
    if (traffic_->keep_timeline && started_) {
      Timeline line;
      for (std::size_t m = 0; m < moments; ++m)
        line[m] = round.marked[m] ? Backend::seconds(start_, round.instant[m]) : std::numeric_limits<double>::quiet_NaN();
      traffic_->timeline.push_back(line);
    }
    round.marked = {};
  }

  std::shared_ptr<Traffic> traffic_;
  std::array<Round, depth> rounds_;
  typename Backend::Instant start_;
  std::int64_t next_ = 0, read_ = 0;
  bool started_ = false;
};

}  // namespace agwave
