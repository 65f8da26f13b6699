// SPDX-License-Identifier: Apache-2.0
// Vectors and the contraction of fibres for one instruction set; compiled once for each (simd.cpp).
//   T: double or float, of which a vector holds twice as many; a bar has as many elements as 64 bytes have room for.
//   Wide<P, T>: P vectors side by side, so that one load of a constant serves them all.
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
template <class T>
inline constexpr int elements_of_bar = 64 / sizeof(T);
template <class T>
using Tag = hn::CappedTag<T, elements_of_bar<T>>;
template <class T>
using VecOf = hn::Vec<Tag<T>>;
template <class T>
inline constexpr int lanes_of = static_cast<int>(hn::MaxLanes(Tag<T>()));
using D = Tag<double>;
using Vec = VecOf<double>;
inline constexpr D d{};
inline constexpr int N = lanes_of<double>;  // doubles per vector
inline constexpr int P8 = 8 / N;            // vectors for the elements of a bar, of either precision
static_assert(elements_of_bar<float> == P8 * lanes_of<float>);

template <int P, class T>
struct Wide {
  VecOf<T> v[P];
};
template <int P, class T>
HWY_INLINE Wide<P, T> load(const T* at) {
  Wide<P, T> a;
  for (int n = 0; n < P; ++n) a.v[n] = hn::LoadU(Tag<T>(), at + n * lanes_of<T>);
  return a;
}
template <int P, class T>
HWY_INLINE void store(const Wide<P, T>& a, T* at) {
  for (int n = 0; n < P; ++n) hn::StoreU(a.v[n], Tag<T>(), at + n * lanes_of<T>);
}
template <int P, class T>
HWY_INLINE Wide<P, T> zero() {
  Wide<P, T> a;
  for (int n = 0; n < P; ++n) a.v[n] = hn::Zero(Tag<T>());
  return a;
}
template <int P, class T, class Operation, class... Operands>
HWY_INLINE Wide<P, T> each(const Operation& of, const Wide<P, T>& a, const Operands&... b) {
  Wide<P, T> c;
  for (int n = 0; n < P; ++n) c.v[n] = of(a.v[n], b.v[n]...);
  return c;
}
template <int P, class T>
HWY_INLINE Wide<P, T> operator+(const Wide<P, T>& a, const Wide<P, T>& b) {
  return each([](VecOf<T> x, VecOf<T> y) HWY_ATTR { return hn::Add(x, y); }, a, b);
}
template <int P, class T>
HWY_INLINE Wide<P, T> operator-(const Wide<P, T>& a, const Wide<P, T>& b) {
  return each([](VecOf<T> x, VecOf<T> y) HWY_ATTR { return hn::Sub(x, y); }, a, b);
}
template <int P, class T>
HWY_INLINE Wide<P, T> operator*(const Wide<P, T>& a, const Wide<P, T>& b) {
  return each([](VecOf<T> x, VecOf<T> y) HWY_ATTR { return hn::Mul(x, y); }, a, b);
}
template <int P, class T>
HWY_INLINE Wide<P, T> operator*(double a, const Wide<P, T>& b) {
  return each([s = hn::Set(Tag<T>(), static_cast<T>(a))](VecOf<T> x) HWY_ATTR { return hn::Mul(s, x); }, b);
}
template <int P, class T>
HWY_INLINE Wide<P, T> fma(const Wide<P, T>& a, const Wide<P, T>& b, const Wide<P, T>& c) {  // a b + c
  return each([](VecOf<T> x, VecOf<T> y, VecOf<T> z) HWY_ATTR { return hn::MulAdd(x, y, z); }, a, b, c);
}
template <int P, class T>
HWY_INLINE Wide<P, T> fma(double a, const Wide<P, T>& b, const Wide<P, T>& c) {
  return each([s = hn::Set(Tag<T>(), static_cast<T>(a))](VecOf<T> x, VecOf<T> y) HWY_ATTR { return hn::MulAdd(s, x, y); }, b, c);
}
template <int P, class T>
HWY_INLINE Wide<P, T> fnma(const Wide<P, T>& a, const Wide<P, T>& b, const Wide<P, T>& c) {  // c - a b
  return each([](VecOf<T> x, VecOf<T> y, VecOf<T> z) HWY_ATTR { return hn::NegMulAdd(x, y, z); }, a, b, c);
}

enum { E0, E1, O0, O1, C };

// In single precision even values enter less twice the middle one, since B sums up to 1 over the nodes and C to 0: what is the same at all nodes then has no
// derivative at all, rather than that of its rounding. `join` gives the middle node what the others leave of the sum, so that it keeps the sum likewise.
template <class T>
inline constexpr bool about_middle = sizeof(T) < sizeof(double);

template <bool WithC, int P, class T>
HWY_INLINE void split(const Wide<P, T> (&v)[5], Wide<P, T>* part) {
  Wide<P, T> e0 = v[0] + v[4], e1 = v[1] + v[3];
  const Wide<P, T> o0 = v[0] - v[4], o1 = v[1] - v[3];
  if constexpr (about_middle<T>) {
    e0 = fma(-2, v[2], e0);
    e1 = fma(-2, v[2], e1);
    part[E0] = fma(fibre.even[0][0], e0, fma(fibre.even[0][1], e1, v[2]));
    part[E1] = fma(fibre.even[1][0], e0, fma(fibre.even[1][1], e1, v[2]));
    if (WithC) part[C] = fma(fibre.even[2][0], e0, fibre.even[2][1] * e1);
  } else {
    part[E0] = fma(fibre.even[0][0], e0, fma(fibre.even[0][1], e1, fibre.even[0][2] * v[2]));
    part[E1] = fma(fibre.even[1][0], e0, fma(fibre.even[1][1], e1, fibre.even[1][2] * v[2]));
    if (WithC) part[C] = fma(fibre.even[2][0], e0, fma(fibre.even[2][1], e1, fibre.even[2][2] * v[2]));
  }
  part[O0] = fma(fibre.odd[0][0], o0, fibre.odd[0][1] * o1);
  part[O1] = fma(fibre.odd[1][0], o0, fibre.odd[1][1] * o1);
}

template <bool WithC, int P, class T>
HWY_INLINE void join(const Wide<P, T>* part, Wide<P, T> (&v)[5]) {
  Wide<P, T> e[3];
  for (int i = 0; i < (about_middle<T> ? 2 : 3); ++i) {
    e[i] = fma(fibre.even[0][i], part[E0], fibre.even[1][i] * part[E1]);
    if (WithC) e[i] = fma(fibre.even[2][i], part[C], e[i]);
  }
  if constexpr (about_middle<T>) e[2] = fma(-2, e[0] + e[1], part[E0] + part[E1]);
  const Wide<P, T> o0 = fma(fibre.odd[0][0], part[O0], fibre.odd[1][0] * part[O1]);
  const Wide<P, T> o1 = fma(fibre.odd[0][1], part[O0], fibre.odd[1][1] * part[O1]);
  v[0] = e[0] + o0;
  v[1] = e[1] + o1;
  v[2] = e[2];
  v[3] = e[1] - o1;
  v[4] = e[0] - o0;
}

template <int Stride = 1, int P, class T>
HWY_INLINE void derive(const Wide<P, T>& e0, const Wide<P, T>& e1, const Wide<P, T>& o0, const Wide<P, T>& o1, const Wide<P, T>& c,
                       Wide<P, T>* part) {
  const Wide<P, T> t = e1 - e0;
  part[E0 * Stride] = fma(fibre.slope[0][0], o0, fibre.slope[0][1] * o1);
  part[E1 * Stride] = fma(fibre.slope[1][0], o0, fibre.slope[1][1] * o1);
  part[O0 * Stride] = fibre.kappa[0] * (t - c);
  part[O1 * Stride] = fibre.kappa[1] * (t + c);
}

// Adds to the parts e0..o1, and sets c.
template <int Stride = 1, int P, class T>
HWY_INLINE void derive_back(const Wide<P, T>* part, Wide<P, T>& e0, Wide<P, T>& e1, Wide<P, T>& o0, Wide<P, T>& o1, Wide<P, T>& c) {
  const Wide<P, T> k0 = fibre.kappa[0] * part[O0 * Stride], k1 = fibre.kappa[1] * part[O1 * Stride], t = k0 + k1;
  o0 = fma(fibre.slope[0][0], part[E0 * Stride], fma(fibre.slope[1][0], part[E1 * Stride], o0));
  o1 = fma(fibre.slope[0][1], part[E0 * Stride], fma(fibre.slope[1][1], part[E1 * Stride], o1));
  e0 = e0 - t;
  e1 = e1 + t;
  c = k1 - k0;
}

template <int P, class T>
HWY_INLINE void unfold(const Wide<P, T>* part, Wide<P, T>* value) {
  value[0] = part[E0] + part[O0];
  value[1] = part[E1] + part[O1];
  value[2] = part[E1] - part[O1];
  value[3] = part[E0] - part[O0];
}

template <int P, class T>
HWY_INLINE void fold(const Wide<P, T>* value, Wide<P, T>* part) {
  part[E0] = value[0] + value[3];
  part[E1] = value[1] + value[2];
  part[O0] = value[0] - value[3];
  part[O1] = value[1] - value[2];
}

}  // namespace agwave::two_sweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
