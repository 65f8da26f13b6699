// SPDX-License-Identifier: Apache-2.0
// One sweep of two-sweep RK4 over the mesh (shared/design/solver.md): two gradients and two divergences of each element while
// it is on chip. One block marches one patch of EX x EY element columns up from the floor.
//
//   staged   p_a = p + c_a dt M_p^-1 (r_a - S p_before + g_a),  p_b = p + c_b dt M_p^-1 (r_b - S p_a + g_b)
//   sweep A  of step n:  p_a = p3, p_b = p4 = p' of step n - 1;  U' = U - dt/rho F(p_a), stored, as is p'
//            r1 = G^T U',  r2 = G^T (U' - dt/4rho F(p_b))           p_before = p2, kept on the walls
//   sweep B  of step n:  p_a = p1, p_b = p2, kept on the walls;     p_before = p
//            r3 = G^T (U' - dt/3rho F(p_a)),  r4 = G^T (U' - dt/2rho F(p_b))
//   where F = w det J J^-1 J^-T grad p is the contravariant flux of the gradient (fem/geometry.hpp), so G^T needs no geometry.
//
// Per layer of elements, for the staged fields f = a, b already scaled by -c dt/rho, nodes (k, j, i), points (qz, qy, qx):
//   z    v[qz][j][i] = B p,  d = dB p                                  node column per thread, 17 x 9, fibre in registers
//   y    c0[qz][qy][i] = B v,  c1 = dB v,  c2 = B d                    (qz, ey, i) per thread: 136
//   x    p_xi = dB c0,  p_eta = B c1,  p_zeta = B c2                   row (ex, qy, qz) of 4 points per thread: 128
//        a = z_xi / z_zeta,  b = z_eta / z_zeta
//        F_x = w h ds (ay/ax) (p_xi - a p_zeta),  F_y = w h ds (ax/ay) (p_eta - b p_zeta)
//        F_z = w (ax ay)/(h ds) p_zeta - a F_x - b F_y
//        c0 = dB^T (U + F)_x,  c1 = B^T (U + F)_y,  c2 = B^T (U + F)_z   shared x nodes added by shuffle
//   y^T  v = B^T c0 + dB^T c1,  d = B^T c2                             the upper y node of an inner element goes aside
//   z^T  r[k][j][i] = B^T v + dB^T d, the top node carried on to the next layer
// Global arrays: timestep/two_sweep_layout.hpp. Shared memory (doubles), 84.8 KB in all for 4 x 2 columns:
//   s_1, s_2  [f][stage_size]   planes [8][PY][PX] + asides [8][EY-1][PX] after z and y^T; [3][qz][4 EY][PX] after y and x
//   s_nodes   [p, r_a, r_b][4 levels][node column], s_edges [r_a, r_b][4 levels][perimeter of the neighbours]
//   s_slopes  [h_xi / h, h_eta / h][qx][ey qy, ex], s_flux [12][row]; nodes and flux of the next layer arrive by cp.async, one group each
// 160 threads, two blocks per multiprocessor: 168 registers at most (5 warps leave 3 to a scheduler). Why these choices: shared/design/performance.md.
#pragma once
#include "fem/spaces.hpp"
#include "kernels/cuda/two_sweep_basis.cuh"
#include "kernels/cuda/two_sweep_copy.cuh"
#include "timestep/two_sweep_layout.hpp"

namespace agwave::two_sweep {

inline constexpr int threads = (node_columns + 31) / 32 * 32;
inline constexpr int y_rows = PX * EY * 4;                // tasks of the y stages
inline constexpr int edge_columns = 2 * PX + 2 * PY + 4;  // neighbours' node columns on the perimeter
inline constexpr int plane = 4 * EY * 4 * PX;             // c0, c1 or c2
inline constexpr int stage_z = 8 * (node_columns + PX * (EY - 1)), stage_y = 3 * plane;
inline constexpr int stage_size = stage_z > stage_y ? stage_z : stage_y;  // of one field
inline constexpr int slope_rows = EX * 4 * EY;                            // rows of points of the columns, one layer in z
inline constexpr int shared_doubles = 4 * stage_size + 12 * node_columns + 8 * edge_columns + 12 * rows + 8 * slope_rows;
inline constexpr std::size_t shared_bytes = shared_doubles * sizeof(double);
static_assert(threads == 160 && y_rows == 136 && rows == 128 && shared_bytes <= 113 * 1024, "the header describes this launch shape");
static_assert(EX == 4 && rows % 32 == 0, "the x stage shuffles in whole warps between the 4 elements of a line");

template <bool A>
__global__ void __launch_bounds__(threads, 2) sweep_kernel(const __grid_constant__ SweepArgs g) {
  extern __shared__ double s_all[];
  double *const s_1 = s_all, *const s_2 = s_all + 2 * stage_size, *const s_nodes = s_all + 4 * stage_size;
  double *const s_edges = s_nodes + 12 * node_columns, *const s_flux = s_edges + 8 * edge_columns + threadIdx.x;
  double* const s_slopes = s_edges + 8 * edge_columns + 12 * rows + threadIdx.x % slope_rows;
  const int t = threadIdx.x, nz = g.patches.nz, NX = g.nodes.NX, NY = g.nodes.NY;
  const int patch = blockIdx.x, patch_x = patch % g.patches.px, patch_y = patch / g.patches.px;
  const std::int64_t level = static_cast<std::int64_t>(NX) * NY, sums = static_cast<std::int64_t>(4 * nz + 1) * node_columns;

  // As a node column: (ni, nj) in the patch, (i, j) in the mesh. Columns beyond the mesh take part with zeros.
  const bool is_column = t < node_columns;
  const int ni = t % PX, nj = t / PX, i = patch_x * 4 * EX + ni, j = patch_y * 4 * EY + nj;
  const bool exists = is_column && i < NX && j < NY;
  const bool own = exists && (ni < PX - 1 || patch_x == g.patches.px - 1) && (nj < PY - 1 || patch_y == g.patches.py - 1);
  const int column = j * NX + i;
  const std::int64_t own_sums = patch * sums + t;
  double inverse_column = 0;  // 1 / (wx wy h / K)
  int wall = -1;              // place in the damped columns
  if (exists) {
    inverse_column = 1 / (g.nodes.wx[i] * g.nodes.wy[j] * g.nodes.column(i, j) * g.nodes.inverse_K);
    if (g.nodes.west && i == 0)
      wall = j;
    else if (g.nodes.east && i == NX - 1)
      wall = NY + j;
    else if (g.nodes.south && j == 0)
      wall = 2 * NY + i;
    else if (g.nodes.north && j == NY - 1)
      wall = 2 * NY + NX + i;
  }

  // As a fetcher of one perimeter column of a neighbouring patch: west, east, south, north, then corners.
  bool has_neighbour = false;
  std::int64_t neighbour_sums = 0;
  if (t < edge_columns) {
    int dx = 0, dy = 0, mi, mj;
    if (t < 2 * PY) {
      dx = t < PY ? -1 : 1;
      mi = t < PY ? PX - 1 : 0;
      mj = t % PY;
    } else if (t < 2 * PY + 2 * PX) {
      const int u = t - 2 * PY;
      dy = u < PX ? -1 : 1;
      mi = u % PX;
      mj = u < PX ? PY - 1 : 0;
    } else {
      const int corner = t - 2 * PY - 2 * PX;
      dx = corner % 2 ? 1 : -1;
      dy = corner / 2 ? 1 : -1;
      mi = corner % 2 ? 0 : PX - 1;
      mj = corner / 2 ? 0 : PY - 1;
    }
    const int qx = patch_x + dx, qy = patch_y + dy;
    has_neighbour = qx >= 0 && qx < g.patches.px && qy >= 0 && qy < g.patches.py;
    if (has_neighbour) neighbour_sums = (static_cast<std::int64_t>(qy) * g.patches.px + qx) * sums + mj * PX + mi;
    if (!has_neighbour)
      for (int m = 0; m < 8; ++m) s_edges[m * edge_columns + t] = 0;
  }
  const int edge_x = ni == 0 ? nj : ni == PX - 1 ? PY + nj : -1;
  const int edge_y = nj == 0 ? 2 * PY + ni : nj == PY - 1 ? 2 * PY + PX + ni : -1;
  const int edge_xy = edge_x >= 0 && edge_y >= 0 ? 2 * PY + 2 * PX + (ni ? 1 : 0) + (nj ? 2 : 0) : -1;
  if (is_column && !exists)
    for (int m = 0; m < 4; ++m) s_nodes[m * node_columns + t] = 0;

  const auto fetch_levels = [&](int k, int count) {  // levels k, k + 1, ... into slots 0, 1, ...
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      if (m >= count) break;
      const std::int64_t at = static_cast<std::int64_t>(k + m) * node_columns;
      if (exists) copy_async(s_nodes + m * node_columns + t, g.p + (k + m) * level + column);
      if (is_column) {
        copy_async(s_nodes + (4 + m) * node_columns + t, g.r_a + own_sums + at);
        copy_async(s_nodes + (8 + m) * node_columns + t, g.r_b + own_sums + at);
      }
      if (has_neighbour) {
        copy_async(s_edges + m * edge_columns + t, g.r_a + neighbour_sums + at);
        copy_async(s_edges + (4 + m) * edge_columns + t, g.r_b + neighbour_sums + at);
      }
    }
  };
  // (own + across x) + (across y + across both): the same bits from each side.
  const auto whole_sum = [&](int slot, int array) {
    double r = s_nodes[(4 * array + 4 + slot) * node_columns + t];
    const double* s = s_edges + (4 * array + slot) * edge_columns;
    if (edge_x >= 0) r += s[edge_x];
    if (edge_y >= 0) r += edge_xy >= 0 ? s[edge_y] + s[edge_xy] : s[edge_y];
    return r;
  };
  // The two staged pressures of this thread's node on level k, scaled for the gradient.
  const auto stage = [&](int k, int slot, bool floor, bool surface, double& a, double& b) {
    const double p = s_nodes[slot * node_columns + t];
    double p_a = p, p_b = p;
    if (!A || g.staged) {
      double r_a = whole_sum(slot, 0), r_b = whole_sum(slot, 1);
      double inverse = inverse_column * g.inverse_wz[k];
      if (surface && exists)
        inverse = 1 / (g.nodes.wx[i] * g.nodes.wy[j] * fma(g.nodes.column(i, j) * g.nodes.wz[k], g.nodes.inverse_K, g.nodes.surface));
      const bool loaded = floor && exists && g.load;
      double damping = 0;
      const auto p2 = [&]() -> double& { return g.wall[static_cast<std::int64_t>(k) * g.patches.wall_columns() + wall]; };
      if (wall >= 0) {
        damping = g.nodes.damping(i, j, k);
        r_a = fma(-damping, A ? p2() : p, r_a);
      }
      if (loaded) r_a += g.load[column];
      p_a = fma(g.ca_dt * inverse, r_a, p);
      if (wall >= 0) r_b = fma(-damping, p_a, r_b);
      if (loaded) r_b += g.load[level + column];
      p_b = fma(g.cb_dt * inverse, r_b, p);
      if (!A && wall >= 0 && own) p2() = p_b;
    }
    if (A && own) g.p_next[k * level + column] = p_b;
    a = g.alpha * p_a;
    b = g.beta * p_b;
  };

  // As a row of points: element ex of the line, qy = 0..4 EY - 1 in the patch, qz. Elements beyond the mesh get weight zero.
  const bool is_row = t < rows;
  const int ex = t % EX, qy = t / EX % (4 * EY), qz = t / (EX * 4 * EY);
  double wh[4] = {}, w_over_h[4] = {};     // w_qx h, w_qx / h
  double wyz_x = 0, wyz_y = 0, wyz_z = 0;  // w_qy w_qz times ay/ax, ax/ay, ax ay
  if (is_row) {
    const int cx = patch_x * EX + ex, cy = patch_y * EY + qy / 4;
    double h_xi[4] = {}, h_eta[4] = {};
    if (cx < g.patches.nx && cy < g.patches.ny) {
      const double ax = g.elements.ax[cx], ay = g.elements.ay[cy], wyz = c_tables.w[qy % 4] * c_tables.w[qz];
      const std::int64_t at = (static_cast<std::int64_t>(cy) * g.patches.nx + cx) * 16 + qy % 4 * 4;
      wyz_x = wyz * (ay / ax);
      wyz_y = wyz * (ax / ay);
      wyz_z = wyz * (ax * ay);
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const double inverse_h = 1 / g.elements.h[at + q];
        wh[q] = c_tables.w[q] * g.elements.h[at + q];
        w_over_h[q] = c_tables.w[q] * inverse_h;
        h_xi[q] = g.elements.h_xi[at + q] * inverse_h;
        h_eta[q] = g.elements.h_eta[at + q] * inverse_h;
      }
    }
    if (qz == 0)
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        s_slopes[q * slope_rows] = h_xi[q];
        s_slopes[(4 + q) * slope_rows] = h_eta[q];
      }
  }
  double* flux = g.flux + static_cast<std::int64_t>(patch) * nz * layer_flux + t;
  const auto fetch_flux = [&](int k) {
    if (is_row && k < nz)
#pragma unroll
      for (int c = 0; c < 12; ++c) copy_async(s_flux + c * rows, flux + static_cast<std::int64_t>(k) * layer_flux + c * rows);
    close_copy_group();
  };

  // As a task of the y stages: node line yi of plane (yz, yey). Sixteen neighbours in i share a half warp, the last line follows.
  const int yi = t < 64 * EY ? t % 16 : 16, yc = t < 64 * EY ? t / 16 : t - 64 * EY, yey = yc % EY, yz = yc / EY;

  double a[5], b[5], carry_a = 0, carry_b = 0;
  fetch_levels(0, 1);
  close_copy_group();
  wait_for_copies<0>();
  __syncthreads();
  if (is_column) stage(0, 0, true, false, a[4], b[4]);
  __syncthreads();
  fetch_levels(1, 4);
  close_copy_group();
  wait_for_copies<0>();
  __syncthreads();
  fetch_flux(0);

  for (int k = 0; k < nz; ++k) {
    if (is_column) {  // z
      a[0] = a[4];
      b[0] = b[4];
#pragma unroll
      for (int m = 1; m < 5; ++m) stage(4 * k + m, m - 1, false, m == 4 && k == nz - 1, a[m], b[m]);
      const Fibre fibre_a(a[0], a[1], a[2], a[3], a[4]), fibre_b(b[0], b[1], b[2], b[3], b[4]);
      double out[4];
      fibre_a.values(out);
#pragma unroll
      for (int q = 0; q < 4; ++q) s_1[q * node_columns + t] = out[q];
      fibre_b.values(out);
#pragma unroll
      for (int q = 0; q < 4; ++q) s_1[stage_size + q * node_columns + t] = out[q];
      fibre_a.derivatives(out);
#pragma unroll
      for (int q = 0; q < 4; ++q) s_1[(4 + q) * node_columns + t] = out[q];
      fibre_b.derivatives(out);
#pragma unroll
      for (int q = 0; q < 4; ++q) s_1[stage_size + (4 + q) * node_columns + t] = out[q];
    }
    __syncthreads();
    if (k + 1 < nz) fetch_levels(4 * k + 5, 4);
    close_copy_group();

    if (t < y_rows) {  // y
#pragma unroll
      for (int f = 0; f < 2; ++f) {
        const double* s = s_1 + f * stage_size + yz * node_columns + 4 * yey * PX + yi;
        const Fibre v(s[0], s[PX], s[2 * PX], s[3 * PX], s[4 * PX]);
        s += 4 * node_columns;
        const Fibre d(s[0], s[PX], s[2 * PX], s[3 * PX], s[4 * PX]);
        double* s_out = s_2 + f * stage_size + (yz * 4 * EY + 4 * yey) * PX + yi;
        double out[4];
        v.values(out);
#pragma unroll
        for (int q = 0; q < 4; ++q) s_out[q * PX] = out[q];
        d.values(out);
#pragma unroll
        for (int q = 0; q < 4; ++q) s_out[2 * plane + q * PX] = out[q];
        v.derivatives(out);
#pragma unroll
        for (int q = 0; q < 4; ++q) s_out[plane + q * PX] = out[q];
      }
    }
    __syncthreads();

    wait_for_copies<1>();  // the flux of this layer, this thread's own
    if (is_row) {          // x
      double U[3][4];
#pragma unroll
      for (int c = 0; c < 3; ++c)
#pragma unroll
        for (int q = 0; q < 4; ++q) U[c][q] = s_flux[(c * 4 + q) * rows];
      const double ds = g.elements.ds[k], inverse_ds = 1 / ds, slope = -fma(-ds, c_tables.x[qz], g.elements.s_mid[k]) * inverse_ds;
      const double kx = wyz_x * ds, ky = wyz_y * ds, kz = wyz_z * inverse_ds;
#pragma unroll 1  // both fields at once would spill
      for (int f = 0; f < 2; ++f) {
        const double* s = s_2 + f * stage_size + (qz * 4 * EY + qy) * PX + 4 * ex;
        double x[4], y[4], z[4];  // p_xi, p_eta, p_zeta, then the flux
        Fibre(s[0], s[1], s[2], s[3], s[4]).derivatives(x);
        s += plane;
        Fibre(s[0], s[1], s[2], s[3], s[4]).values(y);
        s += plane;
        Fibre(s[0], s[1], s[2], s[3], s[4]).values(z);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const double along_x = slope * s_slopes[q * slope_rows], along_y = slope * s_slopes[(4 + q) * slope_rows];
          const double fx = wh[q] * kx * fma(-along_x, z[q], x[q]), fy = wh[q] * ky * fma(-along_y, z[q], y[q]);
          const double fz = fma(-along_y, fy, fma(-along_x, fx, w_over_h[q] * kz * z[q]));
          x[q] = U[0][q] + fx;
          y[q] = U[1][q] + fy;
          z[q] = U[2][q] + fz;
          if (A && f == 0) {
            double* out = flux + static_cast<std::int64_t>(k) * layer_flux + q * rows;
            out[0] = U[0][q] = x[q];
            out[4 * rows] = U[1][q] = y[q];
            out[8 * rows] = U[2][q] = z[q];
          }
        }
        double* s_out = s_1 + f * stage_size + (qz * 4 * EY + qy) * PX + 4 * ex;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
          Adjoint sum;
          if (c == 0)
            sum.add_derivatives(x);
          else
            sum.add_values(c == 1 ? y : z);
          double r[5];
          sum.result(r);
          const double below = __shfl_up_sync(0xffffffffu, r[4], 1, EX);
          if (ex > 0) r[0] += below;
#pragma unroll
          for (int m = 0; m < 4; ++m) s_out[c * plane + m] = r[m];
          if (ex == EX - 1) s_out[c * plane + 4] = r[4];
        }
      }
    }
    fetch_flux(k + 1);
    __syncthreads();

    if (t < y_rows) {  // y^T
#pragma unroll
      for (int f = 0; f < 2; ++f) {
        const double* s = s_1 + f * stage_size + (yz * 4 * EY + 4 * yey) * PX + yi;
        double in[4], v[5], d[5];
        Adjoint sum_v, sum_d;
#pragma unroll
        for (int q = 0; q < 4; ++q) in[q] = s[q * PX];
        sum_v.add_values(in);
#pragma unroll
        for (int q = 0; q < 4; ++q) in[q] = s[2 * plane + q * PX];
        sum_d.add_values(in);
#pragma unroll
        for (int q = 0; q < 4; ++q) in[q] = s[plane + q * PX];
        sum_v.add_derivatives(in);
        sum_v.result(v);
        sum_d.result(d);
        double* s_out = s_2 + f * stage_size;
#pragma unroll
        for (int m = 0; m < 5; ++m) {
          if (m == 4 && yey < EY - 1) {
            double* s_aside = s_out + 8 * node_columns + (yz * (EY - 1) + yey) * PX + yi;
            s_aside[0] = v[4];
            s_aside[4 * (EY - 1) * PX] = d[4];
          } else {
            s_out[yz * node_columns + (4 * yey + m) * PX + yi] = v[m];
            s_out[(4 + yz) * node_columns + (4 * yey + m) * PX + yi] = d[m];
          }
        }
      }
    }
    wait_for_copies<1>();  // the nodes of the next layer; the barrier shows the neighbours' sums to all
    __syncthreads();

    if (is_column) {  // z^T
      const bool between = EY > 1 && nj % 4 == 0 && nj > 0 && nj < PY - 1;
#pragma unroll
      for (int f = 0; f < 2; ++f) {
        const double* s = s_2 + f * stage_size;
        double v[4], d[4], r[5];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          v[q] = s[q * node_columns + t];
          d[q] = s[(4 + q) * node_columns + t];
        }
        if (between) {
          const double* s_aside = s + 8 * node_columns + (nj / 4 - 1) * PX + ni;
#pragma unroll
          for (int q = 0; q < 4; ++q) {
            v[q] += s_aside[q * (EY - 1) * PX];
            d[q] += s_aside[(4 + q) * (EY - 1) * PX];
          }
        }
        Adjoint sum;
        sum.add_values(v);
        sum.add_derivatives(d);
        sum.result(r);
        double& carry = f == 0 ? carry_a : carry_b;
        r[0] += carry;
        carry = r[4];
        double* out = (f == 0 ? g.out_a : g.out_b) + own_sums + static_cast<std::int64_t>(4 * k) * node_columns;
#pragma unroll
        for (int m = 0; m < 4; ++m) out[m * node_columns] = r[m];
        if (k == nz - 1) out[4 * node_columns] = r[4];
      }
    }
  }
}

}  // namespace agwave::two_sweep
