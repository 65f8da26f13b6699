// SPDX-License-Identifier: Apache-2.0
// Times any operator on any backend. The data are random but the same each time, made where they live: at two billion dofs
// the host is too slow. A clock has start(), stop() around each application and seconds() at the end, which waits.
#pragma once
#include <cstdint>
#include <memory>

#include "device/host_device.hpp"
#include "device/set_zero.hpp"
#include "kernels/registry.hpp"
#include "kernels/timing.hpp"

namespace agwave {

AGWAVE_HD double random_value(std::uint64_t n) {  // uniform in [-1, 1): the splitmix64 hash of the index
  std::uint64_t z = n * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}
struct FillRandom {
  double* to;
  std::uint64_t seed;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = random_value(static_cast<std::uint64_t>(n) + seed); }
};

template <class Backend, class Clock>
OperatorTiming time_operator(const SpacesSetup& setup, const TimingPlan& plan, const MakeOperator<Backend>& make_operator) {
  Backend backend;
  const Spaces spaces(setup, Backend::space);
  const std::unique_ptr<Operator> op = make_operator(setup.mesh, spaces, setup.quadrature, backend);
  const std::int64_t nodes = setup.mesh.nodes(), velocities = setup.mesh.NE() * 3 * L3D;
  const auto array = [&](std::int64_t n, std::uint64_t seed) {
    Array<double> a(Backend::space, static_cast<std::size_t>(n));
    backend.for_each(n, FillRandom{a.data(), seed});
    return a;
  };
  Array<double> p = array(nodes, 1), u = array(velocities, 1ull << 40), g = array(velocities, 2ull << 40), r = array(nodes, 3ull << 40);
  const auto apply = [&] {
    backend.for_each(nodes, SetZero{r.data()});
    op->apply(p.data(), u.data(), g.data(), r.data(), Part::all);
  };
  for (int n = 0; n < plan.warmup; ++n) apply();
  backend.synchronize();
  Clock clock(backend, plan.repeats);
  for (int n = 0; n < plan.repeats; ++n) {
    clock.start();
    apply();
    clock.stop();
  }
  OperatorTiming timing{clock.seconds(), op->cost(), op->kernels(), op->plan()};
  if (plan.afterwards) {
    plan.afterwards([&](int times) {
      for (int n = 0; n < times; ++n) apply();
      backend.synchronize();
    });
  }
  return timing;
}

}  // namespace agwave
