// SPDX-License-Identifier: Apache-2.0
#include "timestep/two_sweep/cpu/bar_geometry.hpp"

namespace agwave::two_sweep {

void BarGeometry::form(const ElementView& v, const CpuPatches& patches, std::int64_t patch) {
  constexpr auto rule = gauss_rule<4>();
  double* to = values_.data() + patch * patch_size;
  for (int bar = 0; bar < CpuPatches::EY; ++bar)
    for (int qx = 0; qx < 4; ++qx)
      for (int qy = 0; qy < 4; ++qy, to += factors * 8)
        for (int e = 0; e < 8; ++e) {
          const int ex = static_cast<int>(patch % patches.px) * 8 + e, ey = static_cast<int>(patch / patches.px) * CpuPatches::EY + bar;
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
          for (int n = 0; n < factors; ++n) to[n * 8 + e] = f[n];
        }
}

}  // namespace agwave::two_sweep
