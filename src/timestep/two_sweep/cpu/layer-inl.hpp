// SPDX-License-Identifier: Apache-2.0
// One field of one layer of a patch: gradient, flux and divergence of its elements, those of a bar side by side: E = 8 of them, or 16 in single precision.
//   z, y, x: fibres split into parts that are even and odd about the element's middle; what a direction leaves folded the next one
//   treats as so many more values. Only x and y unfold, because the depth varies with them; along z the geometry is w_z (even) and
//   slope = x_z - s_mid / ds, which on parts is   (slope f)_E = x_q f_O - m f_E,   (slope f)_O = x_q f_E - m f_O,   m = s_mid / ds.
//   F_x = w h ds (ay/ax) (p_xi - a p_zeta),  F_y = w h ds (ax/ay) (p_eta - b p_zeta),  F_z = w ax ay / (h ds) p_zeta - a F_x - b F_y
//   with a = slope h_xi / h, b = slope h_eta / h.
// Then the transposes in reverse order. Rows of nodes are kept with x split by the node's place in its element, so that a vector holds
// the same node of neighbouring elements: [1][2][3][0], E elements each, then the east side; node 4 of an element is node 0 of the next.
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
static_assert(EY == CpuSinglePatches::EY);
template <class T>
struct Rows {
  static constexpr int E = elements_of_bar<T>;
  static constexpr int row = 5 * E;                  // values of a row of nodes
  static constexpr int node0 = 3 * E, last = 4 * E;  // where node 0 of the elements and the patch's last node lie in it
  static constexpr int back_row = 6 * E;             // a row on the way back: [1][2][3][0], then node 4 from place 4 E + 1 on, behind a zero
};
inline constexpr int row = Rows<double>::row, node0 = Rows<double>::node0, last = Rows<double>::last, back_row = Rows<double>::back_row;

// Parts along z times parts along y, in this order: E0 E1 O0 O1 of both (of which the derivative along x is wanted too), C along y, C along z.
inline constexpr int derived = 16, combined = 24;
HWY_INLINE constexpr int entry(int z, int y) { return z == 4 ? 20 + y : y == 4 ? 16 + z : 4 * z + y; }

template <class T>
using LevelOf = T[PY][Rows<T>::row];
using Level = LevelOf<double>;

template <class T>
struct ScratchOf : Rows<T> {
  using Level = LevelOf<T>;
  using Rows<T>::E, Rows<T>::row, Rows<T>::back_row;
  alignas(64) Level nodes[2][5];  // the two staged pressures, scaled, on the five levels of a layer
  alignas(64) Level z[5];         // parts along z
  alignas(64) T y[combined][back_row];
  alignas(64) T x[4][combined + derived][E];                   // per point along x: parts of the values, then of the derivative along x
  alignas(64) T edge[5][row];                                  // what a bar adds to the first row of the next
  alignas(64) Level carry[2];                                  // what a layer adds to the first level of the next
  alignas(64) T sums[2][row], staged[2][row], padded[4][row];  // a row of nodes in the order of the mesh
  alignas(64) float excess[row] = {};                          // likewise, of the medium
  alignas(64) T west[2][PY + 15], east[2][PY + 15];            // the sums of its neighbours along x, per row of a level
};
using Scratch = ScratchOf<double>;

struct LayerGeometry {
  double m;             // s_mid / ds
  double w_ds[2];       // w_z ds
  double w_over_ds[2];  // w_z / ds
  LayerGeometry(const ElementView& e, int ez)
      : m(e.s_mid[ez] / e.ds[ez]), w_ds{fibre.w[0] * e.ds[ez], fibre.w[1] * e.ds[ez]}, w_over_ds{fibre.w[0] / e.ds[ez], fibre.w[1] / e.ds[ez]} {}
};

template <int P, class T>
HWY_INLINE void split_z(const LevelOf<T>* const (&level)[5], int j, int at, ScratchOf<T>& s) {
  Wide<P, T> v[5], part[5];
  for (int k = 0; k < 5; ++k) v[k] = load<P>(&(*level[k])[j][at]);
  split<true>(v, part);
  for (int k = 0; k < 5; ++k) store(part[k], &s.z[k][j][at]);
}

template <int P, class T>
HWY_INLINE void split_y(int j, int at, ScratchOf<T>& s) {
  for (int k = 0; k < 5; ++k) {
    Wide<P, T> v[5], part[5];
    for (int n = 0; n < 5; ++n) v[n] = load<P>(&s.z[k][j + n][at]);
    split<true>(v, part);
    for (int n = 0; n < (k < 4 ? 5 : 4); ++n) store(part[n], &s.y[entry(k, n)][at]);
  }
}

template <class T>
HWY_INLINE void split_x(ScratchOf<T>& s) {
  constexpr int E = Rows<T>::E, node0 = Rows<T>::node0;
  for (int n = 0; n < combined; ++n) {
    const T* from = s.y[n];
    const Wide<P8, T> v[5] = {load<P8>(from + node0), load<P8>(from), load<P8>(from + E), load<P8>(from + 2 * E), load<P8>(from + node0 + 1)};
    Wide<P8, T> part[5], value[4];
    if (n < derived) {
      split<true>(v, part);
      Wide<P8, T> slope[4];
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
template <bool WithFlux, class T>
HWY_NOINLINE void points(T* x, const T* geometry, const LayerGeometry& layer, T* flux) {
  using V = Wide<1, T>;
  constexpr int E = elements_of_bar<T>;
  V f[3][4][4];  // [component][z part][y]: first the gradient, then the flux
  V zeta[4][4];  // [z part][y part]
#pragma GCC unroll 4
  for (int y = 0; y < 4; ++y) {
    V part[5];
    for (int z = 0; z < 5; ++z) part[z] = load<1>(x + E * entry(z, y));
    derive<4>(part[E0], part[E1], part[O0], part[O1], part[C], &zeta[0][y]);
  }
#pragma GCC unroll 4
  for (int z = 0; z < 4; ++z) {
    V part[5], derived[4];
    unfold(zeta[z], f[2][z]);
    for (int y = 0; y < 5; ++y) part[y] = load<1>(x + E * entry(z, y));
    derive(part[E0], part[E1], part[O0], part[O1], part[C], derived);
    unfold(derived, f[1][z]);
    for (int y = 0; y < 4; ++y) part[y] = load<1>(x + E * (combined + entry(z, y)));
    unfold(part, f[0][z]);
  }

  for (int y = 0; y < 4; ++y) {
    const T* g = geometry + y * factors * E;
    const V gx = load<1>(g), gy = load<1>(g + E), gz = load<1>(g + 2 * E), a = load<1>(g + 3 * E), b = load<1>(g + 4 * E);
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
          T *const low = flux + c * L3D * E + (q * 4 + y) * E, *const high = low + (3 - 2 * q) * 4 * E;
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
    for (int y = 0; y < 4; ++y) store(back[y], x + E * (combined + entry(z, y)));
    fold(f[1][z], back);
    for (int y = 0; y < 4; ++y) value[z][y] = zero<1, T>();
    derive_back(back, value[z][E0], value[z][E1], value[z][O0], value[z][O1], c);
    store(c, x + E * entry(z, C));
    fold(f[2][z], along_z[z]);
  }
#pragma GCC unroll 4
  for (int y = 0; y < 4; ++y) {
    V c;
    derive_back<4>(&along_z[0][y], value[E0][y], value[E1][y], value[O0][y], value[O1][y], c);
    for (int z = 0; z < 4; ++z) store(value[z][y], x + E * entry(z, y));
    store(c, x + E * entry(C, y));
  }
}

template <class T>
HWY_INLINE void join_x(ScratchOf<T>& s) {
  constexpr int E = Rows<T>::E, node0 = Rows<T>::node0, last = Rows<T>::last;
  for (int n = 0; n < combined; ++n) {
    Wide<P8, T> value[4], part[5], v[5];
    for (int q = 0; q < 4; ++q) value[q] = load<P8>(s.x[q][n]);
    fold(value, part);
    if (n < derived) {
      Wide<P8, T> slope[4];
      for (int q = 0; q < 4; ++q) value[q] = load<P8>(s.x[q][combined + n]);
      fold(value, slope);
      derive_back(slope, part[E0], part[E1], part[O0], part[O1], part[C]);
      join<true>(part, v);
    } else {
      join<false>(part, v);
    }
    T* const to = s.y[n];
    store(v[0], to + node0);
    store(v[1], to);
    store(v[2], to + E);
    store(v[3], to + 2 * E);
    to[last] = 0;
    store(v[4], to + last + 1);
  }
}

template <int P, class T>
HWY_INLINE Wide<P, T> assembled(const T* from, int at) {
  constexpr int node0 = Rows<T>::node0, last = Rows<T>::last;
  if (at == node0) return load<P>(from + node0) + load<P>(from + last);
  return load<P>(from + (at == last ? last + Rows<T>::E : at));
}

template <int P, class T>
HWY_INLINE void join_y(int j, int at, bool first, bool last, ScratchOf<T>& s) {
  for (int k = 0; k < 5; ++k) {
    Wide<P, T> part[5], v[5];
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
template <bool WithFlux, class T>
void elements(const LevelOf<T>* const (&level)[5], int bars, const T* geometry, const LayerGeometry& layer, T* flux, ScratchOf<T>& s) {
  constexpr int E = Rows<T>::E, last = Rows<T>::last, bar_geometry = 16 * factors * E;
  for (int j = 0; j <= 4 * bars; ++j) {
    for (int at = 0; at < last; at += E) split_z<P8>(level, j, at, s);
    split_z<1>(level, j, last, s);
  }
  for (int bar = 0; bar < bars; ++bar) {
    const int j = 4 * bar;
    for (int at = 0; at < last; at += E) split_y<P8>(j, at, s);
    split_y<1>(j, last, s);
    split_x(s);
    for (int x = 0; x < 4; ++x)
      for (int lane = 0; lane < E; lane += lanes_of<T>)
        points<WithFlux>(&s.x[x][0][lane], geometry + bar * bar_geometry + x * 4 * factors * E + lane, layer,
                         flux + bar * 3 * L3D * E + x * 16 * E + lane);
    join_x(s);
    for (int at = 0; at < last; at += E) join_y<P8>(j, at, bar == 0, bar == bars - 1, s);
    join_y<1>(j, last, bar == 0, bar == bars - 1, s);
  }
}

}  // namespace agwave::two_sweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
