// SPDX-License-Identifier: Apache-2.0
// Every stiffness in the registry: K psi is the divergence after the gradient of the reference operator, divided by the velocity masses in
// between; the first one, `reference`, on meshes of every kind, the others against it. K is symmetric and takes constants to zero.
// label: gpu
#include "variant_checks.hpp"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace {

std::vector<double> divergence_after_gradient(const StepperSetup& setup, const std::vector<double>& psi) {
  const OperatorVariant& op = *reference_variant().operator_;
  const Spaces spaces(setup, Space::host);
  const ElementView& v = spaces.elements();
  constexpr auto rule = gauss_rule<L1D>();
  std::vector<double> g, r, unused, none(static_cast<std::size_t>(v.count()) * 3 * L3D, 0.0);
  op.apply_once(setup, psi, none, g, unused);
  for (std::size_t n = 0; n < g.size(); ++n) {
    const auto [ex, ey, ez] = v.locate(static_cast<std::int64_t>(n / (3 * L3D)));
    g[n] /= v.velocity_mass(ex, ey, ez, static_cast<int>(n % L3D), rule.w);
  }
  op.apply_once(setup, std::vector<double>(psi.size(), 0.0), g, unused, r);
  return r;
}

std::string why_not(const StiffnessVariant& v) {
  if (v.device == Device::cpu) return "";
  const CudaDevice device = find_cuda_device(0);
  if (!device.present) return device.name;
  return device.compute_capability < v.compute_capability ? "compute capability" : "";
}

template <class Check>
void for_each_stiffness(Check&& check) {
  for (const StiffnessVariant& v : stiffnesses()) {
    if (!why_not(v).empty()) continue;
    for (const int quadrature : v.quadratures)
      for (const int order : {1, 4})
        for (const auto& shape : mesh_shapes) {
          SCOPED_TRACE(testing::Message() << v.name << " on " << to_string(v.device) << ", quadrature " << quadrature << ", order " << order << ", "
                                          << shape[0] << " x " << shape[1] << " x " << shape[2]);
          const Mesh mesh = ridged_mesh(shape, order, 0.4);
          const Stage stage(mesh);
          check(v, stage.setup(quadrature), mesh);
        }
  }
}

TEST(Stiffness, ReferenceIsThere) {
  ASSERT_FALSE(stiffnesses().empty());
  EXPECT_TRUE(std::any_of(stiffnesses().begin(), stiffnesses().end(),
                          [](const StiffnessVariant& v) { return v.name == "reference" && v.device == Device::cpu; }));
}

TEST(Stiffness, IsTheDivergenceAfterTheGradient) {
  for_each_stiffness([](const StiffnessVariant& v, const StepperSetup& setup, const Mesh& mesh) {
    const auto psi = random_values(static_cast<std::size_t>(mesh.nodes()), 11);
    std::vector<double> r;
    v.apply_once(setup, psi, r);
    EXPECT_LT(relative_difference(r, divergence_after_gradient(setup, psi)), 1e-12);
  });
}

TEST(Stiffness, IsSymmetricAndBlindToConstants) {
  for_each_stiffness([](const StiffnessVariant& v, const StepperSetup& setup, const Mesh& mesh) {
    const auto n = static_cast<std::size_t>(mesh.nodes());
    const auto a = random_values(n, 12), b = random_values(n, 13);
    std::vector<double> Ka, Kb, K1;
    v.apply_once(setup, a, Ka);
    v.apply_once(setup, b, Kb);
    v.apply_once(setup, std::vector<double>(n, 1.0), K1);
    double ab = 0, ba = 0, scale = 0, aa = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ab += a[i] * Kb[i];
      ba += b[i] * Ka[i];
      aa += a[i] * Ka[i];
      scale += std::abs(a[i] * Kb[i]);
    }
    EXPECT_LT(std::abs(ab - ba), 1e-12 * scale);
    EXPECT_GT(aa, 0);
    double largest = 0;
    for (const double value : K1) largest = std::max(largest, std::abs(value));
    double size = 0;
    for (const double value : Ka) size = std::max(size, std::abs(value));
    EXPECT_LT(largest, 1e-11 * size);
  });
}

}  // namespace
}  // namespace agwave
