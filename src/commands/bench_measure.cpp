// SPDX-License-Identifier: Apache-2.0
// One variant on one mesh: the operator alone, then whole steps.
#include <algorithm>
#include <cmath>

#include "commands/bench.hpp"
#include "device/trace.hpp"
#include "error/error.hpp"
#include "timestep/stable_step.hpp"
#include "timestep/state_view_impl.hpp"

namespace agwave {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

std::function<void()> steps_of_a_run(Stepper& stepper) {
  return [&stepper, recorded = 0]() mutable {
    const ForcingSample moving{0, {1, 1, 1, 1}};
    stepper.step(bench_dt, std::span(&moving, 1));
    stepper.view().record_sample();
    if (++recorded % StateView::records == 0) stepper.view().take_samples();
  };
}

std::vector<double> time_steps(Stepper& stepper, const std::function<void()>& step, const BenchOptions& options, const Comm& comm) {
  for (int n = 0; n < options.warmup; ++n) step();
  stepper.wait();
  std::vector<double> seconds;
  for (int left = options.steps; left > 0;) {
    const int count = std::min(left, steps_on_end);
    comm.barrier();
    const Stopwatch watch;
    for (int n = 0; n < count; ++n) step();
    stepper.wait();
    seconds.insert(seconds.end(), static_cast<std::size_t>(count), watch.seconds() / count);
    left -= count;
  }
  for (double& s : seconds) s = comm.max(s);
  return seconds;
}

namespace {

// The least time that the flops, the operations on integers or the bytes need, over the time taken.
std::optional<double> roofline_fraction(const Cost& cost, double seconds, const Variant& variant, const Ceilings& ceilings) {
  const double peak = variant.single         ? 2 * ceilings.fp64
                      : variant.tensor_cores ? ceilings.fp64_tensor
                                             : ceilings.fp64;  // two for each that is double
  if (!(peak > 0) || !(ceilings.copy_bandwidth > 0)) return std::nullopt;
  if (cost.int8 > 0 && !(ceilings.int8 > 0)) return std::nullopt;
  const double integers = cost.int8 > 0 ? cost.int8 / ceilings.int8 : 0;
  return std::max({cost.flops / peak, integers, cost.bytes / ceilings.copy_bandwidth}) / seconds;
}

void time_operator(BenchResult& result, const StepperSetup& setup, const BenchContext& context) {
  const Variant& variant = *result.variant;
  if (!variant.operator_) return;
  TimingPlan plan{context.options.warmup, context.options.steps, {}};
  if (context.comm.size() == 1)
    plan.afterwards = [&](const Repeat& apply) { result.operator_energy = measure_energy(context.meter, context.options.energy_seconds, apply); };
  const OperatorTiming timing = variant.operator_->time_operator(setup, plan);
  result.operator_s = context.comm.max(median(timing.seconds));
  result.cost = timing.cost;
  result.kernels = timing.kernels;
  result.plan = timing.plan;
  result.roofline_fraction = roofline_fraction(timing.cost, *result.operator_s, variant, context.ceilings);
}

// The check that guarded steps end with, by itself: a GPU at its power limit changes its clock by more than a check takes, so steps with and without cannot
// be compared.
double time_guard(Stepper& stepper, const std::function<void()>& step, const Comm& comm) {
  std::vector<double> seconds;
  double energy = 0;
  for (int n = 0; n < 9; ++n) {
    step();
    stepper.view().max_pressure();  // the sweep that completes the state is not the check's
    comm.barrier();
    const Stopwatch watch;
    energy = stepper.view().energies().total();
    stepper.view().max_pressure();
    stepper.view().max_surface_height();
    seconds.push_back(comm.max(watch.seconds()));
  }
  comm.agree([&] {
    if (!std::isfinite(energy)) throw Error(ExitCode::unstable, "--guard: the state is no longer finite");
  });
  return median(seconds);
}

void time_step(BenchResult& result, const StepperSetup& setup, const BenchContext& context) {
  const Mesh& mesh = setup.mesh;
  const std::size_t before = memory_use().now;
  reset_memory_peak();
  const auto stepper = result.variant->make_stepper(setup);
  stepper->set_state(random_nodes(mesh), std::vector<double>(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 0.0));
  const auto step = steps_of_a_run(*stepper);
  result.steps_s = time_steps(*stepper, step, context.options, context.comm);
  result.step_s = median(result.steps_s);
  if (result.variant->step_cost) {
    result.step_cost = result.variant->step_cost(mesh, setup.quadrature);
    result.step_roofline_fraction = roofline_fraction(result.step_cost, result.step_s, *result.variant, context.ceilings);
  }
  result.bytes_per_dof = result.stands_for * context.comm.sum(static_cast<double>(memory_use().peak - before)) / result.dofs;
  if (context.options.guard) result.guard_s = time_guard(*stepper, step, context.comm);
  if (context.comm.size() > 1) return;  // ranks would not agree on how often to repeat it
  result.step_energy = measure_energy(context.meter, context.options.energy_seconds, [&](int times) {
    for (int n = 0; n < times; ++n) step();
    stepper->wait();
  });
}

}  // namespace

double median_seconds(const BenchOptions& options, const std::function<void()>& work) {
  for (int n = 0; n < options.warmup; ++n) work();
  std::vector<double> seconds;
  for (int n = 0; n < options.steps; ++n) {
    const Stopwatch watch;
    work();
    seconds.push_back(watch.seconds());
  }
  return median(seconds);
}

double needed_memory(const Variant& variant, const Mesh& outline, const BenchOptions& options) {
  constexpr double reserve = 2.5e8;  // for the CUDA context's own growth (local memory, events, page rounding)
  const double state = 8.0 * (static_cast<double>(outline.nodes()) + 3.0 * L3D * static_cast<double>(outline.NE()));  // the initial one, on the host
  return variant.bytes(outline, options.quadrature) + (variant.device == Device::cpu ? state : reserve);
}

BenchResult measure(const Variant& variant, Elements elements, const BenchContext& context) {
  const Mesh mesh = bench_mesh(elements, context.options.order, bench_partition(variant, elements, context.options, context.comm));
  BenchOcean ocean;
  ocean.furnish(mesh, context.options.sensors, context.comm);
  StepperSetup setup = ocean.on(mesh, context.options.quadrature, context.comm, context.transport);
  setup.asked = {.powers = context.options.guard, .surface = false};  // what time_step() asks
  BenchResult result;
  result.variant = &variant;
  result.elements = elements;
  result.grid = mesh.part.grid;
  result.dofs = static_cast<double>(mesh.global_dofs());
  const double ranks = static_cast<double>(mesh.part.grid[0]) * mesh.part.grid[1] * mesh.part.grid[2];  // more than there are with --within
  result.stands_for = ranks / context.comm.size();
  double weights = 0;
  for (const PointWeights& point : ocean.points) weights += static_cast<double>(point.node.size());
  const double level = static_cast<double>(mesh.NX()) * mesh.NY();
  const double predicted = variant.bytes(mesh, context.options.quadrature) + view_bytes(level, 1, static_cast<double>(ocean.points.size()), weights);
  constexpr double safety = 0.9;  // as of a case
  result.automatic_step = safety * stable_step(setup, *variant.integrator, context.comm).dt;
  result.predicted_bytes_per_dof = result.stands_for * context.comm.sum(predicted) / result.dofs;
  time_operator(result, setup, context);
  time_step(result, setup, context);
  if (variant.step_kernels) result.kernels = variant.step_kernels();
  if (context.options.exchange) result.exchange = measure_exchange(variant, elements, result.step_s, context);
  return result;
}

}  // namespace agwave
