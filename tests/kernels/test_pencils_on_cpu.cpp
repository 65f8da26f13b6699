// SPDX-License-Identifier: Apache-2.0
// The CUDA pencil kernels, on CUDA cores and on tensor cores, lane by lane on a CPU (on_cpu/warp.hpp) against the reference operator: every geometry
// policy, both quadratures, both geometry orders, sheared meshes whose columns come in pairs or not, chunks of layers. What only a GPU shows, registers,
// banks, real concurrency, is for kernels.variants_cuda.
// include: tests/kernels/on_cpu
#include <algorithm>

#include "variant_checks.hpp"
#include "warp.hpp"

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "kernels/cuda/pencil.cuh"
#include "kernels/cuda/pencil_dmma.cuh"
#include "kernels/cuda/pencil_dmma5.cuh"

namespace agwave {

namespace cuda_kernels {
alignas(16) double s_all[1 << 15];  // shared memory
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace {

using namespace cuda_kernels;

using Kernel = void (*)(PencilArgs);

struct Launch {
  std::string name;
  int quadrature, stored;  // doubles per point in qdata
  std::vector<int> orders;
  std::vector<Kernel> kernels;  // in turn
  std::size_t bytes;
};

template <int Q>
void add_core(std::vector<Launch>& all) {
  constexpr auto bytes = PencilMemory<Q>::bytes;
  all.push_back({"pa", Q, 5, {1, 4}, {pencil_kernel<Q, true, false, StoredMetric<Q>>, pencil_kernel<Q, false, true, StoredMetric<Q>>}, bytes});
  all.push_back({"fused-pa", Q, 5, {1, 4}, {pencil_kernel<Q, true, true, StoredMetric<Q>>}, bytes});
  all.push_back({"fused-mf, trilinear", Q, 0, {1}, {pencil_kernel<Q, true, true, TrilinearMetric<Q, false>>}, bytes});
  all.push_back({"fused-mf, curved", Q, 0, {4}, {pencil_kernel<Q, true, true, ComputedMetric<Q, false>>}, bytes});
  all.push_back({"fused-mf-scale, trilinear", Q, 1, {1}, {pencil_kernel<Q, true, true, TrilinearMetric<Q, true>>}, bytes});
  all.push_back({"fused-mf-scale, curved", Q, 1, {4}, {pencil_kernel<Q, true, true, ComputedMetric<Q, true>>}, bytes});
}

std::vector<Launch> launches() {
  std::vector<Launch> all;
  add_core<4>(all);
  add_core<5>(all);
  constexpr auto four = DmmaMemory<DmmaShape>::bytes, five = DmmaMemory<Dmma5Shape>::bytes;
  all.push_back({"dmma-pa", 4, 5, {1, 4}, {dmma_kernel<true, false, StoredPair>, dmma_kernel<false, true, StoredPair>}, four});
  all.push_back({"dmma-fused-pa", 4, 5, {1, 4}, {dmma_kernel<true, true, StoredPair>}, four});
  all.push_back({"dmma-fused-mf, trilinear", 4, 0, {1}, {dmma_kernel<true, true, ComputedPair<true, false>>}, four});
  all.push_back({"dmma-fused-mf, curved", 4, 0, {4}, {dmma_kernel<true, true, ComputedPair<false, false>>}, four});
  all.push_back({"dmma-fused-mf-scale, trilinear", 4, 1, {1}, {dmma_kernel<true, true, ComputedPair<true, true>>}, four});
  all.push_back({"dmma-fused-mf-scale, curved", 4, 1, {4}, {dmma_kernel<true, true, ComputedPair<false, true>>}, four});
  all.push_back({"dmma-pa", 5, 5, {1, 4}, {dmma5_kernel<true, false, 5>, dmma5_kernel<false, true, 5>}, five});
  all.push_back({"dmma-fused-pa", 5, 5, {1, 4}, {dmma5_kernel<true, true, 5>}, five});
  all.push_back({"dmma-fused-mf", 5, 0, {1, 4}, {dmma5_kernel<true, true, 0>}, five});
  all.push_back({"dmma-fused-mf-scale", 5, 1, {1, 4}, {dmma5_kernel<true, true, 1>}, five});
  return all;
}

// D, or w h ds, at the points: [e][stored][Q^3].
template <int Q>
std::vector<double> stored_metric(const ElementView& v, int stored) {
  constexpr int Q3 = Q * Q * Q;
  constexpr auto rule = gauss_rule<Q>();
  std::vector<double> data(static_cast<std::size_t>(v.count()) * stored * Q3);
  for (std::int64_t n = 0; stored > 0 && n < v.count() * Q3; ++n) {
    const auto [ex, ey, ez] = v.locate(n / Q3);
    const Metric m = v.point(ex, ey, ez, static_cast<int>(n % Q3), rule.x, rule.w);
    const double values[5] = {stored == 1 ? m.xx / v.ay[ey] : m.xx, m.xz, m.yy, m.yz, m.zz};
    for (int k = 0; k < stored; ++k) data[static_cast<std::size_t>((n / Q3 * stored + k) * Q3 + n % Q3)] = values[k];
  }
  return data;
}

class PencilsOnCpu : public testing::TestWithParam<Launch> {};

TEST_P(PencilsOnCpu, AreTheReference) {
  const Launch& launch = GetParam();
  ASSERT_LE(launch.bytes, sizeof s_all);
  for (const int order : launch.orders)
    for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {3, 2, 3}, {4, 1, 5}}) {
      SCOPED_TRACE(testing::Message() << "order " << order << ", " << shape[0] << " x " << shape[1] << " x " << shape[2]);
      const Mesh mesh = ridged_mesh(shape, order, 0.4);
      const Stage stage(mesh);
      const StepperSetup setup = stage.setup(launch.quadrature);
      const auto p = random_values(static_cast<std::size_t>(mesh.nodes()), 1), u = random_values(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 2);
      std::vector<double> right_g, right_r, g(u.size(), 0.0), r(p.size(), 0.0);
      reference_variant().operator_->apply_once(setup, p, u, right_g, right_r);
      const Spaces spaces(setup, Space::host);
      const auto qdata =
          launch.quadrature == 4 ? stored_metric<4>(spaces.elements(), launch.stored) : stored_metric<5>(spaces.elements(), launch.stored);
      const int nx = mesh.nx(), ny = mesh.ny(), nz = mesh.nz(), chunk = 2, warps = (nx + 1) / 2 * ny * ((nz + chunk - 1) / chunk);
      const PencilArgs args{spaces.elements(), mesh.NX(),    mesh.NY(),        0,          nx,       0,       ny, 0, nz, chunk, p.data(),
                            u.data(),          qdata.data(), spaces.nodes().h, order == 1, g.data(), r.data()};
      for (const Kernel kernel : launch.kernels) {
        std::fill(std::begin(s_all), std::end(s_all), std::numeric_limits<double>::quiet_NaN());  // as if left by others
        on_cpu::launch(static_cast<unsigned>((warps + March::warps - 1) / March::warps), March::warps, [&] { kernel(args); });
      }
      EXPECT_LT(relative_difference(g, right_g), 1e-12);
      EXPECT_LT(relative_difference(r, right_r), 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(All, PencilsOnCpu, testing::ValuesIn(launches()), [](const auto& info) {
  std::string name = info.param.name + "_q" + std::to_string(info.param.quadrature);
  std::erase_if(name, [](char c) { return c == ' ' || c == ','; });
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace agwave
