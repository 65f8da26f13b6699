// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry.hpp"

#include <utility>

namespace agwave {

namespace {
template <class Kind>
std::vector<Kind>& list() {  // filled by static initialisers, hence a function-local static
  static std::vector<Kind> all;
  return all;
}
}  // namespace

const std::vector<OperatorVariant>& operators() { return list<OperatorVariant>(); }
const std::vector<StiffnessVariant>& stiffnesses() { return list<StiffnessVariant>(); }

RegisterOperator::RegisterOperator(OperatorVariant variant) { list<OperatorVariant>().push_back(std::move(variant)); }
RegisterStiffness::RegisterStiffness(StiffnessVariant variant) { list<StiffnessVariant>().push_back(std::move(variant)); }

}  // namespace agwave
