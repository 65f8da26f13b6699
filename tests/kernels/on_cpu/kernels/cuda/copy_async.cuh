// SPDX-License-Identifier: Apache-2.0
// The copies of kernels/cuda/copy_async.cuh that pencils use, on a CPU: what is asked for arrives when its asker waits for it, no sooner.
#pragma once
#include <cstring>
#include <deque>
#include <vector>

#include "warp.hpp"

namespace agwave {

struct CopiesOnCpu {
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
};
inline CopiesOnCpu& copies_of_lane() {
  static CopiesOnCpu lanes[on_cpu::Warp::lanes];
  return lanes[threadIdx.x % on_cpu::Warp::lanes];
}
template <int Bytes>
void copy_async(void* s_to, const void* from) {
  copies_of_lane().open.push_back({s_to, from, Bytes});
}
inline void close_copy_group() {
  copies_of_lane().groups.push_back(std::move(copies_of_lane().open));
  copies_of_lane().open.clear();
}
template <int Open>
void wait_for_copies() {
  CopiesOnCpu& mine = copies_of_lane();
  for (; mine.groups.size() > Open; mine.groups.pop_front())
    for (const auto& copy : mine.groups.front()) std::memcpy(copy.to, copy.from, copy.bytes);
}

// Between warps of different roles, which a test runs in an order in which nobody waits.
inline void arrive(std::uint64_t&) {}
inline void wait_for_arrival(std::uint64_t*, int) {}
inline void wait_until_read() {}
inline void wait_until_written() {}
inline void publish() {}
inline void expect_copies(std::uint64_t*, int) {}
inline void copy_in(void*, const void*, int, std::uint64_t*) {}
inline void copy_out(void*, const void*, int) {}

}  // namespace agwave
