// SPDX-License-Identifier: Apache-2.0
// kernels/cuda/block.cuh on a CPU.
#pragma once
#include "warp.hpp"

namespace agwave {

template <int Barrier, int Threads>
void meet_at() {
  on_cpu::Block::meet(Barrier, Threads);
}
inline unsigned multiprocessor() { return 0; }
inline std::int64_t nanoseconds() { return 0; }
inline void await_count(const unsigned*, unsigned) {}

}  // namespace agwave
