// SPDX-License-Identifier: Apache-2.0
// Maps against the model that they stand for: a run in which the floor moves as random parameters say, at its first intervals, and the product of
// those with the maps.
#pragma once
#include <span>
#include <vector>

#include "run/p2o_plan.hpp"
#include "run/propagation.hpp"

namespace agwave {

class Reciprocity {
 public:
  explicit Reciprocity(const P2oPlan& p2o);
  std::vector<UpliftTerm> terms() const;  // of the floor [m/s], one for each interval in which it moves
  std::vector<Pulse> pulses(int first_term) const;
  // What the maps say of a source, by the row of its map: [interval].
  std::vector<double> product(std::span<const double> row) const;

 private:
  const P2oPlan& p2o_;
  std::vector<std::vector<double>> moved_;  // [interval][parameter] [m/s]
};

}  // namespace agwave
