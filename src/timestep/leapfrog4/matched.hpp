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

// What damps the patterns P4 P4 of the rate in each element by three times the largest sigma there: with Pi the projection onto them, orthogonal in the
// lumped mass of an element as deep as this one is at its shallowest node, never more than the mass itself.
struct PatternDamping {
  NodeView nodes;
  sponge_detail::Rates rates;  // of node lines
  const std::uint8_t* fades;   // [column of the list]: all of it, of finer steps than the coarsest; it is damped anyway
  double dt;

  struct OfElement {
    double mass, surface;  // 3 sigma / dt times what w w w is multiplied by, and w w on the surface
  };
  // From scratch's rates.
  template <class Team>
  AGWAVE_HD OfElement prepare(const Team& team, StripScratch& s, const StripElements& elements, const StripElements::Place& p) const {
    const int i0 = P1D * p.ex, j0 = P1D * p.ey;
    double sigma = 0;
    if (!fades[p.column]) {
      for (const int i : {i0, i0 + P1D}) sigma = rates.x[i] > sigma ? rates.x[i] : sigma;
      for (const int j : {j0, j0 + P1D}) sigma = rates.y[j] > sigma ? rates.y[j] : sigma;
    }
    team.each(3 * D1D + D1D * D1D, [&](int n) {
      if (n < 3 * D1D)
        s.pattern[n / D1D][n % D1D] = pattern_across(s.rates, n / D1D, n % D1D);
      else
        s.least[n - 3 * D1D] = least_mass(i0 + (n - 3 * D1D) % D1D, j0 + (n - 3 * D1D) / D1D, P1D * p.ez);
    });
    double least = s.least[0];
    for (const double mass : s.least) least = mass < least ? mass : least;
    const ElementView& v = elements.v;
    const double scale = 3 * sigma / dt * v.ax[p.ex] * v.ay[p.ey];
    return {scale * v.ds[p.ez] * least, p.ez == v.nz - 1 ? scale * nodes.surface : 0};
  }
  // Force at a node, and what it takes of the energy.
  AGWAVE_HD double force(const StripScratch& s, const OfElement& of, int n, double& taken) const {
    const int i = n % D1D, j = n / D1D % D1D, k = n / (D1D * D1D);
    const double a = p4(i), b = p4(j), c = p4(k), w = weight(i) * weight(j);
    double of_all = 0;
    for (int m = 0; m < D1D; ++m) of_all += norm * weight(m) * p4(m) * s.pattern[0][m];
    const double pattern = b * c * s.pattern[0][i] + a * c * s.pattern[1][j] + a * b * s.pattern[2][k] - 2 * a * b * c * of_all;
    const double mass = of.mass * w * weight(k);
    double force = mass * pattern;
    taken += dt * force * pattern;
    if (k == P1D && of.surface > 0) {  // what gravity adds to the mass, likewise
      const double above = a * b * s.pattern[2][k], push = of.surface * w * above;
      force += push;
      taken += dt * push * above;
    }
    return force;
  }

 private:
  static constexpr double norm = 2;  // 1 / sum of w P4^2
  AGWAVE_HD static double weight(int i) { return i == 2 ? 32.0 / 45 : i % 2 == 1 ? 49.0 / 90 : 0.1; }
  AGWAVE_HD static double p4(int i) { return i == 2 ? 3.0 / 8 : i % 2 == 1 ? -3.0 / 7 : 1.0; }
  // Of P4 P4 along the two other axes, at node m of this one.
  AGWAVE_HD static double pattern_across(const double* rates, int axis, int m) {
    const int stride = axis == 0 ? 1 : axis == 1 ? D1D : D1D * D1D, one = axis == 0 ? D1D : 1, other = axis == 2 ? D1D : D1D * D1D;
    double sum = 0;
    for (int b = 0; b < D1D; ++b)
      for (int a = 0; a < D1D; ++a) sum += weight(a) * p4(a) * weight(b) * p4(b) * rates[stride * m + one * a + other * b];
    return norm * norm * sum;
  }
  // What w_i w_j w_k is multiplied by for the mass of a node, 1 / (rho c^2) det J over the half sizes: the least in a column of the element's nodes.
  AGWAVE_HD double least_mass(int i, int j, int k0) const {
    double least = nodes.compliance(i, j, k0);
    for (int k = 1; k < D1D && nodes.excess; ++k) {
      const double here = nodes.compliance(i, j, k0 + k);
      least = here < least ? here : least;
    }
    return nodes.column(i, j) * least;
  }
};

// What an element forces its nodes with, from v and P; before that, if it damps, after P has been damped, v and the energy that both take. One piece of
// code: a state that was kept and set goes on in the same bits.
template <class State>
struct MatchedElement : StripElements {
  PatternDamping patterns;
  State state;  // psi where it stands
  Corners corners;
  double fading;               // across
  sponge_detail::Rates rates;  // of points
  bool damps;
  double *u, *forces, *lost;  // [element][3][64]; [element][125]; [element]
  template <class Team>
  AGWAVE_HD void operator()(std::int64_t e, const Team& team, StripScratch& s) const {
    const Place p = place(e);
    begin(team, s);
    nodes(team, p, [&](int n, int i, int j, int k) {
      s.rates[n] = state.rate(i, j, k);
      s.lost[n] = 0;
    });
    if (damps) damp(e, team, s, p);
    put_flux(team, s, p, u + e * 3 * L3D);
    const PatternDamping::OfElement of = patterns.prepare(team, s, *this, p);
    divergence(team, s, [&](int n, double force) { forces[e * D3D + n] = force - patterns.force(s, of, n, s.lost[n]); });
    if (damps) sum_lost(team, s, lost + e);
  }

 private:
  template <class Team>
  AGWAVE_HD void damp(std::int64_t e, const Team& team, StripScratch& s, const Place& p) const {
    const bool corner = sigma(p, 0) > 0 && sigma(p, 1) > 0;
    if (corner) {
      nodes(team, p,
            [&](int n, int i, int j, int k) { s.values[n] = corners.at(i, j, k) + 0.5 * state.potential(i, j, k); });  // in the middle of the step
      gradient(team, s, p, [&](int l, const double(&g)[3]) { s.vertical[l] = g[2]; });
    }
    nodes(team, p, [&](int n, int i, int j, int k) { s.values[n] = state.potential(i, j, k); });
    find_factors(team, s, p);
    gradient(team, s, p, [&](int l, const double(&g)[3]) { s.lost[l] = damp_point(s, p, l, g, corner, u + e * 3 * L3D + l); });
  }
  AGWAVE_HD double sigma(const Place& p, int axis) const {  // the largest in the element
    double largest = 0;
    for (int q = 0; q < L1D; ++q) {
      const double here = axis == 0 ? rates.x[L1D * p.ex + q] : rates.y[L1D * p.ey + q];
      largest = here > largest ? here : largest;
    }
    return largest;
  }
  template <class Team>
  AGWAVE_HD void find_factors(const Team& team, StripScratch& s, const Place& p) const {
    team.each(L1D * L1D, [&](int line) {
      const double own[3] = {rates.x[L1D * p.ex + line % L1D], rates.y[L1D * p.ey + line / L1D], 0};
      const double across = patterns.fades[p.column] ? 1 : fading;
      for (int c = 0; c < 3; ++c) {
        const double other = own[0] + own[1] - own[c];
        s.keep[c][line] = exp(-own[c] - across * other);
        s.turn[c][line] = (1 - across) * other;
      }
    });
  }
  // v at a point, and what goes of the energy.
  AGWAVE_HD double damp_point(const StripScratch& s, const Place& p, int l, const double (&of_psi)[3], bool corner, double* at) const {
    const int line = l % (L1D * L1D);
    const double mass = mass_of(p, l), inverse_mass = 1 / mass;
    double taken = 0;
    for (int c = 0; c < 3; ++c) {
      const double g = of_psi[c] * inverse_mass, before = at[c * L3D] - g;
      double w = s.keep[c][line] * before - s.turn[c][line] * g;
      if (c == 2 && corner) {
        const double both = rates.x[L1D * p.ex + line % L1D] * rates.y[L1D * p.ey + line / L1D];
        w -= (patterns.fades[p.column] ? 0 : 1 - fading) * both * s.vertical[l] * inverse_mass;
      }
      taken += 0.5 * mass * (before * before - w * w);
      at[c * L3D] = w + g;
    }
    return taken;
  }
};

struct AddTaken {  // taken[0] += factor taken[1]
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
  sponge_detail::Columns factors;  // of node lines, exp(-rate)
  double dt;
  AGWAVE_HD double operator()(int i, int j, double P, double psi) const {
    return factors.x[i] * factors.y[j] * P - rates.x[i] * rates.y[j] / dt * psi;
  }
  // Energies are those of the completed state, whose psi lies half a step behind by P, which the damping changes. So besides the energy of P it takes what
  // psi does: power = P (K psi - G^T v) before it, here, and less of it after it.
  AGWAVE_HD double taken(double mass, double before, double after, double power) const {
    return 0.5 * mass * (before * before - after * after) - 0.5 * dt * power;
  }
};

// What matched strips keep besides the velocity: sums at their corners, which are state, and what functors need.
template <class Backend>
class MatchedStrips {
 public:
  // strips: columns of elements
  MatchedStrips(const StepperSetup& setup, const NodeView& nodes, const std::vector<std::int32_t>& strips)
      : nodes_(nodes), dt_(setup.sponge->interval), across_(setup.sponge->across), anywhere_(setup.sponge->meet()) {
    const Mesh& mesh = setup.mesh;
    std::vector<std::uint8_t> fades;
    for (const std::int32_t column : strips)
      fades.push_back(setup.levels && setup.levels->local() &&
                      setup.levels->halvings_of(mesh.part.first[0] + column % mesh.nx(), mesh.part.first[1] + column / mesh.nx()) > 0);
    fades_ = Array<std::uint8_t>(Backend::space, fades);
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
  Array<double> sum_;
};

}  // namespace agwave::leapfrog4
