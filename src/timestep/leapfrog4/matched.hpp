// SPDX-License-Identifier: Apache-2.0
// Matched strips (boundary/sponge.hpp) for a potential: d/dn along the strip's normal becomes 1/s d/dn with s = 1 + sigma/(i omega), so that a wave goes on
// as it is, but for exp(-sigma cos(angle) x / v), whatever its length, its angle and its shape over depth (a perfectly matched layer; Grote and Sim 2010).
// With p = psi_t, the velocity w = -1/rho grad psi + v that fading.hpp keeps, and g = 1/rho grad psi,
//   M (psi_tt + (sx + sy) psi_t + sx sy psi) = -K psi + G^T v + f
//   v_x,t = -sx v_x + (sx - sy) g_x,     v_y,t = -sy v_y + (sy - sx) g_y,     v_z,t = -(sx + sy) g_z - sx sy int g_z dt
// What has sigmas acts between steps, for as long as a step, on psi where it stands, half a step ahead. Of what moves along the normal that takes energy,
//   w_x -> exp(-sx dt) w_x,   P -> exp(-sx dt) P,
// whatever the step. What moves across it leaves as it came, as it must, but only while a step is short against its period: dampings that see a wave at the
// same phase again and again make it grow. So all columns take the same step here; where columns step in levels, those of finer levels fade. Two things more
// keep waves that travel across the strip from growing, for which the layer does nothing. Over a floor that is not the same along the normal they gain as
// often as they lose: across, `fading` of sigma fades. And patterns P4 P4 along two axes, whose gradient the velocity does not see, travel otherwise than
// waves do (docs/theory.md) and grew in the layer; they are damped by three sigma.
//   State: as Fading's, psi where it stands in place of the potential
#pragma once
#include <vector>

#include "timestep/leapfrog4/strip_elements.hpp"
#include "timestep/local_steps/levels.hpp"

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
struct RateAt {
  State state;
  AGWAVE_HD double operator()(int i, int j, int k) const { return state.rate(i, j, k); }
};
template <class State>
struct PotentialSum {  // in the middle of the step
  Corners corners;
  State state;
  AGWAVE_HD double operator()(int i, int j, int k) const { return corners.at(i, j, k) + 0.5 * state.potential(i, j, k); }
};

// v at the four points of a line along z, and the energy that goes.
struct StretchVelocity : StripElements {
  double fading;  // across
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

// Forces that damp the patterns P4 P4 of the rate in each element by three times the largest sigma there: with Pi the projection onto them, orthogonal in the lumped
// mass of an element as deep as this one is at its shallowest node, never more than the mass itself.
struct DampPatterns : StripElements {
  NodeView nodes;
  sponge_detail::Rates rates;  // of node lines
  const std::uint8_t* fades;   // as above: there all is damped anyway
  double dt;
  const double* rate;     // of the elements' nodes
  double *forces, *lost;  // [element][125]; [element]
  AGWAVE_HD void operator()(std::int64_t e) const {
    int ex, ey, ez;
    place(e, ex, ey, ez);
    lost[e] = 0;
    if (fades[e % columns.count]) return;
    const int i0 = P1D * ex, j0 = P1D * ey;
    double sigma = 0;
    for (const int i : {i0, i0 + P1D}) sigma = rates.x[i] > sigma ? rates.x[i] : sigma;
    for (const int j : {j0, j0 + P1D}) sigma = rates.y[j] > sigma ? rates.y[j] : sigma;
    constexpr double w[D1D] = {0.1, 49.0 / 90, 32.0 / 45, 49.0 / 90, 0.1}, p4[D1D] = {1, -3.0 / 7, 3.0 / 8, -3.0 / 7, 1}, norm = 2;  // 1 / sum w p4^2
    const double* const P = rate + e * D3D;
    double of_yz[D1D] = {}, of_xz[D1D] = {}, of_xy[D1D] = {}, of_all = 0;
    for (int k = 0; k < D1D; ++k)
      for (int j = 0; j < D1D; ++j)
        for (int i = 0; i < D1D; ++i) {
          const double value = norm * norm * P[(k * D1D + j) * D1D + i], a = w[i] * p4[i], b = w[j] * p4[j], c = w[k] * p4[k];
          of_yz[i] += b * c * value;
          of_xz[j] += a * c * value;
          of_xy[k] += a * b * value;
          of_all += norm * a * b * c * value;
        }
    const double scale = 3 * sigma / dt * least_mass(ex, ey, ez);
    double taken = 0;
    if (ez == v.nz - 1 && nodes.surface > 0) {  // what gravity adds to the mass, likewise
      double of_surface = 0;
      for (int j = 0; j < D1D; ++j)
        for (int i = 0; i < D1D; ++i) of_surface += norm * norm * w[i] * w[j] * p4[i] * p4[j] * P[(P1D * D1D + j) * D1D + i];
      for (int j = 0; j < D1D; ++j)
        for (int i = 0; i < D1D; ++i) {
          const double mass = 3 * sigma / dt * v.ax[ex] * v.ay[ey] * nodes.surface * w[i] * w[j], pattern = p4[i] * p4[j] * of_surface;
          forces[e * D3D + (P1D * D1D + j) * D1D + i] -= mass * pattern;
          taken += mass * pattern * pattern;
        }
    }
    for (int k = 0; k < D1D; ++k)
      for (int j = 0; j < D1D; ++j)
        for (int i = 0; i < D1D; ++i) {
          const double pattern = p4[j] * p4[k] * of_yz[i] + p4[i] * p4[k] * of_xz[j] + p4[i] * p4[j] * of_xy[k] - 2 * p4[i] * p4[j] * p4[k] * of_all;
          const double mass = scale * w[i] * w[j] * w[k];
          forces[e * D3D + (k * D1D + j) * D1D + i] -= mass * pattern;
          taken += mass * pattern * pattern;
        }
    lost[e] = dt * taken;
  }

 private:
  // What w_i w_j w_k is multiplied by for the mass of a node: the least in the element, of 1 / (rho c^2) det J.
  AGWAVE_HD double least_mass(int ex, int ey, int ez) const {
    double least = 1e300;
    for (int k = 0; k < (nodes.excess ? D1D : 1); ++k)
      for (int j = 0; j < D1D; ++j)
        for (int i = 0; i < D1D; ++i) {
          const int x = P1D * ex + i, y = P1D * ey + j;
          const double here = nodes.column(x, y) * nodes.compliance(x, y, P1D * ez + k);
          least = here < least ? here : least;
        }
    return v.ax[ex] * v.ay[ey] * v.ds[ez] * least;
  }
};

struct AddPower {  // taken[0] += factor taken[1]
  double *taken, factor;
  AGWAVE_HD void operator()(std::int64_t) const { taken[0] += factor * taken[1]; }
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

// What matched strips keep besides the velocity: sums at their corners, which are state, and what functors need.
template <class Backend>
class MatchedStrips {
 public:
  // strips: columns of elements; elements: of all strips
  MatchedStrips(const StepperSetup& setup, const NodeView& nodes, const std::vector<std::int32_t>& strips, std::int64_t elements)
      : nodes_(nodes), dt_(setup.sponge->interval), across_(setup.sponge->across), anywhere_(setup.sponge->meet()) {
    const Mesh& mesh = setup.mesh;
    std::vector<std::uint8_t> fades;
    for (const std::int32_t column : strips)
      fades.push_back(setup.levels && setup.levels->local() &&
                      setup.levels->halvings_of(mesh.part.first[0] + column % mesh.nx(), mesh.part.first[1] + column / mesh.nx()) > 0);
    fades_ = Array<std::uint8_t>(Backend::space, fades);
    lost_ = Array<double>(Backend::space, static_cast<std::size_t>(elements * L1D * L1D));
    const StripReach x(mesh, *setup.sponge, 0), y(mesh, *setup.sponge, 1);
    number_.assign(static_cast<std::size_t>(nodes.NX) * nodes.NY, -1);
    std::vector<std::int32_t> list;
    for (int j = 0; j < nodes.NY; ++j)
      for (int i = 0; i < nodes.NX; ++i)
        if (x.node(i) && y.node(j)) {
          number_[static_cast<std::size_t>(j) * nodes.NX + i] = static_cast<std::int32_t>(list.size());
          list.push_back(j * nodes.NX + i);
        }
    count_ = static_cast<std::int64_t>(list.size());
    numbers_ = Array<std::int32_t>(Backend::space, number_);
    list_ = Array<std::int32_t>(Backend::space, list);
    sum_ = Array<double>(Backend::space, static_cast<std::size_t>(count_ * nodes.NZ));
    rest();
  }
  bool anywhere() const { return anywhere_; }  // corners, on some rank
  double dt() const { return dt_; }
  double across() const { return across_; }
  const std::uint8_t* fades() const { return fades_.data(); }  // [column of the strips]: finer steps than the coarsest
  double* lost() { return lost_.data(); }                      // [element][16], to work in
  Corners corners() { return {nodes_, numbers_.data(), count_, sum_.data()}; }
  const std::int32_t* list() const { return list_.data(); }  // of the corners' columns of nodes
  void rest() { sum_.zero(); }

  // Rows of nodes from number `first` on: zero away from corners.
  void get(Backend& backend, std::int64_t first, std::span<double> values) {
    backend.synchronize();
    const std::vector<double> sum = sum_.to_host();
    each(first, values.size(), [&](std::size_t n, std::int64_t at) { values[n] = at < 0 ? 0.0 : sum[static_cast<std::size_t>(at)]; });
  }
  void set(Backend& backend, std::int64_t first, std::span<const double> values) {
    backend.synchronize();
    std::vector<double> sum = sum_.to_host();
    each(first, values.size(), [&](std::size_t n, std::int64_t at) {
      if (at >= 0) sum[static_cast<std::size_t>(at)] = values[n];
    });
    sum_.copy_from(sum);
  }

 private:
  template <class F>  // f(value of the rows, place in the sums or -1)
  void each(std::int64_t first, std::size_t size, F&& f) const {
    const std::int64_t level = static_cast<std::int64_t>(nodes_.NX) * nodes_.NY;
    for (std::size_t n = 0; n < size; ++n) {
      const std::int64_t node = first * nodes_.NX + static_cast<std::int64_t>(n);
      const std::int32_t column = number_[static_cast<std::size_t>(node % level)];
      f(n, column < 0 ? -1 : node / level * count_ + column);
    }
  }

  NodeView nodes_;
  double dt_, across_;
  bool anywhere_;
  std::vector<std::int32_t> number_;  // of a column of nodes among the corners', or -1
  std::int64_t count_ = 0;
  Array<std::uint8_t> fades_;
  Array<std::int32_t> numbers_, list_;
  Array<double> lost_, sum_;
};

}  // namespace agwave::leapfrog4
