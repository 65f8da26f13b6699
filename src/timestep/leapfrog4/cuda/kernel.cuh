// SPDX-License-Identifier: Apache-2.0
// One sweep of the fused leapfrog over the mesh (fused.hpp): one gradient and one divergence of each element while it is on chip. A block is 4 element
// warps, one per bar of 8 elements, and 4 node warps; it marches up one patch of 8 x 4 element columns after the other, chunk by chunk. In layer k:
//
//   element warps    field -> gradient             | F = w det J J^-1 J^-T grad -> G^T F -> partial sums
//   node warps       sums and state of k + 1 come  | field of layer k + 1 is formed, the new state goes out, layer k + 2 is asked for
//
// The elements are those of two-sweep RK4 (two_sweep/cuda/kernel.cuh), of one field instead of two. One layer of nodes is in shared memory, so two
// blocks fit on a multiprocessor, three in single precision, and while the elements of one wait for its nodes those of the other are at work.
// Where the sweep of what comes next follows that of q at once, its blocks come as those of q go, and an item begins when q is done with all that it
// touches (Queue::done).
// by_place: the speed of sound differs by depth and place, which is a kernel of its own, so that where it does not nothing is asked.
// Per element and step: 8 values a node come and go, 4.5 KB with what patches share; 10,000 FP64 operations of lanes.
#pragma once
#include "timestep/leapfrog4/cuda/nodes.cuh"
#include "timestep/leapfrog4/cuda/single_elements.cuh"

namespace agwave::leapfrog4 {

template <Form form, bool by_place, class T = double>
__global__ void __launch_bounds__(threads, LaunchOf<T>::bound)
    sweep_kernel(const __grid_constant__ SweepArgs<PatchesOf<T>> g, const __grid_constant__ SweepTablesOf<T> tables,
                 const __grid_constant__ Queue queue) {
  constexpr bool single = sizeof(T) < sizeof(double);
  if constexpr (single || bulk_copies) {  // else the variant is refused
    if (Shared<form, T>::tells && queue.done) let_next_begin();
    extern __shared__ __align__(128) unsigned char s_memory[];
    Shared<form, T>& s = *reinterpret_cast<Shared<form, T>*>(s_memory);
    if (threadIdx.x == 0) {
      for (int n = 0; n < 2; ++n) {
        begin_barrier(s.staged[n], 32 * node_warps);
        begin_barrier(s.gradient_done[n], 32 * element_warps);
        begin_barrier(s.layer_done[n], 32 * element_warps);
      }
      for (auto& of_bar : s.seam_ready[0])
        for (std::uint64_t& ready : of_bar) begin_barrier(ready, 32);
      begin_barrier(s.batch_arrived, 1);
      publish_barriers();
    }
    two_sweep::Planner<SweepArgs<PatchesOf<T>>> planner(g, queue, s.plan);
    if (threadIdx.x == 32 * element_warps) {
      planner.begin();
      planner.next(s.work_of(0), s.work_of(7));  // further steps are planned while the first batch comes
    }
    __syncthreads();
    if (threadIdx.x < 32 * element_warps) {
      two_sweep::take_registers<LaunchOf<T>::element_registers, true>();
      if (threadIdx.x < 32) {  // while the first nodes come
        if constexpr (single)
          fill_single_tables(s.tables);
        else
          two_sweep::fill_lane_tables(s.tables);
      }
      __syncwarp();  // a warp that has parted would count twice
      meet_at<14, 32 * element_warps>();
      if constexpr (single)
        single_element_loop(g, tables, queue, s);
      else
        two_sweep::element_loop(g, tables, queue, s);
    } else {
      two_sweep::take_registers<LaunchOf<T>::node_registers, false>();
      NodeRole<form, by_place, T>(g, tables, queue, s, planner).all();
    }
  }
}

}  // namespace agwave::leapfrog4
