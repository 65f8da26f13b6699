// SPDX-License-Identifier: Apache-2.0
#include "run/observer.hpp"

#include <algorithm>
#include <tuple>

#include "error/registry.hpp"

namespace agwave {

const std::vector<ObserverKind>& observer_kinds() { return registry<ObserverKind>(); }

RegisterObserver::RegisterObserver(ObserverKind kind) {
  const auto before = [](const ObserverKind& a, const ObserverKind& b) { return std::tie(a.order, a.name) < std::tie(b.order, b.name); };
  auto& kinds = registry<ObserverKind>();
  kinds.insert(std::upper_bound(kinds.begin(), kinds.end(), kind, before), std::move(kind));
}

void RunContext::gather() {
  for (const auto& observer : observers) observer->gather();
}

void RunContext::finish() {
  for (const auto& observer : observers) observer->finish();
  comm.agree([&] {
    if (comm.root()) writer->settle();
  });
}

}  // namespace agwave
