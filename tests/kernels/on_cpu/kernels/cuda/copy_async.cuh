// SPDX-License-Identifier: Apache-2.0
// The copies of kernels/cuda/copy_async.cuh that pencils use, on a CPU: what is asked for arrives when its asker waits for it, no sooner.
#pragma once
#include <deque>
#include <vector>

#include "warp.hpp"

namespace agwave {

struct CopiesOnCpu {
  struct Copy {
    double* to;
    const double* from;
    int count;
  };
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
};
inline CopiesOnCpu& copies_of_lane() {
  static CopiesOnCpu lanes[on_cpu::Warp::lanes];
  return lanes[threadIdx.x % on_cpu::Warp::lanes];
}
template <int Bytes>
void copy_async(double* s_to, const double* from) {
  copies_of_lane().open.push_back({s_to, from, Bytes / 8});
}
inline void close_copy_group() {
  copies_of_lane().groups.push_back(std::move(copies_of_lane().open));
  copies_of_lane().open.clear();
}
template <int Open>
void wait_for_copies() {
  CopiesOnCpu& mine = copies_of_lane();
  for (; mine.groups.size() > Open; mine.groups.pop_front())
    for (const auto& copy : mine.groups.front())
      for (int n = 0; n < copy.count; ++n) copy.to[n] = copy.from[n];
}

}  // namespace agwave
