// SPDX-License-Identifier: Apache-2.0
// The GPU's two-sweep variant beyond what every variant must pass; skipped, saying so, where there is no device for it.
// label: gpu
#include "two_sweep_checks.hpp"

namespace agwave {
namespace {

class TwoSweepCuda : public testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = find_cuda_device(0);
    if (!device.present) GTEST_SKIP() << "skipped: " << device.name;
    const std::string why = why_unavailable(variant_named("two-sweep", Device::cuda), device);
    if (!why.empty()) GTEST_SKIP() << "skipped: " << why;
  }
  const Variant& variant() const { return variant_named("two-sweep", Device::cuda); }
};

TEST_F(TwoSweepCuda, AgreesOnAllRemainders) {
  for (std::int64_t nx = 1; nx <= 9; ++nx)
    for (std::int64_t ny = 1; ny <= 9; ++ny) expect_like_reference(variant(), {nx, ny, 1 + (nx + 2 * ny) % 6}, nx % 3 == 0 ? 1 : 4);
  for (std::int64_t nz = 1; nz <= 9; ++nz) expect_like_reference(variant(), {10, 5, nz}, 4);  // chunks of layers and what is left of them
}

// Chunks of 8 layers and several items per multiprocessor; classical RK4 is tested against the reference on smaller meshes.
TEST_F(TwoSweepCuda, AgreesOnALargeMesh) { expect_like(variant_named("fused-mf", Device::cuda), variant(), {130, 67, 17}, 4); }

TEST_F(TwoSweepCuda, StaysTogetherForAThousandSteps) { expect_together_for_a_thousand_steps(variant()); }

TEST_F(TwoSweepCuda, GivesTheSameBitsAHundredTimes) { expect_same_bits(variant(), 100); }

}  // namespace
}  // namespace agwave
