// SPDX-License-Identifier: Apache-2.0
// kernels/cuda/block.cuh on a CPU.
#pragma once
#include <stdexcept>

#include "warp.hpp"

namespace agwave {

template <int Barrier, int Threads>
void meet_at() {
  on_cpu::Block::meet(Barrier, Threads);
}
inline unsigned multiprocessor() { return 0; }
inline std::int64_t nanoseconds() { return 0; }
inline void count_on(unsigned* counter) { ++*counter; }
inline void await_count(const unsigned* counter, unsigned target) {  // of kernels that have run
  if (static_cast<int>(*counter - target) < 0) throw std::logic_error("a kernel waits for what none has done");
}
inline void let_next_begin() {}

}  // namespace agwave
