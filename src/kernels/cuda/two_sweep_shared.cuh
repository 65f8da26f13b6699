// SPDX-License-Identifier: Apache-2.0
// What the roles of the two-sweep kernel share: the launch shape, the order of the work, and the layout of shared memory.
// The kernel as a whole is described in two_sweep_kernel.cuh.
#pragma once
#include "timestep/two_sweep_work.hpp"

namespace agwave::two_sweep {

struct LaneBar {  // one lane per element and qx; along z the points (0, 3) and (1, 2) lie together, 16 bytes per lane
  AGWAVE_HD static constexpr int place(int ex, int l) {
    const int qx = l % 4, qy = l / 4 % 4, qz = l / 16;
    return (qy * 2 + (qz < 2 ? qz : 3 - qz)) * 64 + (ex * 4 + qx) * 2 + (qz < 2 ? 0 : 1);
  }
  AGWAVE_HD static constexpr int element(int n) { return n % 64 / 8; }
  AGWAVE_HD static constexpr int point(int n) {
    const int qy = n / 128, half = n / 64 % 2, qz = n % 2 ? 3 - half : half;
    return (qz * 4 + qy) * 4 + n % 8 / 2;
  }
};
using Patches = PatchGrid<8, 4, LaneBar>;

struct SweepTables {
  // [patch][ey][qy][kx, ky, kz, h_xi / h, h_eta / h][lane]: kx = w_qx w_qy h ay/ax, ky = w_qx w_qy h ax/ay, kz = w_qx w_qy ax ay / h
  const double* columns;
  // [nz][8]: w ds for qz = 0, 1;  w / ds for qz = 0, 1;  -s / ds for qz = 0..3
  const double* layers;
};
inline constexpr int column_values = 20, layer_values = 8;

inline constexpr int bars = Patches::EY;        // of a patch
inline constexpr int element_warps = 2 * bars;  // one per bar and field
inline constexpr int node_warps = 4;
inline constexpr int threads = 32 * (element_warps + node_warps);
// Per thread, once they are handed over. A launch allots them to warps by fours and in eights per thread; setmaxnreg waits for ever for more than that.
inline constexpr int element_registers = 200, node_registers = 104, launch_registers = 65536 / threads / 8 * 8;
static_assert(element_warps % 4 == 0 && node_warps % 4 == 0, "setmaxnreg takes groups of four warps");
static_assert(32 * (element_warps * element_registers + node_warps * node_registers) <= threads * launch_registers);
inline constexpr int plane = Patches::PX * Patches::PY;
inline constexpr int bar_flux = 3 * Patches::bar;

// The layers a block works on, one after the other: all of a chunk from below, then the next chunk of its share.
struct Work {
  std::int64_t sums, flux;                  // of level 0 in an array of sums; of the layer in U
  int patch, patch_x, patch_y, ez, bottom;  // `bottom`: the lower level in Shared::between, the upper is next
  bool valid, new_patch, first, last;       // first and last of its chunk
  bool full, walls;                         // all nodes of the patch exist; there are damped ones
  bool shared_below, shared_above, top;     // the chunk shares that level with another; `top`: the upper level is this chunk's to store

  __device__ int above() const { return 1 - bottom; }
};

AGWAVE_HD Item item_of(const Patches& p, int n) {  // layers of chunks, so that blocks at work are near each other
  return {n % (p.px * p.py), n / (p.px * p.py)};
}

class Planner {
 public:
  __device__ explicit Planner(const SweepArgs<Patches>& g) : g_(g), item_(g.first + static_cast<int>(blockIdx.x)) {}
  __device__ void next(Work& w) {
    const Patches& p = g_.patches;
    w.valid = item_ < g_.last;
    if (!w.valid) return;
    const auto [patch, chunk] = item_of(p, g_.order ? __ldg(g_.order + item_) : item_);
    w.patch = patch;
    w.patch_x = patch % p.px;
    w.patch_y = patch / p.px;
    w.ez = chunk * p.layers + layer_;
    w.sums = p.sums_at(w.patch_x, w.patch_y) + static_cast<std::int64_t>(p.first_level(chunk) + 4 * layer_) * Patches::level_size;
    w.flux = (static_cast<std::int64_t>(patch) * p.nz + w.ez) * Patches::layer_flux;
    w.first = layer_ == 0;
    w.last = layer_ == p.chunk_size(chunk) - 1;
    w.new_patch = patch != patch_;
    w.full = (w.patch_x + 1) * 4 * Patches::EX < g_.nodes.NX && (w.patch_y + 1) * 4 * Patches::EY < g_.nodes.NY;
    w.walls = g_.wall && ((g_.nodes.west && w.patch_x == 0) || (g_.nodes.east && w.patch_x == p.px - 1) || (g_.nodes.south && w.patch_y == 0) ||
                          (g_.nodes.north && w.patch_y == p.py - 1));
    w.shared_below = chunk > 0 || g_.below;
    w.shared_above = chunk + 1 < p.chunks || g_.above;
    w.top = chunk + 1 == p.chunks;
    w.bottom = bottom_;
    patch_ = patch;
    bottom_ = 1 - bottom_;
    layer_ = w.last ? 0 : layer_ + 1;
    if (w.last) item_ += static_cast<int>(gridDim.x);
  }

 private:
  const SweepArgs<Patches>& g_;
  int item_;
  int layer_ = 0, patch_ = -1, bottom_ = 0;
};

// Along z, of a layer: inverse weights of its five levels; values of SweepTables::layers.
struct LayerWeights {
  double inverse_wz[5], geometry[layer_values];
};

template <bool A>
struct Shared;
struct SharedByBoth {
  std::uint64_t gradient_done, layer_done;  // by all element warps; by all warps
  std::uint64_t sums_arrived;               // of the next layer
  std::uint64_t flux_arrived[bars];
  Work work[8];                      // of the layers in work and to come, by step
  LayerWeights weights[4];           // by step
  alignas(16) double tables[3][32];  // LaneTable
  // Asked for a layer ahead, levels 1..4: sums as they lie in memory; p of rows 1..15, then the corners' [value][16]; [level][p, the
  // neighbour's in_a, in_b] of sides.
  alignas(16) double in_a[4][Patches::level_size], in_b[4][Patches::level_size];
  alignas(16) double rows[4 * node_warps][4][32];
  double sides[node_warps][4][3][32];
  double inverse[node_warps][5][32];  // of the inverse mass, what depends on the column of each task
  // Staged pressures of the layer.
  double inner[2][3][plane];                    // [field][level 1..3][j][i]
  double between[2][2][plane];                  // [level between layers][field][j][i]
  double columns[bars][column_values][32];      // geometry of the patch, for both fields
  double carry[2 * bars][5][Patches::PX];       // sums on the top level so far
  double seam[2][2][bars - 1][5][Patches::PX];  // [step][field][upper bar][level][i] sums of the lower bar on the row they share

  __device__ Work& work_of(int step) { return work[step % 8]; }
};
template <>
struct Shared<true> : SharedByBoth {
  alignas(16) double flux[bars][bar_flux];  // U of the layer, then U'
  __device__ double (*in_a_of(int))[Patches::level_size] { return in_a; }
};
template <>
struct Shared<false> : SharedByBoth {
  alignas(16) double in_a_next[2][4][Patches::level_size];  // three in turn: elements still read the patch's own part of r1
  double lowest_r1[2][plane];                               // [step] of the lowest level of a chunk
  __device__ double (*in_a_of(int step))[Patches::level_size] { return step % 3 == 0 ? in_a : in_a_next[step % 3 - 1]; }
};
static_assert(sizeof(Shared<true>) <= 227 * 1024 && sizeof(Shared<false>) <= 227 * 1024);

}  // namespace agwave::two_sweep
