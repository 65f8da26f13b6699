// SPDX-License-Identifier: Apache-2.0
// A floor that gives way on GPUs: the same bits on every processor grid, by every transport; ranks share devices where there are fewer.
// label: gpu
// ranks: 1 2 4
#include "floor_rank_checks.hpp"

namespace agwave {
namespace {

TEST(FloorRanksCuda, FusedSweepsAreTheSameToTheBit) {
  const Comm world;
  const CudaDevice device = find_cuda_device(world.local_rank());
  if (!device.present) GTEST_SKIP() << "skipped: " << device.name;
  int checked = 0;
  for (const Variant& v : variants())
    if (v.device == Device::cuda && v.name == "leapfrog-sweep" && why_unavailable(v, device).empty()) {
      expect_same_over_floor(v, transports_here(device, world));
      ++checked;
    }
  if (checked == 0) GTEST_SKIP() << "skipped: leapfrog-sweep does not run on " << device.name;
}

}  // namespace
}  // namespace agwave
