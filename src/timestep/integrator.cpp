// SPDX-License-Identifier: Apache-2.0
#include "timestep/integrator.hpp"

#include <algorithm>

namespace agwave {

namespace {
std::vector<const Integrator*>& list() {  // filled by static initialisers, hence a function-local static
  static std::vector<const Integrator*> all;
  return all;
}
}  // namespace

const std::vector<const Integrator*>& integrators() { return list(); }

RegisterIntegrator::RegisterIntegrator(const Integrator& integrator) {
  auto& all = list();
  all.insert(std::upper_bound(all.begin(), all.end(), &integrator, [](const Integrator* a, const Integrator* b) { return a->name < b->name; }),
             &integrator);
}

}  // namespace agwave
