// SPDX-License-Identifier: Apache-2.0
// Variant `reference`: the operator as its definition reads (fem/element_operator.hpp), element by element. Written for
// clarity: every other variant is tested against it.
#include "fem/element_operator.hpp"
#include "kernels/cpu/register_cpu.hpp"

namespace agwave {
namespace {

template <int Q>
class Reference final : public Operator {
 public:
  Reference(const Mesh& mesh, const Spaces& spaces) : parts_(split_parts(mesh)), elements_(spaces.elements()), nodes_(spaces.nodes()) {}

  void apply(const double* p, const double* u, double* g, double* r, Part part) override {
    if (part != Part::interior)
      for (std::int32_t e : parts_.shared) element(e, p, u, g, r);
    if (part != Part::shared)
      for (std::int32_t e : parts_.interior) element(e, p, u, g, r);
  }

  Cost cost() const override {
    const double n = static_cast<double>(elements_.count());
    return {n * 2 * (6.0 * Q3D * D3D + 6.0 * Q3D * L3D + 10.0 * Q3D), n * 8 * (6.0 * L3D + 2 * L3D)};
  }

 private:
  static constexpr int Q3D = Q * Q * Q;

  void element(std::int64_t e, const double* p, const double* u, double* g, double* r) const {
    int ex, ey, ez;
    elements_.locate(e, ex, ey, ez);
    constexpr auto rule = gauss_rule<Q>();
    Metric metric[Q3D];
    for (int q = 0; q < Q3D; ++q) metric[q] = elements_.point(ex, ey, ez, q, rule.x.data(), rule.w.data());
    const auto node = [&](int i) {
      return (static_cast<std::int64_t>(4 * ez + i / 25) * nodes_.NY + 4 * ey + i / 5 % 5) * nodes_.NX + 4 * ex + i % 5;
    };
    double p_e[D3D], r_e[D3D];
    for (int i = 0; i < D3D; ++i) p_e[i] = p[node(i)];
    element_.gradient(metric, p_e, g + e * 3 * L3D);
    element_.divergence(metric, u + e * 3 * L3D, r_e);
    for (int i = 0; i < D3D; ++i) r[node(i)] += r_e[i];
  }

  ElementParts parts_;
  ElementView elements_;
  NodeView nodes_;
  ElementOperator<Q> element_;
};

const RegisterVariant registered{cpu_variant<Reference>("reference",
                                                        "plain evaluation of the definition with dense tables; what every variant is tested against",
                                                        0, [](const Mesh&, int) { return 0.0; })};

}  // namespace
}  // namespace agwave
