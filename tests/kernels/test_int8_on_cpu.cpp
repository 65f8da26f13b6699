// SPDX-License-Identifier: Apache-2.0
// Operator `int8` on a CPU: its slices, the lane maps of its products, and the CUDA kernel lane by lane (on_cpu/warp.hpp), bit by bit against the same
// sums written plainly and at the accuracy of 2 to 8 slices against the reference. It prints the error of each number of slices.
// include: tests/kernels/on_cpu
#include <algorithm>

#include "variant_checks.hpp"
#include "warp.hpp"

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "kernels/cuda/int8.cuh"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace {

using namespace cuda_kernels;

template <class F>
void each_number_of_slices(F&& f) {
  f.template operator()<2>();
  f.template operator()<3>();
  f.template operator()<4>();
  f.template operator()<5>();
  f.template operator()<6>();
  f.template operator()<7>();
  f.template operator()<8>();
}

std::int64_t digit(std::uint64_t all, int k) { return static_cast<std::int8_t>(all >> (8 * k)); }

TEST(Slices, AddUpToTheRoundedValue) {
  each_number_of_slices([]<int S>() {
    std::vector<double> values = random_values(200, 3, 1.0);
    for (const double largest : {1.0, 0.999999, 127.0 / 128, 127.0 / 128 + 1e-9, 0.5, 3e-7, 8e11}) values.insert(values.end(), {largest, -largest});
    for (const double largest : values) {
      const int exponent = scale_exponent(magnitude(largest));
      const double shift = shift_of<S>(exponent), bound = 127.0 / 256 * std::pow(256.0, S);
      EXPECT_LE(std::abs(largest) * shift, bound);
      EXPECT_GE(std::abs(largest) * shift, 0.24 * std::pow(256.0, S)) << "a bit is given away";
      for (const double fraction : {1.0, -1.0, 0.7, -0.3, 1e-5, 0.0}) {
        const std::uint64_t all = digits<S>(fraction * largest, shift);
        std::int64_t sum = 0;
        for (int k = S - 1; k >= 0; --k) sum = sum * 256 + digit(all, k);
        EXPECT_EQ(sum, llrint(fraction * largest * shift)) << S << " slices of " << fraction * largest;
      }
    }
  });
}

TEST(Slices, ScalesOfExtremesAreNormalNumbersOrNotFinite) {
  for (const double x : {0.0, 5e-324, 1e-300, 1e-250, 1.0, 1e250, 8e307}) {
    const int exponent = scale_exponent(magnitude(x));
    EXPECT_TRUE(is_finite_scale(exponent)) << x;
    each_number_of_slices([&]<int S>() {
      EXPECT_TRUE(std::isnormal(shift_of<S>(exponent))) << x;
      EXPECT_TRUE(std::isnormal(unit_of<S>(exponent, matrix_exponent()))) << x;
      EXPECT_LE(std::abs(x * shift_of<S>(exponent)), 127.0 / 256 * std::pow(256.0, S)) << x;
    });
  }
  for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    const int exponent = scale_exponent(magnitude(x));
    EXPECT_FALSE(is_finite_scale(exponent));
    EXPECT_TRUE(std::isnan(unit_of<7>(exponent, matrix_exponent())));
  }
  for (const std::int32_t n : {0, 1, -1, 12345678, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()})
    EXPECT_EQ(exact_double(n), static_cast<double>(n));
}

TEST(Slices, PlacesHoldEveryValueOnce) {
  std::vector<int> nodes, columns;
  for (int n = 0; n < Int8Shape::node_places; ++n) nodes.push_back(node_in_place(n));
  std::sort(nodes.begin(), nodes.end());
  for (int n = 0; n < Int8Shape::node_places; ++n) EXPECT_EQ(nodes[static_cast<std::size_t>(n)], n < 3 ? -1 : n - 3);
  for (int c = 0; c < Int8Shape::value_places;
       ++c) {  // column c is byte c % 4 of register c / 16 of lane c / 4 % 4, which holds places j, j + 4, ...
    const int lane = c / 4 % 4, slot = c / 16 * 4 + c % 4;
    EXPECT_EQ(place_of_column(c), 4 * slot + lane);
    columns.push_back(place_of_column(c));
  }
  std::sort(columns.begin(), columns.end());
  for (int c = 0; c < Int8Shape::value_places; ++c) EXPECT_EQ(columns[static_cast<std::size_t>(c)], c);
}

// Operands filled by imma_fragment.hpp, multiplied by what the manual says of the instruction.
TEST(Imma, LaneMapsAreThoseOfTheInstruction) {
  std::int8_t a[16][32], b[32][8];
  const auto values = random_values(16 * 32 + 32 * 8, 17, 128);
  for (int n = 0; n < 16 * 32; ++n) a[n / 32][n % 32] = static_cast<std::int8_t>(std::floor(values[static_cast<std::size_t>(n)]));
  for (int n = 0; n < 32 * 8; ++n) b[n / 8][n % 8] = static_cast<std::int8_t>(std::floor(values[static_cast<std::size_t>(512 + n)]));
  std::int32_t found[16][8] = {};
  on_cpu::launch(1, 1, [&] {
    const ImmaLane lane(static_cast<int>(threadIdx.x));
    ImmaA fragment{};
    std::uint32_t operand[2] = {};
    for (int i = 0; i < 4; ++i) {
      for (int h = 0; h < 4; ++h) fragment.r[h] |= std::uint32_t{static_cast<std::uint8_t>(a[lane.a_row(h)][lane.a_column(h, i)])} << (8 * i);
      for (int h = 0; h < 2; ++h) operand[h] |= std::uint32_t{static_cast<std::uint8_t>(b[lane.b_row(h, i)][lane.b_column()])} << (8 * i);
    }
    std::int32_t c[4] = {};
    Imma::multiply_add(c, fragment, operand[0], operand[1]);
    for (int h = 0; h < 4; ++h) found[lane.c_row(h)][lane.c_column(h)] = c[h];
  });
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      std::int32_t sum = 0;
      for (int k = 0; k < 32; ++k) sum += a[row][k] * b[k][column];
      EXPECT_EQ(found[row][column], sum) << row << ", " << column;
    }
}

// M x by slices, M[rows][columns]: the sums of the kernel without its order.
template <int S>
std::vector<double> plain_product(const std::vector<double>& m, std::size_t rows, const std::vector<double>& x) {
  const std::size_t columns = x.size();
  std::uint32_t largest = 0;
  for (const double value : x) largest = std::max(largest, magnitude(value));
  const int exponent = scale_exponent(largest), of_matrix = matrix_exponent();
  std::vector<double> result;
  for (std::size_t row = 0; row < rows; ++row) {
    std::int32_t sum[S] = {};
    for (std::size_t n = 0; n < columns; ++n) {
      const std::uint64_t a = digits<S>(m[row * columns + n], shift_of<S>(of_matrix)), b = digits<S>(x[n], shift_of<S>(exponent));
      for (int i = 0; i < S; ++i)
        for (int j = S - 1 - i; j < S; ++j) sum[i + j - (S - 1)] += static_cast<std::int32_t>(digit(a, i) * digit(b, j));
    }
    result.push_back(combine<S>([&](int level) { return sum[level]; }) * unit_of<S>(exponent, of_matrix));
  }
  return result;
}

struct Blocks {
  std::vector<double> g, r;
};
template <int S>
Blocks on_lanes(const StepperSetup& setup, const std::vector<double>& p, const std::vector<double>& u) {
  const Mesh& mesh = setup.mesh;
  const Spaces spaces(setup, Space::host);
  const std::vector<ImmaA> table = int8_table<S>();
  Blocks out{std::vector<double>(u.size(), 0.0), std::vector<double>(p.size(), 0.0)};
  const Int8Args args{spaces.elements(), mesh.NX(), mesh.NY(),    0,           0, 0, mesh.nx(), mesh.ny(), mesh.NE(), table.data(), matrix_exponent(),
                      p.data(),          u.data(),  out.g.data(), out.r.data()};
  constexpr int block = Int8Launch::warps * Int8Shape::group;
  on_cpu::launch(static_cast<unsigned>((mesh.NE() + block - 1) / block), Int8Launch::warps, [&] { int8_kernel<S>(args); });
  return out;
}

TEST(Int8OnCpu, IsTheSameSumsWrittenPlainly) {
  const Mesh mesh = ridged_mesh({1, 1, 1}, 4);
  const Stage stage(mesh);
  const StepperSetup setup = stage.setup(4);
  const auto p = random_values(D3D, 1), u = random_values(3 * L3D, 2);
  const Spaces spaces(setup, Space::host);
  constexpr auto rule = gauss_rule<L1D>();
  const std::vector<double> a = dense_gradient();
  std::vector<double> transposed(a.size()), flux(u.size());
  for (int row = 0; row < gradient_rows; ++row)
    for (int i = 0; i < D3D; ++i) transposed[static_cast<std::size_t>(i * gradient_rows + row)] = a[static_cast<std::size_t>(row * D3D + i)];
  const auto each_point = [&](auto&& f) {
    for (int q = 0; q < L3D; ++q) f(q, spaces.elements().point(0, 0, 0, q, rule.x, rule.w));
  };
  each_point([&](int q, const Metric& m) {
    double f[3];
    contravariant_flux(m, u[q], u[L3D + q], u[2 * L3D + q], f);
    for (int d = 0; d < 3; ++d) flux[static_cast<std::size_t>(d * L3D + q)] = f[d];
  });
  const auto check = [&]<int S>() {
    const Blocks found = on_lanes<S>(setup, p, u);
    const std::vector<double> derivative = plain_product<S>(a, gradient_rows, p);
    std::vector<double> g(u.size());
    each_point([&](int q, const Metric& m) {
      double at_q[3];
      weighted_gradient(m, derivative[q], derivative[L3D + q], derivative[2 * L3D + q], at_q);
      for (int d = 0; d < 3; ++d) g[static_cast<std::size_t>(d * L3D + q)] = at_q[d];
    });
    EXPECT_LE(relative_difference(found.g, g), 1e-15) << S;
    EXPECT_LE(relative_difference(found.r, plain_product<S>(transposed, D3D, flux)), 1e-15) << S;
  };
  check.operator()<2>();
  check.operator()<7>();
  check.operator()<8>();
}

TEST(Int8OnCpu, HasTheAccuracyOfItsSlices) {
  std::printf("slices  products  gradient  divergence\n");
  each_number_of_slices([]<int S>() {
    double gradient = 0, divergence = 0;
    for (const int order : {1, 4})
      for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {3, 2, 3}}) {
        SCOPED_TRACE(testing::Message() << S << " slices, order " << order << ", " << shape[0] << " x " << shape[1] << " x " << shape[2]);
        const Mesh mesh = ridged_mesh(shape, order);
        const Stage stage(mesh);
        const auto p = random_values(static_cast<std::size_t>(mesh.nodes()), 1), u = random_values(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 2);
        Blocks right;
        reference_variant().operator_->apply_once(stage.setup(4), p, u, right.g, right.r);
        const Blocks found = on_lanes<S>(stage.setup(4), p, u);
        gradient = std::max(gradient, relative_difference(found.g, right.g));
        divergence = std::max(divergence, relative_difference(found.r, right.r));
      }
    std::printf("%6d %9d %9.1e %11.1e\n", S, S * (S + 1) / 2, gradient, divergence);
    EXPECT_LT(std::max(gradient, divergence), slices_error(S)) << S;
  });
}

TEST(Int8OnCpu, DoesNotHideWhatIsNotFinite) {
  const Mesh mesh = ridged_mesh({1, 1, 1}, 4);
  const Stage stage(mesh);
  for (const double bad : {HUGE_VAL, std::nan("")}) {
    auto p = random_values(D3D, 1), u = random_values(3 * L3D, 2);
    p[77] = u[5] = bad;
    const Blocks found = on_lanes<7>(stage.setup(4), p, u);
    for (const std::vector<double>* values : {&found.g, &found.r})
      for (const double value : *values) ASSERT_TRUE(std::isnan(value));
  }
}

}  // namespace
}  // namespace agwave
