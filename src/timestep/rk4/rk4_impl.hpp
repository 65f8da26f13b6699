// SPDX-License-Identifier: Apache-2.0
// Classical RK4 around any operator, written once as functors over nodes and velocity dofs; rk4_cpu.cpp and rk4_cuda.cu instantiate it.
#pragma once
#include "comm/exchange.hpp"
#include "device/set_zero.hpp"
#include "device/trace.hpp"
#include "timestep/rk4/rk4.hpp"
#include "timestep/rk4/rk4_pointwise.hpp"
#include "timestep/sponge_layer.hpp"
#include "timestep/state_view_impl.hpp"
#include "timestep/variants.hpp"

namespace agwave {

template <class Backend>
class Rk4 final : public Stepper {
 public:
  Rk4(const StepperSetup& setup, const MakeOperator<Backend>& make_operator)
      : spaces_(setup, Backend::space),
        nodes_(setup.mesh.nodes()),
        NX_(setup.mesh.NX()),
        velocities_(setup.mesh.NE() * 3 * L3D),
        view_(
            setup, spaces_.nodes(), backend_, {nullptr, spaces_.nodes()}, [this] { return state::NodeValues(p_.data(), spaces_.nodes()); },
            [this] {
              return backend_.sum(velocities_ / 3, rk4::KineticEnergy{spaces_.elements(), basis<L1D>.rule, u_.data()});
            }),
        operator_(make_operator(setup.mesh, spaces_, setup.quadrature, backend_)),
        exchange_((setup.comm.agree([] {}), setup.mesh), setup.comm, setup.transport),  // lets nobody wait for a rank that has failed by now
        sponge_(setup),
        floor_(setup) {
    for (Array<double>* a : {&p_, &p_stage_, &p_sum_, &r_}) *a = zeros<double>(backend_, nodes_);
    for (Array<double>* a : {&u_, &u_stage_, &u_sum_, &g_}) *a = zeros<double>(backend_, velocities_);
    for (Array<double>* a : {&floor_stage_, &floor_sum_}) *a = zeros<double>(backend_, floor_.nodes());
    view_.stand_on(floor_.view(), floor_.nodes());
  }

  void set_state(std::span<const double> p, std::span<const double> u) override {
    backend_.synchronize();
    p_.copy_from(p);
    u_.copy_from(u);
    floor_.rest();
  }
  void get_state(std::vector<double>& p, std::vector<double>& u) override {
    backend_.synchronize();
    p = p_.to_host();
    u = u_.to_host();
  }

  static const StateArrays& state_arrays() {
    static const StateArrays all{pressure_array, velocity_array};
    return all;
  }
  const StateArrays& arrays() const override {
    static const StateArrays with_floor{pressure_array, velocity_array, floor_array};
    return floor_.gives_way() ? with_floor : state_arrays();
  }
  void get(const StateArray& array, std::int64_t first, std::span<double> values) override {
    backend_.synchronize();
    copy_bytes(Space::host, values.data(), Backend::space, at(array, first), values.size_bytes());
  }
  void set(const StateArray& array, std::int64_t first, std::span<const double> values) override {
    backend_.synchronize();
    copy_bytes(Backend::space, at(array, first), Space::host, values.data(), values.size_bytes());
  }

  void step(double dt, std::span<const ForcingSample> forcing) override {
    constexpr double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, c[4] = {0.5, 0.5, 1, 0};
    for (int s = 0; s < 4; ++s) {
      TraceScope scope("RK4 stage");
      const double* p = s == 0 ? p_.data() : p_stage_.data();
      const double* u = s == 0 ? u_.data() : u_stage_.data();
      double* r = r_.data();
      backend_.for_each(nodes_, SetZero{r});
      if (exchange_.needed()) {
        operator_->apply(p, u, g_.data(), r, Part::shared);
        exchange_.start(backend_, r);
        operator_->apply(p, u, g_.data(), r, Part::interior);
        exchange_.finish(backend_, r);
      } else {
        operator_->apply(p, u, g_.data(), r, Part::all);
      }
      for (const ForcingSample& sample : forcing)  // at the start, the middle, the middle and the end
        if (const state::ForcedNodes nodes = view_.forced(sample.term); nodes.count > 0)
          backend_.for_each(nodes.count, rk4::AddForcing{nodes, sample.rate[static_cast<std::size_t>((s + 1) / 2)], r});
      const rk4::Weights weights{b[s] * dt, c[s] * dt, s == 0, s == 3};
      backend_.for_each(velocities_ / 3,
                        rk4::UpdateVelocity{spaces_.elements(), basis<L1D>.rule, weights, g_.data(), u_.data(), u_sum_.data(), u_stage_.data()});
      backend_.for_each(floor_.nodes(), rk4::MoveFloor{floor_.view(), weights, p, r, floor_sum_.data(), floor_stage_.data()});
      backend_.for_each(nodes_, rk4::UpdatePressure{spaces_.nodes(), weights, r, p, p_.data(), p_sum_.data(), p_stage_.data()});
    }
  }

  void damp() override {
    const ElementView& elements = spaces_.elements();
    sponge_.fade(backend_, spaces_.nodes(), p_.data(), elements, rk4::ElementVelocity{elements.nx, elements.ny, u_.data()});
  }
  double damped_energy() override { return sponge_.taken(backend_); }
  void set_damped_energy(double taken) override { sponge_.set_taken(backend_, taken); }

  StateView& view() override { return view_; }
  void wait() override {
    backend_.synchronize();
    exchange_.settle();
  }
  void repeat_exchange() override {  // r carries nothing between steps
    exchange_.start(backend_, r_.data());
    exchange_.finish(backend_, r_.data());
  }

 private:
  double* at(const StateArray& array, std::int64_t first) {
    if (array == velocity_array) return u_.data() + first * 3 * L3D;
    return (array == floor_array ? floor_.u() : p_.data()) + first * NX_;
  }

  Backend backend_;
  Spaces spaces_;
  std::int64_t nodes_, NX_, velocities_;
  BackendView<Backend> view_;
  std::unique_ptr<Operator> operator_;
  Exchange<Backend> exchange_;
  SpongeLayer<Backend> sponge_;
  FloorLayer<Backend> floor_;
  Array<double> floor_stage_, floor_sum_;
  Array<double> p_, p_stage_, p_sum_, r_, u_, u_stage_, u_sum_, g_;
};

// Memory of the stepper without its operator, per rank [bytes].
inline double rk4_bytes(const Mesh& mesh, int quadrature) {
  const double surface = 2.0 * static_cast<double>(mesh.NX()) * mesh.NY();  // its extremes
  return 8.0 * (4.0 * static_cast<double>(mesh.nodes()) + 4.0 * 3 * L3D * static_cast<double>(mesh.NE()) + surface) +
         static_cast<double>(Spaces::bytes(mesh, quadrature));
}

// Around every operator of the device of this backend.
template <class Backend>
void around(const OperatorVariant& op, const MakeOperator<Backend>& make, Variant& variant) {
  variant.integrator = &rk4_integrator;
  variant.operator_ = &op;
  variant.forces_anywhere = true;
  variant.takes_sponges = true;
  variant.takes_floors = true;
  variant.arrays = Rk4<Backend>::state_arrays();
  variant.make_stepper = [make](const StepperSetup& setup) -> std::unique_ptr<Stepper> { return std::make_unique<Rk4<Backend>>(setup, make); };
  variant.bytes = [own = op.bytes](const Mesh& mesh, int quadrature) { return rk4_bytes(mesh, quadrature) + own(mesh, quadrature); };
}

}  // namespace agwave
