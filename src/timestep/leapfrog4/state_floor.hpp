// SPDX-License-Identifier: Apache-2.0
// A floor that gives way under the leapfrog of the state (fused_floor.hpp): its displacement, and what questions about a state that has faded take for it.
#pragma once
#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_floor.hpp"

namespace agwave::leapfrog4 {

// The displacement beside a state of water that has faded, which it does not itself. n counts the columns that fade.
struct FadeBeside {
  sponge_detail::Columns factors;
  int NX;
  double* u;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const std::int32_t column = factors.list[n];
    u[column] *= factors.x[column % NX] * factors.y[column / NX];
  }
};

template <class Backend, class Patches>
class StateFloor : public FusedFloor<Backend, Patches> {
  using Base = FusedFloor<Backend, Patches>;
  using Base::backend_, Base::floor_;

 public:
  // fades: there are sponges. `backend` stays longer than this.
  StateFloor(const StepperSetup& setup, bool fades, Backend& backend) : Base(setup, backend) {
    beside_faded_ = zeros<double>(backend, fades ? floor_.nodes() : 0);
  }
  void rest() { floor_.rest(); }

  // f(FusedNode or FusedFloorNode): water nodes, with what forces them; of a state that has faded, if it has.
  template <class F>
  void with_nodes(const FusedNode<Patches>& node, F&& f, bool faded = false) {
    if (this->gives_way())
      f(this->with_displacement(node, faded ? beside_faded_.data() : floor_.u()));
    else
      f(node);
  }
  // Into `loads`, which the sweep of q or of what comes next takes of the floor; sums: r or T.
  void push(const FusedNode<Patches>& node, bool of_q, bool shared, const double* sums, double* loads) {
    Base::push(this->with_displacement(node, floor_.u()), of_q, shared, sums, loads);
  }
  // again: since the last step the state has faded already.
  void fade(const sponge_detail::Columns& fades, int NX, bool again) {
    if (!this->pushes()) return;
    if (!again) backend_.for_each(floor_.nodes(), Put{floor_.u(), beside_faded_.data()});
    backend_.for_each(fades.count, FadeBeside{fades, NX, beside_faded_.data()});
  }

  StateArrays with_floor(StateArrays arrays) const {
    if (this->gives_way()) arrays.push_back(floor_array);
    return arrays;
  }
  void get(std::int64_t first, std::span<double> values) { this->fetch(floor_.u(), first, values); }  // first: a node
  void set(std::int64_t first, std::span<const double> values) { this->put(values, floor_.u(), first); }

 private:
  Array<double> beside_faded_;  // [m]
};

}  // namespace agwave::leapfrog4
