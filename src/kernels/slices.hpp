// SPDX-License-Identifier: Apache-2.0
// Doubles as sums of 8-bit slices, so that products of integers, which are exact, add up to a product of doubles (the scheme of Ozaki et al. with
// one scale for a whole vector). Written once for host and device.
//   v = rint(x 2^shift),   v = sum_k 256^k digit_k,   digit_k in [-128, 127],   k = 0..S-1
// The shift puts the largest value of the vector just below the 127/256 of 256^S that balanced digits always reach.
// A product of two such vectors is sum_t 256^t sum_(i+j=t) digit_i digit_j. Levels t < S - 1 are below the rounding of x to S digits and are left out,
// which leaves S (S + 1) / 2 products of slices on S levels.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "device/host_device.hpp"

namespace agwave {

inline constexpr int least_slices = 2, most_slices = 8;

// Largest error of both blocks with so many slices, over the largest value, of random data on sheared meshes: what is stated and tested.
constexpr double slices_error(int slices) {
  double error = 512;
  for (int n = 0; n < slices; ++n) error /= 256;
  return error < 1e-14 ? 1e-14 : error;
}

// What the scale of a vector is made from: the largest of its values' high words. Integers, so that an infinity or NaN is the largest of all.
AGWAVE_HD std::uint32_t magnitude(double x) { return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 32) & 0x7fffffffu; }

// The scale: exponent e of all values, biased as in a double, with |x| < 127/64 2^(e - 1023). The part added carries into the exponent where the
// fraction is beyond that. At least `lowest`, where the factors below are still normal numbers.
AGWAVE_HD int scale_exponent(std::uint32_t largest) {
  constexpr int lowest = 128;
  const int e = static_cast<int>((largest + 0x4000u) >> 20);
  return e < lowest ? lowest : e;
}
AGWAVE_HD bool is_finite_scale(int exponent) { return exponent < 2047; }

AGWAVE_HD double power_of_two(int biased) { return std::bit_cast<double>(static_cast<std::uint64_t>(biased) << 52); }

// 2^shift: |x| 2^shift < 127/256 256^S.
template <int S>
AGWAVE_HD double shift_of(int exponent) {
  return power_of_two(2044 + 8 * S - (is_finite_scale(exponent) ? exponent : 2046));
}

// All digits of x at once: digit k is byte k, as a signed number. With 128 added to each digit no byte borrows from the next.
template <int S>
AGWAVE_HD std::uint64_t digits(double x, double shift) {
  constexpr std::uint64_t halves = 0x8080808080808080ull >> (64 - 8 * S);
  return (static_cast<std::uint64_t>(llrint(x * shift)) + halves) ^ halves;
}

// Byte k of four values in one register, the first lowest.
AGWAVE_HD std::uint32_t four_digits(const std::uint64_t (&value)[4], int k) {
  std::uint32_t word[4];
  for (int n = 0; n < 4; ++n) word[n] = static_cast<std::uint32_t>(value[n] >> (k < 4 ? 0 : 32));
  const unsigned byte = static_cast<unsigned>(k) & 3;
#ifdef __CUDA_ARCH__
  const unsigned pair = byte | (byte + 4) << 4;
  return __byte_perm(__byte_perm(word[0], word[1], pair), __byte_perm(word[2], word[3], pair), 0x5410);
#else
  std::uint32_t four = 0;
  for (int n = 0; n < 4; ++n) four |= (word[n] >> (8 * byte) & 0xffu) << (8 * n);
  return four;
#endif
}

// A 32-bit integer as a double. GPUs convert at a quarter of the rate at which they add: the bits of 2^52 + 2^31 + n are those of n but for its sign.
AGWAVE_HD double exact_double(std::int32_t n) {
  return std::bit_cast<double>(0x4330000000000000ull | (static_cast<std::uint32_t>(n) ^ 0x80000000u)) - 0x1.000008p52;
}

// What the sums of levels are multiplied with: the weight of level 0 and the scales of both vectors, `other` that of one with values of order one. NaN where
// the first was not finite, so that it does not hide in a number.
template <int S>
AGWAVE_HD double unit_of(int exponent, int other) {
  return is_finite_scale(exponent) ? power_of_two(exponent + other - 1023 - 8 * S - 4) : std::numeric_limits<double>::quiet_NaN();
}

// sum_t 256^t sum(t), level 0 the lowest; Sum: level -> integer.
template <int S, class Sum>
AGWAVE_HD double combine(Sum sum) {
  double value = exact_double(sum(S - 1));
  for (int level = S - 2; level >= 0; --level) value = value * 256 + exact_double(sum(level));
  return value;
}

}  // namespace agwave
