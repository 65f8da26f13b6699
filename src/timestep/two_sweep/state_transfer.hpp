// SPDX-License-Identifier: Apache-2.0
// The state of the two-sweep stepper in and out of the host, some of it at a time.
#pragma once
#include <algorithm>
#include <span>

#include "device/set_zero.hpp"
#include "timestep/two_sweep/pointwise.hpp"

namespace agwave::two_sweep {

template <class Backend, class Patches>
class StateTransfer {
 public:
  // p [NZ][NY][pitch], flux as in layout.hpp; `room`: memory like p's that carries nothing meanwhile, zero afterwards, as the padding of p's rows must
  // be (max_pressure).
  StateTransfer(Backend& backend, const NodeView& nodes, const ElementView& elements, const Patches& patches, double* p, double* flux,
                Array<double>& room)
      : backend_(backend), nodes_(nodes), elements_(elements), patches_(patches), p_(p), flux_(flux), room_(room) {}

  // Whole rows of NX pressures from row `first` on.
  void get_pressure(std::int64_t first, std::span<double> p) {
    in_parts(nodes_.NX, p, [&](std::int64_t at, std::int64_t count, double* host) {
      backend_.for_each(count * nodes_.NX, CopyRows{nodes_.NX, nodes_.pitch, first + at, room_.data(), p_, false});
      fetch(host, count * nodes_.NX);
    });
  }
  void set_pressure(std::int64_t first, std::span<const double> p) {
    in_parts(nodes_.NX, p, [&](std::int64_t at, std::int64_t count, const double* host) {
      bring(host, count * nodes_.NX);
      backend_.for_each(count * nodes_.NX, CopyRows{nodes_.NX, nodes_.pitch, first + at, room_.data(), p_, true});
    });
  }
  // Whole elements of [3][L3D] from element `first` on: velocities, or, if `carried`, the numbers that the flux is stored as.
  void get_velocity(std::int64_t first, std::span<double> u, bool carried) {
    in_parts(3 * L3D, u, [&](std::int64_t at, std::int64_t count, double* host) {
      backend_.for_each(count * L3D, ReadFlux<Patches>{carried, elements_, patches_, basis<L1D>.rule, first + at, flux_, room_.data()});
      fetch(host, count * 3 * L3D);
    });
  }
  void set_velocity(std::int64_t first, std::span<const double> u, bool carried) {
    in_parts(3 * L3D, u, [&](std::int64_t at, std::int64_t count, const double* host) {
      bring(host, count * 3 * L3D);
      backend_.for_each(count * L3D, StoreFlux<Patches>{carried, elements_, patches_, basis<L1D>.rule, first + at, room_.data(), flux_});
    });
  }

 private:
  void fetch(double* host, std::int64_t count) {
    backend_.synchronize();
    copy_bytes(Space::host, host, Backend::space, room_.data(), static_cast<std::size_t>(count) * sizeof(double));
  }
  void bring(const double* host, std::int64_t count) {
    copy_bytes(Backend::space, room_.data(), Space::host, host, static_cast<std::size_t>(count) * sizeof(double));
  }
  // f(first, count, host) for items of `size` values, as many at a time as there is room for.
  template <class T, class F>
  void in_parts(std::int64_t size, std::span<T> host, F&& f) {
    const auto most = static_cast<std::int64_t>(room_.size()) / size, count = static_cast<std::int64_t>(host.size()) / size;
    for (std::int64_t first = 0; first < count; first += most) {
      f(first, std::min(most, count - first), host.data() + first * size);
      backend_.synchronize();
    }
    backend_.for_each(static_cast<std::int64_t>(room_.size()), SetZero{room_.data()});
    backend_.synchronize();
  }

  Backend& backend_;
  NodeView nodes_;
  ElementView elements_;
  Patches patches_;
  double *p_, *flux_;
  Array<double>& room_;
};

}  // namespace agwave::two_sweep
