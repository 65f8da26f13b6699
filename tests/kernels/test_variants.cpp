// SPDX-License-Identifier: Apache-2.0
// Every CPU variant in the registry against `reference`; `reference` itself is checked for adjointness and bookkeeping, and
// against exact gradients and fluxes here, so that it is not only compared with itself.
#include "error/error.hpp"
#include "variant_checks.hpp"

namespace agwave {
namespace {

INSTANTIATE_TEST_SUITE_P(Cpu, Variants, testing::ValuesIn(variant_cases(Device::cpu)), name_of);

TEST(Registry, NamesAreUniquePerDevice) {
  for (const Variant& a : variants()) {
    EXPECT_FALSE(a.name.empty());
    EXPECT_FALSE(a.description.empty()) << a.name;
    EXPECT_FALSE(a.quadratures.empty()) << a.name;
    for (const Variant& b : variants())
      EXPECT_FALSE(&a != &b && a.name == b.name && a.device == b.device) << a.name << " twice on " << to_string(a.device);
  }
}

TEST(Registry, AutoTakesTheHighestRank) {
  std::string note;
  SolverCase solver;
  solver.device = "cpu";
  const Variant& chosen = choose_variant(solver, {}, {64, 64, 16}, 1, {}, note);
  for (const Variant& v : variants()) EXPECT_TRUE(v.device != Device::cpu || v.preference <= chosen.preference) << v.name;
}

// Of several demands the key is named that no variant of the scheme can meet.
TEST(Registry, TheRightKeyIsToBlame) {
  const auto complaint = [](const Demands& demands) -> std::string {
    std::string note;
    SolverCase solver;
    solver.device = "cpu";
    solver.scheme = "rk4";
    try {
      return choose_variant(solver, {}, {64, 64, 16}, 1, {}, note, demands).name;
    } catch (const Error& e) {
      return e.what();
    }
  };
  const auto blames = [](const std::string& message, const char* key) {
    return message.find(key) != std::string::npos && message.find("in the water") == message.npos;
  };
  EXPECT_TRUE(blames(complaint({.in_water = "sources[0]", .levels = true}), "time.local_steps"))
      << complaint({.in_water = "sources[0]", .levels = true});
  const Demands matched{.in_water = "sources[0]", .sponge = true, .matched = true};
  EXPECT_TRUE(blames(complaint(matched), "boundary.sponge.type")) << complaint(matched);
  EXPECT_EQ(complaint({.in_water = "sources[0]", .sponge = true}).find("rk4:"), std::string::npos);
}

// A variant that only splits on blocks gives way to another under `auto` when there are too few, and says so; asked for by name it stays.
TEST(Registry, BlocksOfVariantsAreHonoured) {
  CudaDevice device;
  device.present = true;
  device.compute_capability = 1000;
  for (const Variant& v : variants()) {
    if (!v.unit) continue;
    std::string note;
    SolverCase solver;
    solver.device = to_string(v.device);
    solver.quadrature = v.quadratures.front();
    const Counts elements{40, 7, 5}, unit = v.unit(elements);
    const int blocks = static_cast<int>((elements[0] + unit[0] - 1) / unit[0]);
    const std::array<int, 3> most{blocks, 1, 1}, more{blocks + 1, 1, 1};
    EXPECT_TRUE(can_split(v, elements, blocks, most));
    EXPECT_FALSE(can_split(v, elements, blocks + 1, more));
    const Variant& can = choose_variant(solver, device, elements, blocks, most, note);
    EXPECT_TRUE(note.empty()) << note;
    const Variant& chosen = choose_variant(solver, device, elements, blocks + 1, more, note);
    EXPECT_NE(chosen.name, v.name);
    EXPECT_EQ(can.name == v.name, note.find(v.name) != std::string::npos) << note;
    solver.variant = v.name;
    EXPECT_EQ(&choose_variant(solver, device, elements, blocks + 1, more, note), &v);
    try {
      choose_grid(elements, blocks + 1, more, "parallel.grid", unit);
      ADD_FAILURE() << v.name << " was split " << blocks + 1 << " times";
    } catch (const Error& e) {
      EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(ExitCode::usage)) << e.what();
    }
  }
}

// For p linear in x, y, z the gradient is constant and known:  (G p)_(c,l) = (grad p)_c times the velocity mass of l over rho.
// The map is a polynomial of degree 4 in xi, eta and 1 in zeta, so that such a p is in the discrete space on any terrain.
TEST(Reference, GradientOfLinearPressureIsExact) {
  for (int order : {1, 4})
    for (int quadrature : {4, 5}) {
      const Mesh mesh = ridged_mesh({3, 2, 2}, order);
      const Stage stage(mesh);
      const Spaces spaces({mesh, stage.ocean, stage.boundary, quadrature}, Space::host);
      const double slope[3] = {0.7, -1.3, 2.1};
      const auto x = mesh.x_nodes(), y = mesh.y_nodes(), sigma = mesh.sigma_nodes();
      std::vector<double> p, g, r;
      for (double s : sigma)
        for (std::size_t j = 0; j < y.size(); ++j)
          for (std::size_t i = 0; i < x.size(); ++i)
            p.push_back(5 + slope[0] * x[i] + slope[1] * y[j] - slope[2] * s * mesh.depth_at(static_cast<int>(i), static_cast<int>(j)));
      const std::vector<double> u(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 0.0);
      reference_variant().operator_->apply_once(stage.setup(quadrature), p, u, g, r);
      std::vector<double> expected;
      constexpr auto rule = gauss_rule<4>();
      for (std::int64_t e = 0; e < mesh.NE(); ++e) {
        const auto [ex, ey, ez] = spaces.elements().locate(e);
        for (double component : slope)
          for (int l = 0; l < L3D; ++l) expected.push_back(component * spaces.elements().velocity_mass(ex, ey, ez, l, rule.w) / stage.ocean.density);
      }
      // With 5 points the moment of psi_l is integrated more exactly than by the velocity nodes' own rule: h varies in the
      // weight, so the two agree only as far as h psi_l is of degree 7, which it is (4 + 3).
      EXPECT_LT(relative_difference(g, expected), 1e-12) << "order " << order << ", quadrature " << quadrature;
    }
}

// A constant velocity has no divergence: G^T u vanishes on interior nodes of a flat mesh and sums to zero everywhere.
TEST(Reference, FluxOfConstantVelocitySumsToZero) {
  for (int order : {1, 4}) {
    const Mesh mesh = ridged_mesh({3, 4, 2}, order);
    const Stage stage(mesh);
    std::vector<double> p(static_cast<std::size_t>(mesh.nodes()), 0.0), u, g, r;
    const double constant[3] = {0.3, -0.8, 0.5};
    for (std::int64_t e = 0; e < mesh.NE(); ++e)
      for (double component : constant) u.insert(u.end(), L3D, component);
    reference_variant().operator_->apply_once(stage.setup(4), p, u, g, r);
    double sum = 0, scale = 0;
    for (double value : r) {
      sum += value;
      scale += std::abs(value);
    }
    EXPECT_LT(std::abs(sum), 1e-13 * scale);
    for (int k = 1; k + 1 < mesh.NZ(); ++k)
      for (int j = 1; j + 1 < mesh.NY(); ++j)
        for (int i = 1; i + 1 < mesh.NX(); ++i)
          ASSERT_LT(std::abs(r[(static_cast<std::size_t>(k) * mesh.NY() + j) * mesh.NX() + i]), 1e-13 * scale) << "order " << order;
  }
}

}  // namespace
}  // namespace agwave
