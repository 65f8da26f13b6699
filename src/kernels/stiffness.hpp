// SPDX-License-Identifier: Apache-2.0
// The operator of the potential form on one rank, raw: no masses of the nodes, no boundary terms, no exchange.
//   r_L += K psi,   K = G^T M_u^-1 G:   g = (grad psi, tau) on the elements, divided by their velocity masses, then r = (., grad v)
// The same discrete operator as the two blocks one after the other (kernels/operator.hpp), without an array between them.
#pragma once
#include <span>

#include "kernels/boxes.hpp"
#include "kernels/operator.hpp"

namespace agwave {

class Stiffness {
 public:
  virtual ~Stiffness() = default;
  // psi_L, r_L: node arrays in the memory of the device. Adds what the elements of the boxes, which are disjoint, make of psi to r; asynchronous on
  // the operator's stream.
  virtual void apply(const double* psi, double* r, std::span<const ElementBox> boxes) = 0;
  virtual Cost cost() const = 0;
  virtual std::vector<KernelInfo> kernels() const { return {}; }  // empty on the CPU
};

}  // namespace agwave
