// SPDX-License-Identifier: Apache-2.0
// TraceScope names a stretch of time for profilers through NVTX (nothing without it); Stopwatch measures wall time.
#pragma once
#include <chrono>

namespace agwave {

class TraceScope {
 public:
  explicit TraceScope(const char* name);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace agwave
