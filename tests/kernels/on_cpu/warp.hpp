// SPDX-License-Identifier: Apache-2.0
// Warps of CUDA threads on a CPU, for kernels whose threads meet only within their warp: each lane is a context of its own, which runs until it waits for
// the others (__syncwarp, a shuffle, a product on tensor cores); when all have come, the first goes on. What one lane writes and another reads without a
// wait between them is found wrong for one of the two orders. Slow, and one thread at a time: for tests on small meshes.
// Where the warps of a block meet as well, all of its threads are such contexts.
#pragma once
#include <ucontext.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __constant__
#define __shared__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct alignas(16) double2 {
  double x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
inline double2 make_double2(double x, double y) { return {x, y}; }
struct alignas(8) float2 {
  float x, y;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline struct { unsigned x = 0; } threadIdx, blockIdx;
template <class T>
T min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T __ldg(const T* at) {
  return *at;
}
template <class T>
T __ldcg(const T* at) {
  return *at;
}
template <class T>
void __stcg(T* at, T value) {
  *at = value;
}

namespace on_cpu {

// Threads of a block, or of one warp of it. They take turns; who waits yields, and who comes last lets the first go on.
class Block {
 public:
  static constexpr int lanes = 32, most = 1024;  // of a warp; of a block
  explicit Block(int threads) : lane_(static_cast<std::size_t>(threads)), done_(lane_.size()), stacks_(lane_.size() * stack) {}
  void run(const std::function<void()>& kernel, unsigned first_thread = 0) {
    kernel_ = &kernel;
    for (std::size_t n = 0; n < lane_.size(); ++n) {
      getcontext(&lane_[n]);
      lane_[n].uc_stack.ss_sp = stacks_.data() + n * stack;
      lane_[n].uc_stack.ss_size = stack;
      lane_[n].uc_link = &scheduler_;
      makecontext(&lane_[n], &Block::begin, 0);
      done_[n] = false;
    }
    now_ = this;
    for (bool any = true; any;) {
      any = false;
      for (current_ = 0; current_ < lane_.size(); ++current_) {
        if (done_[current_]) continue;
        threadIdx.x = first_thread + static_cast<unsigned>(current_);
        swapcontext(&scheduler_, &lane_[current_]);
        any = true;
      }
    }
  }
  static void yield() { swapcontext(&now_->lane_[now_->current_], &now_->scheduler_); }
  static void meet(int number, int threads) {  // as many as that at the meeting of this number
    Meeting& m = now_->meetings_[static_cast<std::size_t>(number)];
    const unsigned round = m.round;
    if (++m.here == threads) {
      m.here = 0;
      ++m.round;
      yield();
    }
    while (m.round == round) yield();
  }
  static void meet_all() { meet(0, static_cast<int>(now_->lane_.size())); }
  static void wait() { meet(named + static_cast<int>(threadIdx.x) / lanes, lanes); }  // for the warp
  // Every lane gives values and, when all have, computes from all of them.
  template <std::size_t N, class T = double, class F>
  static auto together(const std::array<T, N>& values, F&& f) {
    static std::array<T, N> of_block[most / lanes][lanes];
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    auto* const all = of_block[threadIdx.x / lanes];
    all[lane] = values;
    wait();
    const auto result = f(all, lane);
    wait();  // before anyone gives the next ones
    return result;
  }

 private:
  struct Meeting {
    int here = 0;
    unsigned round = 0;
  };
  static constexpr std::size_t stack = 256 * 1024;
  static constexpr int named = 16;  // meetings of a block, before those of its warps
  static void begin() {
    (*now_->kernel_)();
    now_->done_[now_->current_] = true;
  }
  static inline Block* now_ = nullptr;
  const std::function<void()>* kernel_ = nullptr;
  std::size_t current_ = 0;
  ucontext_t scheduler_{};
  std::vector<ucontext_t> lane_;
  std::vector<char> done_;
  std::vector<char> stacks_;
  std::array<Meeting, named + most / lanes> meetings_{};
};
class Warp : public Block {
 public:
  Warp() : Block(lanes) {}
};

// All blocks of a kernel whose warps know nothing of each other.
inline void launch(unsigned blocks, int warps, const std::function<void()>& kernel) {
  const auto warp = std::make_unique<Warp>();
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    for (int w = 0; w < warps; ++w) warp->run(kernel, static_cast<unsigned>(w * Warp::lanes));
}

}  // namespace on_cpu

inline void __syncwarp() { on_cpu::Warp::wait(); }
template <class T>
T __shfl_up_sync(unsigned, T value, int by) {
  return on_cpu::Warp::together<1, T>({value}, [&](const auto* all, int lane) { return all[lane < by ? lane : lane - by][0]; });
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return on_cpu::Warp::together<1, T>({value}, [&](const auto* all, int lane) { return all[lane ^ mask][0]; });
}
inline int __shfl_sync(unsigned, int value, int from) {
  return on_cpu::Warp::together<1, int>({value}, [&](const auto* all, int) { return all[from][0]; });
}
inline void atomicAdd(double* to, double value) { *to += value; }
inline void __syncthreads() { on_cpu::Block::meet_all(); }

// Of kernels whose warps share more than their own: names that those of one role do not use, and addresses in shared memory, which begin at `base`.
inline unsigned atomicAdd(unsigned* to, unsigned value) { return std::exchange(*to, *to + value); }
inline unsigned atomicSub(unsigned* to, unsigned value) { return std::exchange(*to, *to - value); }
inline void atomicAdd(unsigned long long*, unsigned long long) {}
inline void __nanosleep(unsigned) {}
inline void __threadfence_system() {}
namespace on_cpu {
inline char* base = nullptr;
}
inline std::size_t __cvta_generic_to_shared(const void* at) { return static_cast<std::size_t>(static_cast<const char*>(at) - on_cpu::base); }
inline void* __cvta_shared_to_generic(std::size_t at) { return on_cpu::base + at; }
inline std::size_t __cvta_generic_to_global(const void* at) { return reinterpret_cast<std::size_t>(at); }
inline void* __cvta_global_to_generic(std::size_t at) { return reinterpret_cast<void*>(at); }
