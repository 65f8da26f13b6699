// SPDX-License-Identifier: Apache-2.0
// What the roles of the two-sweep kernel share: the launch shape, the order of the work, and the layout of shared memory.
// The kernel as a whole is described in kernel.cuh.
#pragma once
#include <array>

#include "kernels/cuda/block.cuh"
#include "kernels/cuda/copy_async.cuh"
#include "timestep/two_sweep/work.hpp"

namespace agwave::two_sweep {

struct LaneBar {  // one lane per element and qx; along z the points (0, 3) and (1, 2) lie together as their sum and difference, 16 bytes per lane
  AGWAVE_HD static constexpr int place(int ex, int l) {
    const int qx = l % 4, qy = l / 4 % 4, qz = l / 16;
    return (qy * 2 + (qz < 2 ? qz : 3 - qz)) * 64 + (ex * 4 + qx) * 2 + (qz < 2 ? 0 : 1);
  }
  static constexpr const char* form = flux_in_parts_form;
  AGWAVE_HD static constexpr int beside(int n) { return n % 2 ? -1 : 1; }
  AGWAVE_HD static double value(double stored, double beside, int n) { return 0.5 * (n % 2 ? beside - stored : stored + beside); }
  AGWAVE_HD static double stored(double value, double beside, int n) { return n % 2 ? beside - value : value + beside; }
  AGWAVE_HD static constexpr int element(int n) { return n % 64 / 8; }
  AGWAVE_HD static constexpr int point(int n) {
    const int qy = n / 128, half = n / 64 % 2, qz = n % 2 ? 3 - half : half;
    return (qz * 4 + qy) * 4 + n % 8 / 2;
  }
};
using Patches = PatchGrid<8, 4, LaneBar>;
using SinglePatches = PatchGrid<8, 4, LaneBar, true, float>;  // in single precision; they keep no flux, whose order LaneBar is

template <class T>
struct SweepTablesOf {
  // [patch][ey][qy][kx, ky, kz, h_xi / h, h_eta / h][lane]: kx = w_qx w_qy h ay/ax, ky = w_qx w_qy h ax/ay, kz = w_qx w_qy ax ay / h
  const T* columns;
  // [nz][8]: w ds for qz = 0, 1;  w / ds for qz = 0, 1;  -s / ds for qz = 0..3
  const T* layers;
};
using SweepTables = SweepTablesOf<double>;
inline constexpr int column_values = 20, layer_values = 8;

inline constexpr int bars = Patches::EY;        // of a patch
inline constexpr int element_warps = 2 * bars;  // one per bar and field
inline constexpr int node_warps = 4;
inline constexpr int threads = 32 * (element_warps + node_warps);
// Per thread, once they are handed over. A launch allots them to warps by fours and in eights per thread; setmaxnreg waits for ever for more than that.
inline constexpr int element_registers = 184, node_registers = 136, launch_registers = 65536 / threads / 8 * 8;
static_assert(element_warps % 4 == 0 && node_warps % 4 == 0, "setmaxnreg takes groups of four warps");
static_assert(32 * (element_warps * element_registers + node_warps * node_registers) <= threads * launch_registers);
inline constexpr int box_row = 4 * Patches::EX;  // nodes of a row but for the last, which the next patch has too
inline constexpr int bar_flux = 3 * Patches::bar;
inline constexpr int west_size = Patches::PY + 1;  // of an east side in an array of sums, in whole 16 bytes
inline constexpr int level_stride = 576;           // of levels in shared memory: tensor copies want them 128-byte aligned
template <class T>
using LevelOf = T[level_stride];
using Level = LevelOf<double>;  // of a patch, nodes ordered as in an array of sums: [PY][4 EX], then the east side [PY]
static_assert(level_stride >= Patches::level_size && level_stride % 16 == 0);

// The layers a block works on, one after the other: all of a chunk from below, then the next chunk of its share.
struct Work {
  std::int64_t sums, within, flux;  // of level 0 in an array of sums, and in its patch there; of the layer in U
  int item, patch, patch_x, patch_y, ez;
  bool valid, new_patch, first, last;    // first and last of its chunk
  bool gated;                            // the item needs what an exchange brings
  bool full, walls;                      // all nodes of the patch exist; there are damped ones
  bool shared_below, shared_above, top;  // the chunk shares that level with another; `top`: the upper level is this chunk's to store
};

template <class AnyPatches>
AGWAVE_HD Item item_of(const AnyPatches& p, int n) {  // a patch's chunks together, so that a sweep can follow another closely
  return {n / p.chunks, n % p.chunks};
}

using Multiprocessors = std::array<std::uint64_t, 4>;  // a bit each

// How many blocks of a launch have begun on the multiprocessors that are to be kept, and how many on others.
struct Begun {
  unsigned kept, others;
};
// Where blocks take items from, one by one, and what they tell of them: sweep A may begin while sweep B is at work on other items.
struct Queue {
  unsigned* taken;       // by all launches of this sweep so far: items, and one more per block that stays
  unsigned before;       // by launches before this one, less what this one's blocks begin with
  bool dealt;            // each block begins with the item of its own number, and takes only later ones
  unsigned stay, leave;  // so many blocks of the launch stay until there are no items; so many go after one
  Multiprocessors kept;  // where blocks had best stay
  Begun *begun, *later;  // of this launch; of one to come, to be cleared
  unsigned* done;        // [patch * chunks + chunk]: arrivals of sweeps that tell, or null
  unsigned target;       // when all of them have arrived
  Gate gate;
};
inline constexpr int arrivals = element_warps + node_warps;  // per item

// How far a block has planned, which one thread does: where registers are short, in shared memory.
struct Plan {
  int item, layer, layers, patch;  // layers: of the item
  bool stays;
};
template <class Args>
class Planner {
 public:
  __device__ Planner(const Args& g, const Queue& q, Plan& at) : g_(g), q_(q), at_(at) {}
  __device__ void begin() {
    at_ = {0, 0, 0, -1, q_.leave == 0 || stays()};
    at_.item = q_.dealt ? g_.first + static_cast<int>(blockIdx.x) : take();
    if (at_.item == g_.last && !at_.stays) atomicSub(q_.taken, 1u);  // only blocks that stay are reckoned with
  }
  // before: what came last. Most layers follow one below, and code that is short is there when it is asked for.
  __device__ void next(Work& w, const Work& before) {
    if (at_.layer > 0)
      go_up(w, before);
    else if (!begin_item(w))
      return;
    w.last = ++at_.layer == at_.layers;
    if (!w.last) return;
    at_.layer = 0;
    at_.item = at_.stays ? take() : g_.last;
  }

 private:
  __device__ void go_up(Work& w, const Work& before) const {
    w = before;
    w.sums += 4 * Patches::level_size;
    w.within += 4 * Patches::level_size;
    w.flux += Patches::layer_flux;
    ++w.ez;
    w.new_patch = w.first = false;
  }
  __device__ bool begin_item(Work& w) {
    const auto& p = g_.patches;
    w.valid = at_.item < g_.last;
    if (!w.valid) return false;
    const int number = g_.order ? __ldg(g_.order + at_.item) : at_.item;
    const auto [patch, chunk] = item_of(p, number & item_mask);
    w.item = patch * p.chunks + chunk;
    w.gated = number > item_mask && q_.gate.opened;
    w.patch = patch;
    w.patch_x = patch % p.px;
    w.patch_y = patch / p.px;
    w.ez = chunk * p.layers;
    w.within = static_cast<std::int64_t>(p.first_level(chunk)) * Patches::level_size;
    w.sums = p.sums_at(w.patch_x, w.patch_y) + w.within;
    w.flux = (static_cast<std::int64_t>(patch) * p.nz + w.ez) * Patches::layer_flux;
    w.first = true;
    w.new_patch = patch != at_.patch;
    w.full = (w.patch_x + 1) * box_row < g_.nodes.NX && (w.patch_y + 1) * 4 * Patches::EY < g_.nodes.NY;
    w.walls = g_.damped() && ((g_.nodes.west && w.patch_x == 0) || (g_.nodes.east && w.patch_x == p.px - 1) || (g_.nodes.south && w.patch_y == 0) ||
                              (g_.nodes.north && w.patch_y == p.py - 1));
    w.shared_below = chunk > 0 || g_.others_below();
    w.shared_above = chunk + 1 < p.chunks || g_.others_above();
    w.top = chunk + 1 == p.chunks;
    at_.patch = patch;
    at_.layers = p.chunk_size(chunk);
    return true;
  }
  // Wherever its blocks come to be, and whatever else is there when they begin, so many of a launch stay.
  __device__ bool stays() const {
    if (blockIdx.x == 0) *q_.later = {0, 0};
    const unsigned m = multiprocessor();
    const bool kept = m / 64 < q_.kept.size() && q_.kept[m / 64] >> m % 64 & 1;
    return kept ? atomicAdd(&q_.begun->kept, 1u) < q_.stay : atomicAdd(&q_.begun->others, 1u) >= q_.leave;
  }
  __device__ int take() const { return static_cast<int>(min(static_cast<unsigned>(g_.last), g_.first + (atomicAdd(q_.taken, 1u) - q_.before))); }

  const Args& g_;
  const Queue& q_;
  Plan& at_;
};

// By all lanes of a warp: what it wrote for an item can be read elsewhere.
__device__ __forceinline__ void tell_done(const Queue& q, const Work& w) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) count_on(q.done + w.item);
}
// By all lanes of a warp: until all that share nodes with the item are done in the sweep before, whose sums async copies then may read.
template <class Patches>
__device__ __forceinline__ void await_neighbours(const Queue& q, const Patches& p, const Work& w) {
  const int lane = threadIdx.x % 32, chunk = w.item % p.chunks + lane / 9 - 1, x = w.patch_x + lane % 3 - 1, y = w.patch_y + lane / 3 % 3 - 1;
  if (lane < 27 && x >= 0 && x < p.px && y >= 0 && y < p.py && chunk >= 0 && chunk < p.chunks)
    await_count(q.done + (y * p.px + x) * p.chunks + chunk, q.target);
  __syncwarp();
  publish_global();
}

// By all lanes of a warp: until the ghosts are in place. The first warp of a block adds up how long that took.
__device__ __forceinline__ void await_ghosts(const Gate& gate, bool add) {
  if (threadIdx.x % 32 == 0) {
    const std::int64_t begin = nanoseconds();
    await_count(gate.opened, gate.round);
    __threadfence_system();  // other GPUs may have written the ghosts
    if (add) atomicAdd(gate.waited, static_cast<unsigned long long>(nanoseconds() - begin));
  }
  __syncwarp();
  publish_global();
}

// Along z, of a layer: inverse weights of its five levels; values of SweepTables::layers.
template <class T>
struct LayerWeightsOf {
  T inverse_wz[5], geometry[layer_values];
};
using LayerWeights = LayerWeightsOf<double>;

// What two steps need at once there is in pairs or threes, which take turns.
template <bool A>
struct Shared;
struct SharedByBoth {
  using Args = SweepArgs<Patches>;
  static constexpr int fields = 2, seam_steps = 2;
  // Pressures come to field 0 and sums of field 1 to field 1; staged pressures take their places.
  alignas(128) Level inner[2][2][3];  // [step][field][level 1..3]
  alignas(128) Level between[3][2];   // [step][field] level 4, in the next step the lower one
  alignas(128) Level lowest[2];       // [field] level 0 of the first layer of a chunk
  alignas(128) double p_east[4][Patches::PY][2];
  // Sums of neighbours, [field][level]; of corners those across x, across y and across both.
  alignas(16) double west[2][4][west_size], sides[3][2][4][box_row];  // east, south, north
  double corners[3][2][16];
  Level inverse, inverse_surface;  // inverse mass: what depends on the column; of the surface level, where it has gravity

  std::uint64_t staged[2], gradient_done[2], layer_done[2];  // [step] by all node warps, by all element warps
  std::uint64_t seam_ready[fields][bars - 1][2];             // [field][lower bar][step] by the upper bar's warp
  std::uint64_t batch_arrived;
  std::uint64_t flux_arrived[bars];
  Work work[8];  // of the layers in work and to come, by step
  Plan plan;
  LayerWeights weights[4];                                    // by step
  alignas(16) double tables[3][32];                           // LaneTable
  double columns[bars][column_values][32];                    // geometry of the patch, for both fields
  double carry[fields * bars][5][Patches::PX];                // sums on the top level so far
  double seam[seam_steps][fields][bars - 1][5][Patches::PX];  // [step][field][lower bar][level][i] sums of the upper bar on the row they share

  __device__ Work& work_of(int step) { return work[step % 8]; }
  // Staged pressures of field `field` on a level of the layer.
  __device__ double* level_of(int step, const Work& w, int m, int field) {
    return m == 4 ? between[step % 3][field] : m > 0 ? inner[step % 2][field][m - 1] : w.first ? lowest[field] : between[(step + 2) % 3][field];
  }
};
// `tells`: of items that are done, those who wait for them (Queue::done), which there may not be unless `always_told`.
template <>
struct Shared<true> : SharedByBoth {
  static constexpr bool keeps_flux = true, adds_own = false, by_pairs = false, tells = false, always_told = false;
  alignas(16) Level in_a[4];                // sums of field 0
  alignas(16) double flux[bars][bar_flux];  // U of the layer, then U'
  __device__ Level* in_a_of(int) { return in_a; }
};
template <>
struct Shared<false> : SharedByBoth {
  static constexpr bool keeps_flux = false, adds_own = true, by_pairs = true, tells = true, always_told = true;
  alignas(16) Level in_a[3][4];  // [step]: elements still read the patch's own part of r1
  Level lowest_r1[3];            // [step] of the lowest level of a chunk
  __device__ Level* in_a_of(int step) { return in_a[step % 3]; }
  __device__ double* lowest_of(int step) { return lowest_r1[step % 3]; }
};
// mbarriers, because bar.sync wants all threads at the same place; every thread arrives, which is the order racecheck knows. A pair serves
// steps in turn: nobody is two steps behind what it waits for.
__device__ __forceinline__ void await(std::uint64_t (&barriers)[2], int step) { wait_for_arrival(&barriers[step % 2], step / 2 % 2); }

static_assert(sizeof(Shared<true>) <= 227 * 1024 && sizeof(Shared<false>) <= 227 * 1024);

}  // namespace agwave::two_sweep
