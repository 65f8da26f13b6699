// SPDX-License-Identifier: Apache-2.0
// One field of one layer of a patch: gradient, flux and divergence of its elements, 8 elements of a bar side by side.
//   z, y, x: fibres split into parts that are even and odd about the element's middle; what a direction leaves folded the next one
//   treats as so many more values. Only x and y unfold, because the depth varies with them; along z the geometry is w_z (even) and
//   slope = x_z - s_mid / ds, which on parts is   (slope f)_E = x_q f_O - m f_E,   (slope f)_O = x_q f_E - m f_O,   m = s_mid / ds.
//   F_x = w h ds (ay/ax) (p_xi - a p_zeta),  F_y = w h ds (ax/ay) (p_eta - b p_zeta),  F_z = w ax ay / (h ds) p_zeta - a F_x - b F_y
//   with a = slope h_xi / h, b = slope h_eta / h.
// Then the transposes in reverse order. Rows of nodes are kept with x split by the node's place in its element, so that a vector holds
// the same node of neighbouring elements: [1][2][3][0], 8 elements each, then the east side; node 4 of an element is node 0 of the next.
#if defined(AGWAVE_TWO_SWEEP_LAYER) == defined(HWY_TARGET_TOGGLE)
#ifdef AGWAVE_TWO_SWEEP_LAYER
#undef AGWAVE_TWO_SWEEP_LAYER
#else
#define AGWAVE_TWO_SWEEP_LAYER
#endif

#include "timestep/two_sweep/cpu/fibre-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace agwave::two_sweep::HWY_NAMESPACE {

inline constexpr int EY = CpuPatches::EY, PY = CpuPatches::PY;
inline constexpr int row = 40;               // doubles of a row of nodes
inline constexpr int node0 = 24, last = 32;  // where node 0 of the elements and the patch's last node lie in it
inline constexpr int back_row = 48;          // a row on the way back: [1][2][3][0], then node 4 from place 33 on, behind a zero

// Parts along z times parts along y, in this order: E0 E1 O0 O1 of both (of which the derivative along x is wanted too), C along y, C along z.
inline constexpr int derived = 16, combined = 24;
HWY_INLINE constexpr int entry(int z, int y) { return z == 4 ? 20 + y : y == 4 ? 16 + z : 4 * z + y; }

using Level = double[PY][row];

struct Scratch {
  alignas(64) Level nodes[2][5];  // the two staged pressures, scaled, on the five levels of a layer
  alignas(64) Level z[5];         // parts along z
  alignas(64) double y[combined][back_row];
  alignas(64) double x[4][combined + derived][8];                   // per point along x: parts of the values, then of the derivative along x
  alignas(64) double edge[5][row];                                  // what a bar adds to the first row of the next
  alignas(64) Level carry[2];                                       // what a layer adds to the first level of the next
  alignas(64) double sums[2][row], staged[2][row], padded[4][row];  // a row of nodes in the order of the mesh
  alignas(64) float excess[row] = {};                               // likewise, of the medium
  alignas(64) double west[2][PY + 15], east[2][PY + 15];            // the sums of its neighbours along x, per row of a level
};

struct LayerGeometry {
  double m;             // s_mid / ds
  double w_ds[2];       // w_z ds
  double w_over_ds[2];  // w_z / ds
  LayerGeometry(const ElementView& e, int ez)
      : m(e.s_mid[ez] / e.ds[ez]), w_ds{fibre.w[0] * e.ds[ez], fibre.w[1] * e.ds[ez]}, w_over_ds{fibre.w[0] / e.ds[ez], fibre.w[1] / e.ds[ez]} {}
};

template <int P>
HWY_INLINE void split_z(const Level* const (&level)[5], int j, int at, Scratch& s) {
  Wide<P> v[5], part[5];
  for (int k = 0; k < 5; ++k) v[k] = load<P>(&(*level[k])[j][at]);
  split<true>(v, part);
  for (int k = 0; k < 5; ++k) store(part[k], &s.z[k][j][at]);
}

template <int P>
HWY_INLINE void split_y(int j, int at, Scratch& s) {
  for (int k = 0; k < 5; ++k) {
    Wide<P> v[5], part[5];
    for (int n = 0; n < 5; ++n) v[n] = load<P>(&s.z[k][j + n][at]);
    split<true>(v, part);
    for (int n = 0; n < (k < 4 ? 5 : 4); ++n) store(part[n], &s.y[entry(k, n)][at]);
  }
}

HWY_INLINE void split_x(Scratch& s) {
  for (int n = 0; n < combined; ++n) {
    const double* from = s.y[n];
    const Wide<P8> v[5] = {load<P8>(from + node0), load<P8>(from), load<P8>(from + 8), load<P8>(from + 16), load<P8>(from + node0 + 1)};
    Wide<P8> part[5], value[4];
    if (n < derived) {
      split<true>(v, part);
      Wide<P8> slope[4];
      derive(part[E0], part[E1], part[O0], part[O1], part[C], slope);
      unfold(slope, value);
      for (int q = 0; q < 4; ++q) store(value[q], s.x[q][combined + n]);
    } else {
      split<false>(v, part);
    }
    unfold(part, value);
    for (int q = 0; q < 4; ++q) store(value[q], s.x[q][n]);
  }
}

// At the 16 points of one x, of as many elements as a vector holds: gradient, flux, and back to parts. With WithFlux: U += F, and U goes on
// instead of F. Not inlined, or the compiler keeps a pointer to each of the 40 rows of x.
template <bool WithFlux>
HWY_NOINLINE void points(double* x, const double* geometry, const LayerGeometry& layer, double* flux) {
  using V = Wide<1>;
  V f[3][4][4];  // [component][z part][y]: first the gradient, then the flux
  V zeta[4][4];  // [z part][y part]
#pragma GCC unroll 4
  for (int y = 0; y < 4; ++y) {
    V part[5];
    for (int z = 0; z < 5; ++z) part[z] = load<1>(x + 8 * entry(z, y));
    derive<4>(part[E0], part[E1], part[O0], part[O1], part[C], &zeta[0][y]);
  }
#pragma GCC unroll 4
  for (int z = 0; z < 4; ++z) {
    V part[5], derived[4];
    unfold(zeta[z], f[2][z]);
    for (int y = 0; y < 5; ++y) part[y] = load<1>(x + 8 * entry(z, y));
    derive(part[E0], part[E1], part[O0], part[O1], part[C], derived);
    unfold(derived, f[1][z]);
    for (int y = 0; y < 4; ++y) part[y] = load<1>(x + 8 * (combined + entry(z, y)));
    unfold(part, f[0][z]);
  }

  for (int y = 0; y < 4; ++y) {
    const double* g = geometry + y * factors * 8;
    const V gx = load<1>(g), gy = load<1>(g + 8), gz = load<1>(g + 16), a = load<1>(g + 24), b = load<1>(g + 32);
    for (int q = 0; q < 2; ++q) {
      V &xe = f[0][E0 + q][y], &xo = f[0][O0 + q][y], &ye = f[1][E0 + q][y], &yo = f[1][O0 + q][y], &ze = f[2][E0 + q][y], &zo = f[2][O0 + q][y];
      const V kx = layer.w_ds[q] * gx, ky = layer.w_ds[q] * gy, kz = layer.w_over_ds[q] * gz;
      const V te = fma(fibre.x[q], zo, -layer.m * ze), to = fma(fibre.x[q], ze, -layer.m * zo);  // slope p_zeta
      xe = kx * fnma(a, te, xe);
      xo = kx * fnma(a, to, xo);
      ye = ky * fnma(b, te, ye);
      yo = ky * fnma(b, to, yo);
      const V re = fma(a, xe, b * ye), ro = fma(a, xo, b * yo);
      ze = fma(kz, ze, fma(layer.m, re, -fibre.x[q] * ro));
      zo = fma(kz, zo, fma(layer.m, ro, -fibre.x[q] * re));
    }
  }
  if (WithFlux) {
    for (int c = 0; c < 3; ++c)
      for (int q = 0; q < 2; ++q)
        for (int y = 0; y < 4; ++y) {
          double *const low = flux + c * CpuPatches::bar + (q * 4 + y) * 8, *const high = low + (3 - 2 * q) * 32;
          V &e = f[c][E0 + q][y], &o = f[c][O0 + q][y];
          const V u = fma(0.5, e + o, load<1>(low)), v = fma(0.5, e - o, load<1>(high));
          store(u, low);
          store(v, high);
          e = u + v;
          o = u - v;
        }
  }

  V value[4][4], along_z[4][4];  // [z part][y part]
#pragma GCC unroll 4
  for (int z = 0; z < 4; ++z) {
    V back[4], c;
    fold(f[0][z], back);
    for (int y = 0; y < 4; ++y) store(back[y], x + 8 * (combined + entry(z, y)));
    fold(f[1][z], back);
    for (int y = 0; y < 4; ++y) value[z][y] = zero<1>();
    derive_back(back, value[z][E0], value[z][E1], value[z][O0], value[z][O1], c);
    store(c, x + 8 * entry(z, C));
    fold(f[2][z], along_z[z]);
  }
#pragma GCC unroll 4
  for (int y = 0; y < 4; ++y) {
    V c;
    derive_back<4>(&along_z[0][y], value[E0][y], value[E1][y], value[O0][y], value[O1][y], c);
    for (int z = 0; z < 4; ++z) store(value[z][y], x + 8 * entry(z, y));
    store(c, x + 8 * entry(C, y));
  }
}

HWY_INLINE void join_x(Scratch& s) {
  for (int n = 0; n < combined; ++n) {
    Wide<P8> value[4], part[5], v[5];
    for (int q = 0; q < 4; ++q) value[q] = load<P8>(s.x[q][n]);
    fold(value, part);
    if (n < derived) {
      Wide<P8> slope[4];
      for (int q = 0; q < 4; ++q) value[q] = load<P8>(s.x[q][combined + n]);
      fold(value, slope);
      derive_back(slope, part[E0], part[E1], part[O0], part[O1], part[C]);
      join<true>(part, v);
    } else {
      join<false>(part, v);
    }
    double* const to = s.y[n];
    store(v[0], to + node0);
    store(v[1], to);
    store(v[2], to + 8);
    store(v[3], to + 16);
    to[32] = 0;
    store(v[4], to + 33);
  }
}

template <int P>
HWY_INLINE Wide<P> assembled(const double* from, int at) {
  if (at == node0) return load<P>(from + node0) + load<P>(from + 32);
  return load<P>(from + (at == last ? 40 : at));
}

template <int P>
HWY_INLINE void join_y(int j, int at, bool first, bool last, Scratch& s) {
  for (int k = 0; k < 5; ++k) {
    Wide<P> part[5], v[5];
    for (int n = 0; n < (k < 4 ? 5 : 4); ++n) part[n] = assembled<P>(s.y[entry(k, n)], at);
    if (k < 4)
      join<true>(part, v);
    else
      join<false>(part, v);
    if (!first) v[0] = v[0] + load<P>(&s.edge[k][at]);
    for (int n = 0; n < 4; ++n) store(v[n], &s.z[k][j + n][at]);
    store(v[4], last ? &s.z[k][j + 4][at] : &s.edge[k][at]);
  }
}

// The field on its five levels -> s.z, the parts along z of its divergence.
template <bool WithFlux>
void elements(const Level* const (&level)[5], int bars, const double* geometry, const LayerGeometry& layer, double* flux, Scratch& s) {
  for (int j = 0; j <= 4 * bars; ++j) {
    for (int at = 0; at < last; at += 8) split_z<P8>(level, j, at, s);
    split_z<1>(level, j, last, s);
  }
  for (int bar = 0; bar < bars; ++bar) {
    const int j = 4 * bar;
    for (int at = 0; at < last; at += 8) split_y<P8>(j, at, s);
    split_y<1>(j, last, s);
    split_x(s);
    for (int x = 0; x < 4; ++x)
      for (int lane = 0; lane < 8; lane += N)
        points<WithFlux>(&s.x[x][0][lane], geometry + bar * bar_geometry + x * 4 * factors * 8 + lane, layer,
                         flux + bar * 3 * CpuPatches::bar + x * 16 * 8 + lane);
    join_x(s);
    for (int at = 0; at < last; at += 8) join_y<P8>(j, at, bar == 0, bar == bars - 1, s);
    join_y<1>(j, last, bar == 0, bar == bars - 1, s);
  }
}

}  // namespace agwave::two_sweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
