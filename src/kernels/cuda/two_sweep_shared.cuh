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

inline constexpr int bars = Patches::EY;  // of a patch: one warp per bar and field
inline constexpr int element_warps = 2 * bars, node_warps = 8;
inline constexpr int threads = 32 * (element_warps + node_warps);
inline constexpr int plane = Patches::PX * Patches::PY;
inline constexpr int bar_flux = 3 * Patches::bar;

// The layers a block works on, one after the other: all of a chunk from below, then the next chunk of its share.
struct Work {
  std::int64_t sums, flux;                  // of level 0 in an array of sums; of the layer in U
  int patch, patch_x, patch_y, ez, bottom;  // `bottom`: the lower level in Shared::between, the upper is next
  bool valid, new_patch, first, last;       // first and last of its chunk
  bool shared_below, shared_above, top;     // the chunk shares that level with another; `top`: the upper level is this chunk's to store

  __device__ int above() const { return (bottom + 1) % 4; }
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
    w.shared_below = chunk > 0 || g_.below;
    w.shared_above = chunk + 1 < p.chunks || g_.above;
    w.top = chunk + 1 == p.chunks;
    w.bottom = bottom_;
    patch_ = patch;
    bottom_ = (bottom_ + (w.last ? 2 : 1)) % 4;
    layer_ = w.last ? 0 : layer_ + 1;
    if (w.last) item_ += static_cast<int>(gridDim.x);
  }

 private:
  const SweepArgs<Patches>& g_;
  int item_;
  int layer_ = 0, patch_ = -1, bottom_ = 0;
};

// What a node warp asks for ahead of time.
using RowSlot = double[3][4][32];   // [p, in_a, in_b][level]
using SideSlot = double[5][4][32];  // [p, own in_a, own in_b, the neighbour's in_a, in_b][level]

struct Shared {
  std::uint64_t barrier;                  // of the layers
  std::uint64_t flux_arrived[bars];       // sweep A: U of the layer is there
  std::uint64_t row_arrived[node_warps];  // the next row of nodes is there
  Work work[4];                           // of the layers in work, by step
  double inverse_wz[2][5];                // [step][level of the layer]
  alignas(16) double tables[5][32];       // LaneTable
  double inner[2][2][3][plane];           // [step][field][level 1..3 of the layer][j][i] staged pressures, scaled for the gradient
  double between[4][2][plane];            // [level between layers][field][j][i]
  union {
    alignas(16) double flux[bars][bar_flux];  // sweep A: U of the layer, then U'
    struct {                                  // sweep B: the patch's own part of r1, placed like the staged pressures
      double inner[2][3][plane], between[4][plane];
    } r1;
  };
  alignas(16) RowSlot rows[node_warps];
  SideSlot sides[3];                            // west in the lower half of the lanes and east in the upper, south, north
  double columns[bars][column_values][32];      // geometry of the patch, for both fields
  double carry[element_warps][5][Patches::PX];  // sums on the top level so far
  double seam[2][2][bars - 1][5][Patches::PX];  // [step][field][upper bar][level][i] sums of the lower bar on the row they share
};
static_assert(sizeof(Shared) <= 227 * 1024);

}  // namespace agwave::two_sweep
