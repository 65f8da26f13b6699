// SPDX-License-Identifier: Apache-2.0
// How the fused leapfrog stores its state: everything as two_sweep/layout.hpp stores partial sums, patch by patch, so that a patch finds what it
// needs in one stretch of memory. psi and P are complete in every patch, so what patches share is stored by each and computed by each, from the
// same numbers in the same order: the same bits. r = K psi and T = K (psi + dt^2/12 q) are partial sums with ghosts, of which whoever reads a node
// adds the parts. Between steps, when nobody reads the sums, the memory of either also has room for a value of every node, at the place of its holder.
#pragma once
#include <cmath>

#include "timestep/local_steps/schedule.hpp"
#include "timestep/two_sweep/layout.hpp"

namespace agwave::leapfrog4 {

template <class Patches>
struct Places : Patches {
  using real = typename Patches::real;
  int NX, NY, NZ;
  bool below, above;  // other ranks have the layers there
  // [py + 2][px + 2] of the coarsest step (local_steps/levels.hpp), of the patches around this rank's as well; null: the same step for all
  const std::uint8_t* halvings = nullptr;

  explicit Places(const Mesh& mesh)
      : Patches(mesh), NX(mesh.NX()), NY(mesh.NY()), NZ(mesh.NZ()), below(!mesh.part.at_low(2)), above(!mesh.part.at_high(2)) {}
  Places() = default;

  static constexpr int wide = 4 * Patches::EX, deep = 4 * Patches::EY;
  AGWAVE_HD std::int64_t state_size() const { return this->count() * this->patch_sums(); }
  AGWAVE_HD std::int64_t table_size() const { return this->count() * Patches::level_size; }  // of one level of all patches
  AGWAVE_HD std::int64_t state_at(int x, int y) const { return (static_cast<std::int64_t>(y) * this->px + x) * this->patch_sums(); }
  AGWAVE_HD std::int64_t table_at(int x, int y) const { return (static_cast<std::int64_t>(y) * this->px + x) * Patches::level_size; }

  // The first of the patches, and of the chunks, that hold a line of nodes; the one before it has it as its last.
  AGWAVE_HD int patch_x(int i) const { return i / wide < this->px ? i / wide : this->px - 1; }
  AGWAVE_HD int patch_y(int j) const { return j / deep < this->py ? j / deep : this->py - 1; }
  AGWAVE_HD int chunk(int k) const { return k / (4 * this->layers) < this->chunks ? k / (4 * this->layers) : this->chunks - 1; }
  AGWAVE_HD int level(int c, int k) const { return this->first_level(c) + k - 4 * this->layers * c; }

  // f(x, y, level, column) of every place in the state that holds node (i, j, k).
  template <class F>
  AGWAVE_HD void each(int i, int j, int k, F&& f) const {
    const int x1 = patch_x(i), y1 = patch_y(j), c1 = chunk(k);
    const int x0 = x1 > 0 && i == wide * x1 ? x1 - 1 : x1, y0 = y1 > 0 && j == deep * y1 ? y1 - 1 : y1,
              c0 = c1 > 0 && k == 4 * this->layers * c1 ? c1 - 1 : c1;
    for (int c = c0; c <= c1; ++c)
      for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) f(x, y, level(c, k), Patches::column(i - wide * x, j - deep * y));
  }
  AGWAVE_HD void put(int i, int j, int k, real value, real* state) const {
    each(i, j, k, [&](int x, int y, int level, int column) {
      state[state_at(x, y) + static_cast<std::int64_t>(level) * Patches::level_size + column] = value;
    });
  }
  // The patch whose state of a column of nodes counts here: of this rank's that hold it one of the coarsest steps, the last of them.
  struct Holder {
    int x, y;
  };
  AGWAVE_HD Holder holder(int i, int j) const {
    const int x1 = patch_x(i), y1 = patch_y(j);
    Holder best{x1, y1};
    if (!halvings) return best;
    const int x0 = x1 > 0 && i == wide * x1 ? x1 - 1 : x1, y0 = y1 > 0 && j == deep * y1 ? y1 - 1 : y1;
    for (int y = y1; y >= y0; --y)
      for (int x = x1; x >= x0; --x)
        if (halvings_of(x, y) < halvings_of(best.x, best.y)) best = {x, y};
    return best;
  }
  static constexpr std::uint8_t nobody = 255;  // among halvings: there is no patch
  AGWAVE_HD std::int64_t place_in_ring(int x, int y) const { return static_cast<std::int64_t>(y + 1) * (this->px + 2) + x + 1; }
  AGWAVE_HD int halvings_of(int x, int y) const { return halvings ? halvings[place_in_ring(x, y)] : 0; }  // -1..px, -1..py
  AGWAVE_HD int halvings_at(int i, int j) const {  // of a column of nodes: of the coarsest patch that has it, on whichever rank
    if (!halvings) return 0;
    const int x = patch_x(i), y = patch_y(j), x0 = i == wide * x ? x - 1 : x, y0 = j == deep * y ? y - 1 : y, x1 = i == wide * (x + 1) ? x + 1 : x,
              y1 = j == deep * (y + 1) ? y + 1 : y;
    int least = nobody;
    for (int b = y0; b <= y1; ++b)
      for (int a = x0; a <= x1; ++a)
        if (halvings_of(a, b) < least) least = halvings_of(a, b);
    return least;
  }
  AGWAVE_HD std::int64_t patch(int i, int j) const {
    const Holder h = holder(i, j);
    return static_cast<std::int64_t>(h.y) * this->px + h.x;
  }
  AGWAVE_HD std::int64_t place(int i, int j, int k) const {
    const Holder h = holder(i, j);
    return state_at(h.x, h.y) + within(h, i, j, k);
  }
  AGWAVE_HD std::int64_t place_in_layer(int i, int j, int ez) const {  // of a layer's lowest node; the four above it follow a level apart
    const Holder h = holder(i, j);
    return state_at(h.x, h.y) + static_cast<std::int64_t>(level(ez / this->layers, 4 * ez)) * Patches::level_size +
           Patches::column(i - wide * h.x, j - deep * h.y);
  }
  AGWAVE_HD std::int64_t place_in_table(int i, int j) const {
    const Holder h = holder(i, j);
    return table_at(h.x, h.y) + Patches::column(i - wide * h.x, j - deep * h.y);
  }
  AGWAVE_HD std::int64_t place_in_sums(int i, int j, int k) const {
    const Holder h = holder(i, j);
    return this->sums_at(h.x, h.y) + within(h, i, j, k);
  }

  struct InPatch {
    int x, y, chunk, level, i, j;  // level of the chunk; i, j of the patch's columns
  };
  AGWAVE_HD InPatch in_patch(std::int64_t patch, int chunk, int level, int column) const {
    constexpr int rows = wide * Patches::PY;
    const int y = static_cast<int>(patch) / this->px, x = static_cast<int>(patch) - y * this->px;
    return {x, y, chunk, level, column < rows ? column % wide : wide, column < rows ? column / wide : column - rows};
  }
  // As sum(), of a place that is known: the same bits, for two numbers are added in either order.
  AGWAVE_HD real sum(const real* sums, const InPatch& at) const {
    const int top = 4 * this->chunk_size(at.chunk);
    const int other = at.level == 0 && (at.chunk > 0 || below) ? -1 : at.level == top && (at.chunk < this->chunks - 1 || above) ? 1 : 0;
    const std::int64_t level_at = static_cast<std::int64_t>(this->first_level(at.chunk) + at.level) * Patches::level_size;
    const auto part = [&](int x, int y, int i, int j) {
      const real* const from = sums + this->sums_at(x, y) + level_at + Patches::column(i, j);
      return other == 0 ? from[0] : from[0] + from[other * Patches::level_size];
    };
    const auto row = [&](int y, int j) {
      real all = part(at.x, y, at.i, j);
      if (at.i == 0) all += part(at.x - 1, y, wide, j);
      if (at.i == wide) all += part(at.x + 1, y, 0, j);
      return all;
    };
    real all = row(at.y, at.j);
    if (at.j == 0) all += row(at.y - 1, deep);
    if (at.j == deep) all += row(at.y + 1, 0);
    return all;
  }
  AGWAVE_HD bool holds(const InPatch& at) const {  // it is the place() of its node
    if (at.level == 4 * this->layers && at.chunk < this->chunks - 1) return false;
    if (!halvings) return (at.i < wide || at.x == this->px - 1) && (at.j < deep || at.y == this->py - 1);
    const Holder h = holder(wide * at.x + at.i, deep * at.y + at.j);
    return h.x == at.x && h.y == at.y;
  }

  AGWAVE_HD int node_of(int level) const {  // k of the nodes that are stored there
    const int tall = 4 * this->layers + 1, c = (level - 1) / tall;
    return 4 * this->layers * c + (level - 1) % tall;
  }

  // The parts of a node, added: along z, then x, then y.
  AGWAVE_HD real sum(const real* sums, int i, int j, int k) const {
    return sum_of(j, [&](int y, int at) { return row(sums, y, i, at, k); });
  }
  // Those of each patch times weight(its halvings).
  template <class Weight>
  AGWAVE_HD real weighted_sum(const real* sums, int i, int j, int k, const Weight& weight) const {
    return sum_of(j, [&](int y, int at) {
      return row_of(i, [&](int x, int from) { return static_cast<real>(weight(halvings_of(x, y))) * part(sums, x, y, from, at, k); });
    });
  }

 private:
  AGWAVE_HD std::int64_t within(const Holder& h, int i, int j, int k) const {  // of the holder's patch
    return static_cast<std::int64_t>(level(chunk(k), k)) * Patches::level_size + Patches::column(i - wide * h.x, j - deep * h.y);
  }
  template <class Row>  // row(y, j of the patch)
  AGWAVE_HD real sum_of(int j, const Row& row) const {
    const int y = patch_y(j), at = j - deep * y;
    real all = row(y, at);
    if (at == 0 && y >= 0) all += row(y - 1, deep);
    if (at == deep) all += row(y + 1, 0);
    return all;
  }
  template <class Part>  // part(x, i of the patch)
  AGWAVE_HD real row_of(int i, const Part& part) const {
    const int x = patch_x(i), at = i - wide * x;
    real all = part(x, at);
    if (at == 0) all += part(x - 1, wide);
    if (at == wide) all += part(x + 1, 0);
    return all;
  }
  AGWAVE_HD real row(const real* sums, int y, int i, int j, int k) const {
    return row_of(i, [&](int x, int at) { return part(sums, x, y, at, j, k); });
  }
  AGWAVE_HD real part(const real* sums, int x, int y, int i, int j, int k) const {
    const int c = chunk(k), l = level(c, k);
    const real* at = sums + this->sums_at(x, y) + static_cast<std::int64_t>(l) * Patches::level_size + Patches::column(i, j);
    const bool first = k == 4 * this->layers * c, last = k == NZ - 1;
    if (first && (c > 0 || below)) return at[-Patches::level_size] + at[0];
    if (last && above) return at[0] + at[Patches::level_size];
    return at[0];
  }
};

// Values of nodes, as state::NodeValues (timestep/state_pointwise.hpp): of the state, and where sums have been.
template <class Patches>
struct InState {
  const typename Patches::real* values = nullptr;
  Places<Patches> places;
  AGWAVE_HD std::int64_t at(int i, int j, int k) const { return places.place(i, j, k); }
  AGWAVE_HD Patches::real operator()(int i, int j, int k) const { return values[at(i, j, k)]; }
};
template <class Patches>
struct InSums {
  const typename Patches::real* values = nullptr;
  Places<Patches> places;
  AGWAVE_HD std::int64_t at(int i, int j, int k) const { return places.place_in_sums(i, j, k); }
  AGWAVE_HD Patches::real operator()(int i, int j, int k) const { return values[at(i, j, k)]; }
};

// What a node's inverse mass and its wall make of the sum of its parts. Tables of one level of all patches, [patch][level], zero beyond the mesh.
template <class Real>
struct NodeTablesOf {
  const Real* inverse;  // below the surface still to be multiplied by inverse_wz; null on the surface without gravity, which is a level like others
  const Real* keep;     // of P, where walls absorb; else null, for 1
};

// Where the speed of sound differs (fused_medium.hpp). The inverse mass of a node is that of the tables, which hold the reference's, times 1 + excess and
// in patches at walls times its share: what these make of it differs along a column too, so that they are no part of the tables then.
template <class Real>
struct MediumByPlaceOf {
  const float* excess = nullptr;     // as the state lies, zero on a surface with gravity, whose tables have it; null: the same speed everywhere
  const std::int64_t* at = nullptr;  // [patch] where its values of walls begin, or -1; null: no walls
  // [patch at a wall][level][column] what the wall leaves of the inverse mass. In double precision 1 + excess is exact, and its product with a mass has the
  // bits of fma, so that there the share has the medium's part as well and stands for both.
  static constexpr bool share_has_medium = sizeof(Real) == sizeof(double);
  const Real* share = nullptr;
  const Real *keep = nullptr, *given = nullptr;  // likewise, of P and of an increment; as NodeTablesOf and AdvanceOf have them
  AGWAVE_HD const Real* of_walls(const Real* values, std::int64_t patch) const {
    return values && at && at[patch] >= 0 ? values + at[patch] : nullptr;
  }
  AGWAVE_HD Real inverse_mass(Real of_tables, std::int64_t patch, std::int64_t patch_sums, std::int64_t place) const {
    if (!excess) return of_tables;
    const Real* const walls = of_walls(share, patch);
    if (share_has_medium && walls) return of_tables * walls[place - patch * patch_sums];
    const Real mass = fma(of_tables, static_cast<Real>(excess[place]), of_tables);
    return walls ? mass * walls[place - patch * patch_sums] : mass;
  }
};

// Where columns step in levels (fused_levels.hpp): how the patches of h halvings end a step that takes them to the end of a step of g halvings.
inline constexpr int max_halvings = 12;
template <class Real>
struct AdvanceOf {
  int from = 0, to = 0, base = 0;    // h, g; what psi was when the step of g halvings began is kept as that of so many
  Real rate = 0;                     // of `inverse` (sum - load) in P', or in psi at the end of the step
  Real stiffening = 1;               // of g halvings (local_steps/schedule.hpp), which `rate` has too
  Real* finer = nullptr;             // [patch with halvings][1, ..., its own][level][column] psi at the beginning of the step of so many halvings; or
                                     // by_displacement how far it has moved by then within the step of all
  const std::int64_t* at = nullptr;  // [patch] where its first begins
  const Real *given = nullptr, *given_surface = nullptr;  // [patch][level] what walls leave P' of an increment, or null for all
  // In single precision psi is rounded by more than what a short step moves it by, and that would kick its rate.
  static constexpr bool by_displacement = sizeof(Real) < sizeof(double);
  AGWAVE_HD static Real softening(int halvings) { return static_cast<Real>(1 / local_steps::stiffening(halvings)); }
  // Of a GPU's sweep, where it moves psi, or P, by what came before, a step of one halving more.
  struct Moves {
    bool here = false;
    Real softening = 0, per_step = 0;  // of that step; 2 / dt
  };
  Moves moves{};
};

// A column of nodes in a patch: in psi and P, in what is carried beside them (AdvanceOf), in tables; number and halvings of the patch.
struct Place {
  std::int64_t state = 0, finer = 0, table = 0;
  int patch = 0, halvings = 0;
};
// A column of nodes whose coarsest patches other ranks have. It is computed here as well, from the same sums: at `to`, behind this rank's patches, in one that
// is nothing but a place for such columns. here: a patch of this rank that has it.
struct BorrowedColumn {
  Place to, here;
  int i, j;
};
struct BorrowedColumns {  // a stretch of a list of them
  const BorrowedColumn* list;
  std::int64_t first, count;
};

// Forcing of the floor, [patch][level] [m3/s]: at one rate, or between two.
template <class Real>
struct FloorLoadOf {
  const Real* values = nullptr;  // null: none
  const Real* others = nullptr;  // at the other rate, or null
  Real weight = 0;               // of these
  AGWAVE_HD explicit operator bool() const { return values; }
  AGWAVE_HD FloorLoadOf from(std::int64_t n) const { return {values ? values + n : nullptr, others ? others + n : nullptr, weight}; }
  AGWAVE_HD Real operator[](std::int64_t n) const { return others ? fma(weight, others[n] - values[n], values[n]) : values[n]; }
};

// Forcing in the water, of the patches that have any.
template <class Real>
struct BodyLoadOf {
  const Real* values;      // [patch that has some][level][column] [m3/s]; null: nowhere
  const std::int64_t* at;  // [patch] where its values begin, or -1
  AGWAVE_HD const Real* of(std::int64_t patch) const { return values && at[patch] >= 0 ? values + at[patch] : nullptr; }
  AGWAVE_HD double in(const Place& column, std::int64_t patch_sums, std::int64_t level_place) const {  // of a patch of this rank
    const Real* const forces = of(column.patch);
    return forces ? forces[column.state - column.patch * patch_sums + level_place] : 0.0;
  }
  template <class Patches>
  AGWAVE_HD double at_place(const Places<Patches>& places, int i, int j, std::int64_t place) const {  // of node (i, j), there in the state
    const std::int64_t patch = places.patch(i, j);
    const Real* const forces = of(patch);
    return forces ? forces[place - patch * places.patch_sums()] : 0.0;
  }
};
using BodyLoad = BodyLoadOf<double>;

template <class Patches>
struct SweepArgs {  // of one sweep, in the memory of its device
  using real = typename Patches::real;
  ElementView elements;
  NodeView nodes;
  Places<Patches> patches;
  const real* inverse_wz;  // [NZ]
  MediumByPlaceOf<real> medium;
  NodeTablesOf<real> column,
      surface;     // all levels but the surface, the surface. Of q: its inverse mass. Of next: P' = keep P - dt inverse (sum - load)
  real *psi, *P;   // [patch][level][column]
  const real* in;  // sums: r where q is formed, T where the state is advanced; else null
  real* sums;      // K of what is formed; of q dt^2/12 times that and the patch's part of r
  FloorLoadOf<real> load;
  BodyLoadOf<real> body;
  real dt, of_psi, of_P;  // the last two: what is formed where nothing else is
  AdvanceOf<real> advance;
  BodyLoadOf<real> others;  // of q: the field at nodes of coarser patches, where those of advance.from halvings take K of it; zero at their own nodes
  real factor;              // of K, over the density
  const std::int32_t* order;
  int first, last;

  AGWAVE_HD const real* others_of(int patch) const {
    return others.values && patches.halvings_of(patch % patches.px, patch / patches.px) == advance.from ? others.of(patch) : nullptr;
  }
  AGWAVE_HD real* out(int) const { return sums; }  // as the elements of two_sweep ask, which know more fields than one
  AGWAVE_HD real scale(int) const { return factor; }
  AGWAVE_HD bool damped() const { return column.keep || medium.keep; }
  AGWAVE_HD bool others_below() const { return patches.below; }
  AGWAVE_HD bool others_above() const { return patches.above; }
};

enum class Form {
  q,       // A psi + f
  next,    // psi', and the state is advanced
  part,    // psi at the end of a step of some halvings, of patches that step more finely
  mixture  // of_psi psi + of_P P
};

}  // namespace agwave::leapfrog4
