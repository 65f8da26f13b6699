// SPDX-License-Identifier: Apache-2.0
// Nodes of a patch, level by level: forms the staged pressures from the partial sums of all patches that share a node, and brings
// the divergence of a layer back to the order of the mesh. The order of additions is the same from every patch (layout.hpp),
// every product that is added is fused, so patches and ranks that share a node compute the same bits.
#if defined(AGWAVE_TWO_SWEEP_NODES) == defined(HWY_TARGET_TOGGLE)
#ifdef AGWAVE_TWO_SWEEP_NODES
#undef AGWAVE_TWO_SWEEP_NODES
#else
#define AGWAVE_TWO_SWEEP_NODES
#endif

#include <hwy/cache_control.h>

#include <algorithm>

#include "timestep/two_sweep/cpu/layer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace agwave::two_sweep::HWY_NAMESPACE {

struct PatchView {
  const SweepArgs<CpuPatches>& g;
  int x, y;         // of the patch
  int i, j;         // its first node column
  int width, bars;  // node columns along x and bars that the mesh has
  bool last_x, last_y, walls;
  std::int64_t sums[3][3];  // of the neighbours, [south, own, north][west, own, east]

  PatchView(const SweepArgs<CpuPatches>& args, int patch) : g(args), x(patch % args.patches.px), y(patch / args.patches.px) {
    const CpuPatches& p = g.patches;
    i = 4 * CpuPatches::EX * x;
    j = 4 * EY * y;
    width = std::min(CpuPatches::PX, g.nodes.NX - i);
    bars = std::min(EY, p.ny - EY * y);
    last_x = x == p.px - 1;
    last_y = y == p.py - 1;
    walls = (g.nodes.west && x == 0) || (g.nodes.east && last_x) || (g.nodes.south && y == 0) || (g.nodes.north && last_y);
    for (int b = 0; b < 3; ++b)
      for (int a = 0; a < 3; ++a) sums[b][a] = p.sums_at(x + a - 1, y + b - 1);
  }
};

// How nodes are read and written: as vectors along a row, or one alone, which then fills a vector, so that both compute alike.
template <class T>
struct AlongOf {
  static constexpr Tag<T> d{};
  static HWY_INLINE VecOf<T> load(const T* at) { return hn::LoadU(d, at); }
  static HWY_INLINE VecOf<T> load_float(const float* at) {
    if constexpr (sizeof(T) == sizeof(float))
      return hn::LoadU(d, at);
    else
      return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, Tag<T>>(), at));
  }
  static HWY_INLINE void store(const VecOf<T>& v, T* at) { hn::StoreU(v, d, at); }
};
template <class T>
struct AloneOf {
  static constexpr Tag<T> d{};
  static HWY_INLINE VecOf<T> load(const T* at) { return hn::Set(d, *at); }
  static HWY_INLINE VecOf<T> load_float(const float* at) { return hn::Set(d, static_cast<T>(*at)); }
  static HWY_INLINE void store(const VecOf<T>& v, T* at) { *at = hn::GetLane(v); }
};
using Along = AlongOf<double>;
using Alone = AloneOf<double>;

// r_a and r_b of one patch: in sweep A in_a and in_b, in sweep B in_a and in_a + in_b; on a boundary of chunks the lower chunk's and then
// the upper one's.
template <bool A>
struct PartialSums {
  const double *in_a, *in_b;
  bool two_levels;  // the level at hand and the one stored above it are one level of the mesh
  template <class Nodes>
  HWY_INLINE void load(std::int64_t at, Vec& a, Vec& b) const {
    one_level<Nodes>(at, a, b);
    if (two_levels) {
      Vec upper_a, upper_b;
      one_level<Nodes>(at + CpuPatches::level_size, upper_a, upper_b);
      a = hn::Add(a, upper_a);
      b = hn::Add(b, upper_b);
    }
  }

 private:
  template <class Nodes>
  HWY_INLINE void one_level(std::int64_t at, Vec& a, Vec& b) const {
    a = Nodes::load(in_a + at);
    b = Nodes::load(in_b + at);
    if (!A) b = hn::Add(a, b);
  }
};

// The nodes that a patch shares with its neighbours along x, from row j on: the western patch's part of the first node of each row, and the sum of both parts of
// the last, of which the east's is there already.
template <class Nodes, bool A>
HWY_INLINE void side_sums_at(const PartialSums<A>& sums, const std::int64_t (&patches)[3], std::int64_t level, int j, Scratch& s) {
  Vec a, b;
  sums.template load<Nodes>(patches[0] + level + 32 * PY + j, a, b);
  Nodes::store(a, s.west[0] + j);
  Nodes::store(b, s.west[1] + j);
  sums.template load<Nodes>(patches[1] + level + 32 * PY + j, a, b);
  Nodes::store(hn::Add(a, Nodes::load(s.east[0] + j)), s.east[0] + j);
  Nodes::store(hn::Add(b, Nodes::load(s.east[1] + j)), s.east[1] + j);
}
// A whole level at a time. What is left of its rows comes alone where that is the last one: the array may end with it.
template <bool A>
void side_sums(const PartialSums<A>& sums, const std::int64_t (&patches)[3], std::int64_t level, int rows, Scratch& s) {
  for (int j = 0; j < rows; ++j) {
    Vec a, b;
    sums.template load<Alone>(patches[2] + level + 32 * j, a, b);
    s.east[0][j] = hn::GetLane(a);
    s.east[1][j] = hn::GetLane(b);
  }
  for (int j = 0; j < rows; j += N) j + 1 < rows ? side_sums_at<Along>(sums, patches, level, j, s) : side_sums_at<Alone>(sums, patches, level, j, s);
}

// A row of nodes in the patches along x that share it: own + across x.
template <bool A>
struct RowSums {
  std::int64_t at;     // of the row in the sums
  Vec west_a, west_b;  // zero but in the first lane
  Vec east_a, east_b;

  HWY_INLINE RowSums(const std::int64_t (&patches)[3], std::int64_t level, int j, const Scratch& s) : at(patches[1] + level + 32 * j) {
    west_a = hn::IfThenElseZero(hn::FirstN(d, 1), hn::LoadU(d, s.west[0] + j));
    west_b = hn::IfThenElseZero(hn::FirstN(d, 1), hn::LoadU(d, s.west[1] + j));
    east_a = Alone::load(s.east[0] + j);
    east_b = Alone::load(s.east[1] + j);
  }
  HWY_INLINE RowSums(const PartialSums<A>& sums, const std::int64_t (&patches)[3], std::int64_t level, int j) : at(patches[1] + level + 32 * j) {
    Vec a, b;
    sums.template load<Alone>(patches[0] + level + 32 * PY + j, a, b);
    west_a = hn::IfThenElseZero(hn::FirstN(d, 1), a);
    west_b = hn::IfThenElseZero(hn::FirstN(d, 1), b);
    sums.template load<Alone>(patches[1] + level + 32 * PY + j, east_a, east_b);
    sums.template load<Alone>(patches[2] + level + 32 * j, a, b);
    east_a = hn::Add(east_a, a);
    east_b = hn::Add(east_b, b);
  }
  HWY_INLINE void load(Along, const PartialSums<A>& sums, int i, Vec& a, Vec& b) const {
    sums.template load<Along>(at + i, a, b);
    if (i == 0) {
      a = hn::Add(a, west_a);
      b = hn::Add(b, west_b);
    }
  }
  HWY_INLINE void load(Alone, const PartialSums<A>& sums, int i, Vec& a, Vec& b) const {  // the first node or the last
    a = east_a;
    b = east_b;
    if (i != 0) return;
    sums.template load<Alone>(at, a, b);
    a = hn::Add(a, west_a);
    b = hn::Add(b, west_b);
  }
};

// A damped node: p_n = p + c_n M^-1 (r_n - S p_n-1). Rare, so one by one.
template <bool A>
HWY_NOINLINE void damped_node(const SweepArgs<CpuPatches>& g, int i, int j, int k, bool own, double inverse, double p, const double* r, double* p_a,
                              double* p_b) {
  const NodeView& n = g.nodes;
  const bool west = n.west && i == 0, east_wall = n.east && i == n.NX - 1, south = n.south && j == 0;
  const int number = west ? j : east_wall ? n.NY + j : south ? 2 * n.NY + i : 2 * n.NY + n.NX + i;
  double& p2 = g.wall[static_cast<std::int64_t>(k) * g.patches.wall_columns() + number];
  const double damping = n.damping(i, j, k);
  *p_a = p + g.ca_dt * inverse * (r[0] - damping * (A ? p2 : p));
  *p_b = p + g.cb_dt * inverse * (r[1] - damping * *p_a);
  if (!A && own) p2 = *p_b;
}

// One row of a level: everything that its nodes read, and where they go.
template <bool A>
struct NodeRow {
  const double *p, *inverse, *load_a, *load_b;  // load: null away from a forced floor
  const float* excess;                          // of the medium beyond the reference, or null
  double* p_next;                               // null: not stored as it is computed
  double ca, cb;
  bool staged, keep_sums;

  // Plain: no neighbour across y, no load, staged, p_next stored, sums not kept.
  template <bool Plain, class Nodes>
  HWY_INLINE void stage(int i, const PartialSums<A>& sums, const RowSums<A>& own, const RowSums<A>* across, Scratch& s) const {
    const Vec at = Nodes::load(p + i);
    Vec p_a = at, p_b = at;
    if (Plain || staged) {
      Vec a, b;
      own.load(Nodes(), sums, i, a, b);
      if (!Plain && across) {
        Vec across_a, across_b;
        across->load(Nodes(), sums, i, across_a, across_b);
        a = hn::Add(a, across_a);
        b = hn::Add(b, across_b);
      }
      if (!Plain && load_a) {
        a = hn::Add(a, Nodes::load(load_a + i));
        b = hn::Add(b, Nodes::load(load_b + i));
      }
      if (!Plain && keep_sums) {
        Nodes::store(a, s.sums[0] + i);
        Nodes::store(b, s.sums[1] + i);
      }
      Vec m = Nodes::load(inverse + i);
      if (excess) m = hn::MulAdd(m, Nodes::load_float(excess + i), m);
      p_a = hn::MulAdd(hn::Mul(m, hn::Set(d, ca)), a, at);
      p_b = hn::MulAdd(hn::Mul(m, hn::Set(d, cb)), b, at);
    }
    Nodes::store(p_a, s.staged[0] + i);
    Nodes::store(p_b, s.staged[1] + i);
    if (A && (Plain || p_next)) Nodes::store(p_b, p_next + i);
  }
};

// Where the mesh ends inside the patch: from copies, zero beyond it.
template <bool A>
NodeRow<A> padded(NodeRow<A> line, int width, Scratch& s) {
  const double** const from[4] = {&line.p, &line.inverse, &line.load_a, &line.load_b};
  for (int n = 0; n < 4; ++n) {
    if (!*from[n]) continue;
    std::copy_n(*from[n], width, s.padded[n]);
    *from[n] = s.padded[n];
  }
  if (line.excess) {
    std::copy_n(line.excess, width, s.excess);
    line.excess = s.excess;
  }
  line.p_next = nullptr;
  return line;
}

template <bool A>
void damp_row(const PatchView& v, int k, int row_j, bool own_row, double inverse_level, bool whole, const NodeRow<A>& line, double* p_next,
              Scratch& s) {
  const NodeView& n = v.g.nodes;
  const bool west = n.west && v.x == 0, east_wall = n.east && v.last_x;
  for (int i = 0; i < v.width; i += whole ? 1 : std::max(1, v.width - 1)) {
    if (!whole && !(west && i == 0) && !(east_wall && i == v.width - 1)) continue;
    const double r[2] = {s.sums[0][i], s.sums[1][i]};
    const bool own = own_row && (i < 32 || v.last_x);
    const double inverse = line.excess ? line.inverse[i] * (1 + static_cast<double>(line.excess[i])) : line.inverse[i];
    damped_node<A>(v.g, v.i + i, v.j + row_j, k, own, inverse * inverse_level, line.p[i], r, &s.staged[0][i], &s.staged[1][i]);
    if (own && p_next) p_next[i] = s.staged[1][i];
  }
}

// What the hardware does not guess: rows of p, and single nodes of the eastern patch.
inline void prefetch_level(const PatchView& v, int k, std::int64_t at) {
  for (int j = 0; j <= 4 * v.bars; ++j) {
    const double* const p = v.g.p + v.g.nodes.at(v.i, v.j + j, k);
    for (int i = 0; i <= 32; i += 8) hwy::Prefetch(p + i);
    const std::int64_t east = v.sums[1][2] + at + 32 * j;
    hwy::Prefetch(v.g.in_a + east);
    hwy::Prefetch(v.g.in_b + east);
  }
  for (int n = 0; n < CpuPatches::level_size; n += 8) {
    hwy::Prefetch(v.g.in_a + v.sums[1][1] + at + n);
    hwy::Prefetch(v.g.in_b + v.sums[1][1] + at + n);
  }
}

// Scaled, from the order of the mesh to the one of the layer's rows.
template <class T>
HWY_INLINE void put_row(const T* staged, double scale, T* to) {
  constexpr Tag<T> d{};
  constexpr int E = Rows<T>::E;
  const VecOf<T> factor = hn::Set(d, static_cast<T>(scale));
  for (int e = 0; e < E; e += lanes_of<T>) {
    VecOf<T> v0, v1, v2, v3;
    hn::LoadInterleaved4(d, staged + 4 * e, v0, v1, v2, v3);
    hn::Store(hn::Mul(factor, v0), d, to + Rows<T>::node0 + e);
    hn::Store(hn::Mul(factor, v1), d, to + e);
    hn::Store(hn::Mul(factor, v2), d, to + E + e);
    hn::Store(hn::Mul(factor, v3), d, to + 2 * E + e);
  }
  to[Rows<T>::last] = static_cast<T>(scale) * staged[4 * E];
}

// Level k of the mesh; level: where it lies in the sums of a patch.
template <bool A>
void stage_level(const PatchView& v, int k, int level, bool two_levels, bool own_level, Level& to_a, Level& to_b, Scratch& s) {
  const SweepArgs<CpuPatches>& g = v.g;
  const NodeView& n = g.nodes;
  const std::int64_t at = static_cast<std::int64_t>(level) * CpuPatches::level_size, columns = static_cast<std::int64_t>(n.NX) * n.NY;
  const bool surface = k == n.NZ - 1 && g.inverse_surface, floor = k == 0 && g.load, full = v.width == CpuPatches::PX;
  const double* const inverse_column = surface ? g.inverse_surface : g.inverse_column;
  const double inverse_level = surface ? 1.0 : g.inverse_wz[k];
  const PartialSums<A> sums{g.in_a, g.in_b, two_levels};
  const bool plain_level = full && !floor && own_level && !two_levels && (!A || g.staged);
  const PartialSums<A> plain_sums{g.in_a, g.in_b, false};
  if (k + 4 < n.NZ) prefetch_level(v, k + 4, at + 4 * CpuPatches::level_size);
  if (!A || g.staged) side_sums(sums, v.sums[1], at, 4 * v.bars + 1, s);

  for (int row_j = 0; row_j <= 4 * v.bars; ++row_j) {
    const int j = v.j + row_j;
    const std::int64_t column = static_cast<std::int64_t>(j) * n.NX + v.i, node = n.at(v.i, j, k);
    const bool own_row = row_j < PY - 1 || v.last_y, south = row_j == 0, across = south || row_j == PY - 1;
    const RowSums<A> own(v.sums[1], at, row_j, s);
    double* const p_next = A && own_level && own_row ? g.p_next + node : nullptr;
    const float* const excess = n.excess && !surface ? n.excess + static_cast<std::int64_t>(k) * columns + column : nullptr;
    NodeRow<A> line{
        g.p + node, inverse_column + column, nullptr, nullptr, excess, p_next, g.ca_dt * inverse_level, g.cb_dt * inverse_level, !A || g.staged,
        v.walls};
    const bool damped = (n.south && j == 0) || (n.north && j == n.NY - 1);  // the whole row
    if (plain_level && !across && !damped) {
#pragma GCC unroll 8
      for (int i = 0; i < 32; i += N) line.template stage<true, Along>(i, plain_sums, own, nullptr, s);
      if (!v.last_x) line.p_next = nullptr;
      line.template stage<false, Alone>(32, plain_sums, own, nullptr, s);
      if (v.walls) {  // of the row's sums only those of its ends are wanted
        Vec a, b;
        own.load(Alone(), plain_sums, 0, a, b);
        Alone::store(a, s.sums[0]);
        Alone::store(b, s.sums[1]);
      }
    } else {
      if (floor) {
        line.load_a = g.load + column;
        line.load_b = g.load + columns + column;
      }
      if (!full) line = padded(line, v.width, s);
      RowSums<A> other = own;
      if (across && line.staged) other = RowSums<A>(sums, v.sums[south ? 0 : 2], at, south ? PY - 1 : 0);
      for (int i = 0; i < 32; i += N) line.template stage<false, Along>(i, sums, own, across ? &other : nullptr, s);
      if (!full || !v.last_x) line.p_next = nullptr;
      line.template stage<false, Alone>(32, sums, own, across ? &other : nullptr, s);
      if (p_next && !full) std::copy_n(s.staged[1], v.last_x ? v.width : 32, p_next);
    }
    if (v.walls && line.staged) damp_row<A>(v, k, row_j, own_row, inverse_level, damped, line, p_next, s);
    put_row(s.staged[0], g.alpha, to_a[row_j]);
    put_row(s.staged[1], g.beta, to_b[row_j]);
  }
}

// Parts along z -> partial sums of four levels, the fifth carried to the next layer, or written if it is the top of the chunk. in: the
// patch's own part of r1, to which sweep B adds; null in sweep A.
template <class T>
inline void store_sums(int rows, bool top, LevelOf<T>& carry, const T* in, T* out, ScratchOf<T>& s) {
  constexpr Tag<T> d{};
  constexpr int E = Rows<T>::E, N = lanes_of<T>, node0 = Rows<T>::node0, last = Rows<T>::last, wide = 4 * E;
  constexpr int level_size = PatchGrid<E, EY, CpuBar, false, T>::level_size;
  const int levels = top ? 5 : 4;
  for (int j = 0; j < rows; ++j) {
    for (int e = 0; e < E; e += N) {
      Wide<1, T> sum[4][5];  // [node along x][level]
      for (int m = 0; m < 4; ++m) {
        const int at = (m == 0 ? node0 : E * (m - 1)) + e;
        Wide<1, T> part[5];
        for (int k = 0; k < 5; ++k) part[k] = load<1>(&s.z[k][j][at]);
        join<true>(part, sum[m]);
        sum[m][0] = sum[m][0] + load<1>(&carry[j][at]);
        store(sum[m][4], &carry[j][at]);
      }
      for (int k = 0; k < levels; ++k)
        hn::StoreInterleaved4(sum[0][k].v[0], sum[1][k].v[0], sum[2][k].v[0], sum[3][k].v[0], d, out + k * level_size + wide * j + 4 * e);
    }
    Wide<1, T> part[5], sum[5];
    for (int k = 0; k < 5; ++k) part[k] = load<1>(&s.z[k][j][last]);
    join<true>(part, sum);
    sum[0] = sum[0] + load<1>(&carry[j][last]);
    store(sum[4], &carry[j][last]);
    for (int k = 0; k < levels; ++k) out[k * level_size + wide * PY + j] = hn::GetLane(sum[k].v[0]);
    if (!in) continue;
    for (int k = 0; k < levels; ++k) {
      T* const to = out + k * level_size;
      const T* const from = in + k * level_size;
      for (int i = wide * j; i < wide * j + wide; i += N) hn::StoreU(hn::Add(hn::LoadU(d, from + i), hn::LoadU(d, to + i)), d, to + i);
      to[wide * PY + j] += from[wide * PY + j];
    }
  }
}

}  // namespace agwave::two_sweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
