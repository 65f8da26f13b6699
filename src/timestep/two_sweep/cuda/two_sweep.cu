// SPDX-License-Identifier: Apache-2.0
// Variant `two-sweep`: classical RK4 in two fused sweeps over the mesh per step. The algorithm is in two_sweep.hpp, the sweep
// in kernel.cuh, how the sweeps share the GPU in launch_plan.hpp; here are tables, launches and the entry in the registry.
#include <algorithm>
#include <vector>

#include "device/backend_cuda.cuh"
#include "device/cuda_driver.hpp"
#include "kernels/cuda/kernel_attributes.cuh"
#include "timestep/rk4/rk4.hpp"
#include "timestep/two_sweep/cuda/kernel.cuh"
#include "timestep/two_sweep/cuda/sweep_tables.cuh"
#include "timestep/two_sweep/launch_plan.hpp"
#include "timestep/two_sweep/two_sweep.hpp"
#include "timestep/variants.hpp"

namespace agwave {
namespace {

// For copies of boxes of (x, y, z) nodes from and to p [NZ][NY][pitch].
CUtensorMap box_map(const double* p, const NodeView& v, std::array<std::uint32_t, 3> box) {
  static const auto encode = driver_function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  const std::array<std::uint64_t, 3> extent{static_cast<std::uint64_t>(v.NX), static_cast<std::uint64_t>(v.NY), static_cast<std::uint64_t>(v.NZ)};
  const std::array<std::uint64_t, 2> stride{8 * static_cast<std::uint64_t>(v.pitch), 8 * static_cast<std::uint64_t>(v.pitch) * extent[1]};
  const std::array<std::uint32_t, 3> step{1, 1, 1};
  CUtensorMap map{};
  check_driver(
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3, const_cast<double*>(p), extent.data(), stride.data(), box.data(), step.data(),
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      "cuTensorMapEncodeTiled");
  return map;
}

// What a stream is given after it begins when so many items have been taken.
__global__ void await_taken(const unsigned* taken, unsigned target) { await_count(taken, target); }

// The multiprocessors that the first half of a grid comes to when nothing else is at work, one block on each: whole GPCs, so whole pairs that share
// their way to L2, where a sweep is fastest (benchmarks/log.md, entries 62 and 72). Its blocks last long enough for all to have begun.
__global__ void note_first_half(int* numbers) {
  const std::int64_t begin = nanoseconds();
  if (blockIdx.x < (gridDim.x + 1) / 2 && threadIdx.x == 0) asm volatile("mov.u32 %0, %%smid;" : "=r"(numbers[blockIdx.x]));
  while (nanoseconds() - begin < 100000) {
  }
}

class CudaSweeps {
 public:
  using Patches = two_sweep::Patches;
  static constexpr bool waits_inside = true;  // for ghosts: Beside::gate

  CudaSweeps(Cuda& cuda, const Spaces& spaces, const Patches& patches)
      : geometry_(cuda, spaces.elements(), patches),
        queue_(Space::device, std::vector<std::int32_t>(static_cast<std::size_t>(patches.items()) + counters_size, 0)) {
    allow_shared_memory();
    planner_ = two_sweep::LaunchPlanner(cuda_kernels::device_attribute(cudaDevAttrMultiProcessorCount));
    cuda.synchronize();
    choose_kept(cuda);
  }
  static void allow_shared_memory() {
    cuda_kernels::allow_shared(two_sweep::sweep_kernel<true, false>, sizeof(two_sweep::Shared<true>));
    cuda_kernels::allow_shared(two_sweep::sweep_kernel<false, false>, sizeof(two_sweep::Shared<false>));
    cuda_kernels::allow_shared(two_sweep::sweep_kernel<true, true>, sizeof(two_sweep::Shared<true>));
    cuda_kernels::allow_shared(two_sweep::sweep_kernel<false, true>, sizeof(two_sweep::Shared<false>));
    cuda_kernels::allow_shared(note_first_half, sizeof(two_sweep::Shared<false>));
  }
  static two_sweep::Item item(const Patches& patches, int n) { return two_sweep::item_of(patches, n); }
  // In waves of one item per multiprocessor: what the last wave of the boundary leaves idle takes interior items.
  int last_part(int boundary, int all) const {
    const int wave = planner_.multiprocessors(), waves = (boundary + wave - 1) / wave;
    return std::min(all, waves * wave);
  }

  template <bool A>
  void run(Cuda& cuda, const two_sweep::SweepArgs<Patches>& args, const two_sweep::Beside& beside) {
    const two_sweep::SweepPart part{
        .items = args.last - args.first, .first = args.first == 0, .neighbours = args.order != nullptr, .gated = beside.gate.opened != nullptr};
    if (part.items == 0) return;
    const two_sweep::LaunchPlan plan = A ? planner_.sweep_a(part, beside) : planner_.sweep_b(part, beside);
    if (!A) of_b_.follow(of_a_);
    if (A && part.first) {
      of_a_.follow(answered_);
      cuda.mark(answered_);
    }
    if (plan.alone) join(cuda);
    if (plan.begin_at) {
      await_taken<<<1, 1, 0, of_a_.stream()>>>(counters(), *plan.begin_at);
      AGWAVE_CUDA_CALL(cudaGetLastError());
    }
    for (const two_sweep::Launch& l : plan.launches) launch<A>(l, plan.taken, args, beside.gate);
    if (A) join(cuda);
  }
  int at_work(const two_sweep::Beside& beside) const { return planner_.at_work(beside); }
  template <bool A>
  Cuda& stream(Cuda&) {
    return A ? of_a_ : of_b_;
  }
  void follow(const Cuda& cuda) const {
    of_a_.follow(cuda);
    of_b_.follow(cuda);
  }
  void join(Cuda& cuda) {
    of_a_.follow(of_b_);
    cuda.follow(of_a_);
    planner_.joined();
  }
  static double bytes(const Patches& patches) { return two_sweep::GeometryTables::bytes(patches) + 4.0 * (patches.items() + counters_size); }

 private:
  static two_sweep::SweepMaps maps(const two_sweep::SweepArgs<Patches>& args) {
    constexpr std::uint32_t side = 4 * Patches::EX;
    return {box_map(args.p, args.nodes, {side, Patches::PY, 1}), box_map(args.p, args.nodes, {2, Patches::PY, 4}),
            box_map(args.p_next, args.nodes, {side, two_sweep::stored_rows, 1})};
  }
  void choose_kept(const Cuda& cuda) {
    Array<int> numbers(Space::device, static_cast<std::size_t>(planner_.half()));
    note_first_half<<<static_cast<unsigned>(planner_.multiprocessors()), two_sweep::threads, sizeof(two_sweep::Shared<false>), cuda.stream()>>>(
        numbers.data());
    AGWAVE_CUDA_CALL(cudaGetLastError());
    cuda.synchronize();
    for (const int m : numbers.to_host())
      if (const auto word = static_cast<std::size_t>(m / 64); word < kept_.size()) kept_[word] |= std::uint64_t{1} << m % 64;
  }
  // Items taken of B and of A; how the blocks of four launches began, in turn; what is done of every item.
  static constexpr int launches = 4, counters_size = 2 + 2 * launches;
  unsigned* counters() { return reinterpret_cast<unsigned*>(queue_.data()); }
  two_sweep::Begun* begun(unsigned launch) { return reinterpret_cast<two_sweep::Begun*>(counters() + 2) + launch % launches; }
  template <bool A>
  void launch(const two_sweep::Launch& of, unsigned taken, const two_sweep::SweepArgs<Patches>& args, const two_sweep::Gate& gate) {
    two_sweep::Queue queue{};
    queue.taken = counters() + A;
    queue.before = taken;
    queue.stay = static_cast<unsigned>(of.stay);
    queue.leave = static_cast<unsigned>(of.blocks - of.stay);
    queue.kept = kept_;
    if (queue.leave > 0) {  // only ever a B, one after the other
      queue.begun = begun(launches_);
      queue.later = begun(++launches_ + 1);
    }
    queue.done = counters() + counters_size;
    queue.target = static_cast<unsigned>(two_sweep::arrivals) * planner_.sweeps_b();
    queue.gate = gate;
    const Cuda& cuda = of.lane == two_sweep::Lane::a ? of_a_ : of_b_;
    const auto kernel = args.nodes.excess ? two_sweep::sweep_kernel<A, true> : two_sweep::sweep_kernel<A, false>;
    kernel<<<static_cast<unsigned>(of.blocks), two_sweep::threads, sizeof(two_sweep::Shared<A>), cuda.stream()>>>(args, geometry_.tables(),
                                                                                                                  maps(args), queue);
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
  two_sweep::GeometryTables geometry_;
  Array<std::int32_t> queue_;  // two_sweep::Queue: taken, begun, done
  unsigned launches_ = 0;
  two_sweep::Multiprocessors kept_{};  // for B
  two_sweep::LaunchPlanner planner_;
  Cuda of_a_, of_b_ = Cuda::urgent();
  Cuda::Instant answered_;  // what was asked about the state before the last sweep A
};

// What the scheme must do and move: fused multiply-adds as two, even and odd parts along z; every array once per sweep that needs it.
Cost step_cost(const Mesh& mesh, int) {
  using Patches = two_sweep::Patches;
  const Patches patches(mesh);
  constexpr double lane_flops = 500 + 340 + 480 + 48 + 16 * 21 + 480 + 340 + 500;  // of a quarter of an element, a field: x, z, y, flux and back
  const double elements = static_cast<double>(mesh.NE()), nodes = static_cast<double>(mesh.nodes());
  const double sums = static_cast<double>(patches.count()) * patches.levels() * Patches::PX * Patches::PY;
  return {16 * lane_flops * elements + 2 * 20 * nodes, 8 * (3 * nodes + 2.0 * static_cast<double>(patches.flux_size()) + 8 * sums)};
}

const RegisterVariant registered{[] {
  Variant v;
  v.name = "two-sweep";
  v.device = Device::cuda;
  v.description = "classical RK4 in two fused sweeps per step, velocity kept as contravariant flux";
  v.quadratures = {4};
  v.integrator = &rk4_integrator;
  v.repeats = true;
  v.takes_sponges = true;
  v.arrays = two_sweep::TwoSweep<Cuda, CudaSweeps>::state_arrays();
  v.preference = 10;
  v.compute_capability = 90;  // for the shared memory of a block
  v.why_not = [] { return cuda_kernels::why_it_cannot_run(two_sweep::sweep_kernel<true, false>, 90, sizeof(two_sweep::Shared<true>)); };
  v.unit = two_sweep::Patches::unit;
  v.make_stepper = [](const StepperSetup& setup) -> std::unique_ptr<Stepper> {
    return std::make_unique<two_sweep::TwoSweep<Cuda, CudaSweeps>>(setup);
  };
  v.bytes = [](const Mesh& mesh, int) { return two_sweep::bytes<Cuda, CudaSweeps>(mesh); };
  v.tensor_cores = true;
  v.step_cost = step_cost;
  v.step_kernels = [] {
    CudaSweeps::allow_shared_memory();
    return std::vector<KernelInfo>{
        cuda_kernels::kernel_info("sweep A", two_sweep::sweep_kernel<true, false>, two_sweep::threads, sizeof(two_sweep::Shared<true>)),
        cuda_kernels::kernel_info("sweep B", two_sweep::sweep_kernel<false, false>, two_sweep::threads, sizeof(two_sweep::Shared<false>))};
  };
  return v;
}()};

}  // namespace
}  // namespace agwave
