// SPDX-License-Identifier: Apache-2.0
// A floor that gives way under the fused leapfrog, whose sweeps know of none. What a node of the floor does in a step follows from its own sums, P and
// displacement, all known before the sweep that takes it there. So its answer is found first, node by node, and goes into the sweep as a load beside that of
// the sources (floor_node.hpp: push), which every patch and rank that has the node takes in the same bits.
#pragma once
#include <cstdint>
#include <span>

#include "timestep/floor_layer.hpp"
#include "timestep/leapfrog4/fused_pointwise.hpp"

namespace agwave::leapfrog4 {

// Sides of a rank across which neighbours add to its sums.
struct SharedSides {
  bool west = false, east = false, south = false, north = false;
  SharedSides() = default;
  explicit SharedSides(const Partition& part) : west(!part.at_low(0)), east(!part.at_high(0)), south(!part.at_low(1)), north(!part.at_high(1)) {}
  AGWAVE_HD bool have(const NodeView& v, int i, int j) const {
    return (west && i == 0) || (east && i == v.NX - 1) || (south && j == 0) || (north && j == v.NY - 1);
  }
};

// Before the sweep of q, or the one of what comes next, with which the floor moves. n counts the columns.
template <class Patches>
struct PushFromBelow : FusedFloorNode<Patches> {
  using real = typename Patches::real;
  const real* sums;  // r or T
  SharedSides sides;
  bool shared;  // of nodes on these, or of all others
  bool of_q;
  real* loads;  // [patch][level] to which it is added
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto& p = this->places;
    const int i = static_cast<int>(n % this->v.NX), j = static_cast<int>(n / this->v.NX);
    if (sides.have(this->v, i, j) != shared) return;
    const std::int64_t place = p.place(i, j, 0), of_load = p.place_in_table(i, j);
    const double P = this->P[place], sum = p.sum(sums, i, j, 0) - loads[of_load] - this->in_water(i, j, place);
    const FloorNode node = this->node_at(i, j, 0, P);
    double push = node.push_on_q(sum);
    if (!of_q) {
      const double next = node.next_rate(P, -this->dt * sum * node.inverse_mass);
      push = node.push(P, next, this->dt);
      this->floor.u[n] += node.sinks(P, next);
    }
    const real load = static_cast<real>(loads[of_load] + push);
    p.each(i, j, 0, [&](int x, int y, int, int column) { loads[p.table_at(x, y) + column] = load; });
  }
};

// What either leapfrog has of the floor: of the state (state_floor.hpp), of its change over a step (change_floor.hpp).
template <class Backend, class Patches>
class FusedFloor {
 public:
  bool gives_way() const { return floor_.gives_way(); }  // on some rank
  bool pushes() const { return floor_.nodes() > 0; }     // on this one
  const FloorLayer<Backend>& layer() const { return floor_; }

 protected:
  using real = typename Patches::real;
  FusedFloor(const StepperSetup& setup, Backend& backend) : backend_(backend), floor_(setup), sides_(setup.mesh.part) {}

  FusedFloorNode<Patches> with_displacement(const FusedNode<Patches>& node, double* u) const {
    FusedFloorNode<Patches> at{node, floor_.view()};
    at.floor.u = u;
    return at;
  }
  void push(const FusedFloorNode<Patches>& at, bool of_q, bool shared, const real* sums, real* loads) {
    backend_.for_each(floor_.nodes(), PushFromBelow<Patches>{at, sums, sides_, shared, of_q, loads});
  }
  // Between the host and nodes of the floor, from number `first` on.
  void fetch(const double* nodes, std::int64_t first, std::span<double> values) {
    backend_.synchronize();
    copy_bytes(Space::host, values.data(), Backend::space, nodes + first, values.size_bytes());
  }
  void put(std::span<const double> values, double* nodes, std::int64_t first) {
    copy_bytes(Backend::space, nodes + first, Space::host, values.data(), values.size_bytes());
  }

  Backend& backend_;
  FloorLayer<Backend> floor_;

 private:
  SharedSides sides_;
};

}  // namespace agwave::leapfrog4
