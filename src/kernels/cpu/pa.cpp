// SPDX-License-Identifier: Apache-2.0
// Variant `pa` on the CPU: partial assembly with sum factorisation (fem/element_lanes.hpp). D (five non-zero entries of w det J J^-T per point) is
// stored at the quadrature points.
#include <algorithm>
#include <vector>

#include "fem/element_lanes.hpp"
#include "kernels/cpu/register_cpu.hpp"

namespace agwave {
namespace {

// Elements that touch nodes shared with other ranks, and the others; on a single rank all are `interior`.
struct ElementParts {
  std::vector<std::int32_t> shared, interior;
  explicit ElementParts(const Mesh& mesh) {
    const auto edge = [&](int d, int e, int n) { return (e == 0 && !mesh.part.at_low(d)) || (e == n - 1 && !mesh.part.at_high(d)); };
    std::int32_t e = 0;
    for (int ez = 0; ez < mesh.nz(); ++ez)
      for (int ey = 0; ey < mesh.ny(); ++ey)
        for (int ex = 0; ex < mesh.nx(); ++ex)
          (edge(0, ex, mesh.nx()) || edge(1, ey, mesh.ny()) || edge(2, ez, mesh.nz()) ? shared : interior).push_back(e++);
  }
};

template <int Q>
class PartialAssembly final : public Operator {
 public:
  static constexpr int Q3D = Q * Q * Q;

  PartialAssembly(const Mesh& mesh, const Spaces& spaces) : parts_(mesh), elements_(spaces.elements()), nodes_(spaces.nodes()) {
    constexpr auto rule = gauss_rule<Q>();
    qdata_ = Array<double>(Space::host, static_cast<std::size_t>(elements_.count()) * 5 * Q3D);
    for (std::int64_t e = 0; e < elements_.count(); ++e) {
      const auto [ex, ey, ez] = elements_.locate(e);
      double* d = qdata_.data() + e * 5 * Q3D;
      for (int q = 0; q < Q3D; ++q) {
        const Metric m = elements_.point(ex, ey, ez, q, rule.x, rule.w);
        d[0 * Q3D + q] = m.xx;
        d[1 * Q3D + q] = m.xz;
        d[2 * Q3D + q] = m.yy;
        d[3 * Q3D + q] = m.yz;
        d[4 * Q3D + q] = m.zz;
      }
    }
  }

  void apply(const double* p, const double* u, double* g, double* r, Part part) override {
    if (part != Part::interior) run(parts_.shared, p, u, g, r);
    if (part != Part::shared) run(parts_.interior, p, u, g, r);
  }

  Cost cost() const override {
    const double n = static_cast<double>(elements_.count());
    const double z = 2 * 25 * 5 * Q, y = 3 * 5 * Q * 5 * Q, x = 3 * Q * Q * 5 * Q, v = Q == 4 ? 0 : 3 * (16 * 4 * Q + 4 * Q * 4 * Q + Q * Q * 4 * Q);
    return {n * 2 * (2 * (z + y + x + v) + 2 * 5 * Q3D), n * 8 * (2 * 3 * L3D + 2 * L3D + 5 * Q3D)};
  }

 private:
  std::int64_t first_node(std::int64_t e) const {
    const auto [ex, ey, ez] = elements_.locate(e);
    return (static_cast<std::int64_t>(4 * ez) * nodes_.NY + 4 * ey) * nodes_.NX + 4 * ex;
  }

  void run(const std::vector<std::int32_t>& list, const double* p, const double* u, double* g, double* r) const {
    for (std::size_t first = 0; first < list.size(); first += Lanes) {
      const int count = static_cast<int>(std::min<std::size_t>(Lanes, list.size() - first));
      batch(&list[first], count, p, u, g, r);
    }
  }

  void batch(const std::int32_t* e, int count, const double* p, const double* u, double* g, double* r) const {
    Vec nodal[D3D] = {}, flux[3][Q3D] = {}, value[3][Q3D];
    std::int64_t base[Lanes];
    for (int lane = 0; lane < count; ++lane) base[lane] = first_node(e[lane]);
    const std::int64_t row = nodes_.NX, plane = row * nodes_.NY;

    for (int lane = 0; lane < count; ++lane)
      for (int k = 0, i = 0; k < 5; ++k)
        for (int j = 0; j < 5; ++j)
          for (int m = 0; m < 5; ++m, ++i) nodal[i][lane] = p[base[lane] + k * plane + j * row + m];
    load_velocity(e, count, u, flux);

    ElementLanes<Q>::derivatives(nodal, value);
    for (int q = 0; q < Q3D; ++q) {
      Vec d[5] = {};
      for (int lane = 0; lane < count; ++lane)
        for (int k = 0; k < 5; ++k) d[k][lane] = qdata_.data()[(e[lane] * std::int64_t{5} + k) * Q3D + q];
      ElementLanes<Q>::weigh_gradient(d, value[0][q], value[1][q], value[2][q]);
      ElementLanes<Q>::make_flux(d, flux[0][q], flux[1][q], flux[2][q]);
    }
    store_gradient(e, count, value, g);

    ElementLanes<Q>::against_derivatives(flux, nodal);
    for (int lane = 0; lane < count; ++lane)
      for (int k = 0, i = 0; k < 5; ++k)
        for (int j = 0; j < 5; ++j)
          for (int m = 0; m < 5; ++m, ++i) r[base[lane] + k * plane + j * row + m] += nodal[i][lane];
  }

  void load_velocity(const std::int32_t* e, int count, const double* u, Vec (&at_points)[3][Q3D]) const {
    Vec at_nodes[L3D] = {};
    for (int c = 0; c < 3; ++c) {
      for (int lane = 0; lane < count; ++lane)
        for (int l = 0; l < L3D; ++l) at_nodes[l][lane] = u[(e[lane] * std::int64_t{3} + c) * L3D + l];
      ElementLanes<Q>::to_points(at_nodes, at_points[c]);
    }
  }

  void store_gradient(const std::int32_t* e, int count, const Vec (&at_points)[3][Q3D], double* g) const {
    Vec at_nodes[L3D];
    for (int c = 0; c < 3; ++c) {
      ElementLanes<Q>::against_velocities(at_points[c], at_nodes);
      for (int lane = 0; lane < count; ++lane)
        for (int l = 0; l < L3D; ++l) g[(e[lane] * std::int64_t{3} + c) * L3D + l] = at_nodes[l][lane];
    }
  }

  ElementParts parts_;
  ElementView elements_;
  NodeView nodes_;
  Array<double> qdata_;  // [e][5][q]
};

const RegisterOperator registered{
    cpu_operator<PartialAssembly>("pa", "partial assembly: sum factorisation in SIMD over 8 elements, D stored at quadrature points", 1,
                                  [](const Mesh& mesh, int q) { return 40.0 * static_cast<double>(mesh.NE()) * q * q * q; })};

}  // namespace
}  // namespace agwave
