// SPDX-License-Identifier: Apache-2.0
// How the two-sweep stepper stores its state, and what a sweep is given: patches of EX x EY element columns, whole over z, padded at the far sides of the
// mesh with elements that do not exist (their flux and sums are zero).
//   flux U          [patch][ez][component][qx][row]   row = ex + EX ((ey 4 + qy) + 4 EY qz), (ex, ey) within the patch
//   partial sums r  [patch][k][node column]           node column = j PX + i, (i, j) within the patch, perimeter included
// A patch's sums hold its own elements' part only; whoever reads a node on a perimeter adds the neighbours' parts, first along
// x and then along y. The order is the same from either side, so every patch gets the same bits, and nothing is added atomically.
//   p at damped nodes of the walls  [k][NY west, NY east, NX south, NX north]
#pragma once
#include <cstdint>

#include "fem/spaces.hpp"
#include "host_device.hpp"
#include "mesh/mesh.hpp"

namespace agwave::two_sweep {

inline constexpr int EX = 4, EY = 2;                    // element columns of a patch
inline constexpr int PX = 4 * EX + 1, PY = 4 * EY + 1;  // node columns of a patch along x and y
inline constexpr int node_columns = PX * PY;
inline constexpr int rows = EX * 4 * EY * 4;     // rows of 4 points along x in one layer of a patch
inline constexpr int layer_flux = 3 * 4 * rows;  // values of the flux in one layer of a patch

struct PatchGrid {
  int nx, ny, nz, px, py;  // elements and patches

  explicit PatchGrid(const Mesh& m) : nx(m.nx()), ny(m.ny()), nz(m.nz()), px((m.nx() + EX - 1) / EX), py((m.ny() + EY - 1) / EY) {}
  PatchGrid() = default;

  AGWAVE_HD std::int64_t count() const { return static_cast<std::int64_t>(px) * py; }
  AGWAVE_HD std::int64_t flux_size() const { return count() * nz * layer_flux; }
  AGWAVE_HD std::int64_t sums_size() const { return count() * (4 * nz + 1) * node_columns; }
  AGWAVE_HD int wall_columns() const { return 2 * (4 * nx + 1 + 4 * ny + 1); }

  // Index of component 0 at velocity node l of element (ex, ey, ez); the others follow 4 rows apart.
  AGWAVE_HD std::int64_t flux_at(int ex, int ey, int ez, int l) const {
    const std::int64_t patch = static_cast<std::int64_t>(ey / EY) * px + ex / EX;
    const int row = ex % EX + EX * (ey % EY * 4 + l / 4 % 4 + 4 * EY * (l / 16));
    return (patch * nz + ez) * layer_flux + l % 4 * rows + row;
  }
};

struct SweepArgs {  // of one sweep, in the memory of its device (kernels/cuda/two_sweep_kernel.cuh)
  ElementView elements;
  NodeView nodes;
  PatchGrid patches;
  const double* inverse_wz;  // [NZ]
  const double* p;           // [NZ][NY][NX]
  double* p_next;            // sweep A: where p' goes
  const double *r_a, *r_b;   // partial sums read
  double *out_a, *out_b;     // and written
  double *flux, *wall;       // wall: null without damping
  const double* load;        // g_a, g_b [2][NY][NX] on the floor, or null
  double ca_dt, cb_dt;       // of the staged pressures
  double alpha, beta;        // -c dt / rho of the two gradient updates
  bool staged;               // false: p_a = p_b = p, there is no last step to finish (sweep A only)
};

}  // namespace agwave::two_sweep
