// SPDX-License-Identifier: Apache-2.0
// The bound on omega from stable_step() against the largest eigenvalue of the assembled operator M_p^-1 G^T M_u^-1 G, by
// Lanczos in the M_p product: attained on a box, above and near on sheared meshes.
#include "fem/spaces.hpp"
#include "harness.hpp"
#include "timestep/tight_column.hpp"

namespace agwave::cases {
namespace {

double largest_eigenvalue_of_tridiagonal(const std::vector<double>& alpha, const std::vector<double>& beta) {
  double low = *std::max_element(alpha.begin(), alpha.end()), high = 0;
  for (std::size_t i = 0; i < alpha.size(); ++i) high = std::max(high, alpha[i] + (i > 0 ? beta[i - 1] : 0) + beta[i]);
  for (int step = 0; step < 100; ++step) {
    const double x = 0.5 * (low + high);
    bool above = false;
    double pivot = 1;
    for (std::size_t i = 0; i < alpha.size() && !above; ++i) {
      pivot = alpha[i] - x - (i > 0 ? beta[i - 1] * beta[i - 1] / pivot : 0);
      above = pivot >= 0;
    }
    (above ? low : high) = x;
  }
  return high;
}

// omega_max of the whole mesh, with the masses of fem/spaces.hpp and one bare application of a variant.
double true_omega(const Case& c, const Plan& plan) {
  const Mesh& m = plan.mesh;
  const Spaces spaces({m, c.ocean, c.boundary, c.solver.quadrature}, Space::host);
  const NodeView& nodes = spaces.nodes();
  const ElementView& elements = spaces.elements();
  constexpr auto rule = gauss_rule<4>();
  const std::vector<NodalForcing> forcing;
  const std::vector<PointWeights> points;
  const StepperSetup setup{m, c.ocean, c.boundary, c.solver.quadrature, world(), forcing, points, {}};
  const auto n = static_cast<std::size_t>(m.nodes());
  std::vector<double> mass(n), zero_u(static_cast<std::size_t>(m.NE()) * 3 * L3D, 0.0), zero_p(n, 0.0), g, r, unused;
  for (std::size_t i = 0; i < n; ++i)
    mass[i] = nodes.mass(static_cast<int>(i % nodes.NX), static_cast<int>(i / nodes.NX % nodes.NY), static_cast<int>(i / nodes.NX / nodes.NY));
  const auto apply = [&](const std::vector<double>& x) {  // in the symmetric scaling: M_p^-1/2 G^T M_u^-1 G M_p^-1/2
    std::vector<double> p(n);
    for (std::size_t i = 0; i < n; ++i) p[i] = x[i] / std::sqrt(mass[i]);
    plan.variant->operator_->apply_once(setup, p, zero_u, g, unused);
    for (std::size_t k = 0; k < g.size(); ++k) {
      const auto [ex, ey, ez] = elements.locate(static_cast<std::int64_t>(k / (3 * L3D)));
      g[k] /= elements.velocity_mass(ex, ey, ez, static_cast<int>(k % L3D), rule.w);
    }
    plan.variant->operator_->apply_once(setup, zero_p, g, unused, r);
    for (std::size_t i = 0; i < n; ++i) r[i] /= std::sqrt(mass[i]);
    return r;
  };
  std::vector<std::vector<double>> basis;
  std::vector<double> v(n), alpha, beta;
  std::generate(v.begin(), v.end(), Noise(7));
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  double norm = std::sqrt(dot(v, v)), before = 0;
  for (int k = 0; k < 400; ++k) {
    for (double& value : v) value /= norm;
    basis.push_back(v);
    auto w = apply(v);
    alpha.push_back(dot(v, w));
    for (const auto& b : basis) {
      const double along = dot(b, w);
      for (std::size_t i = 0; i < n; ++i) w[i] -= along * b[i];
    }
    norm = std::sqrt(dot(w, w));
    beta.push_back(norm);
    v = w;
    if (k % 20 == 19) {
      const double now = largest_eigenvalue_of_tridiagonal(alpha, beta);
      if (std::abs(now - before) < 1e-7 * now) break;
      before = now;
    }
  }
  return std::sqrt(largest_eigenvalue_of_tridiagonal(alpha, std::vector<double>(beta)));
}

TEST(StableStep, AttainedOnBoxes) {
  std::printf("    elements      surface   quadrature   bound [1/s]   bound/true - 1\n");
  struct Box {
    std::array<double, 2> size;
    double depth;
    std::array<std::int64_t, 3> elements;
  };
  for (const Box& b : {Box{{4000, 4000}, 4000, {4, 4, 4}}, Box{{16e3, 8e3}, 2000, {4, 3, 2}}, Box{{1000, 3000}, 4000, {3, 3, 3}}})
    for (const Surface surface : {Surface::rigid, Surface::gravity})
      for (const int quadrature : {4, 5}) {
        Case c = box_case(b.size, b.depth, b.elements);
        c.solver.variant = "pa";  // has an operator that can be applied once
        c.boundary.surface = surface;
        c.solver.quadrature = quadrature;
        set_time(c, 200, 100);
        const Plan plan = make_plan(c, world());
        const double truth = true_omega(c, plan);
        std::printf("    %4.0fx%4.0fx%4.0f  %s   %d          %9.4f      %+.1e\n", b.size[0] / b.elements[0], b.size[1] / b.elements[1],
                    b.depth / b.elements[2], surface == Surface::rigid ? "rigid  " : "gravity", quadrature, plan.limit.omega,
                    plan.limit.omega / truth - 1);
        EXPECT_GT(plan.limit.omega / truth, 1 - 1e-6);
        EXPECT_LT(plan.limit.omega / truth, 1 + (surface == Surface::rigid ? 1e-3 : 2e-2));
        EXPECT_NEAR(plan.limit.dt * plan.limit.omega, std::sqrt(8.0), 1e-6);
      }
}

TEST(StableStep, SafeAndNearOnShearedMeshes) {
  std::printf("    floor                       order   bound [1/s]   bound/true\n");
  struct Floor {
    const char* name;
    BathymetryCase bathymetry;
    std::array<std::int64_t, 3> elements;
    std::vector<double> interfaces{};
  };
  const std::vector<Floor> floors{
      {"seamount 1.5 of 4 km", GaussianBathymetry{4000, 1500, {5000, 5000}, {2000, 2500}}, {5, 5, 3}},
      {"seamount 3 of 4 km, steep", GaussianBathymetry{4000, 3000, {5000, 5000}, {1500, 1800}}, {5, 5, 3}},
      {"cosine 0.3", CosineBathymetry{4000, 0.3, {1, 1}}, {4, 4, 2}},
      {"margin", MarginBathymetry{200, 4000, 5000, 8000, 4000, 2000, 300, 8000}, {8, 2, 2}},
      {"seamount, thin layers", GaussianBathymetry{4000, 3000, {5000, 5000}, {1500, 1800}}, {5, 5, 8}},
      {"seamount, two thicknesses", GaussianBathymetry{4000, 3000, {5000, 5000}, {1500, 1800}}, {5, 5, 5}, {0, 0.3, 0.6, 0.7, 0.8, 1}}};
  for (const Floor& f : floors)
    for (const int order : {1, 4}) {
      Case c = box_case({10e3, 10e3}, 4000, f.elements);
      c.solver.variant = "pa";
      c.domain.bathymetry = f.bathymetry;
      c.mesh.order = order;
      c.mesh.interfaces = f.interfaces;
      set_time(c, 200, 100);
      const Plan plan = make_plan(c, world());
      const double ratio = plan.limit.omega / true_omega(c, plan);
      std::printf("    %-26s  %d       %9.4f      %.4f\n", f.name, order, plan.limit.omega, ratio);
      EXPECT_GT(ratio, 1 - 1e-6) << f.name;
      EXPECT_LT(ratio, 1.15) << f.name;
    }
}

// Said only where there is something to say, and with the column's own numbers.
TEST(TightColumn, NamesWhatCostsTheStep) {
  const auto note = [](const BathymetryCase& bathymetry, std::array<std::int64_t, 3> elements) {
    Case c = box_case({80e3, 60e3}, 4000, elements);
    c.domain.bathymetry = bathymetry;
    set_time(c, 10, 0.5);
    const Plan plan = make_plan(c, world());
    const TightColumn column = tight_column(plan.mesh, c.ocean, plan.limit, world());
    EXPECT_EQ(column.step, plan.limit.waves_only);
    EXPECT_GE(column.level_step, 0.99 * column.step);  // a slope costs
    return tight_note(column);
  };
  EXPECT_EQ(note(FlatBathymetry{4000}, {16, 12, 2}), "");
  const std::string shallow = note(GaussianBathymetry{4000, 3900, {42.5e3, 32.5e3}, {20e3, 20e3}}, {16, 12, 2});
  for (const char* words :
       {"x = 42500 m, y = 32500 m sets the time step", "m thick in elements 5000 m wide", "half of the columns would allow a step", "min_depth"})
    EXPECT_NE(shallow.find(words), std::string::npos) << words << " is not in: " << shallow;
  const std::string one_layer = note(GaussianBathymetry{4000, 3900, {42.5e3, 32.5e3}, {20e3, 20e3}}, {16, 12, 1});
  EXPECT_NE(shallow.find("or fewer layers"), std::string::npos) << shallow;
  EXPECT_NE(one_layer.find("min_depth"), std::string::npos) << one_layer;
  EXPECT_EQ(one_layer.find("fewer layers"), std::string::npos) << one_layer;
  const std::string steep = note(GaussianBathymetry{4000, 2000, {40e3, 30e3}, {1000, inf}}, {160, 1, 8});
  for (const char* words : {"floor sloping by ", "a level floor there would allow one", "smooth it"})
    EXPECT_NE(steep.find(words), std::string::npos) << words << " is not in: " << steep;
}

}  // namespace
}  // namespace agwave::cases
