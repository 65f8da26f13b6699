// SPDX-License-Identifier: Apache-2.0
// Values of nodes, as the fused leapfrog stores them, to the host and back, some at a time: the room for that is no part of its memory.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "timestep/leapfrog4/fused_pointwise.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Patches>
class FusedTransfer {
  using real = typename Patches::real;

 public:
  FusedTransfer(Backend& backend, const NodeView& nodes, const Places<Patches>& places) : backend_(backend), nodes_(nodes), places_(places) {}

  // Of nodes from number `first` on; Values: InState, InSums.
  template <class Values>
  void fetch(const Values& from, std::int64_t first, std::span<double> to) {
    in_parts(to, [&](std::int64_t at, std::span<double> part, Array<double>& room) {
      backend_.for_each(static_cast<std::int64_t>(part.size()), Gather<Values>{nodes_, from, first + at, room.data()});
      backend_.synchronize();
      copy_bytes(Space::host, part.data(), Backend::space, room.data(), part.size_bytes());
    });
  }
  void to_state(real* state, std::int64_t first, std::span<const double> from) {
    bring(ToState<Patches>{nodes_, places_, 0, nullptr, state}, first, from);
  }
  void to_sums(real* sums, std::int64_t first, std::span<const double> from) {
    bring(ToSums<Patches>{nodes_, places_, 0, nullptr, sums}, first, from);
  }
  template <class To>  // ToState, ToSums
  void bring(To to, std::int64_t first, std::span<const double> from) {
    in_parts(from, [&](std::int64_t at, std::span<const double> part, Array<double>& room) {
      copy_bytes(Backend::space, room.data(), Space::host, part.data(), part.size_bytes());
      to.first = first + at;
      to.values = room.data();
      backend_.for_each(static_cast<std::int64_t>(part.size()), to);
      backend_.synchronize();
    });
  }

  // f() while the values of all nodes where sums have been wait on the host, because f needs their memory.
  template <class F>
  void aside(real* sums, F&& f) {
    std::vector<double> kept(static_cast<std::size_t>(nodes_.size()));
    fetch(InSums<Patches>{sums, places_}, 0, kept);
    f();
    to_sums(sums, 0, kept);
  }

 private:
  template <class T, class F>
  void in_parts(std::span<T> host, F&& f) {
    constexpr std::size_t most = std::size_t{1} << 22;
    Array<double> room(Backend::space, std::min(most, host.size()));
    for (std::size_t at = 0; at < host.size(); at += most) f(static_cast<std::int64_t>(at), host.subspan(at, std::min(most, host.size() - at)), room);
  }

  Backend& backend_;
  NodeView nodes_;
  const Places<Patches>& places_;
};

}  // namespace agwave::leapfrog4
