// SPDX-License-Identifier: Apache-2.0
// Columns that step in levels on GPUs give the same bits on every processor grid, by every transport; ranks share devices where there are fewer.
// label: gpu
// ranks: 1 2 4 8
#include "level_rank_checks.hpp"

namespace agwave {
namespace {

TEST(LocalStepsRanksCuda, FusedSweepsAreTheSameToTheBit) {
  const CudaDevice device = find_cuda_device(Comm().local_rank());
  if (!device.present) GTEST_SKIP() << "skipped: " << device.name;
  int checked = 0;
  for (const Variant& v : variants())
    if (v.device == Device::cuda && v.name == "leapfrog-sweep" && why_unavailable(v, device).empty()) {
      expect_same_in_levels(v, true);
      expect_same_in_levels(*v.in_single, true);
      ++checked;
    }
  if (checked == 0) GTEST_SKIP() << "skipped: leapfrog-sweep does not run on " << device.name;
}

}  // namespace
}  // namespace agwave
