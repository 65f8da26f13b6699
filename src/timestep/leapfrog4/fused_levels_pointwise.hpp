// SPDX-License-Identifier: Apache-2.0
// What the fused leapfrog does at seams between patches that step differently, and what its nodes need to know there, as functors for a backend.
#pragma once
#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"

namespace agwave::leapfrog4 {

// Tables of one level of all patches, [patch][level]. A node that a coarser patch has too is that one's: zero in `of_q`, `part`, `next` and `keep`.
struct LevelTables {
  double* of_q = nullptr;                    // dt^2/12 M^-1, dt of the patch; of nodes without halvings that of the q that walls divide
  double* part = nullptr;                    // M^-1
  double* next = nullptr;                    // M^-1 / (m + C dt/2)
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
    const int halvings = places.halvings_at(i, j);
    const NodeAt node(level, i, j, surface ? v.NZ - 1 : 0, dt, halvings);
    const double mass = node.mass + 0.5 * node.damping, step = dt / static_cast<double>(1 << halvings);
    places.each(i, j, 0, [&](int x, int y, int, int column) {
      const std::int64_t at = places.table_at(x, y) + column;
      const double mine = places.halvings_of(x, y) == halvings ? 1 : 0;
      to.of_q[at] = mine * step * step / 12 * node.inverse_mass_of_q();
      to.part[at] = mine * node.inverse_mass;
      if (!to.keep) return;
      to.next[at] = mine * node.inverse_mass / mass;
      to.keep[at] = mine * (node.mass - 0.5 * node.damping) / mass;
      to.given[at] = 1 / mass;
    });
  }
};

// When steps of so many halvings begin and end, in the time of LevelSweep: of the finest steps that begin at `at`.
struct Moment {
  int at, finest;
  AGWAVE_HD int length(int halvings) const { return 1 << (finest - halvings); }
  AGWAVE_HD bool begins(int halvings) const { return at % length(halvings) == 0; }
  AGWAVE_HD bool ends_with(int finer, int halvings) const { return (at + length(finer)) % length(halvings) == 0; }  // a step of `finer` that begins
};

// A column of nodes in a patch: in psi and P, in what is carried beside them (Advance), halvings of the patch.
struct Place {
  std::int64_t state, finer;
  int halvings;
};
struct SharedColumn {
  Place to, from;             // the patch that steps more finely, the one whose node it is
  std::int64_t sums, others;  // of `to`: among the sums, in SweepArgs::others
  int i, j;
};
// A stretch of a list of them; n counts the levels of a patch, from 1 on, and in each the columns.
struct SharedColumns {
  const SharedColumn* list;
  std::int64_t first, count;
  std::int64_t level_size;
  AGWAVE_HD std::int64_t number(std::int64_t n) const { return first + n % count; }
  AGWAVE_HD std::int64_t place(std::int64_t n) const { return (n / count + 1) * level_size; }
};

// The field of coarser patches' nodes, of which finer ones take K for the correction of order 4: found where the coarser step begins, there in the last of the
// finer ones within it, which then has to move at once what the coarser one would: 2^d times as much, of a step that is 2^d times shorter, squared.
// Of all steps that begin at a time only those of the fewest halvings can be such last ones.
template <class Patches>
struct FieldOfOthers {
  SharedColumns columns;
  Moment now;
  NodeView v;
  Places<Patches> places;
  NodeTables column, surface;  // of_q
  const double *inverse_wz, *r, *load;
  BodyLoad body;
  double *others, *kept;  // the latter: [level][all columns]
  std::int64_t all;
  int fewest;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const SharedColumn& c = columns.list[columns.number(n)];
    const int finer = c.to.halvings, coarser = c.from.halvings;
    double &field = kept[n / columns.count * all + columns.number(n)], &value = others[c.others + columns.place(n)];
    if (now.begins(coarser)) field = q(c, places.node_of(static_cast<int>(n / columns.count) + 1));
    if (finer > fewest) return;
    value = now.ends_with(finer, coarser) ? static_cast<double>(std::int64_t{1} << 3 * (finer - coarser)) * field : 0.0;
  }
  AGWAVE_HD double q(const SharedColumn& c, int k) const {  // of the finer patch's step
    const auto holder = places.holder(c.i, c.j);
    const std::int64_t at = places.table_at(holder.x, holder.y) + Patches::column(c.i - places.wide * holder.x, c.j - places.deep * holder.y);
    double sum = places.sum(r, c.i, c.j, k) - body.at_place(places, c.i, c.j, places.place(c.i, c.j, k));
    if (k == 0 && load) sum -= load[at];
    const bool top = k == v.NZ - 1 && surface.inverse;
    const double mass = top ? surface.inverse[at] : column.inverse[at] * inverse_wz[k];
    return -mass * sum / static_cast<double>(1 << 2 * (c.to.halvings - c.from.halvings));
  }
};

// T of finer patches as coarser ones feel it: the mean over the finer steps.
struct MeanOfSteps {
  SharedColumns columns;
  Moment now;
  double *T, *sum;  // the latter: [level][all columns]
  std::int64_t all;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const SharedColumn& c = columns.list[columns.number(n)];
    const int finer = c.to.halvings, coarser = c.from.halvings;
    double &value = T[c.sums + columns.place(n)], &so_far = sum[n / columns.count * all + columns.number(n)];
    const double added = now.begins(coarser) ? value : so_far + value;
    if (now.ends_with(finer, coarser))
      value = added / static_cast<double>(1 << (finer - coarser));
    else
      so_far = added;
  }
};

struct MixForcing {  // of two rates, weight of the second
  double weight;
  const double *a, *b;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = (1 - weight) * a[n] + weight * b[n]; }
};

// psi at the end of a step of `to` halvings from the coarser patch, wherever the finer one looks for what its node began with: it does not move from there.
struct Take {
  SharedColumns columns;
  double *psi, *finer;
  std::int64_t patch_sums;
  int to;
  AGWAVE_HD double* at(const Place& p, int halvings, std::int64_t place) const {
    return halvings == 0 ? psi + p.state + place : finer + p.finer + (halvings - 1) * patch_sums + place;
  }
  AGWAVE_HD void operator()(std::int64_t n) const {
    const SharedColumn& c = columns.list[columns.number(n)];
    if (c.from.halvings < to) return;  // is amid a longer step
    const std::int64_t place = columns.place(n);
    const double value = *at(c.from, to, place);
    for (int k = 0; k <= c.to.halvings; ++k) *at(c.to, k, place) = value;
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
      z = 2 * ((phi - before) * a.softening(k) + z);
      phi = before;
    }
    if (a.to > 0) {
      *began(a.to) = fma(a.stiffening, z, base);
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
  SharedColumns columns;
  double* P;
  bool lend;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const SharedColumn& c = columns.list[columns.number(n)];
    const std::int64_t place = columns.place(n);
    P[c.to.state + place] = lend ? P[c.from.state + place] : 0.0;
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
