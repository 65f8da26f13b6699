// SPDX-License-Identifier: Apache-2.0
// What files add to a list by static objects of theirs. The list is there before the first of them, hence a function-local static.
#pragma once
#include <utility>
#include <vector>

namespace agwave {

template <class Kind>
std::vector<Kind>& registry() {
  static std::vector<Kind> all;
  return all;
}

template <class Kind>
struct Register {  // such an object
  explicit Register(Kind one) { registry<Kind>().push_back(std::move(one)); }
};

}  // namespace agwave
