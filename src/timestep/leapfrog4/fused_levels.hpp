// SPDX-License-Identifier: Apache-2.0
// The fused leapfrog where columns step in levels. local_steps/increment.hpp has the scheme: the step of D of all consists, at a node of h halvings, of
// 2^h leapfrogs of D / 2^h. y is not carried by itself: phi_k = psi + s_1 y_1 + ... + s_k y_k is what psi would be, if the time about which it is even were
// the beginning of the step of k halvings (s_k: local_steps::stiffening), and every element takes K of what its nodes begin their own steps with, which is what
// the two sweeps do.
//   leaf      z_h = -dt_h^2/2 M^-1 sum,    sum over the patches that share a node: T of those of h halvings, of finer ones the mean of T over their steps
//   step k    its first half moves by z_k: phi_k = phi_k-1 + s_k z_k. Its second ends it: z_k-1 = 2 ((phi_k - phi_k-1) / s_k + z_k)
// and at the end of D, P' = keep P + given 2/D z_0. So a patch carries phi_1, ..., phi_h beside psi = phi_0. A node belongs to the coarsest patches that
// have it; others take it from there, and do without a P of their own. K of q, the correction of order 4, is taken of the nodes of the patch, and in the last
// step within a coarser one of the nodes of coarser patches as well.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_levels_pointwise.hpp"
#include "timestep/local_steps/levels.hpp"
#include "timestep/local_steps/schedule.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Patches>
class FusedLevels {
 public:
  using Sweep = local_steps::LevelSweep;

  // Lends `places` the halvings of its patches. Of all of the mesh.
  FusedLevels(const LocalLevels& levels, const NodeView& nodes, Places<Patches>& places, Backend& backend) : nodes_(nodes), backend_(backend) {
    const std::vector<std::uint8_t> halvings = halvings_of(levels);
    for (const std::uint8_t h : halvings) {
      if (has_.size() <= h) has_.resize(h + 1u, false);
      has_[h] = true;
    }
    schedule_ = local_steps::schedule(has_);
    put_in_order(halvings, places);
    Places<Patches> on_host = places;
    on_host.halvings = halvings.data();
    const std::vector<std::int64_t> at = begins(halvings, places.patch_sums());
    finer_size_ = at.back();
    finer_at_ = Array<std::int64_t>(Backend::space, at);
    std::vector<std::int64_t> others_at;
    sort_columns(find_columns(on_host, at, others_at));
    others_at_ = Array<std::int64_t>(Backend::space, others_at);
    const std::int64_t others = std::count_if(others_at.begin(), others_at.end(), [](std::int64_t n) { return n >= 0; });
    others_ = Array<double>(Backend::space, static_cast<std::size_t>(others * places.patch_sums()));
    halvings_ = Array<std::uint8_t>(Backend::space, halvings);
    places.halvings = halvings_.data();
    places_ = places;
    finer_ = Array<double>(Backend::space, static_cast<std::size_t>(finer_size_));
    for (Array<double>* a : {&sum_of_steps_, &kept_}) *a = Array<double>(Backend::space, static_cast<std::size_t>(count_ * inner_levels()));
    backend.for_each(finer_size_, SetZero{finer_.data()});
    backend.for_each(static_cast<std::int64_t>(others_.size()), SetZero{others_.data()});
    make_tables();
  }

  const std::vector<Sweep>& sweeps() const { return schedule_; }

  // For steps of D = dt. Without walls for an increment from rest.
  void set_step(double dt, bool walls) {
    for (int n = 0; n < surfaces(); ++n)
      backend_.for_each(static_cast<std::int64_t>(nodes_.NX) * nodes_.NY,
                        FillLevelTables<Patches>{nodes_, places_, n == 1, walls, dt, tables_[n].pointers()});
  }

  // Before a sweep, whose arguments are set: what finer patches have of nodes of coarser ones.
  void before(const Sweep& s, const SweepArgs<Patches>& g) {
    const auto from = static_cast<std::size_t>(s.from);
    if (s.kind == Sweep::Kind::begin) {
      const SharedColumns shared = columns(0, columns_end_[from]);
      backend_.for_each(shared.count * inner_levels(), FieldOfOthers<Patches>{shared,
                                                                              {s.at, finest()},
                                                                              nodes_,
                                                                              places_,
                                                                              g.column,
                                                                              g.surface,
                                                                              g.inverse_wz,
                                                                              g.in,
                                                                              g.load,
                                                                              g.body,
                                                                              others_.data(),
                                                                              kept_.data(),
                                                                              count_,
                                                                              s.from});
    } else if (s.from > s.to) {
      const Take take{columns(columns_end_[from + 1], columns_end_[from]), g.psi, finer_.data(), places_.patch_sums(), s.to};
      backend_.for_each(take.columns.count * inner_levels(), take);
    }
  }
  // After one that has formed T: what coarser patches take of finer ones.
  void after(const Sweep& s, const SweepArgs<Patches>& g) {
    if (s.kind == Sweep::Kind::end) return;
    const SharedColumns shared = columns(0, columns_end_[static_cast<std::size_t>(s.from)]);
    backend_.for_each(shared.count * inner_levels(), MeanOfSteps{shared, {s.at, finest()}, g.sums, sum_of_steps_.data(), count_});
  }
  void set(const Sweep& s, double dt, SweepArgs<Patches>& g) const {
    const bool begins = s.kind == Sweep::Kind::begin;
    for (int n = 0; n < surfaces(); ++n) {
      const LevelTables& t = tables_[n].pointers();
      (n == 1 ? g.surface : g.column) = begins ? NodeTables{t.of_q, nullptr} : s.to > 0 ? NodeTables{t.part, nullptr} : NodeTables{t.next, t.keep};
      (n == 1 ? g.advance.given_surface : g.advance.given) = t.given;
    }
    g.factor = 1 / g.elements.density;
    g.order = order_.data();
    g.first = begins ? 0 : end_[static_cast<std::size_t>(s.from) + 1];
    g.last = end_[static_cast<std::size_t>(s.from)];
    if (begins) g.others = {others_.data(), others_at_.data()};
    g.advance.from = s.from;
    g.advance.to = s.to;
    g.advance.base = s.base;
    g.advance.finer = const_cast<double*>(finer_.data());
    g.advance.at = finer_at_.data();
    g.advance.stiffening = s.to == 0 ? 1 : local_steps::stiffening(s.to);
    const double own = std::ldexp(dt, -s.from);
    g.advance.rate = s.to == 0 ? own : g.advance.stiffening * std::ldexp(0.5 * own * own, s.from - s.to);
  }

  // Memory [bytes]; reads the counts of the mesh only.
  static double bytes(const LocalLevels& levels, const Mesh& mesh) {
    const std::vector<std::uint8_t> halvings = halvings_of(levels);
    Places<Patches> places(mesh);
    places.halvings = halvings.data();
    const std::vector<std::int64_t> at = begins(halvings, places.patch_sums());
    std::vector<std::int64_t> others_at;
    const auto shared = static_cast<double>(find_columns(places, at, others_at).size());
    const auto others = static_cast<double>(std::count_if(others_at.begin(), others_at.end(), [](std::int64_t n) { return n >= 0; }));
    const double tables = 10.0 * static_cast<double>(places.table_size()), kept = 2 * shared * (places.levels() - 2);
    return 8 * (static_cast<double>(at.back()) + others * static_cast<double>(places.patch_sums()) + kept + tables) + sizeof(SharedColumn) * shared +
           4.0 * places.items() + 17.0 * static_cast<double>(halvings.size());
  }

  // Finer patches get the rates of nodes that they share with coarser ones, for a sweep over all, or zero again.
  void lend_rates(double* P, bool lend) { backend_.for_each(count_ * inner_levels(), LendRates{columns(0, count_), P, lend}); }

 private:
  int finest() const { return static_cast<int>(has_.size()) - 1; }
  int surfaces() const { return nodes_.surface > 0 ? 2 : 1; }
  std::int64_t inner_levels() const { return places_.levels() - 2; }
  SharedColumns columns(std::int64_t first, std::int64_t end) const { return {columns_.data(), first, end - first, Patches::level_size}; }

  // Items of the finest patches first.
  void put_in_order(const std::vector<std::uint8_t>& halvings, const Places<Patches>& places) {
    std::vector<std::int32_t> order;
    end_.assign(has_.size() + 1, 0);
    for (int h = finest(); h >= 0; --h) {
      for (std::size_t patch = 0; patch < halvings.size(); ++patch)
        for (int chunk = 0; halvings[patch] == h && chunk < places.chunks; ++chunk)
          order.push_back(static_cast<std::int32_t>(patch) * places.chunks + chunk);
      end_[static_cast<std::size_t>(h)] = static_cast<int>(order.size());
    }
    order_ = Array<std::int32_t>(Backend::space, order);
  }
  static std::vector<std::uint8_t> halvings_of(const LocalLevels& levels) {  // [patch]
    std::vector<std::uint8_t> halvings;
    for (const std::uint8_t number : levels.number) halvings.push_back(static_cast<std::uint8_t>(levels.levels[number].halvings));
    return halvings;
  }
  static std::vector<std::int64_t> begins(const std::vector<std::uint8_t>& halvings, std::int64_t size) {  // of each patch in finer_, and its end
    std::vector<std::int64_t> at{0};
    for (const std::uint8_t h : halvings) at.push_back(at.back() + h * size);
    return at;
  }

  // Columns of nodes that patches of different halvings share, once for every patch that is not of the coarsest. others_at: where in others_ a patch's begins
  // that has some, or -1.
  static std::vector<SharedColumn> find_columns(const Places<Patches>& places, const std::vector<std::int64_t>& finer_at,
                                                std::vector<std::int64_t>& others_at) {
    const auto number = [&](int x, int y) { return static_cast<std::size_t>(y) * static_cast<std::size_t>(places.px) + static_cast<std::size_t>(x); };
    const auto place_of = [&](int x, int y, int column) {
      return Place{places.state_at(x, y) + column, finer_at[number(x, y)] + column, places.halvings_of(x, y)};
    };
    std::vector<SharedColumn> all;
    others_at.assign(static_cast<std::size_t>(places.count()), -1);
    std::int64_t size = 0;
    for (int j = 0; j < places.NY; ++j)
      for (int i = 0; i < places.NX; ++i) {
        if (i % places.wide != 0 && j % places.deep != 0) continue;
        const auto holder = places.holder(i, j);
        const Place from = place_of(holder.x, holder.y, Patches::column(i - places.wide * holder.x, j - places.deep * holder.y));
        places.each(i, j, 0, [&](int x, int y, int, int column) {
          const Place to = place_of(x, y, column);
          if (to.halvings <= from.halvings) return;
          std::int64_t& at = others_at[number(x, y)];
          if (at < 0) at = std::exchange(size, size + places.patch_sums());
          all.push_back({to, from, places.sums_at(x, y) + column, at + column, i, j});
        });
      }
    return all;
  }
  void sort_columns(std::vector<SharedColumn> all) {
    count_ = static_cast<std::int64_t>(all.size());
    std::stable_sort(all.begin(), all.end(), [](const SharedColumn& a, const SharedColumn& b) { return a.to.halvings > b.to.halvings; });
    for (int h = 0; h <= finest() + 1; ++h)
      columns_end_.push_back(std::count_if(all.begin(), all.end(), [&](const SharedColumn& c) { return c.to.halvings >= h; }));
    columns_ = Array<SharedColumn>(Backend::space, std::span<const SharedColumn>(all));
  }

  void make_tables() {
    for (int n = 0; n < surfaces(); ++n) tables_[n].make(places_.table_size(), nodes_.west || nodes_.east || nodes_.south || nodes_.north, backend_);
  }

  struct Tables {  // of one level of all patches
    Array<double> of_q, part, next, keep, given;
    LevelTables values;
    void make(std::int64_t size, bool walls, Backend& backend) {
      const auto table = [&](Array<double>& a) {
        a = Array<double>(Backend::space, static_cast<std::size_t>(size));
        backend.for_each(size, SetZero{a.data()});
        return a.data();
      };
      values = {table(of_q), table(part), nullptr, nullptr, nullptr};
      values.next = walls ? table(next) : values.part;
      if (walls) values.keep = table(keep);
      if (walls) values.given = table(given);
    }
    const LevelTables& pointers() const { return values; }
  };

  NodeView nodes_;
  Backend& backend_;
  Places<Patches> places_;
  std::vector<bool> has_;  // [halvings] there are patches
  std::vector<Sweep> schedule_;
  Array<std::uint8_t> halvings_;
  Array<std::int32_t> order_;
  std::vector<int> end_;  // [halvings] of the items of so many and more
  Array<std::int64_t> finer_at_;
  std::int64_t finer_size_ = 0;
  Array<double> finer_;
  std::int64_t count_ = 0;  // of shared columns
  Array<SharedColumn> columns_;
  std::vector<std::int64_t> columns_end_;  // [halvings]: of those of patches of so many and more
  Array<double> sum_of_steps_, kept_;      // there: of finer patches' T within the coarser step, what of the coarser's field
  Array<double> others_;                   // [patch that has columns of others][level][column] (SweepArgs::others)
  Array<std::int64_t> others_at_;
  std::array<Tables, 2> tables_;  // of the levels below the surface, of the surface
};

}  // namespace agwave::leapfrog4
