// SPDX-License-Identifier: Apache-2.0
// agwave bench --exchange: what an exchange costs beside the work it belongs to; the input of scripts/scaling_model.py.
#include <algorithm>

#include "commands/bench.hpp"
#include "device/trace.hpp"

namespace agwave {

namespace {

// A block of the whole mesh as if it had no neighbours: the same patches and chunks, source and sensors, nothing to exchange. Sides where the mesh goes
// on are walls then, so they are made rigid, which costs nothing.
double step_alone(const Variant& variant, const Elements& elements, Partition part, const BenchContext& context) {
  BenchOcean ocean;
  Wall* const sides[2][2] = {{&ocean.boundary.west, &ocean.boundary.east}, {&ocean.boundary.south, &ocean.boundary.north}};
  for (int d = 0; d < 2; ++d) {
    if (!part.at_low(d)) *sides[d][0] = Wall::rigid;
    if (!part.at_high(d)) *sides[d][1] = Wall::rigid;
  }
  part.grid = {1, 1, 1};
  part.coords = {0, 0, 0};
  const Comm self(MPI_COMM_SELF);
  const Mesh mesh = bench_mesh(elements, context.options.order, part);
  ocean.furnish(mesh, context.options.sensors, self);
  const auto stepper = variant.make_stepper(ocean.on(mesh, context.options.quadrature, self));
  stepper->set_state(random_nodes(mesh), std::vector<double>(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 0.0));
  return median(time_steps(*stepper, steps_of_a_run(*stepper), context.options, self));
}

// The patches and chunks that touch no neighbour; false when there are none.
bool interior(Partition& part, const Counts& unit) {
  for (int d = 0; d < 3; ++d) {
    if (!part.at_low(d)) {
      part.first[d] += unit[d];
      part.count[d] -= unit[d];
    }
    if (!part.at_high(d)) part.count[d] = (part.count[d] - 1) / unit[d] * unit[d];  // the last unit may be cut short
    if (part.count[d] <= 0) return false;
  }
  return true;
}

}  // namespace

ExchangeResult measure_exchange(const Variant& variant, const Elements& elements, double step_s, const BenchContext& context) {
  const Comm& comm = context.comm;
  const Partition part = bench_partition(variant, elements, context.options, comm);
  const Mesh mesh = bench_mesh(elements, context.options.order, part);
  BenchOcean ocean;
  StepperSetup setup = ocean.on(mesh, context.options.quadrature, comm, context.transport);
  setup.asked = {.powers = false, .surface = false};
  ExchangeResult result;
  result.unit = variant.unit ? variant.unit(elements) : Counts{1, 1, 1};
  {
    const auto stepper = variant.make_stepper(setup);
    stepper->set_state(random_nodes(mesh), std::vector<double>(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 0.0));
    const auto make_steps = [&](int count) {
      for (int n = 0; n < count; ++n) stepper->step(bench_dt, {});
      stepper->settle_exchanges();
      stepper->wait();
    };
    make_steps(std::max(2, context.options.warmup));
    comm.barrier();
    Traffic& traffic = *context.transport.traffic;
    traffic = {};
    traffic.keep_timeline = true;
    make_steps(context.options.steps);
    traffic.keep_timeline = false;
    result.timeline = traffic.timeline;
    const double steps = context.options.steps;
    result.rounds = comm.max(static_cast<double>(traffic.rounds) / steps);
    result.messages = comm.max(static_cast<double>(traffic.messages) / steps);
    result.bytes = comm.max(static_cast<double>(traffic.bytes) / steps);
    result.host_s = comm.max(traffic.seconds / steps);
    result.waited_s = comm.max(traffic.waited / steps);
    result.least_waited_s = comm.min(traffic.waited / steps);
    comm.barrier();
    result.exchange_s = result.rounds * comm.max(median_seconds(context.options, [&] {
      stepper->repeat_exchange();
      stepper->wait();
    }));
  }
  result.added_s = step_s - (result.alone_s = comm.max(step_alone(variant, elements, part, context)));
  Partition inner = part;
  const double interior_s = interior(inner, result.unit) ? step_alone(variant, elements, inner, context) : 0;
  result.interior_s = comm.min(interior_s);  // of the rank with most neighbours
  // Smaller blocks, as strong scaling makes them: halved along x and y in turn, in whole units.
  Partition block = part;
  for (int n = 0; n < 8; ++n) {
    const double seconds = comm.max(n == 0 ? result.alone_s : step_alone(variant, elements, block, context));
    result.blocks.push_back({block.count, seconds});
    const int d = block.count[0] / result.unit[0] >= block.count[1] / result.unit[1] ? 0 : 1;
    const std::int64_t units = block.count[d] / result.unit[d];
    const bool last = units < 2;
    if (comm.max(last) > 0) break;
    block.count[d] = units / 2 * result.unit[d];
  }
  for (int distance = 1; distance < comm.size(); distance = std::max(2 * distance, comm.size() / 2)) {
    const std::vector<LinkSample> samples = measure_link(context.transport, distance, comm);
    result.links.push_back({distance, fit(samples), samples});
  }
  return result;
}

}  // namespace agwave
