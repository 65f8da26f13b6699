// SPDX-License-Identifier: Apache-2.0
#include "timestep/two_sweep/cpu/bar_geometry.hpp"

namespace agwave::two_sweep {

template <class Patches>
void BarGeometry<Patches>::form(const ElementView& v, const Patches& patches, std::int64_t patch) {
  constexpr auto rule = gauss_rule<4>();
  real* to = values_.data() + patch * patch_size;
  for (int bar = 0; bar < Patches::EY; ++bar)
    for (int qx = 0; qx < 4; ++qx)
      for (int qy = 0; qy < 4; ++qy, to += factors * E)
        for (int e = 0; e < E; ++e) {
          const int ex = static_cast<int>(patch % patches.px) * E + e, ey = static_cast<int>(patch / patches.px) * Patches::EY + bar;
          double f[factors] = {};
          if (ex < v.nx && ey < v.ny) {
            const std::int64_t at = (static_cast<std::int64_t>(ey) * v.nx + ex) * 16 + qy * 4 + qx;
            const double w = 2 * rule.w[qx] * rule.w[qy], ax = v.ax[ex], ay = v.ay[ey], h = v.h[at];
            f[0] = w * h * ay / ax;
            f[1] = w * h * ax / ay;
            f[2] = w * ax * ay / h;
            f[3] = v.h_xi[at] / h;
            f[4] = v.h_eta[at] / h;
          }
          for (int n = 0; n < factors; ++n) to[n * E + e] = static_cast<real>(f[n]);
        }
}

template class BarGeometry<CpuPatches>;
template class BarGeometry<CpuSinglePatches>;

}  // namespace agwave::two_sweep
