// SPDX-License-Identifier: Apache-2.0
// Nodes of a patch, level by level: forms the field that a sweep takes K of from the state and the sums of all patches that share a node. The order
// of additions is that of Places::sum, every product that is added is fused, so patches and ranks that share a node compute the same bits.
#if defined(AGWAVE_LEAPFROG_NODES) == defined(HWY_TARGET_TOGGLE)
#ifdef AGWAVE_LEAPFROG_NODES
#undef AGWAVE_LEAPFROG_NODES
#else
#define AGWAVE_LEAPFROG_NODES
#endif

#include "timestep/leapfrog4/cpu/sweep.hpp"
#include "timestep/leapfrog4/fused_levels_pointwise.hpp"
#include "timestep/two_sweep/cpu/nodes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace agwave::leapfrog4::HWY_NAMESPACE {

using namespace two_sweep::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace): vectors, levels and the elements of a layer
template <class Patches>
struct Patch {
  using real = typename Patches::real;
  const SweepArgs<Patches>& g;
  int x, y, bars;
  std::int64_t sums[3][3], state, table;
  const real *body, *others;         // forcing of the patch, field at nodes of coarser ones, as its state lies, or null
  const float* excess;               // likewise what the medium is beyond the reference, or null
  const real *share, *keep, *given;  // likewise of walls where the medium differs (MediumByPlaceOf)
  std::int64_t finer = 0;            // where what it steps with lies beside psi

  Patch(const SweepArgs<Patches>& args, int patch) : g(args), x(patch % args.patches.px), y(patch / args.patches.px) {
    const auto& p = g.patches;
    bars = std::min(EY, p.ny - EY * y);
    for (int b = 0; b < 3; ++b)
      for (int a = 0; a < 3; ++a) sums[b][a] = p.sums_at(x + a - 1, y + b - 1);
    state = p.state_at(x, y);
    table = p.table_at(x, y);
    body = g.body.of(patch);
    others = g.others_of(patch);
    excess = g.medium.excess ? g.medium.excess + state : nullptr;
    share = g.medium.of_walls(g.medium.share, patch);
    if (g.medium.share_has_medium && share) excess = nullptr;
    keep = g.medium.of_walls(g.medium.keep, patch);
    given = g.medium.of_walls(g.medium.given, patch);
    if (g.advance.at) finer = g.advance.at[patch];
  }
  BeganAt<real> began(std::int64_t place) const {
    return {g.psi + state + place, g.advance.finer ? g.advance.finer + finer + place : nullptr, g.patches.patch_sums()};
  }
};

// What a row's patch began its steps with (BeganAt), of `from` halvings first, at the row's place: what its steps have moved by so far.
template <class T>
struct Begun {
  static constexpr bool by_displacement = AdvanceOf<T>::by_displacement;
  const T* at[max_halvings + 1] = {};  // by_displacement the last one may be null: it has not moved yet
  double softening[max_halvings + 1] = {};
  int count = 0, ending = 0;  // how many there are; how many of the steps end
  void add(const AdvanceOf<T>& a, const BeganAt<T>& began) {
    ending = a.from - a.to;
    for (int h = a.from; h > a.to; --h) {
      softening[count] = a.softening(h);
      at[count++] = began.at(h);
    }
    at[count++] = by_displacement && a.base == 0 ? nullptr : began.at(a.base);
  }
  Begun beside(std::ptrdiff_t i) const {
    Begun other = *this;
    for (int n = 0; n < count; ++n)
      if (at[n]) other.at[n] = at[n] + i;
    return other;
  }
  template <class Nodes>
  HWY_INLINE VecOf<T> load(int n, std::ptrdiff_t i) const {
    if (by_displacement && !at[n]) return hn::Zero(Tag<T>{});
    return Nodes::load(at[n] + i);
  }
  template <class Nodes>
  HWY_INLINE VecOf<T> increment(std::ptrdiff_t i) const {
    constexpr Tag<T> d{};
    VecOf<T> z = hn::Zero(d);
    for (int n = 0; n < ending; ++n) {
      const VecOf<T> moved = hn::MulAdd(hn::Set(d, static_cast<T>(softening[n])), hn::Sub(load<Nodes>(n, i), load<Nodes>(n + 1, i)), z);
      z = hn::Add(moved, moved);
    }
    return z;
  }
};

// The sums of one level: at `at` in each patch, with those of the level above it where chunks meet.
template <class T>
struct LevelSums {
  const T* in;
  std::int64_t at;
  int level_size;
  bool two;
  template <class Nodes>
  HWY_INLINE VecOf<T> part(std::int64_t patch, int column) const {
    const T* const from = in + patch + at + column;
    const VecOf<T> a = Nodes::load(from);
    return two ? hn::Add(a, Nodes::load(from + level_size)) : a;
  }
};

// A row of nodes in the patches along x that share it, [own, west, east]: values along x to `to`, [4 E + 1].
template <class T>
HWY_INLINE void add_row(const LevelSums<T>& s, const std::int64_t (&patches)[3], int j, bool add, T* to) {
  constexpr Tag<T> d{};
  constexpr int wide = 4 * Rows<T>::E;
  for (int i = 0; i < wide; i += lanes_of<T>) {
    VecOf<T> v = s.template part<AlongOf<T>>(patches[1], wide * j + i);
    if (i == 0) v = hn::Add(v, hn::IfThenElseZero(hn::FirstN(d, 1), s.template part<AloneOf<T>>(patches[0], wide * PY + j)));
    hn::StoreU(add ? hn::Add(hn::LoadU(d, to + i), v) : v, d, to + i);
  }
  const T east = hn::GetLane(hn::Add(s.template part<AloneOf<T>>(patches[1], wide * PY + j), s.template part<AloneOf<T>>(patches[2], wide * j)));
  to[wide] = add ? to[wide] + east : east;
}

// One row of a level, as vectors along x and its last node alone.
template <class T>
struct Row {
  using Vec = VecOf<T>;
  static constexpr Tag<T> d{};
  static constexpr int wide = 4 * Rows<T>::E;
  T *psi, *part, *P;       // [4 E], and the last node of the row at `east` of them; part: where Form::part puts what it advances
  const T* inverse;        // likewise
  const T *keep, *given;   // likewise, or null for 1
  FloorLoadOf<T> load;     // likewise
  const T *body, *others;  // likewise, or null
  const float* excess;     // likewise, or null: nothing
  const T* share;          // likewise, or null for 1
  Begun<T> begun;
  std::ptrdiff_t east;
  double inverse_level, dt, rate, stiffening, of_psi, of_P;

  template <Form form, class Nodes>
  HWY_INLINE void one(std::ptrdiff_t at, const T* sum, T* to) const {
    const auto set = [](double value) HWY_ATTR { return hn::Set(d, static_cast<T>(value)); };
    if (form == Form::mixture) {
      const Vec psi_part = hn::Mul(set(of_psi), Nodes::load(psi + at));
      Nodes::store(hn::MulAdd(set(of_P), Nodes::load(P + at), psi_part), to);
      return;
    }
    Vec s = Nodes::load(sum);
    if (load) {
      const Vec f = Nodes::load(load.values + at);
      s = hn::Sub(s, load.others ? hn::MulAdd(set(load.weight), hn::Sub(Nodes::load(load.others + at), f), f) : f);
    }
    if (body) s = hn::Sub(s, Nodes::load(body + at));
    Vec m = hn::Mul(Nodes::load(inverse + at), set(inverse_level));
    if (excess) m = hn::MulAdd(m, Nodes::load_float(excess + at), m);
    if (share) m = hn::Mul(m, Nodes::load(share + at));
    if (form == Form::q) {
      const Vec q = hn::Neg(hn::Mul(m, s));
      Nodes::store(others ? hn::Add(q, Nodes::load(others + at)) : q, to);
    } else if (form == Form::part) {
      const Vec before = hn::MulAdd(set(stiffening), begun.template increment<Nodes>(at), begun.template load<Nodes>(begun.ending, at));
      const Vec next = hn::NegMulAdd(hn::Mul(m, set(rate)), s, before);
      Nodes::store(next, part + at);
      Nodes::store(begun.by_displacement ? hn::Add(Nodes::load(psi + at), next) : next, to);
    } else {
      Vec before = keep ? hn::Mul(Nodes::load(keep + at), Nodes::load(P + at)) : Nodes::load(P + at);
      if (begun.ending > 0) {
        const Vec moved = hn::Mul(set(2 / dt), begun.template increment<Nodes>(at));
        before = given ? hn::MulAdd(Nodes::load(given + at), moved, before) : hn::Add(before, moved);
      }
      const Vec P_next = hn::NegMulAdd(hn::Mul(m, set(rate)), s, before);
      const Vec next = hn::MulAdd(set(dt), P_next, Nodes::load(psi + at));
      Nodes::store(P_next, P + at);
      Nodes::store(next, psi + at);
      Nodes::store(next, to);
    }
  }
  template <Form form>
  HWY_INLINE void all(const T* sum, T* to) const {
    for (int i = 0; i < wide; i += lanes_of<T>) one<form, AlongOf<T>>(i, sum + i, to + i);
    one<form, AloneOf<T>>(east, sum + wide, to + wide);
  }
};

// What the hardware does not guess: single nodes of the patch to the east.
template <class Patches>
inline void prefetch_level(const Patch<Patches>& v, std::int64_t level) {
  const auto* const east = v.g.in + v.sums[1][2] + level * Patches::level_size;
  for (int j = 0; j <= 4 * v.bars; ++j) hwy::Prefetch(east + 4 * Patches::EX * j);
}

// Level k of the mesh: at `own` in the state, at `level` in the sums.
template <Form form, class Patches>
void form_level(const Patch<Patches>& v, int k, int own, int level, bool two, double scale, LevelOf<typename Patches::real>& to,
                ScratchOf<typename Patches::real>& s) {
  using T = typename Patches::real;
  constexpr int level_size = Patches::level_size, wide = 4 * Patches::EX;
  const SweepArgs<Patches>& g = v.g;
  const bool surface = k == g.nodes.NZ - 1 && g.surface.inverse, floor = k == 0;
  const NodeTablesOf<T>& tables = surface ? g.surface : g.column;
  const LevelSums<T> sums{g.in, static_cast<std::int64_t>(level) * level_size, level_size, two};
  const std::int64_t here = static_cast<std::int64_t>(own) * level_size;
  const BeganAt<T> began = v.began(here);
  T *const psi = began.at(0), *const part = form == Form::part ? began.at(g.advance.to) : psi, *const P = g.P + v.state + here;
  Begun<T> begun;
  if (form == Form::part || form == Form::next) begun.add(g.advance, began);
  alignas(64) T sum[Rows<T>::row] = {};
  if (form != Form::mixture && k + 4 < g.nodes.NZ) prefetch_level(v, level + 4);
  for (int j = 0; j <= 4 * v.bars; ++j) {
    if (form != Form::mixture) {
      add_row(sums, v.sums[1], j, false, sum);
      if (j == 0) add_row(sums, v.sums[0], PY - 1, true, sum);
      if (j == PY - 1) add_row(sums, v.sums[2], 0, true, sum);
    }
    const int at = wide * j;
    const auto of = [&](const T* table) { return table ? table + v.table + at : nullptr; };
    const auto by_place = [&](const T* values) { return values ? values + here + at : nullptr; };
    const Row<T> line{psi + at,
                      part + at,
                      P + at,
                      of(tables.inverse),
                      v.keep ? by_place(v.keep) : of(tables.keep),
                      v.given ? by_place(v.given) : of(surface ? g.advance.given_surface : g.advance.given),
                      floor ? g.load.from(v.table + at) : FloorLoadOf<T>{},
                      by_place(v.body),
                      by_place(v.others),
                      v.excess ? v.excess + here + at : nullptr,
                      by_place(v.share),
                      begun.beside(at),
                      wide * PY + j - at,
                      surface ? 1.0 : static_cast<double>(g.inverse_wz[k]),
                      g.dt,
                      g.advance.rate,
                      g.advance.stiffening,
                      g.of_psi,
                      g.of_P};
    line.template all<form>(sum, s.staged[0]);
    put_row(s.staged[0], scale, to[j]);
  }
}

}  // namespace agwave::leapfrog4::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
