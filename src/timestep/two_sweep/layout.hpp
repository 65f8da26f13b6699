// SPDX-License-Identifier: Apache-2.0
// How the two-sweep stepper stores its state, and what a sweep is given.
//   The mesh is cut into patches of EX x EY element columns and into chunks of layers. Cuts lie at fixed places of the whole mesh, whatever
//   the number of ranks, and ranks are split on them. Patches at the far sides are padded with elements that do not exist: their flux and
//   sums are zero. Local patches and chunks have a ring of ghosts around them, which hold what neighbouring ranks computed, or zero.
//   flux U          [patch][ez][ey][component][Bar: 8 elements along x, 64 points each]
//   partial sums r  [ghost patches too][level][column]; levels: ghost below, then 4 n + 1 of each chunk of n layers, ghost above;
//                   columns: [PY][4 EX], then the east side [PY]
//   p               [NZ][NY][pitch], rows padded to whole sectors
//   p at damped nodes of the walls  [k][NY west, NY east, NX south, NX north]
// A node's sum r is formed by whoever reads it from the parts of all patches and chunks that share it: first along z (the lower
// chunk first), then x, then y, own part first. a + b = b + a, so every reader gets the same bits; nothing is added atomically.
#pragma once
#include <array>
#include <cstdint>

#include "device/host_device.hpp"
#include "fem/spaces.hpp"
#include "mesh/mesh.hpp"
#include "timestep/two_sweep/flux_forms.hpp"

namespace agwave::two_sweep {

// Bar: the order of the 8 x 64 points of a bar: static int place(int ex, int l), element(int place), point(int place). What lies there of U: const char*
//      form; double stored(value, beside, place), value(stored, beside, place): from and to U at the point and at the one `beside(place)` from it.
// Real: what the values of state and sums are stored and computed in.
// WholeRing: ghost patches stand at every side, so that a neighbour is a fixed distance away. Without it those that no rank fills are all
// one patch of zeros, behind the others: on small meshes the ring is most of the sums.
template <int EX_, int EY_, class Bar_, bool WholeRing = true, class Real = double>
struct PatchGrid {
  using Bar = Bar_;
  using real = Real;
  static constexpr int EX = EX_, EY = EY_;
  static constexpr int PX = 4 * EX + 1, PY = 4 * EY + 1;  // node columns of a patch along x and y
  static constexpr int level_size = (PX * PY + 3) / 4 * 4;
  static constexpr int bar = EX * L3D;             // points of a bar
  static constexpr int layer_flux = 3 * bar * EY;  // values of the flux in one layer of a patch
  static_assert(EX == 8 || EX == 16, "a bar is one patch wide");

  int nx, ny, nz, px, py;  // elements and patches of this rank
  int layers, chunks;      // per chunk, the last may have fewer; chunks of this rank
  bool ghosts[2][2];       // [x, y][low, high] there are ghost patches
  bool shares_ghosts;      // the row of them after an array of sums is the one before the next

  explicit PatchGrid(const Mesh& m)
      : nx(m.nx()),
        ny(m.ny()),
        nz(m.nz()),
        px((nx + EX - 1) / EX),
        py((ny + EY - 1) / EY),
        layers(chunk_layers(m.elements)),
        chunks((nz + layers - 1) / layers),
        ghosts{{WholeRing || !m.part.at_low(0), WholeRing || !m.part.at_high(0)}, {WholeRing || !m.part.at_low(1), WholeRing || !m.part.at_high(1)}},
        shares_ghosts(WholeRing && m.part.at_low(1) && m.part.at_high(1)) {}
  PatchGrid() = default;

  // Tall chunks have fewer levels that two of them share, low ones are more items for a device to divide its time among. The whole mesh decides, so that
  // every processor grid has the same. 32 layers only where they are all: ranks can divide what is taller.
  static int chunk_layers(const std::array<std::int64_t, 3>& elements) {
    const auto items = [&](int layers) {
      return (elements[0] + EX - 1) / EX * ((elements[1] + EY - 1) / EY) * ((elements[2] + layers - 1) / layers);
    };
    // In single precision a GPU has places for more at once, so that half as many are one round of it.
    constexpr std::int64_t few = sizeof(Real) == sizeof(double) ? 512 : 200;
    if (elements[2] <= 32 && items(32) >= 4096) return 32;
    return items(16) >= 1024 ? 16 : items(8) >= few ? 8 : 4;
  }
  static std::array<std::int64_t, 3> unit(const std::array<std::int64_t, 3>& elements) { return {EX, EY, chunk_layers(elements)}; }

  AGWAVE_HD std::int64_t count() const { return static_cast<std::int64_t>(px) * py; }
  AGWAVE_HD int items() const { return px * py * chunks; }  // of work: a patch and a chunk each, hundreds of kilobytes
  AGWAVE_HD int levels() const { return 4 * nz + chunks + 2; }
  AGWAVE_HD std::int64_t patch_sums() const { return static_cast<std::int64_t>(levels()) * level_size; }
  AGWAVE_HD int row_sums() const { return px + ghosts[0][0] + ghosts[0][1]; }  // patches in a row, ghosts included
  AGWAVE_HD std::int64_t stored_sums() const { return static_cast<std::int64_t>(row_sums()) * (py + ghosts[1][0] + ghosts[1][1]); }
  AGWAVE_HD std::int64_t sums_size() const { return (stored_sums() + (WholeRing ? 0 : 1)) * patch_sums(); }
  // From one array to the next of several. Ghosts that no neighbour fills stay zero, so two arrays can have a row of them in common.
  std::int64_t sums_stride() const { return sums_size() - (shares_ghosts ? row_sums() * patch_sums() : 0); }
  std::int64_t sums_size(int arrays) const { return (arrays - 1) * sums_stride() + sums_size(); }
  AGWAVE_HD std::int64_t sums_at(int x, int y) const {  // -1..px, -1..py
    const bool there = (x >= 0 || ghosts[0][0]) && (x < px || ghosts[0][1]) && (y >= 0 || ghosts[1][0]) && (y < py || ghosts[1][1]);
    if (!WholeRing && !there) return stored_sums() * patch_sums();
    return (static_cast<std::int64_t>(y + ghosts[1][0]) * row_sums() + x + ghosts[0][0]) * patch_sums();
  }
  AGWAVE_HD int first_level(int chunk) const { return 1 + chunk * (4 * layers + 1); }
  AGWAVE_HD int chunk_size(int chunk) const { return chunk + 1 < chunks ? layers : nz - chunk * layers; }
  AGWAVE_HD static int column(int i, int j) { return i < 4 * EX ? j * 4 * EX + i : 4 * EX * PY + j; }

  AGWAVE_HD std::int64_t flux_size() const { return count() * nz * layer_flux; }
  AGWAVE_HD std::int64_t points() const { return flux_size() / 3; }
  // Component 0 of the flux at velocity point l of an element; the others follow `bar` apart.
  AGWAVE_HD std::int64_t flux_at(int ex, int ey, int ez, int l) const {
    const std::int64_t patch = static_cast<std::int64_t>(ey / EY) * px + ex / EX;
    return ((patch * nz + ez) * EY + ey % EY) * 3 * bar + Bar::place(ex % EX, l);
  }
  // Point n of all, in the order they are stored; false beyond the mesh.
  AGWAVE_HD bool locate(std::int64_t n, int& ex, int& ey, int& ez, int& l) const {
    const int place = static_cast<int>(n % bar);
    // 32 bits have room for the bars of 34 billion elements of a rank, and divide in fewer instructions.
    const auto bars = static_cast<std::uint32_t>(n / bar), layer = bars / EY, patch = layer / static_cast<std::uint32_t>(nz),
               row = patch / static_cast<std::uint32_t>(px);
    ex = static_cast<int>(patch - row * static_cast<std::uint32_t>(px)) * EX + Bar::element(place);
    ey = static_cast<int>(row) * EY + static_cast<int>(bars % EY);
    ez = static_cast<int>(layer - patch * static_cast<std::uint32_t>(nz));
    l = Bar::point(place);
    return ex < nx && ey < ny;
  }
  AGWAVE_HD int wall_columns() const { return 2 * (4 * nx + 1 + 4 * ny + 1); }
  AGWAVE_HD int pitch() const { return (4 * nx + 4) / 4 * 4; }
};

template <class Patches>
struct SweepArgs {  // of one sweep, in the memory of its device
  ElementView elements;
  NodeView nodes;
  Patches patches;
  const double* inverse_wz;       // [NZ]
  const double* inverse_column;   // [NY][NX] 1 / (wx wy h / K): times inverse_wz the inverse mass below the surface
  const double* inverse_surface;  // [NY][NX] inverse mass of the surface level, where it has gravity; else null
  const double* p;                // [NZ][NY][pitch]
  double* p_next;                 // sweep A: where p' goes
  const double *in_a, *in_b;      // partial sums read: sweep A: r3, r4, sweep B: r1, r2 - r1
  double *out_a, *out_b;          // and written: sweep A: r1, r2 - r1, sweep B: r3, r4 (the patch's own part of r1, in_a, plus its new part)
  double *flux, *wall;            // wall: null without damping
  const double* load;             // g_a, g_b [2][NY][NX] on the floor, or null
  double ca_dt, cb_dt;            // of the staged pressures
  double alpha, beta;             // -c dt / rho of the two gradient updates
  const std::int32_t* order;      // of the work, see WorkOrder; null: as it is numbered
  int first, last;                // what is at hand of it: first .. last - 1
  bool below, above;              // other ranks have the layers there
  bool staged;                    // false: p_a = p_b = p, there is no last step to finish (sweep A only)

  AGWAVE_HD double* out(int field) const { return field == 0 ? out_a : out_b; }
  AGWAVE_HD double scale(int field) const { return field == 0 ? alpha : beta; }  // of the flux
  AGWAVE_HD bool damped() const { return wall; }                                 // some walls absorb
  AGWAVE_HD bool others_below() const { return below; }
  AGWAVE_HD bool others_above() const { return above; }
};

}  // namespace agwave::two_sweep
