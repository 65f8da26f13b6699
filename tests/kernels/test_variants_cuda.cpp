// SPDX-License-Identifier: Apache-2.0
// Every CUDA variant in the registry against the CPU's `reference`; skipped, saying so, where there is no device.
// label: gpu
#include "variant_checks.hpp"

namespace agwave {
namespace {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // a build without CUDA registers none
INSTANTIATE_TEST_SUITE_P(Cuda, Variants, testing::ValuesIn(variant_cases(Device::cuda)), name_of);

TEST(Cuda, HasADeviceAndVariants) {
  const CudaDevice device = find_cuda_device(0);
  if (!device.present) GTEST_SKIP() << "skipped: " << device.name;
  EXPECT_FALSE(variant_cases(Device::cuda).empty());
}

}  // namespace
}  // namespace agwave
