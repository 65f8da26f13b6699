// SPDX-License-Identifier: Apache-2.0
// One sweep of two-sweep RK4 over the mesh (two_sweep.hpp): the gradients of two staged pressures and the divergences of
// two fluxes of each element while it is on chip. A block is 8 element warps, one per bar of 8 elements and field, and
// 4 node warps; it marches up one patch of 8 x 4 element columns after the other, chunk by chunk. In layer k:
//
//   element warps    staged pressures -> gradient | F = w det J J^-1 J^-T grad p [sweep A, field a: U' = U + F] -> G^T F -> partial sums
//   node warps                                    | p and sums of layer k + 2 come; staged pressures p_a, p_b take their places
//
// Two layers of nodes are in shared memory. Who waits for what is in Shared: `staged`, `gradient_done` (the places of the layer are free),
// `seam_ready` (the upper bar's sums on the row that two bars share: it has them first, the lower one adds and stores them last), `layer_done`
// (places of sums are free). A layer's copies are asked for when a gradient is done and staged before the next one: while elements need the
// gradient's loads, node warps wait. Both at once is what the queue of shared memory cannot take.
// Sweep A, which mostly moves memory, goes beside the sweep B before it, which mostly computes (Queue): an item of A begins when B has done all
// that share nodes with it.
//
// Per field and layer, nodes (k, j, i), points (qz, qy, qx), a lane = (element of the bar, i or qx):
//   x    v[k] = B p,  v_x[k] = dB p                                      tensor-core products of differences to the fifth node
//   z    along_x = B v_x,  along_y = B v,  along_z = dB v                in registers, even and odd parts
//   y    p_xi += B along_x,  p_eta += dB along_y,  p_zeta += B along_z   in registers, row j after row j; in sweep B rows j and 4 - j
//                                                                      together (gradient.cuh)
//        a = slope h_xi / h,  b = slope h_eta / h,  slope = -s / ds
//        F_x = kx w ds (p_xi - a p_zeta),  F_y = ky w ds (p_eta - b p_zeta),  F_z = kz w/ds p_zeta - a F_x - b F_y
//   and back by the transposed products; the sum over two elements along x by a shuffle, along y over the seam between
//   bars, along z by what the layer below left (Shared::carry).
//
// Budget per element and step: 9.1 KB of DRAM traffic (measured: 10.0, both sweeps side by side; U read and written once, p read twice and written once, sums
// read and written four times, 10 % more of them for perimeters), about 20,000 FP64 operations of lanes, 38 tensor-core products of 8 x 8 x 4. Shared memory
// moves nodes (50 reads per lane, layer and field), U and geometry, nothing between the stages.
// One block of 384 threads per multiprocessor, which hand registers over with setmaxnreg (shared.cuh). What runs in a layer must fit
// into the instruction cache. benchmarks/log.md says what was tried.
// Arrays: layout.hpp; shared memory: shared.cuh.
#pragma once
#include "timestep/two_sweep/cuda/elements.cuh"
#include "timestep/two_sweep/cuda/nodes.cuh"

namespace agwave::two_sweep {

template <bool A, bool by_place>
__device__ __forceinline__ void node_loop(const SweepArgs<Patches>& g, const SweepTables& tables, const SweepMaps& maps, const Queue& queue,
                                          Shared<A>& s, Planner<SweepArgs<Patches>>& planner) {
  NodeRole<A, by_place> nodes(g, tables, maps, queue, s, planner);
  nodes.put_weight(0, nodes.weight(0));
  nodes.meet();
  for (int step = 0; s.work_of(step).valid; ++step) nodes.layer(step);
  nodes.end();
}

template <bool A, bool by_place>
__global__ void __launch_bounds__(threads, 1) sweep_kernel(const __grid_constant__ SweepArgs<Patches> g, const __grid_constant__ SweepTables tables,
                                                           const __grid_constant__ SweepMaps maps, const __grid_constant__ Queue queue) {
#if __CUDA_ARCH__ >= 900  // the variant asks for it; bulk copies are unknown below
  extern __shared__ __align__(128) unsigned char s_memory[];
  Shared<A>& s = *reinterpret_cast<Shared<A>*>(s_memory);
  if (threadIdx.x == 0) {
    for (int n = 0; n < 2; ++n) {
      begin_barrier(s.staged[n], 32 * node_warps);
      begin_barrier(s.gradient_done[n], 32 * element_warps);
      begin_barrier(s.layer_done[n], 32 * element_warps);
    }
    for (auto& of_field : s.seam_ready)
      for (auto& of_bar : of_field)
        for (std::uint64_t& ready : of_bar) begin_barrier(ready, 32);
    begin_barrier(s.batch_arrived, 1);
    for (std::uint64_t& arrived : s.flux_arrived) begin_barrier(arrived, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");  // for copies that arrive there
  }
  Plan plan{};
  Planner<SweepArgs<Patches>> planner(g, queue, plan);
  if (threadIdx.x == 32 * element_warps) {
    planner.begin();
    for (int step = 0; step < 3; ++step) planner.next(s.work_of(step), s.work_of(step + 7));  // the place before, of eight
  }
  if (threadIdx.x < 32) fill_lane_tables(s.tables);
  __syncthreads();
  if (threadIdx.x < 32 * element_warps) {
    take_registers<element_registers, true>();
    element_loop(g, tables, queue, s);
  } else {
    take_registers<node_registers, false>();
    node_loop<A, by_place>(g, tables, maps, queue, s, planner);
  }
#endif
}

}  // namespace agwave::two_sweep
