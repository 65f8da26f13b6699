// SPDX-License-Identifier: Apache-2.0
// `reference`: both operators as their definitions read (fem/element_operator.hpp), element by element. Written for clarity: every other
// variant is tested against it.
#include "fem/element_operator.hpp"
#include "kernels/cpu/register_cpu.hpp"

namespace agwave {
namespace {

// One element after the other: its metric, its nodes, and the loop over those of a part.
template <int Q>
class Elements {
 public:
  static constexpr int Q3D = Q * Q * Q;
  explicit Elements(const Spaces& spaces) : elements_(spaces.elements()), nodes_(spaces.nodes()) {}

  // f(e, ex, ey, ez, metric)
  template <class F>
  void each(std::span<const ElementBox> boxes, F&& f) const {
    constexpr auto rule = gauss_rule<Q>();
    Metric metric[Q3D];
    for (const ElementBox& box : boxes)
      for (int ez = box.low[2]; ez < box.high[2]; ++ez)
        for (int ey = box.low[1]; ey < box.high[1]; ++ey)
          for (int ex = box.low[0]; ex < box.high[0]; ++ex) {
            for (int q = 0; q < Q3D; ++q) metric[q] = elements_.point(ex, ey, ez, q, rule.x, rule.w);
            f((static_cast<std::int64_t>(ez) * elements_.ny + ey) * elements_.nx + ex, ex, ey, ez, metric);
          }
  }
  void read(int ex, int ey, int ez, const double* p, double* p_E) const {
    for (int i = 0; i < D3D; ++i) p_E[i] = p[node(ex, ey, ez, i)];
  }
  void add(int ex, int ey, int ez, const double* r_E, double* r) const {
    for (int i = 0; i < D3D; ++i) r[node(ex, ey, ez, i)] += r_E[i];
  }
  const ElementView& view() const { return elements_; }
  double count() const { return static_cast<double>(elements_.count()); }

 private:
  std::int64_t node(int ex, int ey, int ez, int i) const {
    return (static_cast<std::int64_t>(P1D * ez + i / (D1D * D1D)) * nodes_.NY + P1D * ey + i / D1D % D1D) * nodes_.NX + P1D * ex + i % D1D;
  }

  ElementView elements_;
  NodeView nodes_;
};

template <int Q>
class Reference final : public Operator {
 public:
  Reference(const Mesh& mesh, const Spaces& spaces) : elements_(spaces) {
    for (const Part part : {Part::all, Part::shared, Part::interior}) boxes_[static_cast<int>(part)] = part_boxes(mesh, part);
  }

  void apply(const double* p, const double* u, double* g, double* r, Part part) override {
    elements_.each(boxes_[static_cast<int>(part)], [&](std::int64_t e, int ex, int ey, int ez, const Metric* metric) {
      double p_E[D3D], r_E[D3D];
      elements_.read(ex, ey, ez, p, p_E);
      element_.gradient(metric, p_E, g + e * 3 * L3D);
      element_.divergence(metric, u + e * 3 * L3D, r_E);
      elements_.add(ex, ey, ez, r_E, r);
    });
  }

  Cost cost() const override {
    constexpr double Q3D = Elements<Q>::Q3D;
    return {elements_.count() * 2 * (6 * Q3D * D3D + 6 * Q3D * L3D + 10 * Q3D), elements_.count() * 8 * (6.0 * L3D + 2 * L3D)};
  }

 private:
  Elements<Q> elements_;
  ElementOperator<Q> element_;
  std::vector<ElementBox> boxes_[3];
};

template <int Q>
class ReferenceStiffness final : public Stiffness {
 public:
  ReferenceStiffness(const Mesh&, const Spaces& spaces) : elements_(spaces) {}

  void apply(const double* psi, double* r, std::span<const ElementBox> boxes) override {
    constexpr auto rule = gauss_rule<L1D>();
    elements_.each(boxes, [&](std::int64_t, int ex, int ey, int ez, const Metric* metric) {
      double psi_E[D3D], g_E[3 * L3D], r_E[D3D];
      elements_.read(ex, ey, ez, psi, psi_E);
      element_.gradient(metric, psi_E, g_E);
      for (int n = 0; n < 3 * L3D; ++n) g_E[n] /= elements_.view().velocity_mass(ex, ey, ez, n % L3D, rule.w);
      element_.divergence(metric, g_E, r_E);
      elements_.add(ex, ey, ez, r_E, r);
    });
  }

  Cost cost() const override {
    constexpr double Q3D = Elements<Q>::Q3D;
    return {elements_.count() * 2 * (6 * Q3D * D3D + 6 * Q3D * L3D + 10 * Q3D), elements_.count() * 8 * (3.0 * L3D)};
  }

 private:
  Elements<Q> elements_;
  ElementOperator<Q> element_;
};

const RegisterOperator registered{
    cpu_operator<Reference>("reference", "plain evaluation of the definition with dense tables; what every variant is tested against", 0,
                            [](const Mesh&, int) { return 0.0; })};

const RegisterStiffness stiffness{cpu_stiffness<ReferenceStiffness>(
    "reference", "plain evaluation of gradient, division by the masses and divergence; what every stiffness is tested against")};

}  // namespace
}  // namespace agwave
