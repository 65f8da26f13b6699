// SPDX-License-Identifier: Apache-2.0
// What the fused leapfrog does at seams between patches that step differently, and what its nodes need to know there, as functors for a backend.
#pragma once
#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/two_sweep/work.hpp"

namespace agwave::leapfrog4 {

// Tables of one level of all patches, [patch][level]. A node that a coarser patch has too is that one's: zero in `of_q`, `part`, `next` and `keep`.
template <class Real>
struct LevelTables {
  Real* of_q = nullptr;                    // dt^2/12 M^-1, dt of the patch; of nodes without halvings that of the q that walls divide
  Real* part = nullptr;                    // M^-1
  Real* next = nullptr;                    // M^-1 / (m + C dt/2)
  Real *keep = nullptr, *given = nullptr;  // (m - C dt/2) / (m + C dt/2), 1 / (m + C dt/2); null without walls
};

// How a column of nodes of so many halvings fills them, on the surface or on the levels below it; the weights in z are left out there, as FillTables does.
struct LevelColumn {
  double of_q, part, next, keep, given;
  AGWAVE_HD LevelColumn(NodeView v, bool surface, bool walls, double dt, int i, int j, int halvings) {
    const double unit = 1;
    if (!surface) v.wz = &unit;
    if (!walls) v.west = v.east = v.south = v.north = false;
    const NodeAt node(v, i, j, surface ? v.NZ - 1 : 0, dt, halvings);
    const double mass = node.mass + 0.5 * node.damping, step = dt / static_cast<double>(1 << halvings);
    of_q = step * step / 12 * node.inverse_mass_of_q();
    part = node.inverse_mass;
    next = node.inverse_mass / mass;
    keep = (node.mass - 0.5 * node.damping) / mass;
    given = 1 / mass;
  }
  template <class Real>
  AGWAVE_HD void put(const LevelTables<Real>& to, std::int64_t at, bool mine) const {
    const auto value = [mine](double of_mine) { return static_cast<Real>(mine ? of_mine : 0.0); };
    to.of_q[at] = value(of_q);
    to.part[at] = value(part);
    if (!to.keep) return;
    to.next[at] = value(next);
    to.keep[at] = value(keep);
    to.given[at] = static_cast<Real>(given);
  }
};
template <class Patches>
struct FillLevelTables {  // n counts the columns
  NodeView v;
  Places<Patches> places;
  bool surface, walls;
  double dt;
  LevelTables<typename Patches::real> to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = static_cast<int>(n % v.NX), j = static_cast<int>(n / v.NX), halvings = places.halvings_at(i, j);
    const LevelColumn column(v, surface, walls, dt, i, j, halvings);
    places.each(i, j, 0, [&](int x, int y, int, int c) { column.put(to, places.table_at(x, y) + c, places.halvings_of(x, y) == halvings); });
  }
};
template <class Patches>
struct FillBorrowedTables {  // n counts those columns
  NodeView v;
  BorrowedColumns columns;
  bool surface, walls;
  double dt;
  LevelTables<typename Patches::real> to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const BorrowedColumn& c = columns.list[n];
    LevelColumn(v, surface, walls, dt, c.i, c.j, c.to.halvings).put(to, c.to.table, true);
  }
};

// When steps of so many halvings begin and end, in the time of LevelSweep: of the finest steps that begin at `at`.
struct Moment {
  int at, finest;
  AGWAVE_HD int length(int halvings) const { return 1 << (finest - halvings); }
  AGWAVE_HD bool begins(int halvings) const { return at % length(halvings) == 0; }
  AGWAVE_HD bool ends_with(int finer, int halvings) const { return (at + length(finer)) % length(halvings) == 0; }  // a step of `finer` that begins
};

struct SharedColumn {
  Place to, from;             // in the patch that steps more finely, in the one whose node it is or where that is borrowed
  std::int64_t sums, others;  // of `to`: among the sums, in SweepArgs::others
  int i, j;
};
// One or two stretches of a list of them; n counts the levels of a patch, from 1 on, and in each the columns.
struct SharedColumns {
  const SharedColumn* list;
  std::int64_t first, count;  // of both stretches
  std::int64_t level_size;
  std::int64_t of_first, apart;  // how many the first one has, and how many lie between both
  AGWAVE_HD std::int64_t number(std::int64_t n) const {
    const std::int64_t at = n % count;
    return first + at + (at < of_first ? 0 : apart);
  }
  AGWAVE_HD std::int64_t place(std::int64_t n) const { return (n / count + 1) * level_size; }
};

// The field of coarser patches' nodes, of which finer ones take K for the correction of order 4: found where the coarser step begins, there in the last of the
// finer ones within it, which then has to move at once what the coarser one would: 2^d times as much, of a step that is 2^d times shorter, squared.
// Of all steps that begin at a time only those of the fewest halvings can be such last ones.
template <class Patches>
struct FieldOfOthers {
  using real = typename Patches::real;
  SharedColumns columns;
  Moment now;
  NodeView v;
  Places<Patches> places;
  NodeTablesOf<real> column, surface;  // of_q
  MediumByPlaceOf<real> medium;
  const real *inverse_wz, *r;
  FloorLoadOf<real> load;
  BodyLoadOf<real> body;
  real *others, *kept;  // the latter: [level][all columns]
  std::int64_t all;
  int fewest;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const SharedColumn& c = columns.list[columns.number(n)];
    const int finer = c.to.halvings, coarser = c.from.halvings;
    real &field = kept[n / columns.count * all + columns.number(n)], &value = others[c.others + columns.place(n)];
    if (now.begins(coarser)) field = static_cast<real>(q(c, static_cast<int>(n / columns.count) + 1));
    if (finer > fewest) return;
    value = now.ends_with(finer, coarser) ? static_cast<real>(std::int64_t{1} << 3 * (finer - coarser)) * field : real(0);
  }
  AGWAVE_HD double q(const SharedColumn& c, int level) const {  // of the finer patch's step
    const int k = places.node_of(level);
    double sum = places.sum(r, c.i, c.j, k) - body.in(c.to, places.patch_sums(), level * Patches::level_size);
    if (k == 0 && load) sum -= load[c.to.table];
    const bool top = k == v.NZ - 1 && surface.inverse;
    const double mass = medium.inverse_mass(top ? surface.inverse[c.from.table] : column.inverse[c.from.table] * inverse_wz[k], c.from.patch,
                                            places.patch_sums(), c.from.state + level * Patches::level_size);
    return -mass * sum / static_cast<double>(1 << 2 * (c.to.halvings - c.from.halvings));
  }
};

// T of finer patches as coarser ones feel it: the mean over the finer steps.
template <class Real>
struct MeanOfSteps {
  SharedColumns columns;
  Moment now;
  Real *T, *sum;  // the latter: [level][all columns]
  std::int64_t all;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const SharedColumn& c = columns.list[columns.number(n)];
    const int finer = c.to.halvings, coarser = c.from.halvings;
    Real &value = T[c.sums + columns.place(n)], &so_far = sum[n / columns.count * all + columns.number(n)];
    const Real added = now.begins(coarser) ? value : so_far + value;
    if (now.ends_with(finer, coarser))
      value = added / static_cast<Real>(1 << (finer - coarser));
    else
      so_far = added;
  }
};

template <class Real>
struct MixForcing {  // of two rates, weight of the second; where they are the same, in their bits: ranks without a source there do not mix
  Real weight;
  const Real *a, *b;
  Real* to;
  AGWAVE_HD Real get(std::int64_t n) const { return a[n] + weight * (b[n] - a[n]); }
  AGWAVE_HD void put(std::int64_t n, Real mixed) const { to[n] = mixed; }
};

// psi at the end of a step of `to` halvings from the coarser patch, wherever the finer one looks for what its node began with: it does not move from there.
template <class Real>
struct Take {
  static constexpr bool by_displacement = AdvanceOf<Real>::by_displacement;
  SharedColumns columns;
  Real *psi, *finer;
  std::int64_t patch_sums;
  int to;
  AGWAVE_HD Real* at(const Place& p, int halvings, std::int64_t place) const {
    return halvings == 0 ? psi + p.state + place : finer + p.finer + (halvings - 1) * patch_sums + place;
  }
  AGWAVE_HD void operator()(std::int64_t n) const {
    const SharedColumn& c = columns.list[columns.number(n)];
    if (c.from.halvings < to) return;  // is amid a longer step
    const std::int64_t place = columns.place(n);
    Real value = *at(c.from, to, place);
    if (by_displacement && to > 0) value += *at(c.from, 0, place);
    for (int k = 0; k <= c.to.halvings; ++k) *at(c.to, k, place) = by_displacement && k > 0 ? Real(0) : value;
  }
};

// Where psi was when its step of `halvings` halvings began, or how far it had moved by then, of one node: as AdvanceOf has it.
template <class Real>
struct BeganAt {
  Real *psi, *finer;  // the latter of one halving
  std::int64_t patch_sums;
  AGWAVE_HD Real* at(int halvings) const { return halvings == 0 ? psi : finer + (halvings - 1) * patch_sums; }
  AGWAVE_HD Real operator()(int halvings) const { return AdvanceOf<Real>::by_displacement && halvings == 0 ? Real(0) : *at(halvings); }
};
// What the steps that end have moved psi by, of some nodes, which wait for memory together. Products that are added are fused, as on CPUs.
template <class Real, std::size_t N>
AGWAVE_HD void find_moves(const AdvanceOf<Real>& a, const BeganAt<Real> (&began)[N], Real (&moved)[N]) {
  Real phi[N], before[N];
  for (std::size_t n = 0; n < N; ++n) {
    moved[n] = 0;
    phi[n] = began[n](a.from);
  }
  for (int k = a.from; k > a.to; --k) {
    for (std::size_t n = 0; n < N; ++n) before[n] = began[n](k - 1 == a.to ? a.base : k - 1);
    for (std::size_t n = 0; n < N; ++n) {
      Real& z = moved[n];
      z = fma(a.softening(k), phi[n] - before[n], z);
      z += z;
      phi[n] = before[n];
    }
  }
}
template <class Real>
AGWAVE_HD Real moved_by(const AdvanceOf<Real>& a, const BeganAt<Real>& began) {
  const BeganAt<Real> one[1] = {began};
  Real moved[1];
  find_moves(a, one, moved);
  return moved[0];
}
// P as if it had moved by what psi has.
template <class Real>
AGWAVE_HD Real rate_of_ends(Real P, Real moved, Real dt, const Real* keep, const Real* given) {
  const Real kept = keep ? *keep * P : P;
  return fma(given ? *given : Real(1), 2 / dt * moved, kept);
}

// For the sweep that ends the last steps of several halvings at once, once they have begun: psi of that of `to` halvings, or P, as if it had moved by what came
// before.
template <class Patches>
struct EndSteps {
  using real = typename Patches::real;
  static constexpr int together = 4;
  SweepArgs<Patches> g;
  static int patches(const SweepArgs<Patches>& g) { return (g.last - g.first) / g.patches.chunks; }
  static int places(const SweepArgs<Patches>& g) { return (g.patches.levels() - 2) * Patches::level_size; }
  // Of the patch of this number in the sweep, at place `first` and as many more as go together, `apart` from each other.
  AGWAVE_HD void at(int number, int first, int apart) const {
    const AdvanceOf<real>& a = g.advance;
    const std::int64_t size = g.patches.patch_sums(),
                       patch = (g.order[g.first + number * g.patches.chunks] & two_sweep::item_mask) / g.patches.chunks;
    const int begin = Patches::level_size + first, end = (g.patches.levels() - 1) * Patches::level_size;  // of inner levels
    BeganAt<real> began[together];
    for (int n = 0; n < together; ++n) {
      const int place = begin + n * apart < end ? begin + n * apart : end - 1;
      began[n] = {g.psi + patch * size + place, a.finer + a.at[patch] + place, size};
    }
    real moved[together], comes_to[together];
    find_moves(a, began, moved);
    if (a.to > 0)
      for (int n = 0; n < together; ++n) comes_to[n] = fma(a.stiffening, moved[n], began[n](a.base));
    for (int n = 0; n < together; ++n) {
      const int place = begin + n * apart;
      if (place >= end) return;
      if (a.to > 0)
        *began[n].at(a.to) = comes_to[n];
      else
        end_rate(patch, place, moved[n]);
    }
  }

 private:
  AGWAVE_HD void end_rate(std::int64_t patch, int place, real moved) const {
    const AdvanceOf<real>& a = g.advance;
    real* const P = g.P + patch * g.patches.patch_sums() + place;
    const int level = place / Patches::level_size;
    const bool surface = level == g.patches.levels() - 2 && g.surface.inverse;
    const real *const keep = surface ? g.surface.keep : g.column.keep, *const given = surface ? a.given_surface : a.given;
    const std::int64_t column = patch * Patches::level_size + place % Patches::level_size;
    const auto at = [&](const real* of_table, const real* by_place) {
      const real* const walls = g.medium.of_walls(by_place, patch);
      return of_table ? of_table + column : walls ? walls + place : nullptr;
    };
    *P = rate_of_ends(*P, moved, g.dt, at(keep, g.medium.keep), at(given, g.medium.given));
  }
};

// A step of borrowed columns ends as the sweep ends that of the patches they belong to. n counts the levels of a patch, from 1 on, and in each the columns.
// CPUs have it as cpu/simd.cpp writes it, in the arithmetic of their instruction set.
template <class Patches>
struct EndBorrowed {
  using real = typename Patches::real;
  SweepArgs<Patches> g;
  BorrowedColumns columns;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const AdvanceOf<real>& a = g.advance;
    const BorrowedColumn& c = columns.list[columns.first + n % columns.count];
    const int level = static_cast<int>(n / columns.count) + 1, k = g.patches.node_of(level);
    const std::int64_t size = g.patches.patch_sums(), place = level * Patches::level_size;
    const BeganAt<real> began{g.psi + c.to.state + place, a.finer + c.to.finer + place, size};
    const real moved = moved_by(a, began);
    real sum = g.patches.sum(g.in, c.i, c.j, k);
    if (k == 0 && g.load) sum -= g.load[c.here.table];
    sum -= g.body.in(c.here, size, place);
    const bool top = k == g.nodes.NZ - 1 && g.surface.inverse;
    const NodeTablesOf<real>& tables = top ? g.surface : g.column;
    const real of_tables = tables.inverse[c.to.table] * (top ? real(1) : g.inverse_wz[k]);
    const real mass = g.medium.inverse_mass(of_tables, c.to.patch, size, c.to.state + place), moves = -(mass * a.rate);
    if (a.to > 0) {
      *began.at(a.to) = fma(moves, sum, a.from > a.to ? fma(a.stiffening, moved, began(a.base)) : began(a.base));
      return;
    }
    const auto at = [&](const real* of_table, const real* by_place) {
      const real* const walls = g.medium.of_walls(by_place, c.to.patch);
      return of_table ? of_table + c.to.table : walls ? walls + c.to.state - c.to.patch * size + place : nullptr;
    };
    const real *const keep = at(tables.keep, g.medium.keep), *const given = at(top ? a.given_surface : a.given, g.medium.given);
    real& P = g.P[c.to.state + place];
    const real before = a.from > 0 ? rate_of_ends(P, moved, g.dt, keep, given) : keep ? *keep * P : P;
    P = fma(moves, sum, before);
    *began.at(0) = fma(g.dt, P, *began.at(0));
  }
};

// Where a step of all begins: borrowed columns begin with what this rank's patches have there. n as above.
template <class Real>
struct Borrow {
  BorrowedColumns columns;
  std::int64_t level_size;
  Real *psi, *P;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const BorrowedColumn& c = columns.list[columns.first + n % columns.count];
    const std::int64_t place = (n / columns.count + 1) * level_size;
    psi[c.to.state + place] = psi[c.here.state + place];
    P[c.to.state + place] = P[c.here.state + place];
  }
};
template <class Real>
struct LendRates {  // or take them back
  SharedColumns columns;
  Real* P;
  bool lend;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const SharedColumn& c = columns.list[columns.number(n)];
    const std::int64_t place = columns.place(n);
    P[c.to.state + place] = lend ? P[c.from.state + place] : Real(0);
  }
};

// y(D) of an initial pressure p, from the P that steps of D have made of psi = p and P = 0 at rest: its mean over a step of 2 D about it, less p.
template <class Patches>
struct ThirdOfIncrement {
  NodeView v;
  Places<Patches> places;
  double D;
  const Patches::real* P;
  Patches::real* to;  // as P
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    const std::int64_t place = places.place(i, j, k);
    to[place] = static_cast<Patches::real>(D / 6 * P[place]);
  }
};

}  // namespace agwave::leapfrog4
