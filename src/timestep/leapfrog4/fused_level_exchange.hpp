// SPDX-License-Identifier: Apache-2.0
// What ranks exchange where columns step in levels. The sum at a node is read where a step of the patches it belongs to begins, or ends: of T then, which finer
// patches have as the mean of their steps by that time, of r before. So there is an exchange for every level, of the columns of nodes of its halvings and more;
// ranks that share none of them send nothing. All know the levels of the whole mesh, so both sides list the same columns.
#pragma once
#include <memory>
#include <vector>

#include "timestep/leapfrog4/fused_layout.hpp"
#include "timestep/two_sweep/exchange.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Patches>
class LevelExchanges {
 public:
  using Perimeters = two_sweep::PerimeterExchange<Backend, Patches, 1>;

  // places.halvings: on the host. there: [halvings] on some rank. `sums` as the exchange of all columns has it, `whole`, which stays longer. Collective.
  LevelExchanges(const Places<Patches>& places, const Partition& part, const std::vector<bool>& there, typename Patches::real* sums, const Comm& comm,
                 const Transport& transport, Perimeters& whole)
      : whole_(whole), own_(there.size()) {
    for (std::size_t h = 1; h < there.size() && whole.needed(); ++h)
      if (there[h]) own_[h] = std::make_unique<Perimeters>(places, perimeters(places, part, static_cast<int>(h)), sums, 2, comm, transport);
  }
  // Of the columns of nodes of so many halvings and more.
  Perimeters& from(int halvings) {
    if (halvings == 0 || !whole_.needed()) return whole_;
    auto h = static_cast<std::size_t>(halvings);
    while (!own_[h]) ++h;
    return *own_[h];
  }
  // Of another than the whole.
  template <class F>
  void each(F&& f) {
    for (auto& exchange : own_)
      if (exchange) f(*exchange);
  }
  static double bytes(const Places<Patches>& places, const Partition& part, const std::vector<bool>& there) {
    double all = 0;
    for (std::size_t h = 1; h < there.size(); ++h)
      if (there[h]) all += Perimeters::bytes(static_cast<double>(perimeters(places, part, static_cast<int>(h)).send.size()));
    return all;
  }

 private:
  static two_sweep::PerimeterLists perimeters(const Places<Patches>& places, const Partition& part, int halvings) {
    return two_sweep::find_perimeters(static_cast<const Patches&>(places), part, 1,
                                      [&](int i, int j) { return places.halvings_at(i, j) >= halvings; });
  }

  Perimeters& whole_;
  std::vector<std::unique_ptr<Perimeters>> own_;  // [halvings]
};

}  // namespace agwave::leapfrog4
