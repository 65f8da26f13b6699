// SPDX-License-Identifier: Apache-2.0
// Order of convergence over a cosine floor, judged against the finest order-4 mesh, with dt fixed so that its error
// cancels: curved columns keep order 5, trilinear ones are of second order and converge to the same solution.
#include "harness.hpp"

namespace agwave::cases {
namespace {

constexpr double size = 16e3, depth = 4000;

Case cosine_case(std::array<std::int64_t, 3> elements, int order, bool along_y) {
  Case c = box_case({size, along_y ? size : 4000.0}, depth, elements);
  c.domain.bathymetry = CosineBathymetry{depth, 0.12, {1, along_y ? 1.0 : 0.0}};
  c.mesh.order = order;
  set_time(c, 24, 0.5, along_y ? 20 : 40);
  source(c, gaussian({0.4 * size, along_y ? 0.6 * size : 0}, {3500, along_y ? 4500 : inf}), gaussian_ramp(1.1));
  // On vertices of the coarsest mesh, where both orders have the same floor.
  for (const auto& [x, y] : {std::pair{0.25, 0.5}, std::pair{0.5, 0.75}, std::pair{0.75, 0.25}}) {
    const double y_m = along_y ? y * size : 1300;
    seafloor(c, x * size, y_m);
    hydrophone(c, x * size + 700, y_m, -2600);
    hydrophone(c, x * size + 700, y_m, -900);
    gauge(c, x * size, y_m);
  }
  return c;
}

struct Errors {
  double floor, water, surface;
};
Errors errors(const Traces& a, const Traces& b) {
  const auto part = [&](const Traces& t, int first, int count) { return std::vector(t.value.begin() + first, t.value.begin() + first + count); };
  return {max_difference(part(a, 0, 3), part(b, 0, 3)), max_difference(part(a, 3, 6), part(b, 3, 6)), max_difference(part(a, 9, 3), part(b, 9, 3))};
}

void print(int n, const Errors& e, const Errors* before) {
  std::printf("    %4d      %.2e  %5.2f   %.2e  %5.2f   %.2e  %5.2f\n", n, e.water, before ? std::log2(before->water / e.water) : 0, e.floor,
              before ? std::log2(before->floor / e.floor) : 0, e.surface, before ? std::log2(before->surface / e.surface) : 0);
}

void study(bool along_y, const std::vector<int>& levels, int finest) {
  const auto mesh = [&](int n) { return std::array<std::int64_t, 3>{n, along_y ? n : 1, std::max(1, n / 4)}; };
  const Traces reference = run(cosine_case(mesh(finest), 4, along_y));
  for (const int order : {4, 1}) {
    std::printf("    geometry of order %d, %s\n    x elements   water  order      floor  order    surface  order\n", order,
                along_y ? "waves in x and y" : "waves in x");
    std::vector<Errors> all;
    for (const int n : levels) {
      all.push_back(errors(run(cosine_case(mesh(n), order, along_y)), reference));
      print(n, all.back(), all.size() > 1 ? &all[all.size() - 2] : nullptr);
    }
    const Errors &a = all[all.size() - 2], &b = all.back();
    if (order == 4) {
      EXPECT_GT(std::log2(a.water / b.water), 4.5);
      EXPECT_GT(std::log2(a.floor / b.floor), 4.5);
      EXPECT_GT(std::log2(a.surface / b.surface), 3.0);  // see test_modal_box.cpp
    } else {
      for (const double ratio : {a.water / b.water, a.floor / b.floor}) {
        EXPECT_GT(std::log2(ratio), 1.6);
        EXPECT_LT(std::log2(ratio), 2.6);
      }
    }
  }
}

TEST(GeometryOrder, CosineFloorInX) { study(false, {4, 8, 16}, 32); }
TEST(GeometryOrder, CosineFloorInXAndY) { study(true, {4, 8}, 16); }

}  // namespace
}  // namespace agwave::cases
