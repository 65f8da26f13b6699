// SPDX-License-Identifier: Apache-2.0
#include "run/observer.hpp"

#include <algorithm>
#include <tuple>

namespace agwave {

namespace {
std::vector<ObserverKind>& list() {  // filled by static initialisers, hence a function-local static
  static std::vector<ObserverKind> all;
  return all;
}
}  // namespace

const std::vector<ObserverKind>& observer_kinds() { return list(); }

RegisterObserver::RegisterObserver(ObserverKind kind) {
  const auto before = [](const ObserverKind& a, const ObserverKind& b) { return std::tie(a.order, a.name) < std::tie(b.order, b.name); };
  list().insert(std::upper_bound(list().begin(), list().end(), kind, before), std::move(kind));
}

void RunContext::gather() {
  for (const auto& observer : observers) observer->gather();
}

void RunContext::finish() {
  for (const auto& observer : observers) observer->finish();
  comm.agree([&] {
    if (!comm.root()) return;
    writer->drain();
    writer->check();
  });
}

}  // namespace agwave
