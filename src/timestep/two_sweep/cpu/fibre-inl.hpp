// SPDX-License-Identifier: Apache-2.0
// Vectors and the contraction of fibres for one instruction set; compiled once for each (simd.cpp).
//   Wide<P>: P vectors side by side, so that one load of a constant serves them all.
//   split: nodes -> parts E0, E1, O0, O1 and C at the Gauss points (FibreTables);  join: its transpose
//   derive: parts -> parts of the derivative;  derive_back: its transpose
//   unfold: parts -> values at the points;  fold: its transpose
#if defined(AGWAVE_TWO_SWEEP_FIBRE) == defined(HWY_TARGET_TOGGLE)
#ifdef AGWAVE_TWO_SWEEP_FIBRE
#undef AGWAVE_TWO_SWEEP_FIBRE
#else
#define AGWAVE_TWO_SWEEP_FIBRE
#endif

#include <hwy/highway.h>

#include "timestep/two_sweep/cpu/sweep.hpp"

HWY_BEFORE_NAMESPACE();
namespace agwave::two_sweep::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using Vec = hn::Vec<D>;
inline constexpr D d{};
inline constexpr int N = static_cast<int>(hn::MaxLanes(d));  // doubles per vector
inline constexpr int P8 = 8 / N;                             // vectors for the 8 elements of a bar

template <int P>
struct Wide {
  Vec v[P];
};
template <int P>
HWY_INLINE Wide<P> load(const double* at) {
  Wide<P> a;
  for (int n = 0; n < P; ++n) a.v[n] = hn::LoadU(d, at + n * N);
  return a;
}
template <int P>
HWY_INLINE void store(const Wide<P>& a, double* at) {
  for (int n = 0; n < P; ++n) hn::StoreU(a.v[n], d, at + n * N);
}
template <int P>
HWY_INLINE Wide<P> zero() {
  Wide<P> a;
  for (int n = 0; n < P; ++n) a.v[n] = hn::Zero(d);
  return a;
}
template <int P, class Operation, class... Operands>
HWY_INLINE Wide<P> each(const Operation& of, const Wide<P>& a, const Operands&... b) {
  Wide<P> c;
  for (int n = 0; n < P; ++n) c.v[n] = of(a.v[n], b.v[n]...);
  return c;
}
template <int P>
HWY_INLINE Wide<P> operator+(const Wide<P>& a, const Wide<P>& b) {
  return each([](Vec x, Vec y) HWY_ATTR { return hn::Add(x, y); }, a, b);
}
template <int P>
HWY_INLINE Wide<P> operator-(const Wide<P>& a, const Wide<P>& b) {
  return each([](Vec x, Vec y) HWY_ATTR { return hn::Sub(x, y); }, a, b);
}
template <int P>
HWY_INLINE Wide<P> operator*(const Wide<P>& a, const Wide<P>& b) {
  return each([](Vec x, Vec y) HWY_ATTR { return hn::Mul(x, y); }, a, b);
}
template <int P>
HWY_INLINE Wide<P> operator*(double a, const Wide<P>& b) {
  return each([s = hn::Set(d, a)](Vec x) HWY_ATTR { return hn::Mul(s, x); }, b);
}
template <int P>
HWY_INLINE Wide<P> fma(const Wide<P>& a, const Wide<P>& b, const Wide<P>& c) {  // a b + c
  return each([](Vec x, Vec y, Vec z) HWY_ATTR { return hn::MulAdd(x, y, z); }, a, b, c);
}
template <int P>
HWY_INLINE Wide<P> fma(double a, const Wide<P>& b, const Wide<P>& c) {
  return each([s = hn::Set(d, a)](Vec x, Vec y) HWY_ATTR { return hn::MulAdd(s, x, y); }, b, c);
}
template <int P>
HWY_INLINE Wide<P> fnma(const Wide<P>& a, const Wide<P>& b, const Wide<P>& c) {  // c - a b
  return each([](Vec x, Vec y, Vec z) HWY_ATTR { return hn::NegMulAdd(x, y, z); }, a, b, c);
}

enum { E0, E1, O0, O1, C };

template <bool WithC, int P>
HWY_INLINE void split(const Wide<P> (&v)[5], Wide<P>* part) {
  const Wide<P> e0 = v[0] + v[4], e1 = v[1] + v[3], o0 = v[0] - v[4], o1 = v[1] - v[3];
  part[E0] = fma(fibre.even[0][0], e0, fma(fibre.even[0][1], e1, fibre.even[0][2] * v[2]));
  part[E1] = fma(fibre.even[1][0], e0, fma(fibre.even[1][1], e1, fibre.even[1][2] * v[2]));
  if (WithC) part[C] = fma(fibre.even[2][0], e0, fma(fibre.even[2][1], e1, fibre.even[2][2] * v[2]));
  part[O0] = fma(fibre.odd[0][0], o0, fibre.odd[0][1] * o1);
  part[O1] = fma(fibre.odd[1][0], o0, fibre.odd[1][1] * o1);
}

template <bool WithC, int P>
HWY_INLINE void join(const Wide<P>* part, Wide<P> (&v)[5]) {
  Wide<P> e[3];
  for (int i = 0; i < 3; ++i) {
    e[i] = fma(fibre.even[0][i], part[E0], fibre.even[1][i] * part[E1]);
    if (WithC) e[i] = fma(fibre.even[2][i], part[C], e[i]);
  }
  const Wide<P> o0 = fma(fibre.odd[0][0], part[O0], fibre.odd[1][0] * part[O1]);
  const Wide<P> o1 = fma(fibre.odd[0][1], part[O0], fibre.odd[1][1] * part[O1]);
  v[0] = e[0] + o0;
  v[1] = e[1] + o1;
  v[2] = e[2];
  v[3] = e[1] - o1;
  v[4] = e[0] - o0;
}

template <int Stride = 1, int P>
HWY_INLINE void derive(const Wide<P>& e0, const Wide<P>& e1, const Wide<P>& o0, const Wide<P>& o1, const Wide<P>& c, Wide<P>* part) {
  const Wide<P> t = e1 - e0;
  part[E0 * Stride] = fma(fibre.slope[0][0], o0, fibre.slope[0][1] * o1);
  part[E1 * Stride] = fma(fibre.slope[1][0], o0, fibre.slope[1][1] * o1);
  part[O0 * Stride] = fibre.kappa[0] * (t - c);
  part[O1 * Stride] = fibre.kappa[1] * (t + c);
}

// Adds to the parts e0..o1, and sets c.
template <int Stride = 1, int P>
HWY_INLINE void derive_back(const Wide<P>* part, Wide<P>& e0, Wide<P>& e1, Wide<P>& o0, Wide<P>& o1, Wide<P>& c) {
  const Wide<P> k0 = fibre.kappa[0] * part[O0 * Stride], k1 = fibre.kappa[1] * part[O1 * Stride], t = k0 + k1;
  o0 = fma(fibre.slope[0][0], part[E0 * Stride], fma(fibre.slope[1][0], part[E1 * Stride], o0));
  o1 = fma(fibre.slope[0][1], part[E0 * Stride], fma(fibre.slope[1][1], part[E1 * Stride], o1));
  e0 = e0 - t;
  e1 = e1 + t;
  c = k1 - k0;
}

template <int P>
HWY_INLINE void unfold(const Wide<P>* part, Wide<P>* value) {
  value[0] = part[E0] + part[O0];
  value[1] = part[E1] + part[O1];
  value[2] = part[E1] - part[O1];
  value[3] = part[E0] - part[O0];
}

template <int P>
HWY_INLINE void fold(const Wide<P>* value, Wide<P>* part) {
  part[E0] = value[0] + value[3];
  part[E1] = value[1] + value[2];
  part[O0] = value[0] - value[3];
  part[O1] = value[1] - value[2];
}

}  // namespace agwave::two_sweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
