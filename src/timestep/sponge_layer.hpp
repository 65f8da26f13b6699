// SPDX-License-Identifier: Apache-2.0
// One damping of the sponges (boundary/sponge.hpp) on a backend: the factors along x and y, the columns of nodes and elements where they are not 1, and
// the energy that has been taken. Touches those columns alone, twice: to add up the energy, then to fade.
//   Velocity: double* at(ex, ey, ez, l), component 0 of velocity point l, the others `stride` apart; square(ex, ey, ez, l), |u|^2 there
#pragma once
#include "boundary/sponge.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

namespace sponge_detail {

struct Columns {
  const std::int32_t* list;  // j * (columns in a row) + i
  std::int64_t count;
  const double *x, *y;  // factors: of node lines; of velocity points [4 ex + lx], [4 ey + ly]
};

struct Rates {  // the logarithms of the factors, positive
  const double *x, *y;
};

struct Pressure {
  NodeView v;
  Columns columns;
  double* p;
  AGWAVE_HD NodeIndex place(std::int64_t n) const {
    const std::int32_t column = columns.list[n % columns.count];
    return {column % v.NX, column / v.NX, static_cast<int>(n / columns.count)};
  }
  AGWAVE_HD double factor(int i, int j) const { return columns.x[i] * columns.y[j]; }
};
struct FadePressure : Pressure {
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = place(n);
    p[v.at(i, j, k)] *= factor(i, j);
  }
};
struct PressureLoss : Pressure {
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [i, j, k] = place(n);
    if (!v.owned(i, j, k)) return 0;
    const double d = factor(i, j), value = p[v.at(i, j, k)];
    return 0.5 * (1 - d * d) * v.mass(i, j, k) * value * value;
  }
};

template <class Velocity>
struct Motion {
  ElementView v;
  Columns columns;
  Velocity velocity;
  Rule<L1D> rule;
  struct Place {
    int ex, ey, ez, l;
  };
  AGWAVE_HD Place place(std::int64_t n) const {
    const std::int32_t column = columns.list[n / L3D % columns.count];
    return {column % v.nx, column / v.nx, static_cast<int>(n / L3D / columns.count), static_cast<int>(n % L3D)};
  }
  AGWAVE_HD double factor(int ex, int ey, int l) const { return columns.x[P1D * ex + l % L1D] * columns.y[P1D * ey + l / L1D % L1D]; }
};
template <class Velocity>
struct FadeVelocity : Motion<Velocity> {
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [ex, ey, ez, l] = this->place(n);
    const double d = this->factor(ex, ey, l);
    double* const at = this->velocity.at(ex, ey, ez, l);
    for (int c = 0; c < 3; ++c) at[c * Velocity::stride] *= d;
  }
};
template <class Velocity>
struct VelocityLoss : Motion<Velocity> {
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [ex, ey, ez, l] = this->place(n);
    const double d = this->factor(ex, ey, l);
    return 0.5 * (1 - d * d) * this->v.velocity_mass(ex, ey, ez, l, this->rule.w) * this->velocity.square(ex, ey, ez, l);
  }
};

struct AddLoss {  // taken[0] += taken[1] + taken[2]
  double* taken;
  AGWAVE_HD void operator()(std::int64_t) const { taken[0] += taken[1] + taken[2]; }
};

}  // namespace sponge_detail

// Of nx ny columns, j nx + i, those that has(i, j) says, and for every one its number among them, or -1.
struct ListedColumns {
  std::vector<std::int32_t> list, number;
  template <class Has>
  ListedColumns(int nx, int ny, const Has& has) {
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const bool listed = has(i, j);
        number.push_back(listed ? static_cast<std::int32_t>(list.size()) : -1);
        if (listed) list.push_back(j * nx + i);
      }
  }
};

// Where sponges fade: factors of one damping along x and y, at node lines and at velocity points, and the columns where they are not 1.
template <class Backend>
class SpongeStrips {
 public:
  using Rates = sponge_detail::Rates;
  explicit SpongeStrips(const StepperSetup& setup) {  // nothing is stored without a sponge
    if (!setup.sponge || !setup.sponge->any()) return;
    const Mesh& mesh = setup.mesh;
    const Sponge& sponge = *setup.sponge;
    constexpr auto rule = gauss_rule<4>();
    std::array<std::vector<double>, 2> nodes{mesh.x_nodes(), mesh.y_nodes()}, points;
    for (int axis = 0; axis < 2; ++axis) {
      for (int e = 0; e < static_cast<int>(mesh.part.count[axis]); ++e)
        for (const double r : rule.x) points[axis].push_back(nodes[axis][P1D * e + 2] + (axis == 0 ? mesh.ax(e) : mesh.ay(e)) * r);
      if (sponge.matched) {
        node_rates_[axis] = Array<double>(Backend::space, sponge_damping(sponge, axis, mesh.size[axis], nodes[axis]));
        point_rates_[axis] = Array<double>(Backend::space, sponge_damping(sponge, axis, mesh.size[axis], points[axis]));
      }
      nodes[axis] = sponge_factors(sponge, axis, mesh.size[axis], nodes[axis]);
      points[axis] = sponge_factors(sponge, axis, mesh.size[axis], points[axis]);
      node_factors_[axis] = Array<double>(Backend::space, nodes[axis]);
      point_factors_[axis] = Array<double>(Backend::space, points[axis]);
    }
    node_list_ = columns(nodes[0], nodes[1], 1);
    element_list_ = columns(points[0], points[1], 4);
    node_columns_ = Array<std::int32_t>(Backend::space, node_list_);
    element_columns_ = Array<std::int32_t>(Backend::space, element_list_);
    any_ = true;
  }
  bool any() const { return any_; }  // in the whole mesh
  sponge_detail::Columns nodes() const { return {node_columns_.data(), ssize(node_list_), node_factors_[0].data(), node_factors_[1].data()}; }
  sponge_detail::Columns elements() const {
    return {element_columns_.data(), ssize(element_list_), point_factors_[0].data(), point_factors_[1].data()};
  }
  Rates node_rates() const { return {node_rates_[0].data(), node_rates_[1].data()}; }  // of a matched sponge
  Rates point_rates() const { return {point_rates_[0].data(), point_rates_[1].data()}; }
  const Array<double>& point_rates(int axis) const { return point_rates_[axis]; }

 private:
  static std::int64_t ssize(const std::vector<std::int32_t>& list) { return static_cast<std::int64_t>(list.size()); }
  // Columns of `side` x `side` factors that are not all 1.
  static std::vector<std::int32_t> columns(const std::vector<double>& x, const std::vector<double>& y, std::size_t side) {
    const auto fades = [side](const std::vector<double>& f, int n) {
      for (std::size_t k = 0; k < side; ++k)
        if (f[side * static_cast<std::size_t>(n) + k] != 1) return true;
      return false;
    };
    const auto nx = static_cast<int>(x.size() / side), ny = static_cast<int>(y.size() / side);
    return ListedColumns(nx, ny, [&](int i, int j) { return fades(x, i) || fades(y, j); }).list;
  }

  bool any_ = false;
  std::array<Array<double>, 2> node_factors_, point_factors_, node_rates_, point_rates_;
  std::vector<std::int32_t> node_list_, element_list_;
  Array<std::int32_t> node_columns_, element_columns_;
};

template <class Backend>
class SpongeLayer {
 public:
  explicit SpongeLayer(const StepperSetup& setup) : strips_(setup), taken_(Backend::space, std::vector<double>(3, 0.0)) {}

  template <class Velocity>
  void fade(Backend& backend, const NodeView& nodes, double* p, const ElementView& elements, const Velocity& velocity) {
    if (!strips_.any()) return;
    const sponge_detail::Columns of_p = strips_.nodes(), of_u = strips_.elements();
    const std::int64_t values = of_p.count * nodes.NZ, points = of_u.count * elements.nz * L3D;
    const sponge_detail::Pressure pressure{nodes, of_p, p};
    const sponge_detail::Motion<Velocity> motion{elements, of_u, velocity, basis<L1D>.rule};
    double* const taken = taken_.data();
    backend.sum(values, sponge_detail::PressureLoss{pressure}, taken + 1);
    backend.sum(points, sponge_detail::VelocityLoss<Velocity>{motion}, taken + 2);
    backend.for_each(1, sponge_detail::AddLoss{taken});
    backend.for_each(values, sponge_detail::FadePressure{pressure});
    backend.for_each(points, sponge_detail::FadeVelocity<Velocity>{motion});
  }

  double taken(Backend& backend) const {  // [J], this rank's share
    backend.synchronize();
    return taken_.to_host()[0];
  }
  void set_taken(Backend& backend, double taken) {
    backend.synchronize();
    taken_.copy_from(std::vector<double>{taken, 0, 0});
  }

 private:
  SpongeStrips<Backend> strips_;
  Array<double> taken_;  // in all, by whatever a run has gone on from too; and by the last damping from p and from u
};

}  // namespace agwave
