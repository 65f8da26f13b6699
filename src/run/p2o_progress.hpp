// SPDX-License-Identifier: Apache-2.0
// How far maps have come: a line now and then, and progress.json. Rank 0's alone.
#pragma once
#include <cstdint>
#include <string>

#include "device/trace.hpp"

namespace agwave {

class P2oProgress {
 public:
  // sources: of this run, of all groups. An empty path: no file.
  P2oProgress(std::string json_path, std::int64_t sources, int groups, bool quiet, double seconds);
  bool due() const { return since_.seconds() - last_ >= seconds_; }
  void show(double part, bool finished = false);  // of all that there is to do

 private:
  std::string json_path_;
  std::int64_t sources_;
  int groups_;
  bool quiet_, warned_ = false;
  double seconds_, last_ = 0, last_line_ = 0;
  Stopwatch since_;
};

}  // namespace agwave
