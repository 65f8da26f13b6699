// SPDX-License-Identifier: Apache-2.0
// Variant `leapfrog-sweep` on GPUs: the leapfrog of order 4 in two fused sweeps per step. The algorithm is in fused.hpp, the sweep in kernel.cuh; here are
// its launches and the entry in the registry.
#include <algorithm>
#include <array>
#include <vector>

#include "device/backend_cuda.cuh"
#include "kernels/cuda/kernel_attributes.cuh"
#include "timestep/leapfrog4/cuda/kernel.cuh"
#include "timestep/leapfrog4/fused.hpp"
#include "timestep/leapfrog4/fused_changes.hpp"
#include "timestep/two_sweep/cuda/sweep_tables.cuh"
#include "timestep/variants.hpp"

namespace agwave {
namespace {

using leapfrog4::Form, leapfrog4::sweep_kernel;
using two_sweep::Patches, two_sweep::SinglePatches;

// A patch after the other along x of the grid, its values along y.
template <class Patches>
__global__ void end_steps_kernel(const __grid_constant__ leapfrog4::EndSteps<Patches> ends) {
  constexpr int together = leapfrog4::EndSteps<Patches>::together;
  ends.at(static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y * together * blockDim.x + threadIdx.x), static_cast<int>(blockDim.x));
}

template <class Patches_>
class CudaSweeps {
 public:
  using Patches = Patches_;
  using T = typename Patches::real;

  CudaSweeps(Cuda& cuda, const Spaces& spaces, const Patches& patches)
      : by_place_(spaces.nodes().excess),
        geometry_(cuda, spaces.elements(), patches),
        taken_(Space::device, std::vector<std::int32_t>(3, 0)),
        done_(Space::device, std::vector<std::int32_t>(static_cast<std::size_t>(patches.items()), 0)) {
    allow_shared_memory();
    cuda.synchronize();
  }
  static void allow_shared_memory() {
    allow<Form::q>();
    allow<Form::next>();
    allow<Form::part>();
    allow<Form::mixture>();
  }
  static double bytes(const Patches& patches) { return two_sweep::GeometryTablesOf<Patches>::bytes(patches) + 12 + 4.0 * patches.items(); }
  static two_sweep::Item item(const Patches& patches, int n) { return two_sweep::item_of(patches, n); }

  void count_anew(Cuda& cuda) {  // so that what is queued from here on is the same every time
    before_ = {};
    AGWAVE_CUDA_CALL(cudaMemsetAsync(taken_.data(), 0, taken_.size() * sizeof(std::int32_t), cuda.stream()));
  }
  // Where the last steps of `from` halvings end together with longer ones (LevelSweep): whether end_steps() finds beforehand what they have moved by without the
  // last of their sums, which passes the state once more, or the sweep does, which has room for what one step more began with.
  bool ends_apart(int from, int to, int base) const {
    return from > to + 1 || (from > to && (by_place_ || (leapfrog4::AdvanceOf<T>::by_displacement && base > 0)));
  }
  void end_steps(Cuda& cuda, const leapfrog4::SweepArgs<Patches>& args) {
    using Ends = leapfrog4::EndSteps<Patches>;
    constexpr int threads = 128, stretch = Ends::together * threads;
    const int patches = Ends::patches(args);
    if (patches == 0) return;
    const auto stretches = static_cast<unsigned>((Ends::places(args) + stretch - 1) / stretch);
    end_steps_kernel<<<dim3(static_cast<unsigned>(patches), stretches), threads, 0, cuda.stream()>>>(Ends{args});
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
  void run(Cuda& cuda, Form form, const leapfrog4::SweepArgs<Patches>& args, const two_sweep::Beside& beside) {
    launch(cuda, form, args, queue(args, std::min(args.last - args.first, at_once(beside.multiprocessors)), 0, beside.gate));
  }
  // The sweeps of q and of what comes next over all items, the second one beginning while the last items of the first are done.
  void run_both(Cuda& cuda, const leapfrog4::SweepArgs<Patches>& of_q, const leapfrog4::SweepArgs<Patches>& of_next) {
    if (!launches_early()) {
      run(cuda, Form::q, of_q, {});
      return run(cuda, Form::next, of_next, {});
    }
    const int taking = std::min(of_q.last - of_q.first, at_once(0));
    two_sweep::Queue first = queue(of_q, taking, 0, {}), second = queue(of_next, taking, 2, {});
    first.done = second.done = reinterpret_cast<unsigned*>(done_.data());
    done_times_ += 1;
    second.target = leapfrog4::element_warps * done_times_;
    launch(cuda, Form::q, of_q, first);
    launch(cuda, Form::next, of_next, second);
  }
  void run_aside(Cuda& cuda, Form form, const leapfrog4::SweepArgs<Patches>& args) {
    launch(cuda, form, args, queue(args, args.last - args.first, 1, {}));
  }
  void end(Cuda& cuda, leapfrog4::Form, const leapfrog4::SweepArgs<Patches>& args, const leapfrog4::BorrowedColumns& columns) {
    if (columns.count > 0) cuda.for_each(columns.count * (args.patches.levels() - 2), leapfrog4::EndBorrowed<Patches>{args, columns});
  }
  static bool fills(int items) { return items >= at_once(0); }
  static int at_once(int left) { return blocks() * std::max(1, multiprocessors() - left); }
  static constexpr bool waits_inside = true;  // for ghosts: Beside::gate

 private:
  template <Form form>
  using Shared = leapfrog4::Shared<form, T>;
  template <Form form>
  static void allow() {
    cuda_kernels::allow_shared(sweep_kernel<form, false, T>, sizeof(Shared<form>));
    cuda_kernels::allow_shared(sweep_kernel<form, true, T>, sizeof(Shared<form>));
  }
  static int blocks() {  // that fit on a multiprocessor: one at least, whatever it is short of
    static const int count = [] {
      allow_shared_memory();
      int found = 0;
      AGWAVE_CUDA_CALL(
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, sweep_kernel<Form::next, false, T>, leapfrog4::threads, sizeof(Shared<Form::next>)));
      return std::max(1, found);
    }();
    return count;
  }
  static int multiprocessors() {
    static const int count = cuda_kernels::device_attribute(cudaDevAttrMultiProcessorCount);
    return count;
  }
  static bool launches_early() {  // a kernel while blocks of another are at work
    static const bool can = cuda_kernels::device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
    return can;
  }
  // Of a launch of so many blocks; sweeps and those aside count apart.
  two_sweep::Queue queue(const leapfrog4::SweepArgs<Patches>& args, int taking, std::size_t of, const two_sweep::Gate& gate) {
    two_sweep::Queue queue{};
    queue.taken = reinterpret_cast<unsigned*>(taken_.data()) + of;
    queue.before = before_[of] - static_cast<unsigned>(taking);
    queue.dealt = true;
    queue.stay = static_cast<unsigned>(taking);
    queue.gate = gate;
    before_[of] += static_cast<unsigned>(args.last - args.first);
    return queue;
  }
  void launch(Cuda& cuda, Form form, leapfrog4::SweepArgs<Patches> args, const two_sweep::Queue& queue) {
    if (queue.stay == 0) return;
    if (leapfrog4::AdvanceOf<T>& a = args.advance; form != Form::q && ends_apart(a.from, a.to, a.base))
      args.column.keep = args.surface.keep = args.medium.keep = nullptr;  // end_steps has kept
    else if (form != Form::q && a.from > a.to)
      a.moves = {true, leapfrog4::AdvanceOf<T>::softening(a.from), 2 / args.dt};
    switch (form) {
      case Form::q:
        return launch_form<Form::q>(cuda, args, queue);
      case Form::next:
        return launch_form<Form::next>(cuda, args, queue);
      case Form::part:
        return launch_form<Form::part>(cuda, args, queue);
      case Form::mixture:
        return launch_form<Form::mixture>(cuda, args, queue);
    }
  }
  template <Form form>
  void launch_form(Cuda& cuda, const leapfrog4::SweepArgs<Patches>& args, const two_sweep::Queue& queue) {
    const auto kernel = args.medium.excess && leapfrog4::sums_come(form) ? sweep_kernel<form, true, T> : sweep_kernel<form, false, T>;
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = queue.stay;
    config.blockDim = leapfrog4::threads;
    config.dynamicSmemBytes = sizeof(Shared<form>);
    config.stream = cuda.stream();
    config.attrs = &early;
    config.numAttrs = form == Form::next && queue.done ? 1 : 0;
    AGWAVE_CUDA_CALL(cudaLaunchKernelEx(&config, kernel, args, geometry_.tables(), queue));
  }

  bool by_place_;  // the speed of sound differs
  two_sweep::GeometryTablesOf<Patches> geometry_;
  Array<std::int32_t> taken_, done_;  // two_sweep::Queue; taken of sweeps, of those aside and of those that begin while another ends
  std::array<unsigned, 3> before_{};  // what they have been given so far, modulo 2^32
  unsigned done_times_ = 0;           // of every item, likewise
};

// What the scheme must do and move: as two_sweep counts a field, of two instead of four; every array as often as a sweep passes it.
template <class Patches>
Cost step_cost(const Mesh& mesh, int) {
  const Patches patches(mesh);
  constexpr double lane_flops = 500 + 340 + 480 + 16 * 21 + 480 + 340 + 500;
  const double elements = static_cast<double>(mesh.NE()), nodes = static_cast<double>(mesh.nodes());
  const double values = static_cast<double>(patches.count()) * Patches::PX * Patches::PY * (4 * mesh.nz() + patches.chunks);
  return {8 * lane_flops * elements + 2 * 5 * nodes, 8 * sizeof(typename Patches::real) * values};
}

template <class T>
std::string why_it_cannot_run(int least) {
  return cuda_kernels::why_it_cannot_run(sweep_kernel<Form::next, false, T>, least, sizeof(leapfrog4::Shared<Form::next, T>));
}

template <Form form, class T>
KernelInfo kernel_info(const char* name) {
  return cuda_kernels::kernel_info(name, sweep_kernel<form, false, T>, leapfrog4::threads, sizeof(leapfrog4::Shared<form, T>));
}
template <class Patches>
std::vector<KernelInfo> step_kernels() {
  using T = typename Patches::real;
  CudaSweeps<Patches>::allow_shared_memory();
  return {kernel_info<Form::q, T>("sweep of q"), kernel_info<Form::next, T>("sweep of psi'"), kernel_info<Form::part, T>("sweep of part of a step")};
}

Variant in_single(const Variant& in_double) {
  Variant v = leapfrog4::of_changes<Cuda, CudaSweeps<SinglePatches>>(in_double);
  v.tensor_cores = false;
  v.compute_capability = 80;
  v.why_not = [] { return why_it_cannot_run<float>(80); };
  v.step_cost = step_cost<SinglePatches>;
  v.step_kernels = step_kernels<SinglePatches>;
  return v;
}

const RegisterVariant registered{[] {
  Variant v = leapfrog4::fused_variant<Cuda, CudaSweeps<Patches>>();
  v.device = Device::cuda;
  v.description = "leapfrog of order 4 for the potential in two fused sweeps per step";
  v.compute_capability = 90;  // for tensor cores and bulk copies
  v.why_not = [] { return why_it_cannot_run<double>(90); };
  v.tensor_cores = true;
  v.step_cost = step_cost<Patches>;
  v.step_kernels = step_kernels<Patches>;
  v.in_single = std::make_shared<Variant>(in_single(v));
  return v;
}()};

}  // namespace
}  // namespace agwave
