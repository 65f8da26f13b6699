// SPDX-License-Identifier: Apache-2.0
// The copies of kernels/cuda/copy_async.cuh that pencils use, on a CPU: what is asked for arrives when its asker waits for it, no sooner.
#pragma once
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
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
  static CopiesOnCpu lanes[on_cpu::Block::most];
  return lanes[threadIdx.x];
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

// An mbarrier that has begun; who arrives at or waits for another is alone and need not.
struct BarrierOnCpu {
  int arrivals, missing;
  std::int64_t bytes = 0;  // still to come; copies may come before they are expected
  int parity = 0;
  void settle() {
    if (missing > 0 || bytes != 0) return;
    missing = arrivals;
    parity ^= 1;
  }
};
inline std::map<const std::uint64_t*, BarrierOnCpu>& barriers_on_cpu() {
  static std::map<const std::uint64_t*, BarrierOnCpu> all;
  return all;
}
inline void arrive_on_cpu(const std::uint64_t* barrier, std::int64_t bytes, int arrivals) {
  const auto at = barriers_on_cpu().find(barrier);
  if (at == barriers_on_cpu().end()) return;
  at->second.missing -= arrivals;
  at->second.bytes += bytes;
  at->second.settle();
}
inline void begin_barrier(std::uint64_t& barrier, int arrivals) { barriers_on_cpu()[&barrier] = {arrivals, arrivals}; }
inline void publish_barriers() {}
inline void arrive(std::uint64_t& barrier) { arrive_on_cpu(&barrier, 0, 1); }
inline void expect_copies(std::uint64_t* barrier, int bytes) { arrive_on_cpu(barrier, bytes, 1); }
inline void wait_for_arrival(std::uint64_t* barrier, int parity) {
  const auto at = barriers_on_cpu().find(barrier);
  while (at != barriers_on_cpu().end() && at->second.parity == parity) on_cpu::Block::yield();
}

inline void check_alignment(const void* a, const void* b, int bytes) {
  if (reinterpret_cast<std::uintptr_t>(a) % 16 != 0 || reinterpret_cast<std::uintptr_t>(b) % 16 != 0 || bytes % 16 != 0)
    throw std::logic_error("a bulk copy is not aligned to 16 bytes");
}
inline void copy_in(void* s_to, const void* from, int bytes, std::uint64_t* arrived) {
  check_alignment(s_to, from, bytes);
  std::memcpy(s_to, from, static_cast<std::size_t>(bytes));
  arrive_on_cpu(arrived, -bytes, 0);
}
inline void copy_out(void* to, const void* s_from, int bytes) {
  check_alignment(to, s_from, bytes);
  std::memcpy(to, s_from, static_cast<std::size_t>(bytes));
}
template <int Open = 0>
void wait_until_read() {}
inline void wait_until_written() {}
inline void publish() {}
inline void publish_global() {}
inline void prefetch(const void*, int) {}

}  // namespace agwave
