// SPDX-License-Identifier: Apache-2.0
#include "run/p2o_groups.hpp"

#include <optional>

#include "error/error.hpp"
#include "run/devices.hpp"
#include "run/plan_memory.hpp"

namespace agwave {

namespace {

std::int64_t sources_of(const Case& c) {
  auto count = static_cast<std::int64_t>(c.sensors.seafloor.size() + c.sensors.hydrophones.size() + c.sensors.surface.size());
  for (const auto* grids : {&c.seafloor_grids, &c.surface_grids})
    for (const SensorGrid& grid : *grids) count += std::int64_t{grid.counts[0]} * grid.counts[1];
  return count;
}

P2oGroup planned(const Case& c, const Comm& world, int ranks) {
  P2oGroup group{world.size() / ranks, world.rank() / ranks, nullptr, nullptr};
  group.comm = std::make_unique<Comm>(group.count == 1 ? world : world.split(group.own));
  agree_by_groups(world, *group.comm, [&] { group.plan = std::make_unique<P2oPlan>(plan_p2o(c, *group.comm)); });
  if (group.count == 1) return group;
  Plan& plan = group.plan->plan;  // what groups of one node share
  require_memory(plan, world);
  refuse_shared_devices(plan.device, world);
  plan.transport.shared = ranks_on_device(plan.device, world) > 1;
  return group;
}

}  // namespace

void agree_by_groups(const Comm& world, const Comm& group, const std::function<void()>& part) {
  std::optional<AgreedError> failed;
  try {
    if (group.size() == 1)
      group.agree(part);
    else
      part();
  } catch (const AgreedError& error) {
    failed = error;
  }
  world.agree([&] {
    if (failed) throw AgreedError(*failed);
  });
}

P2oGroup plan_groups(const Case& c, const Comm& world) {
  const int size = world.size();
  if (c.parallel.group) {
    world.agree([&] {
      if (size % *c.parallel.group != 0)
        throw Error(ExitCode::usage, text(to_string(c.parallel.group_mark), ": does not divide the ranks; found ", *c.parallel.group,
                                          "; allowed: divisors of ", size, ", or auto; start another number of ranks"));
    });
    return planned(c, world, *c.parallel.group);
  }
  for (int ranks = 1; ranks < size; ++ranks) {
    if (size % ranks != 0 || size / ranks > sources_of(c)) continue;
    if (const auto& grid = c.parallel.grid; grid && ranks != (*grid)[0] * (*grid)[1] * (*grid)[2]) continue;
    try {
      return planned(c, world, ranks);
    } catch (const AgreedError& error) {  // too little memory, too few devices, too many nodes for one rank: larger groups may do
      if (error.code() != ExitCode::device && error.code() != ExitCode::usage) throw;
    }
  }
  return planned(c, world, size);
}

}  // namespace agwave
