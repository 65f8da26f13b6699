// SPDX-License-Identifier: Apache-2.0
#include "case/shape.hpp"

#include <algorithm>
#include <tuple>

#include "error/registry.hpp"

namespace agwave {

const std::vector<ShapeKind>& shape_kinds() { return registry<ShapeKind>(); }

RegisterShape::RegisterShape(ShapeKind kind) {  // sorted, whatever the order in which files register
  const auto before = [](const ShapeKind& a, const ShapeKind& b) { return std::tie(a.place, a.type) < std::tie(b.place, b.type); };
  auto& kinds = registry<ShapeKind>();
  kinds.insert(std::upper_bound(kinds.begin(), kinds.end(), kind, before), kind);
}

std::shared_ptr<const Shape> read_shape(const Section& shape, const Geography& geography, const std::filesystem::path& folder) {
  for (const ShapeKind& kind : shape_kinds())
    if (kind.type == shape.type()) return kind.read(shape, geography, folder);
  return nullptr;
}

}  // namespace agwave
