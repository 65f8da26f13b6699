// SPDX-License-Identifier: Apache-2.0
// Sponges (boundary/sponge.hpp) for a potential. They fade pressure and velocity by one factor d, and what a gradient becomes is none: so the elements
// of the strips keep what of their velocity no potential gives,
//   u = -1/rho grad psi + v,        M psi_tt + K psi + S psi_t = f + G^T v
// A damping takes psi to d psi, its rate to d p, and u to d u:
//   v' = d (v - 1/rho grad psi) + 1/rho grad (d psi)
// Between dampings v stands still, so G^T v is a forcing that does not change. The fields are those of RK4, and so is what comes back.
//   State: double potential(i, j, k), rate(i, j, k) of the completed state at a node
#pragma once
#include <vector>

#include "timestep/sponge_layer.hpp"

namespace agwave::leapfrog4 {

struct FourPoints {  // along an axis
  double B[L1D][D1D], dB[L1D][D1D], x[L1D], w[L1D];
};
inline FourPoints four_points() {
  constexpr auto& t = basis<4>;
  constexpr auto rule = gauss_rule<4>();
  FourPoints to;
  for (int q = 0; q < L1D; ++q) {
    for (int i = 0; i < D1D; ++i) {
      to.B[q][i] = t.B[q][i];
      to.dB[q][i] = t.dB[q][i];
    }
    to.x[q] = rule.x[q];
    to.w[q] = rule.w[q];
  }
  return to;
}

// The elements of the strips, numbered [ez][column of the list], with four points along each axis.
struct StripElements {
  ElementView v;
  sponge_detail::Columns columns;
  const std::int32_t* number;  // of a column in the list, or -1
  FourPoints t;
  AGWAVE_HD std::int64_t at(int ex, int ey, int ez) const {
    const std::int32_t column = number[ey * v.nx + ex];
    return column < 0 ? -1 : ez * columns.count + column;
  }
  AGWAVE_HD void place(std::int64_t e, int& ex, int& ey, int& ez) const {
    const std::int32_t column = columns.list[e % columns.count];
    ex = column % v.nx;
    ey = column / v.nx;
    ez = static_cast<int>(e / columns.count);
  }
};

// u' = d u + sign / rho grad (d psi) at the four points of a line along z, d = 1 unless it fades.
template <class State>
struct AddGradient : StripElements {
  State state;
  sponge_detail::Columns nodes;  // for their factors
  bool fades;
  double sign, *u;  // [element][3][64]
  AGWAVE_HD double potential(int i, int j, int k) const { return state.potential(i, j, k) * (fades ? nodes.x[i] * nodes.y[j] : 1.0); }
  AGWAVE_HD void operator()(std::int64_t n) const {  // [element][qy][qx]
    const int qx = static_cast<int>(n % L1D), qy = static_cast<int>(n / L1D % L1D);
    const std::int64_t e = n / (L1D * L1D);
    int ex, ey, ez;
    place(e, ex, ey, ez);
    double value[D1D] = {}, xi[D1D] = {}, eta[D1D] = {};  // on the five levels
    for (int k = 0; k < D1D; ++k)
      for (int j = 0; j < D1D; ++j) {
        double along = 0, slope = 0;
        for (int i = 0; i < D1D; ++i) {
          const double psi = potential(P1D * ex + i, P1D * ey + j, P1D * ez + k);
          along += t.B[qx][i] * psi;
          slope += t.dB[qx][i] * psi;
        }
        value[k] += t.B[qy][j] * along;
        xi[k] += t.B[qy][j] * slope;
        eta[k] += t.dB[qy][j] * along;
      }
    const double d = fades ? columns.x[L1D * ex + qx] * columns.y[L1D * ey + qy] : 1.0;
    for (int qz = 0; qz < L1D; ++qz) {
      const int l = (qz * L1D + qy) * L1D + qx;
      double of_xi = 0, of_eta = 0, of_zeta = 0, gradient[3];
      for (int k = 0; k < D1D; ++k) {
        of_xi += t.B[qz][k] * xi[k];
        of_eta += t.B[qz][k] * eta[k];
        of_zeta += t.dB[qz][k] * value[k];
      }
      const Metric metric = v.point(ex, ey, ez, l, t.x, t.w);
      weighted_gradient(metric, of_xi, of_eta, of_zeta, gradient);
      const double scale = sign / v.velocity_mass(ex, ey, ez, l, t.w);
      double* const to = u + e * 3 * L3D + l;
      for (int c = 0; c < 3; ++c) to[c * L3D] = d * to[c * L3D] + scale * gradient[c];
    }
  }
};

struct FormFlux : StripElements {  // contravariant, times the weights
  const double* u;
  double* flux;
  AGWAVE_HD void operator()(std::int64_t n) const {  // [element][point]
    const int l = static_cast<int>(n % L3D);
    const std::int64_t e = n / L3D, at = e * 3 * L3D + l;
    int ex, ey, ez;
    place(e, ex, ey, ez);
    double f[3];
    contravariant_flux(v.point(ex, ey, ez, l, t.x, t.w), u[at], u[at + L3D], u[at + 2 * L3D], f);
    for (int c = 0; c < 3; ++c) flux[at + c * L3D] = f[c];
  }
};

// What each element adds to G^T v, [element][125], a line of five nodes along z at a time.
struct ElementForces : StripElements {
  const double* flux;
  double* forces;
  AGWAVE_HD void operator()(std::int64_t n) const {  // [element][j][i]
    const int i = static_cast<int>(n % D1D), j = static_cast<int>(n / D1D % D1D);
    const std::int64_t e = n / (D1D * D1D);
    const double* const f = flux + e * 3 * L3D;
    double sum[D1D] = {};
    for (int qz = 0; qz < L1D; ++qz) {
      double across = 0, up = 0;
      for (int qy = 0; qy < L1D; ++qy)
        for (int qx = 0; qx < L1D; ++qx) {
          const int l = (qz * L1D + qy) * L1D + qx;
          across += t.dB[qx][i] * t.B[qy][j] * f[l] + t.B[qx][i] * t.dB[qy][j] * f[L3D + l];
          up += t.B[qx][i] * t.B[qy][j] * f[2 * L3D + l];
        }
      for (int k = 0; k < D1D; ++k) sum[k] += t.B[qz][k] * across + t.dB[qz][k] * up;
    }
    for (int k = 0; k < D1D; ++k) forces[e * D3D + (k * D1D + j) * D1D + i] = sum[k];
  }
};

// G^T v at a node, of the elements within a box that may reach beyond the mesh.
struct StripForces : StripElements {
  const double* forces;
  struct Range {
    int first, end;
  };
  AGWAVE_HD double sum(int i, int j, int k, Range x, Range y, Range z) const {
    double all = 0;
    for (int ez = first(k, z); ez <= last(k, z, v.nz); ++ez)
      for (int ey = first(j, y); ey <= last(j, y, v.ny); ++ey)
        for (int ex = first(i, x); ex <= last(i, x, v.nx); ++ex)
          if (const std::int64_t e = at(ex, ey, ez); e >= 0) all += forces[e * D3D + ((k - P1D * ez) * D1D + j - P1D * ey) * D1D + i - P1D * ex];
    return all;
  }

 private:
  AGWAVE_HD static int first(int node, Range r) {  // of the elements that have the node
    const int e = node > 0 && node % P1D == 0 ? node / P1D - 1 : node / P1D;
    return e > r.first ? e : r.first;
  }
  AGWAVE_HD static int last(int node, Range r, int elements) {
    const int end = r.end < elements ? r.end : elements;
    return node / P1D < end ? node / P1D : end - 1;
  }
};

struct StripVelocity {  // as SpongeLayer's functors ask
  static constexpr int stride = L3D;
  StripElements elements;
  double* u;
  AGWAVE_HD double* at(int ex, int ey, int ez, int l) const { return u + elements.at(ex, ey, ez) * 3 * L3D + l; }
  AGWAVE_HD double square(int ex, int ey, int ez, int l) const {
    const double* const at_l = at(ex, ey, ez, l);
    return at_l[0] * at_l[0] + at_l[L3D] * at_l[L3D] + at_l[2 * L3D] * at_l[2 * L3D];
  }
};
struct RestEnergy : sponge_detail::Motion<StripVelocity> {  // of v
  AGWAVE_HD double operator()(std::int64_t n) const {
    int ex, ey, ez, l;
    place(n, ex, ey, ez, l);
    return 0.5 * v.velocity_mass(ex, ey, ez, l, rule.w) * velocity.square(ex, ey, ez, l);
  }
};
template <class State>
struct RateLoss : sponge_detail::Pressure {
  State state;
  AGWAVE_HD double operator()(std::int64_t n) const {
    int i, j, k;
    place(n, i, j, k);
    if (!v.owned(i, j, k)) return 0;
    const double d = factor(i, j), p = state.rate(i, j, k);
    return 0.5 * (1 - d * d) * v.mass(i, j, k) * p * p;
  }
};

// Which elements and nodes of a line of the whole mesh a sponge reaches.
class Reach {
 public:
  Reach(const Mesh& mesh, const Sponge& sponge, int axis)
      : faces_(axis == 0 ? mesh.x_faces : mesh.y_faces),
        first_(mesh.part.first[axis]),
        low_(sponge.width[2 * axis]),
        high_(faces_.back() - sponge.width[2 * axis + 1]) {}
  bool element(std::int64_t e) const {  // of this rank, or beside it
    const std::int64_t n = first_ + e, last = static_cast<std::int64_t>(faces_.size()) - 2;
    if (n < 0 || n > last) return false;
    return faces_[static_cast<std::size_t>(n)] < low_ || faces_[static_cast<std::size_t>(n) + 1] > high_;
  }
  bool node(int i) const { return element(i / P1D) || (i % P1D == 0 && element(i / P1D - 1)); }

 private:
  const std::vector<double>& faces_;
  std::int64_t first_;
  double low_, high_;
};

template <class Backend>
class Fading {
 public:
  Fading(const StepperSetup& setup, const Spaces& spaces, Backend& backend) : backend_(backend), strips_(setup), nodes_(spaces.nodes()) {
    if (!strips_.any()) return;
    const Mesh& mesh = setup.mesh;
    if (setup.quadrature == 4) {
      elements_ = spaces.elements();
    } else {
      spaces_ = std::make_unique<Spaces>(SpacesSetup{setup.mesh, setup.medium, setup.boundary, 4}, Backend::space);
      elements_ = spaces_->elements();
    }
    const Reach x(mesh, *setup.sponge, 0), y(mesh, *setup.sponge, 1);
    number_.assign(static_cast<std::size_t>(mesh.nx()) * mesh.ny(), -1);
    std::vector<std::int32_t> list;
    for (int ey = 0; ey < mesh.ny(); ++ey)
      for (int ex = 0; ex < mesh.nx(); ++ex)
        if (x.element(ex) || y.element(ey)) {
          const std::int32_t column = ey * mesh.nx() + ex;
          number_[static_cast<std::size_t>(column)] = static_cast<std::int32_t>(list.size());
          list.push_back(column);
        }
    for (int j = 0; j < mesh.NY(); ++j)
      for (int i = 0; i < mesh.NX(); ++i)
        if (x.node(i) || y.node(j)) touched_.push_back(j * mesh.NX() + i);
    columns_ = static_cast<std::int64_t>(list.size());
    list_ = Array<std::int32_t>(Backend::space, list);
    numbers_ = Array<std::int32_t>(Backend::space, number_);
    u_ = Array<double>(Backend::space, static_cast<std::size_t>(count() * 3 * L3D));
    flux_ = Array<double>(Backend::space, u_.size());
    forces_ = Array<double>(Backend::space, static_cast<std::size_t>(count() * D3D));
    taken_ = Array<double>(Backend::space, std::vector<double>(3, 0.0));
    u_.zero();
    forces_.zero();
  }

  bool any() const { return strips_.any(); }
  sponge_detail::Columns nodes() const { return strips_.nodes(); }       // that fade
  const std::vector<std::int32_t>& touched() const { return touched_; }  // columns of nodes of the strips' elements, of neighbouring ranks too
  StripForces forces() const { return {elements(), forces_.data()}; }    // of the last damping
  void rest() {                                                          // water whose velocity has a potential
    if (!any()) return;
    u_.zero();
    forces_.zero();
  }

  // What a damping does to the velocity, and takes of the energy; the state itself is faded by who has it, after this.
  template <class State>
  void fade(const State& state) {
    const std::int64_t lines = count() * L1D * L1D;
    backend_.for_each(lines, AddGradient<State>{elements(), state, nodes(), false, -1, u_.data()});  // now all of u
    double* const taken = taken_.data();
    backend_.sum(nodes().count * nodes_.NZ, RateLoss<State>{{nodes_, nodes(), nullptr}, state}, taken + 1);
    backend_.sum(count() * L3D, sponge_detail::VelocityLoss<StripVelocity>{motion()}, taken + 2);
    backend_.for_each(1, sponge_detail::AddLoss{taken});
    backend_.for_each(lines, AddGradient<State>{elements(), state, nodes(), true, 1, u_.data()});
    form_forces();
  }
  double rest_energy() {  // v M_u v / 2, of this rank [J]
    return any() ? backend_.sum(count() * L3D, RestEnergy{motion()}) : 0;
  }
  double taken() const {  // [J], this rank's share
    if (taken_.empty()) return 0;
    backend_.synchronize();
    return taken_.to_host()[0];
  }
  void set_taken(double taken) {
    if (taken_.empty()) return;
    backend_.synchronize();
    taken_.copy_from(std::vector<double>{taken, 0, 0});
  }

  // v of elements from number `first` on, [3][64] each: zero away from the strips.
  void get(std::int64_t first, std::span<double> values) {
    backend_.synchronize();
    const std::vector<double> u = u_.to_host();
    each(first, values.size(), [&](std::size_t n, std::int64_t e) {
      for (int l = 0; l < 3 * L3D; ++l) values[n + static_cast<std::size_t>(l)] = e < 0 ? 0.0 : u[static_cast<std::size_t>(e * 3 * L3D + l)];
    });
  }
  void set(std::int64_t first, std::span<const double> values) {
    backend_.synchronize();
    std::vector<double> u = u_.to_host();
    each(first, values.size(), [&](std::size_t n, std::int64_t e) {
      for (int l = 0; e >= 0 && l < 3 * L3D; ++l) u[static_cast<std::size_t>(e * 3 * L3D + l)] = values[n + static_cast<std::size_t>(l)];
    });
    u_.copy_from(u);
    form_forces();
  }
  void add_to(std::vector<double>& u) {  // v to the velocity of a potential
    if (!any()) return;
    std::vector<double> rest(u.size());
    get(0, rest);
    for (std::size_t n = 0; n < u.size(); ++n) u[n] += rest[n];
  }

 private:
  std::int64_t count() const { return columns_ * elements_.nz; }
  StripElements elements() const {
    const sponge_detail::Columns factors = strips_.elements();
    return {elements_, {list_.data(), columns_, factors.x, factors.y}, numbers_.data(), four_points()};
  }
  sponge_detail::Motion<StripVelocity> motion() {
    const StripElements e = elements();
    return {elements_, e.columns, {e, u_.data()}, rk4::gauss_weights()};
  }
  void form_forces() {
    backend_.for_each(count() * L3D, FormFlux{elements(), u_.data(), flux_.data()});
    backend_.for_each(count() * D1D * D1D, ElementForces{elements(), flux_.data(), forces_.data()});
  }
  template <class F>
  void each(std::int64_t first, std::size_t size, F&& f) const {
    const std::int64_t layer = static_cast<std::int64_t>(elements_.nx) * elements_.ny;
    for (std::size_t n = 0; n < size; n += 3 * L3D) {
      const std::int64_t e = first + static_cast<std::int64_t>(n) / (3 * L3D);
      const std::int32_t column = number_[static_cast<std::size_t>(e % layer)];
      f(n, column < 0 ? -1 : e / layer * columns_ + column);
    }
  }

  Backend& backend_;
  SpongeStrips<Backend> strips_;
  NodeView nodes_;
  ElementView elements_{};
  std::unique_ptr<Spaces> spaces_;  // with four points, where the operator has others
  std::vector<std::int32_t> number_, touched_;
  std::int64_t columns_ = 0;
  Array<std::int32_t> list_, numbers_;
  Array<double> u_, flux_, forces_;  // u_: v between dampings
  Array<double> taken_;              // in all, and by the last damping from p and from u
};

}  // namespace agwave::leapfrog4
