// SPDX-License-Identifier: Apache-2.0
// Water depth h(x, y) > 0 [m], evaluated at the nodes of the mesh columns. Analytic shapes here; grids and prepared
// depths are read by terrain/ and hand over the same interface, so that the mesh knows nothing about files.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "case/case.hpp"

namespace agwave {

class Bathymetry {
 public:
  virtual ~Bathymetry() = default;
  // Depths at the tensor grid x[i], y[j] [m]; result[j * x.size() + i]. `first_i`, `first_j` are the global indices of
  // x[0], y[0] among all column nodes of the mesh (prepared depths are looked up by them).
  // Throws Error(input) naming the place where the depth is not finite or not positive.
  virtual std::vector<double> depths(std::span<const double> x, std::span<const double> y, std::int64_t first_i, std::int64_t first_j) const = 0;
  // How many nodes of the last depths() call were deepened to min_depth; first nodes that belong to the block before do not
  // count, so that the sum over blocks of columns is that of the whole mesh.
  virtual std::int64_t deepened() const { return 0; }
  // Height of land at a place [m], as the file has it; none where there is sea, or where the file is not at hand.
  virtual std::optional<double> land(double /*x*/, double /*y*/) const { return std::nullopt; }
};

// Flat, cosine, gaussian and margin shapes over a domain of `size` [m]. Throws Error(usage) for grid or prepared ones.
std::unique_ptr<Bathymetry> make_analytic_bathymetry(const BathymetryCase& bathymetry, std::array<double, 2> size, const Mark& mark);

}  // namespace agwave
