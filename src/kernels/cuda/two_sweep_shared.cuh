// SPDX-License-Identifier: Apache-2.0
// What the roles of the two-sweep kernel share: the launch shape, the order of the work, and the layout of shared memory.
// The kernel as a whole is described in two_sweep_kernel.cuh.
#pragma once
#include "timestep/two_sweep_layout.hpp"

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
  const double* columns;  // [patch][ey][qy][kx, ky, kz, h_xi / h, h_eta / h][lane]: kx = w_qx w_qy h ay/ax, ky = w_qx w_qy h ax/ay, kz = w_qx w_qy ax ay / h
  const double* layers;   // [nz][8]: w ds for qz = 0, 1;  w / ds for qz = 0, 1;  -s / ds for qz = 0..3
};
inline constexpr int column_values = 20, layer_values = 8;

inline constexpr int bars = Patches::EY;     // of a patch: one warp per bar and field
inline constexpr int element_warps = 2 * bars, node_warps = 4;
inline constexpr int threads = 32 * (element_warps + node_warps);
inline constexpr int plane = Patches::PX * Patches::PY;
inline constexpr int bar_flux = 3 * Patches::bar;

// What a node warp asks for ahead of time, read by the lane that asked: two slots for rows in turn, one for its side of the perimeter.
struct NodeSlots {
  double row[2][3][4][32];  // [turn][p, in_a, in_b][level]
  double side[5][4][32];    // [p, own in_a, own in_b, the neighbour's in_a, in_b][level]
};

struct Shared {
  double tables[5][32];                           // LaneTable
  double inner[2][2][3][plane];                   // [step][field][level 1..3 of the layer][j][i] staged pressures, scaled for the gradient
  double between[4][2][plane];                    // [level between layers][field][j][i]
  union {
    double flux[bars][bar_flux];                  // sweep A: U of the layer, fetched by the lanes that use it
    struct {                                      // sweep B: the patch's own part of r1, placed like the staged pressures
      double inner[2][3][plane], between[4][plane];
    } r1;
  };
  NodeSlots slots[node_warps];
  double columns[bars][column_values][32];        // geometry of the patch, for both fields
  double carry[element_warps][5][Patches::PX];    // sums on the top level so far
  double seam[2][2][bars - 1][5][Patches::PX];    // [step][field][upper bar][level][i] sums of the lower bar on the row they share
};
static_assert(sizeof(Shared) <= 227 * 1024);

// The layers a block works on, one after the other: all of a chunk from below, then the next chunk of its share.
struct Cursor {
  int patch_x, patch_y, chunk, layer, size, bottom;  // layer within the chunk of `size`; `bottom`: its lower level in Shared::between, the upper is next
  std::int64_t item;

  __device__ Cursor(const Patches& p, std::int64_t first) : bottom(0), item(first) { place(p); }
  __device__ bool valid(const Patches& p) const { return item < p.count() * p.chunks; }
  __device__ Cursor next(const Patches& p) const {
    Cursor c = *this;
    if (++c.layer < c.size) {
      c.bottom = (bottom + 1) % 4;
    } else {
      c.bottom = (bottom + 2) % 4;
      c.item += gridDim.x;
      c.place(p);
    }
    return c;
  }
  __device__ bool first() const { return layer == 0; }
  __device__ bool last() const { return layer == size - 1; }
  __device__ int top() const { return (bottom + 1) % 4; }
  __device__ int ez(const Patches& p) const { return chunk * p.layers + layer; }
  __device__ std::int64_t patch(const Patches& p) const { return static_cast<std::int64_t>(patch_y) * p.px + patch_x; }
  // Of level 0 of the layer in an array of sums.
  __device__ std::int64_t sums(const Patches& p) const {
    return p.sums_at(patch_x, patch_y) + static_cast<std::int64_t>(p.first_level(chunk) + 4 * layer) * Patches::level_size;
  }

 private:
  __device__ void place(const Patches& p) {
    layer = 0;
    if (!valid(p)) return;
    const auto patch = static_cast<int>(item % p.count());
    chunk = static_cast<int>(item / p.count());
    patch_x = patch % p.px;
    patch_y = patch / p.px;
    size = p.chunk_size(chunk);
  }
};

}  // namespace agwave::two_sweep
