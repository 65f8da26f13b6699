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
#include <cmath>
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
  AGWAVE_HD OfElement of(const StripScratch& s, const StripElements& elements, const StripElements::Place& p) const {
    const int i0 = P1D * p.ex, j0 = P1D * p.ey;
    double sigma = 0;
    if (!fades[p.column]) {
      for (const int i : {i0, i0 + P1D}) sigma = rates.x[i] > sigma ? rates.x[i] : sigma;
      for (const int j : {j0, j0 + P1D}) sigma = rates.y[j] > sigma ? rates.y[j] : sigma;
    }
    const ElementView& v = elements.v;
    const double scale = 3 * sigma / dt * v.ax[p.ex] * v.ay[p.ey];
    return {scale * v.ds[p.ez] * s.least[0], p.ez == v.nz - 1 ? scale * nodes.surface : 0};
  }

  // P of a column of the element's nodes; n: j 5 + i
  AGWAVE_HD void put_rates(StripScratch& s, const StripElements::Place& p, int n, const double (&P)[D1D]) const {
    double sum = 0;
    for (int k = 0; k < D1D; ++k) {
      s.rates[k][n] = P[k];
      sum += weight(k) * p4(k) * P[k];
    }
    s.over_z[n] = sum;
    s.least[n] = least_mass(P1D * p.ex + n % D1D, P1D * p.ey + n / D1D, P1D * p.ez);
  }
  // Then the sums of rows, task n of 25: k 5 + j.
  AGWAVE_HD static void sum_row(StripScratch& s, int n) {
    const int k = n / D1D, j = n % D1D;
    double sum = 0;
    for (int i = 0; i < D1D; ++i) sum += weight(i) * p4(i) * s.rates[k][j * D1D + i];
    s.over_x[k][j] = sum;
  }
  // Then patterns, of P4 P4 along two axes at each node of the third, and the least mass; task n of 16.
  static constexpr int last_tasks = 3 * D1D + 1;
  AGWAVE_HD static void find_pattern(StripScratch& s, int n) {
    if (n == 3 * D1D) {
      for (const double mass : s.least) s.least[0] = mass < s.least[0] ? mass : s.least[0];
      return;
    }
    const int axis = n / D1D, m = n % D1D;
    const double* const of = axis == 2 ? s.over_x[m] : axis == 1 ? s.over_z + D1D * m : s.over_z + m;
    double sum = 0;
    for (int b = 0; b < D1D; ++b) sum += weight(b) * p4(b) * of[axis == 0 ? D1D * b : b];
    s.pattern[axis][m] = norm * norm * sum;
  }
  // What it takes from the forces of a column, and of the energy.
  AGWAVE_HD double damp(const StripScratch& s, const OfElement& of, int n, double (&forces)[D1D]) const {
    const int i = n % D1D, j = n / D1D;
    const double a = p4(i), b = p4(j), w = weight(i) * weight(j);
    double of_all = 0;
    for (int m = 0; m < D1D; ++m) of_all += weight(m) * p4(m) * s.pattern[0][m];
    const double along_z = b * s.pattern[0][i] + a * s.pattern[1][j] - 2 * a * b * norm * of_all, mass = of.mass * w;
    double taken = 0;
    for (int k = 0; k < D1D; ++k) {
      const double pattern = p4(k) * along_z + a * b * s.pattern[2][k], force = mass * weight(k) * pattern;
      taken += force * pattern;
      forces[k] -= force;
    }
    if (of.surface > 0) {  // what gravity adds to the mass, likewise
      const double pattern = a * b * s.pattern[2][P1D], force = of.surface * w * pattern;
      taken += force * pattern;
      forces[P1D] -= force;
    }
    return dt * taken;
  }

 private:
  static constexpr double norm = 2;  // 1 / sum of w P4^2
  AGWAVE_HD static double weight(int i) { return i == 2 ? 32.0 / 45 : i % 2 == 1 ? 49.0 / 90 : 0.1; }
  AGWAVE_HD static double p4(int i) { return i == 2 ? 3.0 / 8 : i % 2 == 1 ? -3.0 / 7 : 1.0; }
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
  const double* slow[2];       // exp(-fading sigma) of points along x and y
  sponge_detail::Rates rates;  // of points
  bool damps;
  double *u, *forces, *lost;  // [element][3][64]; [element][125]; [element]
  template <class Team>
  AGWAVE_HD void operator()(std::int64_t e, const Team& team, StripScratch& s) const {
    const Place p = place(e);
    const bool corner = damps && sigma(p, 0) > 0 && sigma(p, 1) > 0;
    team.each(StripScratch::column, [&](int n) { put_columns(s, p, n, corner); });
    team.each(rows + StripScratch::column, [&](int n) {
      if (n >= rows)
        patterns.sum_row(s, n - rows);
      else if (damps)
        contract_x(s, 0, n);
    });
    if (corner) team.each(rows, [&](int n) { contract_x(s, 1, n); });
    team.each(L3D + PatternDamping::last_tasks, [&](int n) {
      if (n >= L3D) return patterns.find_pattern(s, n - L3D);
      const Metric m = metric_of(p, n);
      double* const at = u + e * 3 * L3D;
      if (damps) s.lost[n] = damp_point(s, p, n, m, corner, at + n);
      put_flux(s, n, m, at);
    });
    const PatternDamping::OfElement damping = patterns.of(s, *this, p);
    divergence(team, s, [&](int n, double(&force)[D1D]) {
      s.lost[L3D + n] = patterns.damp(s, damping, n, force);
      for (int k = 0; k < D1D; ++k) forces[e * D3D + k * StripScratch::column + n] = force[k];
    });
    if (damps) sum_lost(team, s, L3D + StripScratch::column, lost, e);
  }

 private:
  AGWAVE_HD double sigma(const Place& p, int axis) const {  // the largest in the element
    double largest = 0;
    for (int q = 0; q < L1D; ++q) {
      const double here = axis == 0 ? rates.x[L1D * p.ex + q] : rates.y[L1D * p.ey + q];
      largest = here > largest ? here : largest;
    }
    return largest;
  }
  AGWAVE_HD void put_columns(StripScratch& s, const Place& p, int n, bool corner) const {
    const int i = P1D * p.ex + n % D1D, j = P1D * p.ey + n / D1D;
    double psi[D1D], P[D1D];
    state.along_z(i, j, p.ez, [&](int k, double potential, double rate) {
      psi[k] = potential;
      P[k] = rate;
    });
    patterns.put_rates(s, p, n, P);
    if (!damps) return;
    put_column(s, 0, n, psi);
    if (!corner) return;
    for (int k = 0; k < D1D; ++k) psi[k] = corners.at(i, j, P1D * p.ez + k) + 0.5 * psi[k];  // the sum in the middle of the step
    put_column(s, 1, n, psi);
  }
  // v at a point, and what goes of the energy.
  AGWAVE_HD double damp_point(const StripScratch& s, const Place& p, int l, const Metric& m, bool corner, double* at) const {
    const bool all = patterns.fades[p.column];
    const int x = L1D * p.ex + l % L1D, y = L1D * p.ey + l / L1D % L1D;
    const double of_x = columns.x[x], of_y = columns.y[y], across_x = all ? of_x : slow[0][x], across_y = all ? of_y : slow[1][y];
    const double keep[3] = {of_x * across_y, across_x * of_y, across_x * across_y};
    const double share = all ? 0 : 1 - fading, turn[3] = {share * rates.y[y], share * rates.x[x], share * (rates.x[x] + rates.y[y])};
    const double mass = mass_of(p, l), inverse_mass = 1 / mass;
    double of_psi[3], taken = 0;
    gradient(s, 0, l, m, of_psi);
    for (int c = 0; c < 3; ++c) {
      const double g = of_psi[c] * inverse_mass, before = at[c * L3D] - g;
      double w = keep[c] * before - turn[c] * g;
      if (c == 2 && corner) w -= share * rates.x[x] * rates.y[y] * gradient_z(s, 1, l, m) * inverse_mass;
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
struct FadedRate {
  sponge_detail::Columns factors;  // of node lines
  AGWAVE_HD double operator()(int i, int j, double P, double) const { return factors.x[i] * factors.y[j] * P; }
};
struct StretchRate {
  sponge_detail::Rates rates;
  sponge_detail::Columns factors;  // of node lines, exp(-rate)
  double dt;
  AGWAVE_HD double operator()(int i, int j, double P, double psi) const {
    return factors.x[i] * factors.y[j] * P - rates.x[i] * rates.y[j] / dt * psi;
  }
  AGWAVE_HD double before(int i, int j, double after, double psi) const {
    return (after + rates.x[i] * rates.y[j] / dt * psi) / (factors.x[i] * factors.y[j]);
  }
  // Energies are those of the completed state, whose psi lies half a step behind by P, which the damping changes. So besides the energy of P it takes what
  // psi does: power = P (K psi - G^T v), by how much there is less of it.
  AGWAVE_HD double taken(double mass, double before, double after, double power) const {
    return 0.5 * mass * (before * before - after * after) - 0.5 * dt * power;
  }
};

// What matched strips keep besides the velocity: sums at their corners, which are state, and what functors need.
template <class Backend>
class MatchedStrips {
 public:
  // strips: columns of elements; sponge: what fades there
  MatchedStrips(const StepperSetup& setup, const NodeView& nodes, const std::vector<std::int32_t>& strips, const SpongeStrips<Backend>& sponge)
      : nodes_(nodes), dt_(setup.sponge->interval), across_(setup.sponge->across), anywhere_(setup.sponge->meet()) {
    const Mesh& mesh = setup.mesh;
    std::vector<std::uint8_t> fades;
    for (const std::int32_t column : strips)
      fades.push_back(setup.levels && setup.levels->local() &&
                      setup.levels->halvings_of(mesh.part.first[0] + column % mesh.nx(), mesh.part.first[1] + column / mesh.nx()) > 0);
    fades_ = Array<std::uint8_t>(Backend::space, fades);
    for (const int axis : {0, 1}) {
      std::vector<double> slow = sponge.point_rates(axis).to_host();
      for (double& factor : slow) factor = std::exp(-across_ * factor);
      slow_[axis] = Array<double>(Backend::space, slow);
    }
    const StripReach x(mesh, *setup.sponge, 0), y(mesh, *setup.sponge, 1);
    const ListedColumns corners(nodes.NX, nodes.NY, [&](int i, int j) { return x.node(i) && y.node(j); });
    number_ = corners.number;
    count_ = static_cast<std::int64_t>(corners.list.size());
    numbers_ = Array<std::int32_t>(Backend::space, number_);
    list_ = Array<std::int32_t>(Backend::space, corners.list);
    sum_ = Array<double>(Backend::space, static_cast<std::size_t>(count_ * nodes.NZ));
    rest();
  }
  bool anywhere() const { return anywhere_; }  // corners, on some rank
  double dt() const { return dt_; }
  double across() const { return across_; }
  const double* slow(int axis) const { return slow_[axis].data(); }  // what waves across the other axis keep at points along this one
  const std::uint8_t* fades() const { return fades_.data(); }        // [column of the strips]: finer steps than the coarsest
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
  Array<double> sum_, slow_[2];
};

}  // namespace agwave::leapfrog4
