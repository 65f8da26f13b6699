// SPDX-License-Identifier: Apache-2.0
// The fused leapfrog where columns step in levels. local_steps/increment.hpp has the scheme: the step of D of all consists, at a node of h halvings, of
// 2^h leapfrogs of D / 2^h. y is not carried by itself: phi_k = psi + s_1 y_1 + ... + s_k y_k is what psi would be, if the time about which it is even were
// the beginning of the step of k halvings (s_k: local_steps::stiffening), and every element takes K of what its nodes begin their own steps with, which is what
// the two sweeps do.
//   leaf      z_h = -dt_h^2/2 M^-1 sum,    sum over the patches that share a node: T of those of h halvings, of finer ones the mean of T over their steps
//   step k    its first half moves by z_k: phi_k = phi_k-1 + s_k z_k. Its second ends it: z_k-1 = 2 ((phi_k - phi_k-1) / s_k + z_k)
// and at the end of D, P' = keep P + given 2/D z_0. So a patch carries phi_1, ..., phi_h beside psi = phi_0. A node belongs to the coarsest patches that
// have it; others take it from there, and within a step of all do without a P of their own. K of q, the correction of order 4, is taken of the nodes of the
// patch, and in the last step within a coarser one of the nodes of coarser patches as well.
// Several ranks: sums are exchanged of the columns of nodes whose own steps begin or end, and of no others (fused_level_exchange.hpp). A node of another
// rank's patch is not asked for but computed here as well, from the same sums: borrowed (fused_level_columns.hpp).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_level_columns.hpp"
#include "timestep/leapfrog4/fused_level_exchange.hpp"
#include "timestep/leapfrog4/fused_medium.hpp"
#include "timestep/local_steps/asides.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Patches>
class FusedLevels {
  using real = typename Patches::real;

 public:
  using Sweep = local_steps::LevelSweep;
  enum class Share { early, late, all };  // of a sweep: patches that need nothing of neighbours, those that are late, both

  // Lends `places` the halvings of its patches. at_once: items that the device passes at once, 0 where no patches are to go aside. Collective.
  FusedLevels(const LocalLevels& levels, const Mesh& mesh, const NodeView& nodes, Places<Patches>& places, int at_once, const Comm& comm,
              Backend& backend)
      : nodes_(nodes),
        backend_(backend),
        has_(levels_there(levels)),
        schedule_(local_steps::schedule(has_)),
        ring_(ring_of_halvings(levels, mesh, places)) {
    LevelColumns columns = FindLevelColumns<Patches>(on_host(places), mesh.part).take();
    put_in_order(on_host(places), turns_of(on_host(places), columns, at_once, comm));
    patches_ = columns.patches();
    finer_size_ = columns.finer_at.back();
    finer_at_ = Array<std::int64_t>(Backend::space, columns.finer_at);
    others_at_ = Array<std::int64_t>(Backend::space, columns.others_at);
    others_ = zeros<real>(backend, columns.patches_with_others * places.patch_sums());
    sort_columns(columns);
    halvings_ = Array<std::uint8_t>(Backend::space, ring_);
    places.halvings = halvings_.data();
    places_ = places;
    finer_ = zeros<real>(backend, finer_size_);
    for (Array<real>* a : {&sum_of_steps_, &kept_}) *a = Array<real>(Backend::space, static_cast<std::size_t>(count_ * inner_levels()));
    for (int n = 0; n < surfaces(); ++n)
      tables_[n].make(patches_ * Patches::level_size, !nodes_.excess && (nodes_.west || nodes_.east || nodes_.south || nodes_.north), backend_);
  }

  const std::vector<Sweep>& sweeps() const { return schedule_; }
  int finest() const { return static_cast<int>(has_.size()) - 1; }  // halvings
  const std::vector<bool>& there() const { return has_; }           // [halvings] on some rank
  Places<Patches> on_host(Places<Patches> places) const {
    places.halvings = ring_.data();
    return places;
  }
  std::int64_t state_size() const { return patches_ * places_.patch_sums(); }  // of psi and P, borrowed columns included

  // For steps of D = dt. Without walls for an increment from rest.
  void set_step(double dt, bool walls) {
    for (int n = 0; n < surfaces(); ++n) {
      const LevelTables<real>& t = tables_[n].values;
      backend_.for_each(static_cast<std::int64_t>(nodes_.NX) * nodes_.NY,
                        FillLevelTables<Patches>{of_tables(nodes_, n == 1), places_, n == 1, walls, dt, t});
      backend_.for_each(borrowed_count(), FillBorrowedTables<Patches>{of_tables(nodes_, n == 1), all_borrowed(), n == 1, walls, dt, t});
    }
  }

  // Around the sweeps of a step of all. Between such steps psi and P are complete in every patch.
  void begin(real* psi, real* P) {
    backend_.for_each(borrowed_count() * inner_levels(), Borrow{all_borrowed(), Patches::level_size, psi, P});
    backend_.for_each(count_ * inner_levels(), LendRates{columns({0, count_}, {}), P, false});
  }
  void end(real* P) { backend_.for_each(count_ * inner_levels(), LendRates{columns({0, count_}, {}), P, true}); }

  // Before a sweep, or a share of it, whose arguments are set: what finer patches have of nodes of coarser ones.
  void before(Backend& lane, const Sweep& s, Share share, const SweepArgs<Patches>& g) {
    if (s.kind == Sweep::Kind::begin) {
      const SharedColumns shared = columns_from(s.from, share);
      if (asks_for_others(s)) lane.for_each(shared.count * inner_levels(), field_of_others(shared, s, g));
    } else if (s.from > s.to) {
      const Take take{columns_of(s.from, share), g.psi, finer_.data(), places_.patch_sums(), s.to};
      lane.for_each(take.columns.count * inner_levels(), take);
    }
  }
  // After one that has formed T: what coarser patches take of finer ones.
  void after(Backend& lane, const Sweep& s, const SweepArgs<Patches>& g) {
    const SharedColumns shared = columns_from(s.from, Share::all);
    lane.for_each(shared.count * inner_levels(), MeanOfSteps{shared, {s.at, finest()}, g.sums, sum_of_steps_.data(), count_});
  }
  // Columns whose steps end with those of such a sweep.
  BorrowedColumns borrowed(const Sweep& s) const {
    const auto from = static_cast<std::size_t>(s.from);
    return {borrowed_.data(), borrowed_end_[from + 1], borrowed_end_[from] - borrowed_end_[from + 1]};
  }
  BorrowedColumns all_borrowed() const { return {borrowed_.data(), 0, borrowed_count()}; }
  // Patches that go aside: of none of the sweeps, but of portions beside them.
  const local_steps::Asides& asides() const { return asides_; }
  void set_aside(const local_steps::Asides::Portion& portion, const Sweep& s, double dt, SweepArgs<Patches>& g) const {
    set(s, Share::all, dt, g);
    g.first = aside_ + portion.first * places_.chunks;
    g.last = aside_ + portion.last * places_.chunks;
  }
  int early_items(const Sweep& s) const { return stretch(s).late - stretch(s).first; }
  bool has_late_items(const Sweep& s) const { return stretch(s).late < stretch(s).end; }
  void set(const Sweep& s, Share share, double dt, SweepArgs<Patches>& g) const {
    const bool begins = s.kind == Sweep::Kind::begin;
    for (int n = 0; n < surfaces(); ++n) {
      const LevelTables<real>& t = tables_[n].values;
      (n == 1 ? g.surface : g.column) = begins     ? NodeTablesOf<real>{t.of_q, nullptr}
                                        : s.to > 0 ? NodeTablesOf<real>{t.part, nullptr}
                                                   : NodeTablesOf<real>{t.next, t.keep};
      (n == 1 ? g.advance.given_surface : g.advance.given) = t.given;
    }
    g.factor = static_cast<real>(1 / g.elements.density);
    g.order = order_.data();
    g.first = share == Share::late ? stretch(s).late : stretch(s).first;
    g.last = share == Share::early ? stretch(s).late : stretch(s).end;
    if (begins) g.others = {others_.data(), others_at_.data()};
    g.advance.from = s.from;
    g.advance.to = s.to;
    g.advance.base = s.base;
    g.advance.finer = const_cast<real*>(finer_.data());
    g.advance.at = finer_at_.data();
    const double stiffening = s.to == 0 ? 1 : local_steps::stiffening(s.to);
    g.advance.stiffening = static_cast<real>(stiffening);
    const double own = std::ldexp(dt, -s.from);
    g.advance.rate = static_cast<real>(s.to == 0 ? own : stiffening * std::ldexp(0.5 * own * own, s.from - s.to));
  }

  // Memory [bytes]; reads the counts of the mesh only.
  static double bytes(const LocalLevels& levels, const Mesh& mesh) {
    Places<Patches> places(mesh);
    const std::vector<std::uint8_t> ring = ring_of_halvings(levels, mesh, places);
    places.halvings = ring.data();
    const LevelColumns columns = FindLevelColumns<Patches>(places, mesh.part).take();
    const auto shared = static_cast<double>(columns.shared.size()), borrowed = static_cast<double>(columns.borrowed.size()),
               patches = static_cast<double>(columns.patches()), size = static_cast<double>(places.patch_sums()),
               orders = static_cast<double>(levels_there(levels).size()) + 1;
    const double values = static_cast<double>(columns.finer_at.back()) + static_cast<double>(columns.patches_with_others) * size +
                          2 * shared * (places.levels() - 2) + 10 * patches * Patches::level_size +
                          2 * (patches - static_cast<double>(places.count())) * size;
    const double lists = sizeof(SharedColumn) * shared + sizeof(BorrowedColumn) * borrowed + 4.0 * orders * places.items() + 17 * patches;
    return sizeof(real) * values + lists + LevelExchanges<Backend, Patches>::bytes(places, mesh.part, levels_there(levels));
  }

 private:
  int surfaces() const { return nodes_.surface > 0 ? 2 : 1; }
  std::int64_t inner_levels() const { return places_.levels() - 2; }

  FieldOfOthers<Patches> field_of_others(const SharedColumns& shared, const Sweep& s, const SweepArgs<Patches>& g) {
    return {shared, {s.at, finest()}, nodes_, places_,        g.column,     g.surface, g.medium, g.inverse_wz,
            g.in,   g.load,           g.body, others_.data(), kept_.data(), count_,    s.from};
  }

  // Not where only the finest steps begin, though steps of coarser levels, of which there are no patches, would begin as well.
  bool asks_for_others(const Sweep& s) const {
    return s.from == finest() || std::find(has_.begin() + s.from, has_.end() - 1, true) != has_.end() - 1;
  }

  static std::vector<bool> levels_there(const LocalLevels& levels) {  // some patch is of it
    std::vector<bool> there;
    for (const std::uint8_t number : levels.number) {
      const auto h = static_cast<std::size_t>(levels.levels[number].halvings);
      if (there.size() <= h) there.resize(h + 1, false);
      there[h] = true;
    }
    return there;
  }

  // Items of a sweep: those that are not late, then those that are, marked; of several halvings the finest patches first.
  struct Stretch {
    int first = 0, late = 0, end = 0;
  };
  const Stretch& stretch(const Sweep& s) const { return (s.kind == Sweep::Kind::begin ? begins_ : ends_)[static_cast<std::size_t>(s.from)]; }
  enum class Turn : std::uint8_t { early, late, aside };  // of a patch
  std::vector<Turn> turns_of(const Places<Patches>& places, const LevelColumns& columns, int at_once, const Comm& comm) {
    const auto halvings = [&](std::size_t patch) {
      const int n = static_cast<int>(patch);
      return static_cast<std::size_t>(places.halvings_of(n % places.px, n / places.px));
    };
    std::vector<std::int64_t> patches(has_.size(), 0), inner(has_.size(), 0);
    for (std::size_t patch = 0; patch < columns.late.size(); ++patch) {
      ++patches[halvings(patch)];
      inner[halvings(patch)] += columns.inner[patch];
    }
    local_steps::PassPatches most(patches);
    if (at_once > 0) {
      comm.agree([] {});  // meets what another rank has failed at
      for (std::vector<std::int64_t>* of : {&most.begin, &most.end})
        for (std::int64_t& n : *of) n = static_cast<std::int64_t>(comm.max(static_cast<double>(n)));
    }
    asides_ = local_steps::find_asides(schedule_, patches, most, inner, at_once / places.chunks);
    std::vector<Turn> turns;
    int left = asides_.patches;
    for (std::size_t patch = 0; patch < columns.late.size(); ++patch) {
      const bool aside = left > 0 && columns.inner[patch] && static_cast<int>(halvings(patch)) == asides_.halvings;
      left -= aside;
      turns.push_back(aside ? Turn::aside : columns.late[patch] ? Turn::late : Turn::early);
    }
    return turns;
  }
  void put_in_order(const Places<Patches>& places, const std::vector<Turn>& turns) {
    std::vector<std::int32_t> order;
    const auto put = [&](int coarsest, int finest, Turn turn) {
      for (int h = finest; h >= coarsest; --h)
        for (int patch = 0; patch < places.count(); ++patch)
          for (int chunk = 0; chunk < places.chunks; ++chunk)
            if (places.halvings_of(patch % places.px, patch / places.px) == h && turns[static_cast<std::size_t>(patch)] == turn)
              order.push_back((patch * places.chunks + chunk) | (turn == Turn::late ? two_sweep::boundary_mark : 0));
      return static_cast<int>(order.size());
    };
    const auto stretch = [&](int coarsest, int finest) {
      const int first = static_cast<int>(order.size()), late = put(coarsest, finest, Turn::early);
      return Stretch{first, late, put(coarsest, finest, Turn::late)};
    };
    for (int h = 0; h <= finest(); ++h) {
      begins_.push_back(stretch(h, finest()));
      ends_.push_back(stretch(h, h));
    }
    aside_ = static_cast<int>(order.size());
    put(0, finest(), Turn::aside);
    order_ = Array<std::int32_t>(Backend::space, order);
  }

  // Shared columns: those whose finer patch is not late, then those of late ones; of both the finest patches' first.
  void sort_columns(LevelColumns& found) {
    auto& all = found.shared;
    const auto late = [&](const SharedColumn& c) { return static_cast<bool>(found.late[static_cast<std::size_t>(c.to.patch)]); };
    const auto finer_first = [](const auto& a, const auto& b) { return a.to.halvings > b.to.halvings; };
    std::stable_sort(all.begin(), all.end(),
                     [&](const SharedColumn& a, const SharedColumn& b) { return late(a) != late(b) ? late(b) : finer_first(a, b); });
    std::stable_sort(found.borrowed.begin(), found.borrowed.end(), finer_first);
    count_ = static_cast<std::int64_t>(all.size());
    const std::int64_t early = std::count_if(all.begin(), all.end(), [&](const SharedColumn& c) { return !late(c); });
    for (int h = 0; h <= finest() + 1; ++h) {
      const auto has_more = [&](const auto& c) { return c.to.halvings >= h; };
      columns_end_[0].push_back(std::count_if(all.begin(), all.begin() + early, has_more));
      columns_end_[1].push_back(early + std::count_if(all.begin() + early, all.end(), has_more));
      borrowed_end_.push_back(std::count_if(found.borrowed.begin(), found.borrowed.end(), has_more));
    }
    columns_ = Array<SharedColumn>(Backend::space, std::span<const SharedColumn>(all));
    borrowed_ = Array<BorrowedColumn>(Backend::space, std::span<const BorrowedColumn>(found.borrowed));
  }
  struct Range {
    std::int64_t first = 0, end = 0;
    std::int64_t count() const { return end - first; }
  };
  SharedColumns columns(const Range& a, const Range& b) const {
    return {columns_.data(), a.first, a.count() + b.count(), Patches::level_size, a.count(), b.first - a.end};
  }
  // Of patches of so many halvings and more, or of so many alone: those that are not late, that are, or both.
  SharedColumns columns_from(int halvings, Share share) const { return columns(halvings, finest() + 1, share); }
  SharedColumns columns_of(int halvings, Share share) const { return columns(halvings, halvings + 1, share); }
  SharedColumns columns(int halvings, int end, Share share) const {
    const auto range = [&](bool late) {
      return Range{columns_end_[late][static_cast<std::size_t>(end)], columns_end_[late][static_cast<std::size_t>(halvings)]};
    };
    if (share == Share::all) return columns(range(false), range(true));
    return columns(range(share == Share::late), {});
  }
  std::int64_t borrowed_count() const { return borrowed_end_.front(); }

  struct Tables {  // of one level of all patches
    Array<real> of_q, part, next, keep, given;
    LevelTables<real> values;
    void make(std::int64_t size, bool walls, Backend& backend) {
      const auto table = [&](Array<real>& a) {
        a = zeros<real>(backend, size);
        return a.data();
      };
      values = {table(of_q), table(part), nullptr, nullptr, nullptr};
      values.next = walls ? table(next) : values.part;
      if (walls) values.keep = table(keep);
      if (walls) values.given = table(given);
    }
  };

  NodeView nodes_;
  Backend& backend_;
  Places<Patches> places_;
  std::vector<bool> has_;  // [halvings] there are patches, on some rank
  std::vector<Sweep> schedule_;
  std::vector<std::uint8_t> ring_;  // Places::halvings on the host
  Array<std::uint8_t> halvings_;
  Array<std::int32_t> order_;
  std::vector<Stretch> begins_, ends_;  // [halvings] of so many and more, of so many alone
  local_steps::Asides asides_;
  int aside_ = 0;             // where their items begin in the order
  std::int64_t patches_ = 0;  // those of borrowed columns included
  Array<std::int64_t> finer_at_;
  std::int64_t finer_size_ = 0;
  Array<real> finer_;
  std::int64_t count_ = 0;  // of shared columns
  Array<SharedColumn> columns_;
  Array<BorrowedColumn> borrowed_;
  std::array<std::vector<std::int64_t>, 2> columns_end_;  // [late][halvings]: of those of patches of so many and more
  std::vector<std::int64_t> borrowed_end_;                // [halvings]: of those of so many and more
  Array<real> sum_of_steps_, kept_;  // at shared columns: of finer patches' T within the coarser step, what of the coarser's field
  Array<real> others_;               // [patch that has columns of others][level][column] (SweepArgs::others)
  Array<std::int64_t> others_at_;
  std::array<Tables, 2> tables_;  // of the levels below the surface, of the surface
};

}  // namespace agwave::leapfrog4
