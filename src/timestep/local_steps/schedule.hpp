// SPDX-License-Identifier: Apache-2.0
// The sweeps of one coarsest step D of columns that step in levels (increment.hpp), as data. Time is counted in the finest steps, D / 2^finest. Where a
// step of k halvings begins, so do those of all finer patches, and one sweep forms the acceleration of them all; where it ends, so do theirs, and they
// end one after the other, finest first: who shares nodes with finer patches takes these from them.
#pragma once
#include <bit>
#include <cmath>
#include <vector>

namespace agwave::local_steps {

struct LevelSweep {
  enum class Kind { begin, end } kind;
  int at;    // begin: when; end: when the step began of which the time has come
  int from;  // begin: of patches of so many halvings and more; end: of those alone
  int to;    // end: the fewest halvings of the steps that end with it
  int base;  // end: a step of `to` halvings began as the last one of so many halvings did that is the second of its two, or as that of the coarsest
  double mixed;  // of the forcing: see weight()
};

// What a patch that is in its step of `coarser` halvings adds at a node to the acceleration of one of `finer` halvings, whose step begins at time `at`,
// is K (psi + t^2/2 a) with the psi and a that it began with: t^2/2 adds up over all steps in between that are in their second half. It has
// R = K psi and T = K (psi + dt^2/12 a), dt of its own step, so it adds (1 - w) R + w T.
inline double weight(int at, int coarser, int finer, int finest) {
  double w = 0;
  for (int j = coarser + 1; j <= finer; ++j)
    if (at >> (finest - j) & 1) w += 6 * std::ldexp(1.0, -2 * (j - coarser));
  return w;
}
// Beyond that to the acceleration with its correction of order 4, by the difference of the halvings.
inline double correction(int difference) { return std::ldexp(1.0, -2 * difference); }

// Halvings of the coarsest of the steps that begin, and of those that end, at a time within D.
inline int fewest(int time, int finest) { return finest - std::countr_zero(static_cast<unsigned>(time)); }

// has[h]: there are patches of h halvings; the last one is the finest.
// The halvings of the step that gave what those of `halvings` that begin at time `at` begin with.
inline int base(int at, int halvings, int finest) {
  while (halvings > 0 && !(at >> (finest - halvings) & 1)) --halvings;
  return halvings;
}

inline std::vector<LevelSweep> schedule(const std::vector<bool>& has) {
  using Kind = LevelSweep::Kind;
  const int finest = static_cast<int>(has.size()) - 1, steps = 1 << finest;
  std::vector<LevelSweep> all;
  for (int m = 0; m < steps; ++m) {
    const int k = m == 0 ? 0 : fewest(m, finest);
    all.push_back({Kind::begin, m, k, k, 0, weight(m, 0, k, finest)});
    for (int h = finest, to = fewest(m + 1, finest); h >= to; --h)
      if (has[static_cast<std::size_t>(h)]) {
        const int began = m >> (finest - h) << (finest - h);
        all.push_back({Kind::end, began, h, to, base(m + 1 - (1 << (finest - to)), to, finest), weight(began, 0, h, finest) + correction(h)});
      }
  }
  return all;
}

}  // namespace agwave::local_steps
