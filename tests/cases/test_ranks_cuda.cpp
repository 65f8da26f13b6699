// SPDX-License-Identifier: Apache-2.0
// The CUDA variants give the same answer on every processor grid; ranks share devices where there are fewer.
// label: gpu
// ranks: 1 2 4 8
#include "rank_checks.hpp"

namespace agwave {
namespace {

TEST(RanksCuda, AgreeWithOneRankOnEveryGrid) {
  const CudaDevice device = find_cuda_device(Comm().local_rank());
  if (!device.present) GTEST_SKIP() << "skipped: " << device.name;
  expect_same_on_all_grids(Device::cuda);
}

}  // namespace
}  // namespace agwave
