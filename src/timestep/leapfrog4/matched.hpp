// SPDX-License-Identifier: Apache-2.0
// Matched strips (boundary/sponge.hpp) for a potential: d/dn along the strip's normal becomes 1/s d/dn with s = 1 + sigma/(i omega), so that a wave goes on
// as it is, but for exp(-sigma cos(angle) x / v), whatever its length, its angle and its shape over depth (a perfectly matched layer; Grote and Sim 2010).
// With p = psi_t, the velocity w = -1/rho grad psi + v that fading.hpp keeps, and g = 1/rho grad psi,
//   M (psi_tt + (sx + sy) psi_t + sx sy psi) = -K psi + G^T rho v + f
//   v_x,t = -sx v_x + (sx - sy) g_x,     v_y,t = -sy v_y + (sy - sx) g_y,     v_z,t = -(sx + sy) g_z - sx sy int g_z dt
// What has sigmas acts between steps, for as long as a step, on psi where it stands, half a step ahead. Of what moves along the normal that takes energy,
//   w_x -> exp(-sx dt) w_x,   P -> exp(-sx dt) P,
// whatever the step. What moves across it leaves as it came, as it must, but only while a step is short against its period: dampings that see a wave at the
// same phase again and again make it grow. So all columns take the same step here; where columns step in levels, those of finer levels fade. And over a floor
// that is not the same along the normal a wave across it gains as often as it loses: across, `fading` of sigma fades, which is enough (tests/cases).
//   State: as Fading's, psi where it stands in place of the potential
#pragma once
#include "timestep/leapfrog4/strip_elements.hpp"

namespace agwave::leapfrog4 {

// Columns of nodes of elements in two strips, where int psi dt is needed. In steps: int psi dt / dt.
struct Corners {
  NodeView v;
  const std::int32_t* number;  // of a column of nodes, or -1
  std::int64_t count;
  double* sum;  // [NZ][count]
  AGWAVE_HD double at(int i, int j, int k) const {
    const std::int32_t column = number[static_cast<std::int64_t>(j) * v.NX + i];
    return column < 0 ? 0 : sum[k * count + column];
  }
};
template <class State>
struct AddPotential : Corners {
  const std::int32_t* list;
  State state;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const std::int32_t column = list[n % count];
    sum[n] += state.potential(column % v.NX, column / v.NX, static_cast<int>(n / count));
  }
};

template <class State>
struct PotentialAt {
  State state;
  AGWAVE_HD double operator()(int i, int j, int k) const { return state.potential(i, j, k); }
};
template <class State>
struct PotentialSum {  // in the middle of the step
  Corners corners;
  State state;
  AGWAVE_HD double operator()(int i, int j, int k) const { return corners.at(i, j, k) + 0.5 * state.potential(i, j, k); }
};

// v at the four points of a line along z, and the energy that goes.
struct StretchVelocity : StripElements {
  static constexpr double fading = 0.25;
  sponge_detail::Rates rates;
  const std::uint8_t* fades;                         // [column of the list]: all of it
  const double *potential, *sum;                     // of the elements' nodes; sum: where two strips meet
  double *u, *lost;                                  // [element][3][64]; [element][qy][qx]
  AGWAVE_HD void operator()(std::int64_t n) const {  // [element][qy][qx]
    const int qx = static_cast<int>(n % L1D), qy = static_cast<int>(n / L1D % L1D);
    const std::int64_t e = n / (L1D * L1D);
    int ex, ey, ez;
    place(e, ex, ey, ez);
    const double own[3] = {rates.x[L1D * ex + qx], rates.y[L1D * ey + qy], 0}, both = own[0] * own[1];
    const double across = fades[e % columns.count] ? 1 : fading;
    double keep[3], turn[3], gradient[L1D][3], of_sum[L1D][3];
    for (int c = 0; c < 3; ++c) {
      const double other = own[0] + own[1] - own[c];
      keep[c] = exp(-own[c] - across * other);
      turn[c] = (1 - across) * other;
    }
    gradient_of_line(ex, ey, ez, qx, qy, potential + e * D3D, gradient);
    if (both > 0) gradient_of_line(ex, ey, ez, qx, qy, sum + e * D3D, of_sum);
    double taken = 0;
    for (int qz = 0; qz < L1D; ++qz) {
      const int l = (qz * L1D + qy) * L1D + qx;
      double* const at = u + e * 3 * L3D + l;
      const double mass = v.velocity_mass(ex, ey, ez, l, t.w), inverse_mass = 1 / mass;
      for (int c = 0; c < 3; ++c) {
        const double g = gradient[qz][c] * inverse_mass, before = at[c * L3D] - g;
        double w = keep[c] * before - turn[c] * g;
        if (c == 2 && both > 0) w -= (1 - across) * both * of_sum[qz][2] * inverse_mass;
        taken += 0.5 * mass * (before * before - w * w);
        at[c * L3D] = w + g;
      }
    }
    lost[n] = taken;
  }
};

struct Lost {
  const double* lost;
  AGWAVE_HD double operator()(std::int64_t n) const { return lost[n]; }
};

// What a damping makes of the rate at a node, by the potential there.
struct StretchRate {
  sponge_detail::Rates rates;
  double dt;
  AGWAVE_HD double operator()(int i, int j, double P, double psi) const {
    return exp(-rates.x[i] - rates.y[j]) * P - rates.x[i] * rates.y[j] / dt * psi;
  }
};
template <class State>
struct StretchedLoss : sponge_detail::Pressure {
  State state;
  StretchRate stretch;
  AGWAVE_HD double operator()(std::int64_t n) const {
    int i, j, k;
    place(n, i, j, k);
    if (!v.owned(i, j, k)) return 0;
    const double before = state.rate(i, j, k), after = stretch(i, j, before, state.potential(i, j, k));
    return 0.5 * v.mass(i, j, k) * (before * before - after * after);
  }
};

}  // namespace agwave::leapfrog4
