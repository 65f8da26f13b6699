// SPDX-License-Identifier: Apache-2.0
// Fast marching: points are settled in the order of their times, each from settled neighbours on one or both axes.
#include "boundary/travel_time.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace agwave {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

struct Side {  // the earlier settled neighbour along an axis
  double time = inf, distance = 1;
  std::size_t point = 0;
};

class March {
 public:
  March(const TravelMap& map, const std::vector<double>& start) : map_(map), settled_(start.size(), false), front_{start, {}} {
    for (std::size_t n = 0; n < start.size(); ++n) {
      front_.origin.push_back(n);
      if (start[n] < inf) queue_.emplace(start[n], n);
    }
  }

  Front run() {
    while (!queue_.empty()) {
      const auto [time, n] = queue_.top();
      queue_.pop();
      if (settled_[n]) continue;
      settled_[n] = true;
      const std::size_t nx = map_.x.size(), i = n % nx, j = n / nx;
      if (i > 0) update(i - 1, j);
      if (i + 1 < nx) update(i + 1, j);
      if (j > 0) update(i, j - 1);
      if (j + 1 < map_.y.size()) update(i, j + 1);
    }
    return std::move(front_);
  }

 private:
  void look(Side& side, std::size_t n, double distance) const {
    if (settled_[n] && front_.time[n] < side.time) side = {front_.time[n], distance, n};
  }

  void update(std::size_t i, std::size_t j) {
    const std::size_t n = map_.at(i, j);
    if (settled_[n]) return;
    Side a, b;
    if (i > 0) look(a, map_.at(i - 1, j), map_.x[i] - map_.x[i - 1]);
    if (i + 1 < map_.x.size()) look(a, map_.at(i + 1, j), map_.x[i + 1] - map_.x[i]);
    if (j > 0) look(b, map_.at(i, j - 1), map_.y[j] - map_.y[j - 1]);
    if (j + 1 < map_.y.size()) look(b, map_.at(i, j + 1), map_.y[j + 1] - map_.y[j]);
    const double slowness = 1 / map_.speed[n];
    double time = std::min(a.time + a.distance * slowness, b.time + b.distance * slowness);
    if (a.time < inf && b.time < inf) {  // ((T - a) / dx)^2 + ((T - b) / dy)^2 = slowness^2
      const double p = 1 / (a.distance * a.distance), q = 1 / (b.distance * b.distance), middle = (p * a.time + q * b.time) / (p + q);
      const double rest = slowness * slowness / (p + q) - p * q * std::pow((a.time - b.time) / (p + q), 2);
      if (rest >= 0 && middle + std::sqrt(rest) >= std::max(a.time, b.time)) time = std::min(time, middle + std::sqrt(rest));
    }
    if (time >= front_.time[n]) return;
    front_.time[n] = time;
    front_.origin[n] = front_.origin[(a.time < b.time ? a : b).point];
    queue_.emplace(time, n);
  }

  using Entry = std::pair<double, std::size_t>;
  const TravelMap& map_;
  std::vector<bool> settled_;
  Front front_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

Front first_arrivals(const TravelMap& map, const std::vector<double>& start) { return March(map, start).run(); }

}  // namespace agwave
