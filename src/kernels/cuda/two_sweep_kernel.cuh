// SPDX-License-Identifier: Apache-2.0
// One sweep of two-sweep RK4 over the mesh (timestep/two_sweep.hpp): the gradients of two staged pressures and the divergences of
// two fluxes of each element while it is on chip. A block is 8 element warps, one per bar of 8 elements and field, and
// 8 node warps; it marches up one patch of 8 x 4 element columns after the other, chunk by chunk.
//
//   node warps, layer k + 1   sums of the last sweep -> staged pressures alpha p_a, beta p_b on its nodes -> shared memory
//   element warps, layer k    nodes -> gradient -> F = w det J J^-1 J^-T grad p [sweep A, field a: U' = U + F] -> G^T F -> partial sums
//   one barrier per layer; the sums on the row between two bars are closed right behind it
//
// Per field and layer, nodes (k, j, i), points (qz, qy, qx), a lane = (element of the bar, i or qx):
//   x    v[k] = B p,  v_x[k] = dB p                                      tensor-core products, and rank-1 updates for the fifth node
//   z    along_x = B v_x,  along_y = B v,  along_z = dB v                in registers, even and odd parts
//   y    p_xi += B along_x,  p_eta += dB along_y,  p_zeta += B along_z   in registers, row j after row j
//        a = slope h_xi / h,  b = slope h_eta / h,  slope = -s / ds
//        F_x = kx w ds (p_xi - a p_zeta),  F_y = ky w ds (p_eta - b p_zeta),  F_z = kz w/ds p_zeta - a F_x - b F_y
//   and back by the transposed products; the sum over two elements along x by a shuffle, along y over the seam between
//   bars, along z by what the layer below left (Shared::carry).
//
// Budget per element and step: 9.1 KB of DRAM traffic (U read and written once, p read twice and written once, sums read and written four
// times, 10 % more of them for perimeters), about 20,000 FP64 operations of lanes, 38 tensor-core products of 8 x 8 x 4. Shared memory
// moves nodes (50 reads per lane, layer and field), U and geometry, nothing between the stages.
// One block of 512 threads per multiprocessor. Planes of elements need 152 registers, nodes 104: they are handed over
// with setmaxnreg. Both loops are kept short: what runs in a layer must fit into the instruction cache. benchmarks/log.md says what was tried.
// Arrays: timestep/two_sweep_layout.hpp; shared memory: two_sweep_shared.cuh.
#pragma once
#include "kernels/cuda/two_sweep_elements.cuh"
#include "kernels/cuda/two_sweep_nodes.cuh"

namespace agwave::two_sweep {

// One barrier for all warps, met in the loop of each role: apart, neither role's variables cost the other registers. `meeting` counts from 0.
// An mbarrier, because bar.sync wants all threads of a block at the same place; every thread arrives, which is the order racecheck knows.
__device__ __forceinline__ void begin_barriers(Shared& s) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&s.barrier)), "n"(threads) : "memory");
    const auto once = [](std::uint64_t& arrived) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&arrived)) : "memory"); };
    for (std::uint64_t& arrived : s.flux_arrived) once(arrived);
    for (std::uint64_t& arrived : s.row_arrived) once(arrived);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");  // for copies that arrive there
  }
  __syncthreads();
}
__device__ __forceinline__ void layer_barrier(Shared& s, int meeting) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "mbarrier.arrive.shared.b64 _, [%0];\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(shared_address(&s.barrier)),
      "r"(meeting & 1)
      : "memory");
}

template <bool A>
__device__ __forceinline__ void element_loop(const SweepArgs<Patches>& g, const SweepTables& tables, Shared& s) {
  ElementRole<A> elements(g, tables, s);
  if (threadIdx.x < 32) fill_lane_tables(s.tables);
  layer_barrier(s, 0);
  elements.begin();
  layer_barrier(s, 1);
  for (int step = 0; s.work[step % 4].valid; ++step) {
    elements.layer(step);
    layer_barrier(s, step);
    elements.close_seam(step);
  }
  if (A) elements.end();
}

template <bool A>
__device__ __forceinline__ void node_loop(const SweepArgs<Patches>& g, Shared& s) {
  NodeRole<A> nodes(g, s);
  Planner planner(g);
  const bool plans = threadIdx.x == threads - 1;
  if (plans)
    for (int step = 0; step < 2; ++step) planner.next(s.work[step]);
  __syncwarp();
  nodes.weights(0);
  layer_barrier(s, 0);
  nodes.begin(s.work[0]);
  for (int step = 0; s.work[step % 4].valid; ++step) {  // a layer ahead of the elements, plans another two ahead
    if (plans) planner.next(s.work[(step + 2) % 4]);
    nodes.weights(step + 1);
    nodes.layer(step);
    layer_barrier(s, step + 1);
  }
  layer_barrier(s, 0);
}

// Registers move from the warps that stage nodes to those that hold planes of elements, where the device can do that.
template <int Registers, bool More>
__device__ __forceinline__ void take_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL)
  if constexpr (More)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
  else
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
#endif
}

template <bool A>
__global__ void __launch_bounds__(threads, 1) sweep_kernel(const __grid_constant__ SweepArgs<Patches> g, const __grid_constant__ SweepTables tables) {
#if __CUDA_ARCH__ >= 900  // the variant asks for it; bulk copies are unknown below
  extern __shared__ __align__(16) unsigned char s_memory[];
  Shared& s = *reinterpret_cast<Shared*>(s_memory);
  begin_barriers(s);
  if (threadIdx.x < 32 * element_warps) {
    take_registers<152, true>();
    element_loop<A>(g, tables, s);
  } else {
    take_registers<104, false>();
    node_loop<A>(g, s);
  }
#endif
}

}  // namespace agwave::two_sweep
