// SPDX-License-Identifier: Apache-2.0
// A floor that gives way under the leapfrog of changes: what its displacement has changed by over the last step, which takes part in the step as the
// displacement does in that of the state (fused_floor.hpp), and the displacement itself, which adds up. Both in double precision.
#pragma once
#include "device/set_zero.hpp"
#include "timestep/leapfrog4/changes_pointwise.hpp"
#include "timestep/leapfrog4/fused_floor.hpp"

namespace agwave::leapfrog4 {

inline const StateArray floor_change_array{"floor_displacement_change", StateArray::Items::floor_rows, "over a step"};

template <class Backend, class Patches>
class ChangeFloor : public FusedFloor<Backend, Patches> {
  using Base = FusedFloor<Backend, Patches>;
  using Base::backend_, Base::floor_;
  using real = typename Patches::real;

 public:
  ChangeFloor(const StepperSetup& setup, Backend& backend) : Base(setup, backend) { change_ = zeros<double>(backend, floor_.nodes()); }
  void rest() {
    floor_.rest();
    change_.zero();
  }

  // f(NodeOfChange or FloorNodeOfChange): water nodes, with what forces them.
  template <class F>
  void with_nodes(const FusedNode<Patches>& node, F&& f) {
    if (this->gives_way())
      f(FloorNodeOfChange<Patches>{this->with_displacement(node, change_.data()), floor_.u()});
    else
      f(NodeOfChange<Patches>{node});
  }
  // Into `loads`, which the sweep of q or of what comes next takes of the floor; sums: r or T.
  void push(const FusedNode<Patches>& node, bool of_q, bool shared, const real* sums, real* loads) {
    Base::push(this->with_displacement(node, change_.data()), of_q, shared, sums, loads);
  }
  void add_change() { backend_.for_each(floor_.nodes(), Add{change_.data(), floor_.u()}); }  // after a step

  StateArrays with_floor(StateArrays arrays) const {
    if (this->gives_way()) arrays.insert(arrays.end(), {floor_array, floor_change_array});
    return arrays;
  }
  bool has(const StateArray& array) const { return array == floor_array || array == floor_change_array; }
  void get(const StateArray& array, std::int64_t first, std::span<double> values) { this->fetch(of(array), first, values); }  // first: a node
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) { this->put(values, of(array), first); }

 private:
  double* of(const StateArray& array) { return array == floor_array ? floor_.u() : change_.data(); }

  Array<double> change_;  // of the displacement, over the last step [m]
};

}  // namespace agwave::leapfrog4
