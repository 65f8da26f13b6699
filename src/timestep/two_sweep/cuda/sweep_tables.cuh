// SPDX-License-Identifier: Apache-2.0
// The geometry of the elements as the fused kernels read it, made once on the device.
#pragma once
#include "device/backend_cuda.cuh"
#include "timestep/two_sweep/cuda/shared.cuh"
#include "timestep/two_sweep/pointwise.hpp"

namespace agwave::two_sweep {

template <class Patches>
struct ColumnTable {  // SweepTables::columns; zero for elements beyond the mesh, so that they add nothing
  ElementView v;
  Patches patches;
  Rule<L1D> rule;
  typename Patches::real* table;
  __device__ void operator()(std::int64_t n) const {
    using real = typename Patches::real;
    const int lane = static_cast<int>(n % 32), qy = static_cast<int>(n / 32 % 4), qx = lane % 4;
    const std::int64_t bar = n / 128, patch = bar / Patches::EY;
    const int ex = static_cast<int>(patch % patches.px) * Patches::EX + lane / 4,
              ey = static_cast<int>(patch / patches.px * Patches::EY + bar % Patches::EY);
    real* to = table + (bar * column_values + qy * 5) * 32 + lane;
    if (ex >= v.nx || ey >= v.ny) {
      for (int c = 0; c < 5; ++c) to[c * 32] = 0;
      return;
    }
    const std::int64_t at = (static_cast<std::int64_t>(ey) * v.nx + ex) * 16 + qy * 4 + qx;
    const double w = rule.w[qx] * rule.w[qy], h = v.h[at], ax = v.ax[ex], ay = v.ay[ey];
    to[0] = static_cast<real>(w * h * (ay / ax));
    to[32] = static_cast<real>(w * h * (ax / ay));
    to[64] = static_cast<real>(w * ax * ay / h);
    to[96] = static_cast<real>(v.h_xi[at] / h);
    to[128] = static_cast<real>(v.h_eta[at] / h);
  }
};

template <class real>
struct LayerTable {  // SweepTables::layers
  ElementView v;
  Rule<L1D> rule;
  real* table;
  __device__ void operator()(std::int64_t ez) const {
    real* to = table + ez * layer_values;
    const double ds = v.ds[ez];
    for (int q = 0; q < 2; ++q) {
      to[q] = static_cast<real>(rule.w[q] * ds);
      to[2 + q] = static_cast<real>(rule.w[q] / ds);
    }
    for (int q = 0; q < 4; ++q) to[4 + q] = static_cast<real>(-(v.s_mid[ez] - ds * rule.x[q]) / ds);
  }
};

template <class Patches>
class GeometryTablesOf {
  using real = typename Patches::real;

 public:
  GeometryTablesOf(const Cuda& cuda, const ElementView& elements, const Patches& patches)
      : columns_(Space::device, column_size(patches)), layers_(Space::device, static_cast<std::size_t>(patches.nz) * layer_values) {
    const Rule<L1D> rule = basis<L1D>.rule;
    cuda.for_each(patches.count() * Patches::EY * 128, ColumnTable<Patches>{elements, patches, rule, columns_.data()});
    cuda.for_each(patches.nz, LayerTable<real>{elements, rule, layers_.data()});
  }
  SweepTablesOf<real> tables() const { return {columns_.data(), layers_.data()}; }
  static double bytes(const Patches& patches) {
    return sizeof(real) * (static_cast<double>(column_size(patches)) + static_cast<double>(patches.nz) * layer_values);
  }

 private:
  static std::size_t column_size(const Patches& patches) { return static_cast<std::size_t>(patches.count()) * Patches::EY * column_values * 32; }
  Array<real> columns_, layers_;
};
using GeometryTables = GeometryTablesOf<Patches>;

}  // namespace agwave::two_sweep
