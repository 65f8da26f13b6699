// SPDX-License-Identifier: Apache-2.0
// Backends: where loops run. Algorithms (time stepping, exchange, sampling, reductions) are written once as functors and
// run by a backend; Cpu here, Cuda in backend_cuda.cuh. Reductions combine in a fixed order, so they repeat bit for bit,
// on the CPU with any number of threads.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "device/array.hpp"
#include "device/host_device.hpp"

namespace agwave {

// Who works on an item of for_teams: f(0) .. f(n - 1), and what they did is seen by all once each() returns.
struct TeamOfOne {
  template <class F>
  AGWAVE_HD void each(int n, F&& f) const {
    for (int i = 0; i < n; ++i) f(i);
  }
};

struct Cpu {
  static constexpr Space space = Space::host;
  static constexpr Space staging = Space::host;
  static Cpu urgent() { return {}; }      // one whose work goes before that of others, where work queues
  static Cpu patient(int) { return {}; }  // one that lets others go first, the less patient ones too

  // f(0) .. f(n - 1) on the threads of this rank; each takes one stretch, always the same, so that it finds the memory it touched first.
  static void for_blocks(std::int64_t n, const std::function<void(std::int64_t)>& f);

  template <class F>
  void for_each(std::int64_t n, F f) const {
    for_blocks((n + block - 1) / block, [&](std::int64_t b) {
      const std::int64_t end = std::min((b + 1) * block, n);
      for (std::int64_t i = b * block; i < end; ++i) f(i);
    });
  }
  // f(0, team, scratch) .. f(n - 1, team, scratch): work on an item in stages, with memory that stays close; each team first calls f.begin(team, scratch).
  template <class Scratch, class F>
  void for_teams(std::int64_t n, F f) const {
    for_blocks((n + team_block - 1) / team_block, [&](std::int64_t b) {
      Scratch scratch;
      f.begin(TeamOfOne{}, scratch);
      for (std::int64_t i = b * team_block; i < std::min((b + 1) * team_block, n); ++i) f(i, TeamOfOne{}, scratch);
    });
  }
  // Sums in blocks, so that rounding grows with the square root of the count at most.
  template <class F>
  double sum(std::int64_t n, F f) const {
    std::vector<double> sums(static_cast<std::size_t>((n + block - 1) / block));
    for_blocks(static_cast<std::int64_t>(sums.size()), [&](std::int64_t b) {
      double sum = 0;
      for (std::int64_t i = b * block; i < std::min((b + 1) * block, n); ++i) sum += f(i);
      sums[static_cast<std::size_t>(b)] = sum;
    });
    double total = 0;
    for (const double s : sums) total += s;
    return total;
  }
  template <class F>
  void sum(std::int64_t n, F f, double* result) const {  // into memory of the backend, without waiting
    *result = sum(n, f);
  }
  template <class F>
  double max(std::int64_t n, F f) const {  // NaN wins, so that it cannot hide
    double largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = f(i);
      if (!(value <= largest)) largest = value;
      if (value != value) return value;
    }
    return largest;
  }
  void set(std::uint32_t* at, std::uint32_t value) const { *at = value; }  // behind what it has been given so far
  void synchronize() const {}
  void follow(const Cpu&) const {}  // what it is given from now on begins after what the other has been given so far

  struct Recording {};
  template <class F>
  void repeat(Recording&, F&& f) const {  // queues what f queues, the same every time
    f();
  }

  using Instant = std::chrono::steady_clock::time_point;
  void mark(Instant& instant) const { instant = std::chrono::steady_clock::now(); }
  void follow(const Instant&) const {}
  static double seconds(const Instant& from, const Instant& to) { return std::chrono::duration<double>(to - from).count(); }

  void start_download(double*, const double*, std::size_t) const {}  // host memory is where it is wanted
  void finish_download() const {}

 private:
  static constexpr std::int64_t block = 4096, team_block = 64;
};

}  // namespace agwave
