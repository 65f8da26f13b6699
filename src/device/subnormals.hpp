// SPDX-License-Identifier: Apache-2.0
// Ahead of a wave the numbers of a field fall off towards zero, in single precision soon below the smallest normal one. Such subnormals cost a CPU many times
// what other numbers do (docs/theory.md).
#pragma once
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace agwave {

// Subnormal numbers are zero from here on, in this thread and in those that it starts.
inline void flush_subnormals() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // results (FTZ), operands (DAZ)
#elif defined(__aarch64__)
  unsigned long control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  __asm__ volatile("msr fpcr, %0" ::"r"(control | (1UL << 24)));
#endif
}

}  // namespace agwave
