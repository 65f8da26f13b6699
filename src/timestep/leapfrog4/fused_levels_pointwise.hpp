// SPDX-License-Identifier: Apache-2.0
// What the fused leapfrog does at seams between patches that step differently, and what its nodes need to know there, as functors for a backend.
#pragma once
#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"

namespace agwave::leapfrog4 {

// Tables of one level of all patches, [patch][level]. A node that a finer patch has too is that one's: zero in `part`, `next` and `keep`.
struct LevelTables {
  double* of_q = nullptr;  // dt^2/12 M^-1, dt of the patch; where the coarsest step alone knows the node, of the q that walls divide
  double* part = nullptr;  // M^-1
  double* next = nullptr;  // M^-1 / (m + C dt/2)
  double *keep = nullptr, *given = nullptr;  // (m - C dt/2) / (m + C dt/2), 1 / (m + C dt/2); null without walls
};

template <class Patches>
struct FillLevelTables {  // n counts the columns; the weights in z are left out below the surface, as FillTables does
  NodeView v;
  Places<Patches> places;
  bool surface, walls;
  double dt;
  LevelTables to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const double unit = 1;
    NodeView level = v;
    if (!surface) level.wz = &unit;
    if (!walls) level.west = level.east = level.south = level.north = false;
    const int i = static_cast<int>(n % v.NX), j = static_cast<int>(n / v.NX);
    const auto holder = places.holder(i, j);
    const int finest = places.halvings_of(holder.x, holder.y);
    const NodeAt node(level, i, j, surface ? v.NZ - 1 : 0, dt, finest > 0);
    const double mass = node.mass + 0.5 * node.damping;
    places.each(i, j, 0, [&](int x, int y, int, int column) {
      const std::int64_t at = places.table_at(x, y) + column;
      const int own = places.halvings_of(x, y);
      double step = dt;
      for (int k = 0; k < own; ++k) step *= 0.5;
      const double mine = own == finest ? 1 : 0;
      to.of_q[at] = step * step / 12 * node.inverse_mass_of_q();
      to.part[at] = mine * node.inverse_mass;
      if (!to.keep) return;
      to.next[at] = mine * node.inverse_mass / mass;
      to.keep[at] = mine * (node.mass - 0.5 * node.damping) / mass;
      to.given[at] = 1 / mass;
    });
  }
};

// A column of nodes in a patch: in psi and P, in what is carried beside them (Advance), halvings of the patch.
struct Place {
  std::int64_t state, finer;
  int halvings;
};
struct Seam {
  Place to, from;     // the patch that steps more coarsely, the one whose node it is
  std::int64_t sums;  // of `to`
};
// A stretch of a list of seams; n counts the levels of a patch, from 1 on, and in each the seams.
struct Seams {
  const Seam* list;
  std::int64_t first, count;
  std::int64_t level_size;
  AGWAVE_HD std::int64_t number(std::int64_t n) const { return first + n % count; }
  AGWAVE_HD std::int64_t place(std::int64_t n) const { return (n / count + 1) * level_size; }
};

// The parts of coarser patches as steps of finer ones take them, in place of r and T, of which nobody else reads them any more: a patch's own step is
// under way. Where both have begun at once r is right, and T is mixed when it is there; both are kept then for the steps to come.
struct Mix {
  Seams seams;
  double *r, *T, *saved;  // the last: [level][r, T][all seams]
  std::int64_t all;
  bool begun_at_once;  // of patches of so many halvings and more; else of those of fewer
  int halvings;
  double weight[max_halvings + 1];     // schedule.hpp, by the coarser patch's halvings
  double corrected[max_halvings + 1];  // by the difference of both, beyond weight
  AGWAVE_HD void operator()(std::int64_t n) const {
    const Seam& seam = seams.list[seams.number(n)];
    const int h = seam.to.halvings;
    if ((h >= halvings) != begun_at_once) return;
    const std::int64_t at = seam.sums + seams.place(n);
    double* const own = saved + n / seams.count * 2 * all + seams.number(n);
    if (begun_at_once) {
      own[0] = r[at];
      own[all] = T[at];
    } else {
      r[at] = (1 - weight[h]) * own[0] + weight[h] * own[all];
    }
    const double w = weight[h] + corrected[seam.from.halvings - h];
    T[at] = (1 - w) * own[0] + w * own[all];
  }
};

struct MixForcing {  // of two rates, weight of the second
  double weight;
  const double *a, *b;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = (1 - weight) * a[n] + weight * b[n]; }
};

// psi at the end of a step of `to` halvings from the finer patch, wherever the coarser one looks for what its node began with: it does not move from there.
struct Take {
  Seams seams;
  double *psi, *finer;
  std::int64_t patch_sums;
  int to;
  AGWAVE_HD double* at(const Place& p, int halvings, std::int64_t place) const {
    return halvings == 0 ? psi + p.state + place : finer + p.finer + (halvings - 1) * patch_sums + place;
  }
  AGWAVE_HD void operator()(std::int64_t n) const {
    const Seam& seam = seams.list[seams.number(n)];
    const std::int64_t place = seams.place(n);
    const double value = *at(seam.from, to, place);
    for (int k = 0; k <= seam.to.halvings; ++k) *at(seam.to, k, place) = value;
  }
};

// Before the sweep that ends the last steps of several halvings at once: psi of that of `to` halvings, or P, as if it had moved by what came before.
template <class Patches>
struct EndSteps {
  SweepArgs<Patches> g;
  static int patches(const SweepArgs<Patches>& g) { return (g.last - g.first) / g.patches.chunks; }
  AGWAVE_HD void at(int number, int place) const {
    const Advance& a = g.advance;
    const std::int64_t size = g.patches.patch_sums();
    const std::int64_t patch = g.order[g.first + number * g.patches.chunks] / g.patches.chunks;
    double* const psi = g.psi + patch * size + place;
    double* const finer = a.finer + a.at[patch] + place;
    const auto began = [&](int halvings) { return halvings == 0 ? psi : finer + (halvings - 1) * size; };
    const double base = *began(a.base);
    double z = 0, phi = *began(a.from);
    for (int k = a.from; k > a.to; --k) {
      const double before = k - 1 == a.to ? base : *began(k - 1);
      z = 2 * ((phi - before) + z);
      phi = before;
    }
    if (a.to > 0) {
      *began(a.to) = base + z;
      return;
    }
    double* const P = g.P + patch * size + place;
    const int level = place / Patches::level_size;
    const bool surface = level == g.patches.levels() - 2 && g.surface.inverse;
    const double *const keep = surface ? g.surface.keep : g.column.keep, *const given = surface ? a.given_surface : a.given;
    const std::int64_t column = patch * Patches::level_size + place % Patches::level_size;
    *P = (keep ? keep[column] * *P : *P) + (given ? given[column] : 1.0) * (2 / g.dt) * z;
  }
};

struct LendRates {  // or return them
  Seams seams;
  double* P;
  bool lend;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const Seam& seam = seams.list[seams.number(n)];
    const std::int64_t place = seams.place(n);
    P[seam.to.state + place] = lend ? P[seam.from.state + place] : 0.0;
  }
};

// y(D) of an initial pressure p, from the P that steps of D have made of psi = p and P = 0 at rest: its mean over a step of 2 D about it, less p.
template <class Patches>
struct ThirdOfIncrement {
  NodeView v;
  Places<Patches> places;
  double D;
  const double* P;
  double* to;  // as P
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(n, i, j, k);
    const std::int64_t place = places.place(i, j, k);
    to[place] = D / 6 * P[place];
  }
};

}  // namespace agwave::leapfrog4
