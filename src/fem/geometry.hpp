// SPDX-License-Identifier: Apache-2.0
// D: geometry of the terrain-following map at one point, host and device.
//   x = x_c + ax xi,  y = y_c + ay eta,  z = -h(xi, eta) s(zeta),  s = s_mid - ds zeta,  ds = (sigma_k - sigma_k+1) / 2
//   z_zeta = h ds,  z_xi = -s h_xi,  z_eta = -s h_eta,  det J = ax ay h ds
// All geometry of the scheme is in the five non-zero entries of  w det J J^-T  below.
#pragma once
#include "device/host_device.hpp"

namespace agwave {

struct Metric {  // entries of w det J J^-T, rows x, y, z, columns xi, eta, zeta
  double xx, xz, yy, yz, zz;
};

AGWAVE_HD Metric metric(double w, double ax, double ay, double ds, double s, double h, double h_xi, double h_eta) {
  const double z_zeta = h * ds, z_xi = -s * h_xi, z_eta = -s * h_eta;
  return {w * ay * z_zeta, -w * ay * z_xi, w * ax * z_zeta, -w * ax * z_eta, w * ax * ay};
}

// (g_x, g_y, g_z) = w det J grad p  from reference derivatives.
AGWAVE_HD void weighted_gradient(const Metric& m, double p_xi, double p_eta, double p_zeta, double* g) {
  g[0] = m.xx * p_xi + m.xz * p_zeta;
  g[1] = m.yy * p_eta + m.yz * p_zeta;
  g[2] = m.zz * p_zeta;
}

// Contravariant flux  w det J J^-1 u, the transpose of the above: what multiplies (v_xi, v_eta, v_zeta) in (u, grad v).
AGWAVE_HD void contravariant_flux(const Metric& m, double u_x, double u_y, double u_z, double* f) {
  f[0] = m.xx * u_x;
  f[1] = m.yy * u_y;
  f[2] = m.xz * u_x + m.yz * u_y + m.zz * u_z;
}

}  // namespace agwave
