// SPDX-License-Identifier: Apache-2.0
// The sweeps of one coarsest step D of columns that step in levels (increment.hpp), as data. Time is counted in the finest steps, D / 2^finest. Where a
// step of k halvings begins, so do those of all finer patches, and one sweep forms the acceleration of them all; where it ends, so do theirs, and they
// end one after the other, coarsest first: who shares nodes with coarser patches takes these from them.
#pragma once
#include <bit>
#include <cmath>
#include <vector>

#include "device/host_device.hpp"

namespace agwave::local_steps {

// What finer nodes have moved by within a coarser step pulls a little more than it should: where a wave of theirs comes back within that step, its
// eigenvalue of Q is lifted from zero, below which what couples it to the other nodes could take it. Costs an error of order two, a thousandth of that
// which a leapfrog of order two has.
AGWAVE_HD double stiffening(int halvings) { return 1 + 1e-3 * halvings; }

struct LevelSweep {
  enum class Kind { begin, end } kind;
  int at;    // begin: when; end: when the step began of which the time has come
  int from;  // begin: of patches of so many halvings and more; end: of those alone
  int to;    // end: the fewest halvings of the steps that end with it
  int base;  // end: a step of `to` halvings began as the last one of so many halvings did that is the second of its two, or as that of the coarsest
  double mixed;  // of the forcing: see weight()
};

// The acceleration of a step of `halvings` halvings that begins at time `at` is forced by (1 - w) f + w f_m: it knows of the curvature of the forcing
// what t^2/2 adds up to over the steps that are in their second half. The step itself, with its correction of order 4, by correction() more.
AGWAVE_HD double weight(int at, int halvings, int finest) {
  double w = 0;
  for (int j = 1; j <= halvings; ++j)
    if (at >> (finest - j) & 1) w += 6 * std::ldexp(1.0, -2 * j);
  return w;
}
AGWAVE_HD double correction(int halvings) { return std::ldexp(1.0, -2 * halvings); }

// Halvings of the coarsest of the steps that begin, and of those that end, at a time within D.
inline int fewest(int time, int finest) { return finest - std::countr_zero(static_cast<unsigned>(time)); }

// The halvings of the step that gave what those of `halvings` that begin at time `at` begin with.
AGWAVE_HD int base(int at, int halvings, int finest) {
  while (halvings > 0 && !(at >> (finest - halvings) & 1)) --halvings;
  return halvings;
}

// has[h]: there are patches of h halvings; the last one is the finest.
inline std::vector<LevelSweep> schedule(const std::vector<bool>& has) {
  using Kind = LevelSweep::Kind;
  const int finest = static_cast<int>(has.size()) - 1, steps = 1 << finest;
  std::vector<LevelSweep> all;
  for (int m = 0; m < steps; ++m) {
    const int k = m == 0 ? 0 : fewest(m, finest);
    all.push_back({Kind::begin, m, k, k, 0, weight(m, k, finest)});
    for (int to = fewest(m + 1, finest), h = to; h <= finest; ++h)
      if (has[static_cast<std::size_t>(h)]) {
        const int began = m >> (finest - h) << (finest - h);
        all.push_back({Kind::end, began, h, to, base(m + 1 - (1 << (finest - to)), to, finest), weight(began, h, finest) + correction(h)});
      }
  }
  return all;
}

}  // namespace agwave::local_steps
