// SPDX-License-Identifier: Apache-2.0
// Attributes of a file or a variable in it, in order: name and text.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace agwave {

using Attributes = std::vector<std::pair<std::string, std::string>>;

inline Attributes joined(Attributes first, const Attributes& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

}  // namespace agwave
