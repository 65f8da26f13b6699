// SPDX-License-Identifier: Apache-2.0
// Symmetries of the equations that the code must share: swapping x and y, mirroring x, and invariance along y, on an
// asymmetric set-up with curved floors of both orders, mixed walls, uplift by both motions.
#include "harness.hpp"

namespace agwave::cases {
namespace {

// An asymmetric case, optionally mirrored in x and then with x and y swapped.
Case asymmetric(int order, bool mirror, bool swap) {
  const double Lx = 9000, Ly = 7000;
  const auto mx = [&](double x) { return mirror ? Lx - x : x; };
  const auto at = [&](double x, double y) { return swap ? std::array{y, mx(x)} : std::array{mx(x), y}; };
  const auto pair = [&](double x, double y) { return swap ? std::array{y, x} : std::array{x, y}; };
  Case c = box_case(pair(Lx, Ly), 4000, swap ? std::array<std::int64_t, 3>{3, 5, 2} : std::array<std::int64_t, 3>{5, 3, 2});
  c.mesh.interfaces = {0, 0.35, 1};
  c.mesh.order = order;
  c.domain.bathymetry = GaussianBathymetry{4000, 1500, at(3800, 2300), pair(2200, 1500)};
  const Wall a = Wall::absorbing, r = Wall::rigid;
  const Wall low = mirror ? r : a, high = mirror ? a : r;
  c.boundary = swap ? BoundaryCase{r, a, low, high, Surface::gravity} : BoundaryCase{low, high, r, a, Surface::gravity};
  const std::array x{std::min(mx(1000), mx(6000)), std::max(mx(1000), mx(6000))}, y{500.0, 4500.0};
  source(c, gaussian(at(5200, 3100), pair(1500, 2500)), gaussian_ramp(0.8), 1.0, Motion::normal);
  source(c, patch(swap ? y : x, swap ? x : y, 900), smoothstep_ramp(2, 6, 3), 0.6);
  source(c, swap ? modal(2, 1) : modal(1, 2), smoothstep_ramp(0, 5, 2), mirror ? -0.3 : 0.3);
  set_time(c, 15, 0.5, 20);
  for (const auto& [px, py] : {std::pair{4000.0, 2000.0}, std::pair{7300.0, 6100.0}, std::pair{0.0, 3333.0}}) {
    seafloor(c, at(px, py)[0], at(px, py)[1]);
    hydrophone(c, at(px, py)[0], at(px, py)[1], -1234);
    gauge(c, at(px, py)[0], at(px, py)[1]);
  }
  return c;
}

double worst(const Traces& a, const Traces& b) {
  // Surface heights are small against pressures below, so each group has its own scale.
  const auto part = [](const Traces& t, int first, int count) { return std::vector(t.value.begin() + first, t.value.begin() + first + count); };
  return std::max(max_difference(part(a, 0, 6), part(b, 0, 6)), max_difference(part(a, 6, 3), part(b, 6, 3)));
}

TEST(Symmetry, MirrorAndSwap) {
  std::printf("    geometry   mirror     swap       both     (largest difference, relative)\n");
  for (const int order : {4, 1}) {
    const Traces plain = run(asymmetric(order, false, false));
    const double mirror = worst(run(asymmetric(order, true, false)), plain), swap = worst(run(asymmetric(order, false, true)), plain);
    const double both = worst(run(asymmetric(order, true, true)), plain);
    std::printf("    order %d    %.1e    %.1e    %.1e\n", order, mirror, swap, both);
    EXPECT_LT(mirror, 1e-12);
    EXPECT_LT(swap, 1e-12);
    EXPECT_LT(both, 1e-12);
  }
}

TEST(Symmetry, InvariantAlongYStaysSo) {
  std::printf("    geometry   motion   p(x,y,z) against p(x,0,z)   |u_y|/|u|\n");
  for (const int order : {4, 1})
    for (const Motion motion : {Motion::vertical, Motion::normal}) {
      Case c = box_case({12e3, 7e3}, 4000, {4, 3, 2});
      c.mesh.order = order;
      c.domain.bathymetry = GaussianBathymetry{4000, 1800, {5000, 1000}, {2500, inf}};
      c.boundary.west = c.boundary.east = Wall::absorbing;
      source(c, gaussian({6500, 100}, {2500, inf}), gaussian_ramp(0.9), 1, motion);
      set_time(c, 15, 0.5, 15);
      double p_worst = 0, u_worst = 0;
      run(c, {}, [&](Model& model) {
        if (model.time() < 3) return;
        std::vector<double> p, u;
        model.stepper().get_state(p, u);
        const Mesh& m = model.mesh();
        const double p_scale = max_abs(p), u_scale = max_abs(u);
        for (std::size_t n = 0; n < p.size(); ++n) {
          const std::size_t i = n % m.NX(), k = n / m.NX() / m.NY();
          p_worst = std::max(p_worst, std::abs(p[n] - p[k * m.NY() * m.NX() + i]) / p_scale);
        }
        for (std::size_t n = 0; n < u.size(); ++n)
          if (n / L3D % 3 == 1) u_worst = std::max(u_worst, std::abs(u[n]) / u_scale);
      });
      std::printf("    order %d    %s   %.1e                     %.1e\n", order, motion == Motion::normal ? "normal  " : "vertical", p_worst,
                  u_worst);
      EXPECT_LT(p_worst, 1e-12);
      EXPECT_LT(u_worst, 1e-11);
    }
}

}  // namespace
}  // namespace agwave::cases
