// SPDX-License-Identifier: Apache-2.0
// The locally reacting floor of a rank (boundary/floor.hpp) on a backend: what a node of it is, its displacement u, the energy in its springs and what its
// dampers take. n counts the nodes of the floor [NY][NX], which are the first of all nodes.
#pragma once
#include "boundary/floor.hpp"
#include "timestep/state_pointwise.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

// u, zero at rest and positive into the ground.
inline const StateArray floor_array{"floor_displacement", StateArray::Items::floor_rows, "physical"};

struct FloorView {
  const double *area, *impedance, *stiffness;  // [NY][NX]; null where the floor is rigid
  double* u;                                   // [NY][NX] [m]

  AGWAVE_HD double spring(std::int64_t n) const { return stiffness[n] * u[n]; }          // pressure of the spring [Pa]
  AGWAVE_HD double corner(std::int64_t n) const { return stiffness[n] / impedance[n]; }  // [1/s]
};

namespace floor_detail {

struct SpringEnergy {
  NodeView v;
  FloorView floor;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    return v.owned(i, j, k) ? 0.5 * floor.area[n] * floor.spring(n) * floor.u[n] : 0.0;
  }
};

template <class Values>
struct DamperLoss {  // Z v^2
  NodeView v;
  FloorView floor;
  Values p;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    const double damper = p(i, j, k) - floor.spring(n);
    return v.owned(i, j, k) ? floor.area[n] / floor.impedance[n] * damper * damper : 0.0;
  }
};

}  // namespace floor_detail

template <class Backend>
class FloorLayer {
 public:
  explicit FloorLayer(const StepperSetup& setup) {
    if (!setup.floor || !setup.floor->gives_way) return;
    gives_way_ = true;
    area_ = Array<double>(Backend::space, setup.floor->area);
    impedance_ = Array<double>(Backend::space, setup.floor->impedance);
    stiffness_ = Array<double>(Backend::space, setup.floor->stiffness);
    u_ = Array<double>(Backend::space, setup.floor->area.size());
    u_.zero();
  }
  bool gives_way() const { return gives_way_; }                                // in the whole mesh
  std::int64_t nodes() const { return static_cast<std::int64_t>(u_.size()); }  // of this rank
  FloorView view() const { return {data(area_), data(impedance_), data(stiffness_), const_cast<double*>(data(u_))}; }
  void rest() { u_.zero(); }
  double* u() { return u_.data(); }

 private:
  static const double* data(const Array<double>& a) { return a.empty() ? nullptr : a.data(); }
  bool gives_way_ = false;
  Array<double> area_, impedance_, stiffness_, u_;
};

}  // namespace agwave
